/** Stored bytes of one project. */
interface Stored {
  /** The result of the last walk; undefined before the first one. */
  measured: number | undefined;
  /** Bytes that this process has stored since. */
  added: number;
  addedDuringWalk: number;
}

/**
 * The stored bytes of each project: the sum of the last walk through the database, and what this process has stored since. What other replicas store,
 * and what is removed, is counted by the next walk.
 */
export class StoredBytes {
  readonly #projects = new Map<string, Stored>();

  /** The known bytes; 0 if none are known. */
  of(projectID: string): number {
    const stored = this.#projects.get(projectID);
    return stored === undefined ? 0 : bytesOf(stored);
  }

  /** Undefined until a walk has measured the project. */
  measuredOf(projectID: string): number | undefined {
    const stored = this.#projects.get(projectID);
    return stored?.measured === undefined ? undefined : bytesOf(stored);
  }

  get largest(): number {
    let largest = 0;
    for (const stored of this.#projects.values()) largest = Math.max(largest, bytesOf(stored));
    return largest;
  }

  /** Counts bytes that were just stored. */
  add(projectID: string, bytes: number): void {
    const stored = this.#open(projectID);
    stored.added += bytes;
    stored.addedDuringWalk += bytes;
  }

  beginWalk(projectID: string): void {
    this.#open(projectID).addedDuringWalk = 0;
  }

  /** Bytes that were stored during the walk may count twice until the next one, but are never missed. */
  endWalk(projectID: string, measured: number): void {
    const stored = this.#open(projectID);
    stored.measured = measured;
    stored.added = stored.addedDuringWalk;
  }

  /** Forgets projects that no longer exist. */
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
