import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { DemoError } from './demo-error.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly milliseconds: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Maximum number of connections, and so of concurrent requests. */
export const maxConnections = 256;

const maxTries = 20;
const maxWaitSeconds = 60;
/** After a request without an answer: the waits of the SDK. */
const firstWaitMilliseconds = 250;
const longestWaitMilliseconds = 10_000;

/** Another time in tests. */
export interface Patience {
  readonly answerTimeoutMilliseconds: number;
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<unknown>;
}

const usualPatience: Patience = {
  answerTimeoutMilliseconds: 30_000,
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
};

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  readonly tries?: number;
  /** Called each time that no answer came. */
  readonly onNoAnswer?: () => void;
}

/** Sends what agents send, over connections that are kept alive. What people do, the demo does with the SDK. */
export class AgentClient {
  readonly #url: URL;
  readonly #send: typeof requestHttp;
  readonly #options: object;
  readonly #patience: Patience;

  constructor(url: URL, patience: Patience = usualPatience) {
    const settings = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections };
    const isSecure = url.protocol === 'https:';
    this.#url = url;
    this.#patience = patience;
    this.#send = isSecure ? requestHttps : requestHttp;
    this.#options = {
      ...urlToHttpOptions(url),
      agent: isSecure ? new HttpsAgent(settings) : new HttpAgent(settings),
      timeout: patience.answerTimeoutMilliseconds,
    };
  }

  /** A single attempt. Rejects if no answer arrives. */
  request({ method, path, headers, body }: Call): Promise<Reply> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = this.#send(
        {
          ...this.#options,
          method,
          path: this.#url.pathname.replace(/\/$/, '') + path,
          headers: {
            ...headers,
            ...(payload === undefined
              ? {}
              : { 'Content-Type': 'application/json', 'Content-Length': payload.length }),
          },
        },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () =>
            resolve({
              status: reply.statusCode ?? 0,
              headers: reply.headers,
              text: Buffer.concat(chunks).toString(),
              milliseconds: performance.now() - started,
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.on('timeout', () =>
        sent.destroy(new Error(`no answer within ${this.#patience.answerTimeoutMilliseconds / 1000} s`)),
      );
      sent.end(payload);
    });
  }

  /**
   * Repeats the request until an answer comes, so that a slow service makes the demo slower. Only for what may be repeated: all that agents send.
   *
   * @throws DemoError if none came
   */
  async answer(call: Call, { signal, tries = maxTries, onNoAnswer }: RetryOptions = {}): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.request(call);
      } catch (error) {
        onNoAnswer?.();
        if (attempt >= tries) {
          throw new DemoError(`${call.method} ${call.path} got no answer: ${describeFailure(error)}`);
        }
      }
      const span = Math.min(longestWaitMilliseconds, firstWaitMilliseconds * 2 ** (attempt - 1));
      // The random half spreads agents that failed together.
      await this.#patience.wait((span * (1 + Math.random())) / 2, signal);
    }
  }

  /**
   * Retries without an answer, and as long as the server answers with Retry-After, and returns the body of the success.
   *
   * @throws DemoError with the server's message
   */
  async require(
    call: Call,
    signal?: AbortSignal,
  ): Promise<{ readonly reply: Reply; readonly body: unknown }> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.answer(call, { signal });
      if (reply.status >= 200 && reply.status < 300) return { reply, body: parseJson(reply.text) };
      const wait = retryAfterSeconds(reply);
      if (wait === undefined || tries === maxTries) {
        throw new DemoError(
          `${call.method} ${call.path} was refused with ${reply.status}: ${explain(reply)}`,
        );
      }
      await this.#patience.wait(Math.min(wait, maxWaitSeconds) * 1000, signal);
    }
  }
}

/** The value of Retry-After; undefined if it is absent. */
export function retryAfterSeconds({
  status,
  headers,
}: Pick<Reply, 'status' | 'headers'>): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 1;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text field of a JSON object, or undefined. */
export function textField(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

/** @throws DemoError if the server's answer lacks the field */
export function requireText(body: unknown, name: string): string {
  const text = textField(body, name);
  if (text === undefined) throw new DemoError(`The server's answer has no '${name}': is it another version?`);
  return text;
}

/** The message of a problem body, otherwise the text itself. */
function explain({ text }: Reply): string {
  return textField(parseJson(text), 'detail') ?? text.slice(0, 500);
}

/** When several addresses were tried, Node's error has no message. */
export function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeFailure(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
