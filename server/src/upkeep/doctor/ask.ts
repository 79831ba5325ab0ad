import { request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { text } from 'node:stream/consumers';

export const timeoutMilliseconds = 5_000;

export interface Reply {
  /** Undefined: no answer. */
  readonly status?: number;
  /** Why there is no answer, as Node.js calls it, such as ECONNREFUSED. */
  readonly code?: string;
  readonly text: string;
  readonly reason: string;
  readonly headers?: Headers;
}

export async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    return { status: response.status, text: await response.text(), reason: '', headers: response.headers };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return noReply(cause);
  }
}

/**
 * Without `fetch`, which refuses some ports. The certificate names another host than the address of this machine, so it is not checked here: the check of
 * the public URL does that.
 */
export async function askItself(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const fail = (error: Error): void => resolve(noReply(error));
    const options = { headers, signal, rejectUnauthorized: false, agent: false } as const;
    const send = url.startsWith('https:') ? requestSecurely : request;
    const sent = send(url, options, (response) => {
      const done = (body: string): void =>
        resolve({ status: response.statusCode ?? 0, text: body, reason: '' });
      text(response).then(done, fail);
    });
    sent.on('error', fail);
    sent.end();
  });
}

export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? { ...found } : undefined;
  } catch {
    return undefined;
  }
}

function noReply(cause: unknown): Reply {
  const code = cause instanceof Error && 'code' in cause ? { code: String(cause.code) } : {};
  // Several addresses that failed have no message of their own.
  const reason =
    cause instanceof Error && cause.message !== '' ? cause.message : (code.code ?? String(cause));
  return { text: '', reason, ...code };
}
