import { statSync } from 'node:fs';

/** A file of the database is no longer where it was opened: what is written to it is found by nobody. */
export class FileMovedError extends Error {
  override readonly name = 'FileMovedError';
}

/**
 * Knows files by what they were when they were opened. The kernel lets a process write to a file for as long as it
 * likes after somebody has removed it, and drops it all with the process.
 */
export class OpenedFiles {
  readonly #identities: ReadonlyMap<string, string | undefined>;

  constructor(files: readonly string[]) {
    this.#identities = new Map(files.map((file) => [file, identify(file)]));
  }

  /** @throws FileMovedError when one of them was removed, moved or replaced. */
  expectInPlace(): void {
    for (const [file, identity] of this.#identities) {
      if (identify(file) === identity) continue;
      throw new FileMovedError(
        `${file} was removed, moved or replaced while Muster had it open: what is written now would be lost. Put the data directory back, and start Muster again.`,
      );
    }
  }
}

/** Undefined where nothing is. */
function identify(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}
