import { type FileHandle, open, stat } from 'node:fs/promises';
import type { OutputStream } from '../output-reading.ts';

const readBytes = 65_536;
const newline = 0x0a;

export interface LogFileFollowerOptions {
  readonly path: string;
  readonly stream: OutputStream;
  /** Called once with each reason why the file cannot be read. That it does not exist yet is not one. */
  readonly onFault: (reason: string) => void;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
  position: number;
}

/**
 * Follows a log file as `tail -F` does: over rotation (another file under its name), truncation (`copytruncate`), and
 * from its beginning when it appears later. It polls, which works on every file system; nothing waits for it.
 */
export class LogFileFollower {
  readonly #options: LogFileFollowerOptions;
  #file: OpenFile | undefined;
  #endsInLine = false;
  #fault: string | undefined;

  private constructor(options: LogFileFollowerOptions) {
    this.#options = options;
  }

  /** Follows from the present end of the file. */
  static async start(options: LogFileFollowerOptions): Promise<LogFileFollower> {
    const follower = new LogFileFollower(options);
    await follower.#open('end');
    return follower;
  }

  /**
   * Passes new content of the file to the stream. Resolves to false when some is left for later, because the stream is
   * behind. Does not reject.
   */
  async poll(): Promise<boolean> {
    try {
      if (this.#file === undefined) await this.#open('beginning');
      const rest = await this.#readRest();
      if (rest === 'behind') return false;
      if (rest === 'read' || !(await this.#isReplaced())) return true;
      // The old file has no new content since it was replaced.
      await this.close();
      this.#endLine();
      await this.#open('beginning');
      return (await this.#readRest()) !== 'behind';
    } catch (error) {
      this.#tellFault(error);
      await this.close();
      return true;
    }
  }

  async close(): Promise<void> {
    await this.#file?.handle.close().catch(() => undefined);
    this.#file = undefined;
  }

  async #open(from: 'beginning' | 'end'): Promise<void> {
    try {
      // A pipe is not opened: its writer would believe that it has a reader.
      if (!(await stat(this.#options.path)).isFile()) throw new Error('it is not a regular file');
      const handle = await open(this.#options.path, 'r');
      const { dev, ino, size } = await handle.stat();
      this.#file = { handle, dev, ino, position: from === 'end' ? size : 0 };
    } catch (error) {
      await this.close();
      this.#tellFault(error);
    }
  }

  async #readRest(): Promise<'read' | 'nothing' | 'behind'> {
    const { stream } = this.#options;
    const file = this.#file;
    if (file === undefined) return 'nothing';
    const { size } = await file.handle.stat();
    if (size < file.position) {
      file.position = 0;
      this.#endLine();
    }
    for (let hasRead = false; ; hasRead = true) {
      if (stream.isBehind) return 'behind';
      const { bytesRead, buffer } = await file.handle.read(
        Buffer.alloc(readBytes),
        0,
        readBytes,
        file.position,
      );
      this.#fault = undefined;
      if (bytesRead === 0) return hasRead ? 'read' : 'nothing';
      file.position += bytesRead;
      this.#endsInLine = buffer[bytesRead - 1] !== newline;
      stream.push(buffer.subarray(0, bytesRead));
    }
  }

  async #isReplaced(): Promise<boolean> {
    const file = this.#file;
    if (file === undefined) return false;
    const found = await stat(this.#options.path).catch(() => undefined);
    return found !== undefined && (found.ino !== file.ino || found.dev !== file.dev);
  }

  /** The first line of another file does not continue the last line of this one. */
  #endLine(): void {
    if (this.#endsInLine) this.#options.stream.push(Buffer.from('\n'));
    this.#endsInLine = false;
  }

  #tellFault(error: unknown): void {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== this.#fault) this.#options.onFault(reason);
    this.#fault = reason;
  }
}
