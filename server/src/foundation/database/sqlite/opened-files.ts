import { statSync } from 'node:fs';

/** A database file is no longer at the path where it was opened, so writes to it would be lost. */
export class FileMovedError extends Error {
  override readonly name = 'FileMovedError';
}

/**
 * Checks that opened files are still at their paths. The kernel lets a process write to a removed file, and discards the file when the process ends.
 */
export class OpenedFiles {
  readonly #identities: ReadonlyMap<string, string | undefined>;

  constructor(files: readonly string[]) {
    this.#identities = new Map(files.map((file) => [file, identify(file)]));
  }

  /** @throws FileMovedError if one of them was removed, moved or replaced. */
  expectInPlace(): void {
    for (const [file, identity] of this.#identities) {
      if (identify(file) === identity) continue;
      throw new FileMovedError(
        `${file} was removed, moved or replaced while Muster had it open, so further writes would be lost. Restore the data directory, and start Muster again.`,
      );
    }
  }
}

/** Undefined if there is no file. */
function identify(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}
