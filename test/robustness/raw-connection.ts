import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** By name in lower case; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

interface AnswerOptions {
  /** The request was a HEAD, whose answer has no body, whatever its headers say. */
  readonly isHead?: boolean;
}

/** Nothing on this machine takes this long; a test that reaches it has found a hang. */
const maxWaitMilliseconds = 300_000;

/** A TCP connection on which a test writes any bytes and reads answers one by one. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #notice: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#notice();
    });
    socket.on('close', () => {
      this.#isClosed = true;
      this.#notice();
    });
    // A reset is a valid way to close; tests check whether an answer came before.
    socket.on('error', () => undefined);
  }

  /** @param ca the certificate authority of the service, if it speaks TLS */
  static open(port: number, ca?: string): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const onOpen = (): void => {
        socket.off('error', reject);
        resolve(new RawConnection(socket));
      };
      const socket: Socket =
        ca === undefined
          ? connect(port, '127.0.0.1', onOpen)
          : connectSecurely({ port, host: '127.0.0.1', ca }, onOpen);
      socket.on('error', reject);
    });
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Sends FIN: no more data follows. */
  end(): void {
    this.#socket.end();
  }

  /** Stops reading, so that answers pile up at the sender. */
  stopReading(): void {
    this.#socket.pause();
  }

  readAgain(): void {
    this.#socket.resume();
  }

  /** True also if the other side has closed it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes it with a reset (RST). */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /**
   * Returns the next complete answer; undefined if the connection was closed before one began.
   *
   * @throws Error if it was closed in the middle of one, or if nothing happens for a long time.
   */
  async nextAnswer(options: AnswerOptions = {}): Promise<RawAnswer | undefined> {
    for (;;) {
      const read = readAnswer(this.#received, options, this.#isClosed);
      if (read !== undefined) {
        this.#received = this.#received.subarray(read.length);
        return read.answer;
      }
      if (this.#isClosed) {
        if (this.#received.length === 0) return undefined;
        throw new Error(`closed in the middle of an answer: ${this.#received.toString('latin1')}`);
      }
      await this.#change('an answer');
    }
  }

  /** Resolves when the other side has closed it. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#change('the end of the connection');
  }

  async #change(what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#notice = resolve;
        timer = setTimeout(() => {
          const got = this.#received.toString('latin1').slice(0, 500);
          reject(new Error(`waited ${maxWaitMilliseconds} ms for ${what}; got: '${got}'`));
        }, maxWaitMilliseconds);
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Sends bytes on a new connection and reads one answer; 100 Continue does not count. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  options: AnswerOptions & { readonly endsEarly?: boolean; readonly ca?: string | undefined } = {},
): Promise<RawAnswer | undefined> {
  const connection = await RawConnection.open(port, options.ca);
  try {
    connection.send(bytes);
    // A body that is shorter than announced was cut off.
    if (options.endsEarly) connection.end();
    const answer = await connection.nextAnswer(options);
    return answer?.status === 100 ? await connection.nextAnswer(options) : answer;
  } finally {
    connection.destroy();
  }
}

/** RFC 9112, as far as the tests need it. Undefined: incomplete. */
function readAnswer(
  bytes: Buffer,
  { isHead = false }: AnswerOptions,
  isClosed: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const headLength = bytes.indexOf('\r\n\r\n');
  if (headLength < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headLength).split('\r\n');
  const [, version = '', status = '', reason = ''] = /^(HTTP\/1\.[01]) (\d{3}) (.*)$/.exec(statusLine) ?? [];
  if (version === '') throw new Error(`not a status line: '${statusLine}'`);
  const headers = readHeaders(lines);
  const start = headLength + 4;
  const hasNoBody = isHead || status.startsWith('1') || status === '204' || status === '304';
  const body = hasNoBody ? { text: '', end: start } : readBody(bytes, start, headers, isClosed);
  if (body === undefined) return undefined;
  return { answer: { version, status: Number(status), reason, headers, text: body.text }, length: body.end };
}

function readHeaders(lines: readonly string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not a header: '${line}'`);
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function readBody(
  bytes: Buffer,
  start: number,
  headers: Readonly<Record<string, string | undefined>>,
  isClosed: boolean,
): { text: string; end: number } | undefined {
  const length = headers['content-length'];
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? undefined : { text: bytes.toString('utf8', start, end), end };
  }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes, start);
  // Without either header, the end of the connection is the end of the body.
  return isClosed ? { text: bytes.toString('utf8', start), end: bytes.length } : undefined;
}

function readChunks(bytes: Buffer, start: number): { text: string; end: number } | undefined {
  const chunks: Buffer[] = [];
  let position = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', position);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', position, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString(), end };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    position = end;
  }
}
