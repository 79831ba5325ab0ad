import { credentialHeaders } from './credential-headers.ts';
import { limitsOf } from './limits.ts';
import type { Operation } from './operation.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import type { Fetch } from './platform.ts';
import type { Answer } from './read-answer.ts';
import { type Connection, send, type Time } from './send.ts';

/**
 * The first argument of every operation. It never shows its credential, neither as JSON nor in a log.
 *
 * @example
 * ```ts
 * const client: Client = createClient({ url: 'http://127.0.0.1:7400' });
 * console.log(client.url);
 * ```
 */
export interface Client {
  /** URL of the service, without a slash at its end. */
  readonly url: string;
  /** Used by the operations; not for callers. */
  readonly send: (operation: Operation, input: object, options?: CallOptions) => Promise<Answer>;
  /** Used by watchEvents; not for callers. A function, because logs show the properties of objects. */
  readonly connection: () => Connection;
}

/**
 * Makes a client. It opens no connection yet and needs no closing.
 *
 * @throws TypeError for an invalid url or credential, RangeError for an invalid limit
 * @example
 * ```ts
 * const client = createClient({
 *   url: 'http://127.0.0.1:7400',
 *   credential: { accessToken: 'mst_u_…' },
 * });
 * console.log(await getMe(client));
 * ```
 */
export function createClient(options: ClientOptions): Client {
  return connect(options, { time: platformTime, random: Math.random });
}

/** Like createClient, with a given clock and source of randomness. */
export function connect(
  options: ClientOptions,
  { time, random }: Pick<Connection, 'time' | 'random'>,
): Client {
  const address = readAddress(options.url);
  limitsOf(options, {});
  if (typeof options.credential !== 'function') credentialHeaders(options.credential);
  if (!/^[\x20-\x7e]*$/.test(options.userAgent ?? '')) throw new TypeError('The userAgent must be ASCII.');
  // Looked up with each request, because tests and monitors may replace the platform's fetch later.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const connection: Connection = { address, fetch, options: { ...options }, time, random };
  return {
    url: address,
    send: (operation, input, own) => send(connection, operation, input, own),
    connection: () => connection,
  };
}

function readAddress(url: string): string {
  if (!URL.canParse(url))
    throw new TypeError('The url is not valid. Give one such as http://127.0.0.1:7400.');
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(`The url begins with ${protocol}, but the service speaks only http: and https:.`);
  }
  if (username !== '' || password !== '') {
    throw new TypeError('The url contains a user name or a password. Give a token as credential instead.');
  }
  if (search !== '' || hash !== '') throw new TypeError('The url has a query or a fragment. Leave it out.');
  return origin + pathname.replace(/\/+$/, '');
}

const platformTime: Time = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = end(() => reject(signal?.reason));
      const timer = setTimeout(
        end(() => resolve()),
        milliseconds,
      );
      signal?.addEventListener('abort', onAbort);
    }),
};
