import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A reply with all of its bytes, because agents count them. */
export interface WireReply {
  /** Head and body. */
  readonly bytes: Buffer;
  readonly status: number;
  /** As received, without the line ends. */
  readonly headerLines: readonly string[];
  readonly body: string;
}

export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Empty if the agent has lost it. */
  readonly path: string;
  /** Absent: it says none. */
  readonly contentType?: string;
  /** The credential, and the other headers that the agent sends on this route. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const maxWaitMilliseconds = 300_000;

/** A TCP connection that is used as Fluent Bit's own HTTP client uses it. */
export class AgentConnection {
  readonly #socket: Socket;
  readonly #port: number;
  readonly #closed = new AbortController();
  #received: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.setTimeout(maxWaitMilliseconds, () => socket.destroy(new Error('no reply came')));
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    socket.on('close', () => this.#closed.abort());
  }

  static async open(port: number): Promise<AgentConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new AgentConnection(socket, port);
  }

  async request(request: AgentRequest): Promise<WireReply> {
    this.#socket.write(this.toBytes(request));
    return this.nextReply();
  }

  /** Sends exactly what the agent sends: no User-Agent, no Accept, no Accept-Encoding. */
  toBytes({ method, path, contentType, headers, body }: AgentRequest): Buffer {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${this.#port}`,
      `Content-Length: ${body.length}`,
      ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) =>
        error === undefined || error === null ? resolve() : reject(error),
      );
    });
  }

  /** @throws Error if the connection is closed before */
  async nextReply(): Promise<WireReply> {
    for (;;) {
      const reply = readReply(this.#received);
      if (reply !== undefined) {
        this.#received = this.#received.subarray(reply.bytes.length);
        return reply;
      }
      await once(this.#socket, 'data', { signal: this.#closed.signal });
    }
  }

  /** Resolves when the server has closed the connection. */
  async ended(): Promise<void> {
    if (!this.#socket.readableEnded) await once(this.#socket, 'end');
  }

  get isOpen(): boolean {
    return !this.#socket.readableEnded && !this.#socket.destroyed;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Sends one request on a new connection, as agents do for everything except metrics. */
export async function requestOnce(port: number, request: AgentRequest): Promise<WireReply> {
  const connection = await AgentConnection.open(port);
  try {
    return await connection.request(request);
  } finally {
    connection.close();
  }
}

/** Undefined: incomplete. */
function readReply(bytes: Buffer): WireReply | undefined {
  const headLength = bytes.indexOf('\r\n\r\n');
  if (headLength < 0) return undefined;
  const [statusLine = '', ...headerLines] = bytes.toString('latin1', 0, headLength).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const length = headerLines
    .map((line) => /^content-length: (\d+)$/i.exec(line)?.[1])
    .find((one) => one !== undefined);
  if (length === undefined && status !== 204)
    throw new Error(`a reply of unknown length: ${bytes.toString('latin1')}`);
  const start = headLength + 4;
  const end = start + Number(length ?? 0);
  if (bytes.length < end) return undefined;
  return { bytes: bytes.subarray(0, end), status, headerLines, body: bytes.toString('utf8', start, end) };
}
