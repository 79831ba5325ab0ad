import type { AppendedFile, SpoolFiles } from '../spool/spool-files.ts';

interface StoredFile {
  bytes: Buffer;
  syncedBytes: number;
}

/** Fails like a disk; `survives` says how many of the unsynced bytes are there after a crash. */
interface Faults {
  readonly failsNow?: () => boolean;
  readonly survives?: (unsyncedBytes: number) => number;
}

/** A folder in memory whose power can fail: what was not synced is then gone, from some byte on. */
export class MemoryFiles implements SpoolFiles {
  readonly files = new Map<string, StoredFile>();
  readonly #faults: Faults;
  syncs = 0;

  constructor(faults: Faults = {}) {
    this.#faults = faults;
  }

  /** False: what was written last would not survive a crash. */
  get isSynced(): boolean {
    return [...this.files.values()].every(({ bytes, syncedBytes }) => bytes.length === syncedBytes);
  }

  crash(): void {
    for (const file of this.files.values()) {
      const unsynced = file.bytes.length - file.syncedBytes;
      const kept = file.syncedBytes + Math.min(unsynced, this.#faults.survives?.(unsynced) ?? 0);
      file.bytes = file.bytes.subarray(0, kept);
      file.syncedBytes = kept;
    }
  }

  async list(): Promise<readonly string[]> {
    return [...this.files.keys()];
  }

  async size(name: string): Promise<number> {
    return this.#find(name).bytes.length;
  }

  async read(name: string, position: number, length: number): Promise<Buffer> {
    return Buffer.from(this.#find(name).bytes.subarray(position, position + length));
  }

  async create(name: string): Promise<AppendedFile> {
    this.#mayFail();
    if (this.files.has(name)) throw new Error(`EEXIST: ${name}`);
    const file: StoredFile = { bytes: Buffer.alloc(0), syncedBytes: 0 };
    this.files.set(name, file);
    return {
      append: async (chunks) => {
        const added = Buffer.concat(chunks);
        // A disk that fills up takes a part.
        const isFailing = this.#faults.failsNow?.() === true;
        file.bytes = Buffer.concat([file.bytes, isFailing ? added.subarray(0, added.length / 2) : added]);
        if (isFailing) throw new Error('ENOSPC: no space left on device');
      },
      sync: async () => {
        this.#mayFail();
        this.syncs += 1;
        file.syncedBytes = file.bytes.length;
      },
      truncate: async (bytes) => {
        file.bytes = file.bytes.subarray(0, bytes);
        file.syncedBytes = Math.min(file.syncedBytes, bytes);
      },
      close: async () => undefined,
    };
  }

  async replace(name: string, chunks: readonly Buffer[]): Promise<void> {
    this.#mayFail();
    const bytes = Buffer.concat(chunks);
    this.files.set(name, { bytes, syncedBytes: bytes.length });
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name);
  }

  #mayFail(): void {
    if (this.#faults.failsNow?.() === true) throw new Error('EIO: i/o error');
  }

  #find(name: string): StoredFile {
    const file = this.files.get(name);
    if (file === undefined) throw new Error(`ENOENT: ${name}`);
    return file;
  }
}
