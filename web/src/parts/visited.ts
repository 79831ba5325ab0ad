/** The screen of one thing, such as an agent. */
export interface Visited {
  readonly path: string;
  /** What the thing is called. */
  readonly title: string;
}

const maxVisited = 12;

/** Of this tab, the newest first. They are stored nowhere. */
let visited: readonly Visited[] = [];

/** Notes that somebody looks at it. */
export function noteVisited(path: string, title: string): void {
  visited = [{ path, title }, ...visited.filter((one) => one.path !== path)].slice(0, maxVisited);
}

/** What somebody has looked at last, other than what they look at now. */
export function lastVisited(projectID: string, now: string): readonly Visited[] {
  return visited.filter(({ path }) => path.startsWith(`/projects/${projectID}/`) && path !== now);
}
