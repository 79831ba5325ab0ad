import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

const portionBytes = 1024 * 1024;

/** A new file that reaches the disk little by little, because a commit of the service on the same disk would wait for all that is written at once. */
export class SyncedFile {
  readonly #handle: number;
  #position = 0;
  #syncedUntil = 0;

  constructor(file: string) {
    this.#handle = openSync(file, 'wx', 0o600);
  }

  write(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#handle, bytes, written, bytes.length - written, this.#position + written);
    }
    this.#position += bytes.length;
    if (this.#position - this.#syncedUntil >= portionBytes) this.#sync();
  }

  /** Syncs what is left. Must be called also after a failure. */
  close(): void {
    try {
      this.#sync();
    } finally {
      closeSync(this.#handle);
    }
  }

  #sync(): void {
    fdatasyncSync(this.#handle);
    this.#syncedUntil = this.#position;
  }
}
