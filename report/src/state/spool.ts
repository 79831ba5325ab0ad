import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpoolOwner } from './spool-owner.ts';
import { formatSpooledError, type SpooledError } from './spooled-error.ts';
import { makeStateDirectory, temporaryNameOf } from './state-directory.ts';

/** A larger file is replaced by one with the errors that are still pending. */
const maxBytes = 4 * 1_048_576;

export interface SpoolOptions {
  readonly directory: string;
  /** Stands for project and machine id. */
  readonly key: string;
  readonly owner: SpoolOwner;
  /** The errors that are pending now; used to replace a file that has become too large. */
  readonly pending: () => readonly SpooledError[];
  /** Called once. After that, nothing is kept on disk. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Keeps the errors that the service has not accepted yet in a file, one file per process, which survives the process.
 * Works in the background: no call waits for the disk, and a disk that fails or is full stops nothing.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #path: string;
  #file: FileHandle | undefined;
  #bytes = 0;
  #queued: SpooledError[] = [];
  #isToClear = false;
  #hasFailed = false;
  #work: Promise<void> | undefined;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#path = join(options.directory, spoolName(options.key, options.owner));
  }

  append(errors: readonly SpooledError[]): void {
    if (this.#hasFailed) return;
    this.#queued.push(...errors);
    this.#start();
  }

  /** The service has accepted all errors: the file is emptied. */
  clear(): void {
    this.#queued = [];
    this.#isToClear = true;
    if (!this.#hasFailed) this.#start();
  }

  /** Resolves when all errors so far are in the file, or could not be written. Does not reject. */
  async settle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** False if an error could not be written: then none is kept any more. */
  get keeps(): boolean {
    return !this.#hasFailed;
  }

  /** Closes the file, and removes it if it is empty. */
  async close(): Promise<void> {
    await this.settle();
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
    if (this.#bytes === 0) await rm(this.#path, { force: true }).catch(() => undefined);
  }

  #start(): void {
    this.#work ??= this.#writeAll().finally(() => {
      this.#work = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#isToClear || this.#queued.length > 0) {
        if (this.#isToClear) await this.#truncate();
        else await this.#writeQueued();
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#queued = [];
      this.#options.onFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #truncate(): Promise<void> {
    this.#isToClear = false;
    if (this.#bytes > 0) await this.#file?.truncate(0);
    this.#bytes = 0;
  }

  async #writeQueued(): Promise<void> {
    const lines = this.#queued.map(formatSpooledError).join('');
    this.#queued = [];
    if (this.#bytes + lines.length > maxBytes) await this.#rewrite();
    else await this.#write(await this.#open(), lines);
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    await makeStateDirectory(this.#options.directory);
    this.#file = await open(this.#path, 'a', 0o600);
    return this.#file;
  }

  async #write(file: FileHandle, lines: string): Promise<void> {
    // Counted first, because a write that fails may have written a part.
    this.#bytes += Buffer.byteLength(lines);
    await file.appendFile(lines);
  }

  async #rewrite(): Promise<void> {
    const temporary = temporaryNameOf(this.#path);
    const file = await open(temporary, 'ax', 0o600);
    await this.#file?.close();
    this.#file = file;
    this.#bytes = 0;
    await this.#write(file, this.#options.pending().map(formatSpooledError).join(''));
    await rename(temporary, this.#path);
  }
}

export function spoolName(key: string, { pid, startedAt }: SpoolOwner): string {
  return `${key}.${pid}-${startedAt}.spool`;
}
