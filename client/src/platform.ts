/**
 * What the SDK takes from the platform, written down here because each platform declares it in a library of its
 * own: DOM, web worker, Node, Deno, Bun.
 */
interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The platform's AbortSignal; its outline where none is declared.
 *
 * @example
 * ```ts
 * const controller = new AbortController();
 * const signal: Signal = controller.signal;
 * const me = await getMe(client, {}, { signal });
 * ```
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Declared } }
  ? Declared
  : SignalLike;

/** Bytes of one's own memory: what fetch takes, in the words of TypeScript before and after 5.7. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** What the SDK hands to fetch. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Bytes;
  /** Never followed by the platform: a credential goes to the address that it was given for and to no other. */
  readonly redirect: 'manual';
  readonly signal: Signal;
}

/** What the SDK reads of an answer. */
export interface FetchAnswer {
  /** 0 where a browser hides a redirect. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/**
 * A fetch: the platform's own fits, and so does one with a proxy or a log in between.
 *
 * @example
 * ```ts
 * const logged: Fetch = async (url, init) => {
 *   const answer = await fetch(url, init);
 *   console.log(init.method, url, answer.status);
 *   return answer;
 * };
 * const client = createClient({ url: 'http://127.0.0.1:7400', fetch: logged });
 * ```
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;
