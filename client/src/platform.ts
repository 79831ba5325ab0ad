/**
 * The types that the SDK needs from the platform. They are declared here because each platform declares them in a
 * different library: DOM, web worker, Node, Deno, Bun.
 */
interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The platform's AbortSignal; a minimal declaration on platforms that do not declare it.
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

/** Bytes that fetch accepts, in a type that TypeScript before and after 5.7 understands. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** The request options that the SDK passes to fetch. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Bytes;
  /** The platform never follows redirects: a credential is sent only to the address that it was given for. */
  readonly redirect: 'manual';
  readonly signal: Signal;
}

/** The parts of an answer that the SDK reads. */
export interface FetchAnswer {
  /** 0 if a browser hides a redirect. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Absent on platforms that cannot read an answer as it arrives. */
  readonly body?: AnswerBody | null;
}

interface AnswerBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

/**
 * A fetch function: the platform's own, or one that adds a proxy or a log.
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
