const key = 'muster.project';

/** Where the next visit begins. */
export function keepLastProject(projectID: string): void {
  localStorage.setItem(key, projectID);
}

export function lastProject(): string | undefined {
  return localStorage.getItem(key) ?? undefined;
}
