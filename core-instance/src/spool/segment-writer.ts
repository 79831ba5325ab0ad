import { encodeHeader, headerBytes } from './record-format.ts';
import {
  emptySummary,
  encodeEnd,
  encodeItem,
  nameOf,
  type Segment,
  type Summary,
  summarize,
} from './segment.ts';
import type { AppendedFile, SpoolFiles } from './spool-files.ts';
import type { SpooledItem } from './spooled-item.ts';

/** Writes the segment to which items are appended. A file is never appended to by a second process, nor after a failure. */
export class SegmentWriter {
  readonly number: number;
  readonly #file: AppendedFile;
  #bytes = 0;
  #summary: Summary = emptySummary;
  #isSynced = true;

  private constructor(number: number, file: AppendedFile) {
    this.number = number;
    this.#file = file;
  }

  static async create(files: SpoolFiles, number: number): Promise<SegmentWriter> {
    return new SegmentWriter(number, await files.create(nameOf(number)));
  }

  /** As far as it was written. Repeats at its end may not be on the disk yet. */
  get segment(): Segment {
    return { number: this.number, bytes: Math.max(this.#bytes, headerBytes), summary: this.#summary };
  }

  get isEmpty(): boolean {
    return this.#bytes <= headerBytes;
  }

  /** False: what was written last would survive the end of the process, and not that of the system. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Resolves when the items are written, and with `isSync` when they and all before are on the disk. */
  async append(items: readonly SpooledItem[], isSync: boolean): Promise<void> {
    const chunks = this.#bytes === 0 && items.length > 0 ? [encodeHeader()] : [];
    let summary = this.#summary;
    for (const item of items) {
      const record = encodeItem(item);
      chunks.push(record);
      summary = summarize(summary, item);
    }
    if (chunks.length > 0) await this.#file.append(chunks);
    if (isSync && (chunks.length > 0 || !this.#isSynced)) await this.#file.sync();
    this.#isSynced = isSync;
    this.#bytes += chunks.reduce((sum, { length }) => sum + length, 0);
    this.#summary = summary;
  }

  /** Writes what makes it complete. It is as good without: it is then read from its beginning at the next start. */
  async finish(): Promise<void> {
    try {
      if (this.#bytes > 0) {
        await this.#file.append([encodeEnd(this.#summary)]);
        await this.#file.sync();
      }
    } finally {
      await this.#file.close();
    }
  }

  /** After a failed write: what it may have left behind the last good record goes, as far as the disk allows. */
  async abandon(): Promise<void> {
    await this.#file.truncate(this.#bytes).catch(() => undefined);
    await this.#file.close().catch(() => undefined);
  }
}
