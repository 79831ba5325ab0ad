import { write, writev } from 'node:fs';

const newline = 0x0a;
const retryMilliseconds = 5;

export interface OutputOptions {
  readonly fd: number;
  /** Called when the reader has closed its end: nothing more can be written. */
  readonly onClosed: () => void;
}

/**
 * Writes in order to a descriptor that other processes may share: a file, a pipe, a terminal, a socket of journald. Never
 * makes it non-blocking, because the agent would inherit that. A slow reader blocks a thread of the pool, not this one.
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

  /** Bytes that were given and are not written yet. */
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

  /** Writes a message of muster report as a line of its own, once the agent has ended its line. */
  tell(message: string): void {
    this.#messages.push(`muster: ${message}\n`);
    if (this.#isAtLineStart) this.#writeMessages();
  }

  /** The agent has ended: messages need not wait for the end of its last line. */
  endOfAgent(): void {
    if (this.#messages.length > 0) this.write(Buffer.from('\n'));
    this.#isAtLineStart = true;
  }

  /** Resolves when at most this much is queued. */
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
      // Another process has made it non-blocking.
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

  /** A full disk loses the output, as it would without muster report. Only a closed reader ends this output. */
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

/**
 * Resolves to true when all is written. Once `isToldToEnd`, it resolves to false when the readers have taken nothing for two
 * seconds.
 */
export async function whenTaken(outputs: readonly Output[], isToldToEnd: () => boolean): Promise<boolean> {
  const isTaken = Promise.all(outputs.map((output) => output.whenBelow(0))).then(() => true);
  const queuedBytes = () => outputs.reduce((sum, output) => sum + output.queuedBytes, 0);
  for (;;) {
    const before = queuedBytes();
    if (await Promise.race([isTaken, wait(stallMilliseconds)])) return true;
    if (isToldToEnd() && queuedBytes() >= before) return false;
  }
}

const stallMilliseconds = 2_000;

function wait(milliseconds: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), milliseconds);
  });
}

/** Limit of one call, see writev(2). */
const maxBuffers = 256;
