import { write, writev } from 'node:fs';

const newline = 0x0a;
const retryMilliseconds = 5;

export interface OutputOptions {
  readonly fd: number;
  /** The one who reads has gone: nothing more can be written. */
  readonly onClosed: () => void;
}

/**
 * Writes to a descriptor that others may share, in order, whatever it is: a file, a pipe, a terminal, a socket of
 * journald. Never makes it non-blocking, which the agent would inherit; a reader who is slow holds up a thread of the
 * pool and no one else.
 */
export class Output {
  readonly #options: OutputOptions;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isWriting = false;
  #isClosed = false;
  #isAtLineStart = true;
  #messages: string[] = [];
  #onIdle: (() => void)[] = [];

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** What was given and is not yet written. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  write(bytes: Buffer): void {
    if (this.#isClosed || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#isAtLineStart = bytes[bytes.length - 1] === newline;
    if (this.#isAtLineStart && this.#messages.length > 0) this.#writeMessages();
    this.#next();
  }

  /** Writes a line of our own, as soon as it does not cut one of the agent in two. */
  tell(message: string): void {
    this.#messages.push(`muster: ${message}\n`);
    if (this.#isAtLineStart) this.#writeMessages();
  }

  /** Nothing of the agent follows: lines of our own need not wait for the end of its last one. */
  endOfAgent(): void {
    if (this.#messages.length > 0) this.write(Buffer.from('\n'));
    this.#isAtLineStart = true;
  }

  /** Resolves when less is queued than this. */
  async whenBelow(bytes: number): Promise<void> {
    while (this.#queuedBytes > bytes) {
      await new Promise<void>((resolve) => {
        this.#onIdle.push(resolve);
      });
    }
  }

  #writeMessages(): void {
    const messages = this.#messages.join('');
    this.#messages = [];
    this.write(Buffer.from(messages));
  }

  #next(): void {
    if (this.#isWriting || this.#queue.length === 0) return;
    this.#isWriting = true;
    const done = (error: NodeJS.ErrnoException | null, written: number) => this.#written(error, written);
    const [first] = this.#queue;
    if (this.#queue.length === 1 && first !== undefined) write(this.#options.fd, first, done);
    else writev(this.#options.fd, this.#queue.slice(0, maxBuffers), done);
  }

  #written(error: NodeJS.ErrnoException | null, written: number): void {
    this.#isWriting = false;
    if (error?.code === 'EAGAIN') {
      // Somebody else has made it non-blocking.
      this.#isWriting = true;
      setTimeout(() => {
        this.#isWriting = false;
        this.#next();
      }, retryMilliseconds);
      return;
    }
    if (error !== null) {
      this.#close(error);
      return;
    }
    this.#take(written);
    this.#next();
    this.#wakeWaiting();
  }

  #take(written: number): void {
    this.#queuedBytes -= written;
    let rest = written;
    while (rest > 0) {
      const [first] = this.#queue;
      if (first === undefined) return;
      if (first.length > rest) {
        this.#queue[0] = first.subarray(rest);
        return;
      }
      rest -= first.length;
      this.#queue.shift();
    }
  }

  /** A full disk loses what was to be written, as it does without us; only a reader who has gone ends it. */
  #close({ code }: NodeJS.ErrnoException): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#wakeWaiting();
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO') return;
    this.#isClosed = true;
    this.#options.onClosed();
  }

  #wakeWaiting(): void {
    const waiting = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiting) resolve();
  }
}

/** Of one call, see writev(2). */
const maxBuffers = 256;
