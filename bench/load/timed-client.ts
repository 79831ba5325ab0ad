import { Agent, type IncomingMessage, request } from 'node:http';
import type { Closing } from '../processes/closing.ts';

interface TimedAnswer<Body> {
  /** From the first byte sent to the last one received. */
  readonly milliseconds: number;
  readonly body: Body;
}

const limitMilliseconds = 30_000;

/** One person's sequential requests over one connection, each timed. */
export class TimedClient {
  readonly #url: string;
  readonly #authorization: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(closing: Closing, { url, authorization }: { url: string; authorization: string }) {
    this.#url = url;
    this.#authorization = authorization;
    closing.add(() => this.#agent.destroy());
  }

  async send<Body>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    { body }: { readonly body?: unknown } = {},
  ): Promise<TimedAnswer<Body>> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const started = performance.now();
    const { status, text } = await this.#exchange(method, path, payload);
    const milliseconds = performance.now() - started;
    if (status >= 400) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return { milliseconds, body: (text === '' ? undefined : JSON.parse(text)) as Body }; // the caller knows what the contract says
  }

  #exchange(
    method: string,
    path: string,
    payload: string | undefined,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.#url),
        {
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(limitMilliseconds),
          headers: {
            authorization: this.#authorization,
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          },
        },
        (response) => readText(response, (text) => resolve({ status: response.statusCode ?? 0, text })),
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }
}

function readText(response: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(Buffer.concat(chunks).toString()));
}
