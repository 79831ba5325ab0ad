/** How many bytes a project has stored. */
interface Stored {
  /** As last added up; undefined until then. */
  measured: number | undefined;
  /** What this process has stored since. */
  added: number;
  addedDuringWalk: number;
}

/**
 * The bytes that projects have stored: what a walk through the database has added up, and what this process has stored
 * since. What other replicas store, and what was removed, shows with the next walk.
 */
export class StoredBytes {
  readonly #projects = new Map<string, Stored>();

  /** As far as it is known. */
  of(projectID: string): number {
    const stored = this.#projects.get(projectID);
    return stored === undefined ? 0 : bytesOf(stored);
  }

  /** Undefined until the project was added up once. */
  measuredOf(projectID: string): number | undefined {
    const stored = this.#projects.get(projectID);
    return stored?.measured === undefined ? undefined : bytesOf(stored);
  }

  get largest(): number {
    let largest = 0;
    for (const stored of this.#projects.values()) largest = Math.max(largest, bytesOf(stored));
    return largest;
  }

  /** Counts what has been stored just now. */
  add(projectID: string, bytes: number): void {
    const stored = this.#open(projectID);
    stored.added += bytes;
    stored.addedDuringWalk += bytes;
  }

  beginWalk(projectID: string): void {
    this.#open(projectID).addedDuringWalk = 0;
  }

  /** What was stored during the walk may count twice until the next one, and is never left out. */
  endWalk(projectID: string, measured: number): void {
    const stored = this.#open(projectID);
    stored.measured = measured;
    stored.added = stored.addedDuringWalk;
  }

  /** Forgets projects that are gone. */
  keepOnly(projectIDs: ReadonlySet<string>): void {
    for (const id of this.#projects.keys()) if (!projectIDs.has(id)) this.#projects.delete(id);
  }

  #open(projectID: string): Stored {
    const known = this.#projects.get(projectID);
    if (known !== undefined) return known;
    const stored = { measured: undefined, added: 0, addedDuringWalk: 0 };
    this.#projects.set(projectID, stored);
    return stored;
  }
}

function bytesOf({ measured = 0, added }: Stored): number {
  return measured + added;
}
