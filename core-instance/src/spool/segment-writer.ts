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

  private constructor(number: number, file: AppendedFile) {
    this.number = number;
    this.#file = file;
  }

  static async create(files: SpoolFiles, number: number): Promise<SegmentWriter> {
    return new SegmentWriter(number, await files.create(nameOf(number)));
  }

  /** As far as it is on the disk. */
  get segment(): Segment {
    return { number: this.number, bytes: Math.max(this.#bytes, headerBytes), summary: this.#summary };
  }

  get isEmpty(): boolean {
    return this.#bytes <= headerBytes;
  }

  /** Resolves when the items are on the disk. */
  async append(items: readonly SpooledItem[]): Promise<void> {
    const chunks = this.#bytes === 0 ? [encodeHeader()] : [];
    let summary = this.#summary;
    for (const item of items) {
      const record = encodeItem(item);
      chunks.push(record);
      summary = summarize(summary, item, record.length);
    }
    await this.#file.append(chunks);
    await this.#file.sync();
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
