import { createContext, useContext } from 'react';

/** The screen of one thing, such as an agent. */
export interface Visited {
  readonly path: string;
  /** What the thing is called. */
  readonly title: string;
}

const maxVisited = 12;

/** What somebody has looked at in this tab, the newest first. It is stored nowhere. */
export class VisitedScreens {
  #visited: readonly Visited[] = [];

  note(path: string, title: string): void {
    this.#visited = [{ path, title }, ...this.#visited.filter((one) => one.path !== path)].slice(
      0,
      maxVisited,
    );
  }

  /** What they have looked at last of a project, other than what they look at now. */
  listOthers(projectID: string, now: string): readonly Visited[] {
    return this.#visited.filter(({ path }) => path.startsWith(`/projects/${projectID}/`) && path !== now);
  }
}

const VisitedContext = createContext(new VisitedScreens());

export function useVisited(): VisitedScreens {
  return useContext(VisitedContext);
}
