import { connect, type Socket } from 'node:net';

/** Undefined: the connection broke or the client timed out. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/**
 * A hand-written connection that sends a request and reads its answer: Node's own client uses more resources than the
 * service does.
 */
export class ReportConnection {
  /** Resolves when it is open or has failed to open. */
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  #received: Buffer | undefined;
  #onAnswer: ((answer: Answer | undefined) => void) | undefined;
  #isClosed = false;

  constructor(host: string, port: number) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#settle(undefined, true));
    this.opened = new Promise((resolve) => this.#socket.once('connect', resolve).once('close', resolve));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Call it only after the previous request was answered. */
  send(request: string, onAnswer: (answer: Answer | undefined) => void): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#settle(undefined, true);
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = bytes.indexOf('\r\n\r\n');
    const head = headEnd < 0 ? undefined : bytes.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
    if (head === undefined || bytes.length < headEnd + 4 + length) {
      this.#received = bytes;
      return;
    }
    this.#received = undefined;
    const ends = /\r\nconnection: close/i.test(head);
    this.#settle({ status: Number(head.slice(9, 12)), head, body: bytes.subarray(headEnd + 4) }, ends);
    if (ends) this.#socket.destroy();
  }

  #settle(answer: Answer | undefined, isClosed: boolean): void {
    this.#isClosed ||= isClosed;
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(answer);
  }
}
