import { setTimeout as pause } from 'node:timers/promises';

const limitMilliseconds = 30_000;

/** Calls the service as an administrator's script does. */
export class Api {
  readonly url: string;
  readonly authorization: string;

  constructor(url: string, accessToken: string) {
    this.url = url;
    this.authorization = `Bearer ${accessToken}`;
  }

  get<Body>(path: string): Promise<Body> {
    return this.#send('GET', path, { authorization: this.authorization });
  }

  /** @param headers with a credential, if it is not the administrator's. */
  post<Body>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Body> {
    const credential = Object.keys(headers).length > 0 ? headers : { authorization: this.authorization };
    return this.#send('POST', path, { ...credential, 'content-type': 'application/json' }, body);
  }

  /** @param headers with a credential */
  patch<Body>(path: string, body: unknown, headers: Record<string, string>): Promise<Body> {
    return this.#send('PATCH', path, { ...headers, 'content-type': 'application/json' }, body);
  }

  async #send<Body>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Body> {
    const end = AbortSignal.timeout(limitMilliseconds);
    const send = () =>
      fetch(new URL(path, this.url), {
        method,
        headers,
        signal: end,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    let response = await send();
    // As an agent does: data sets are stored as fast as the service takes them.
    while (response.status === 503) {
      await response.text();
      await pause(Number(response.headers.get('retry-after') ?? 1) * 1_000, undefined, { signal: end });
      response = await send();
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body; // the caller knows what the contract says
  }
}

/** Does the same for many items, some of them concurrently; returns the results in order. */
export async function forEachAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  maxConcurrent = 64,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const workOff = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, workOff));
  return results;
}
