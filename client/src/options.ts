import type { Fetch, Signal } from './platform.ts';

/**
 * With what the client shows who it is: one kind of token, its whole value.
 *
 * @example
 * ```ts
 * const credential: Credential = { projectToken: 'eyJ….mst_p_…' };
 * const client = createClient({ url: 'http://127.0.0.1:7400', credential });
 * ```
 */
export type Credential =
  /** Of a person or an operator's script, or of the identity provider. */
  | { readonly accessToken: string }
  /** Of an application of a project: an agent, a core instance, a command-line client. */
  | { readonly projectToken: string }
  /** Of one registered agent. */
  | { readonly agentToken: string }
  /** Both, to register the machine of an agent again: its token proves who the caller is. */
  | { readonly projectToken: string; readonly agentToken: string };

/**
 * How often, and after how long, a request is sent again. Only what cannot be done twice by that is repeated.
 *
 * @example
 * ```ts
 * const retry: RetryOptions = { attempts: 6, onRetry: ({ delayMilliseconds }) => console.error(delayMilliseconds) };
 * const client = createClient({ url: 'http://127.0.0.1:7400', retry });
 * ```
 */
export interface RetryOptions {
  /**
   * How often it is sent at most, the first time included; 1: never again. Default: 7, which try for 8 to 16 seconds
   * where the service says nothing of when to come back: longer than it takes to restart.
   */
  readonly attempts?: number | undefined;
  /** The longest wait before the second try, doubled for each further one; between half and all of it is waited. Default: 250. */
  readonly firstDelayMilliseconds?: number | undefined;
  /** The limit of the doubled wait. Default: 10,000. A `Retry-After` that asks for more is kept. */
  readonly maxDelayMilliseconds?: number | undefined;
  /** Called before each wait. What it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/**
 * A request is about to be sent again.
 *
 * @example
 * ```ts
 * const onRetry = ({ operation, attempt, delayMilliseconds, error }: Retry) => {
 *   console.error(`${operation} failed ${attempt} times, again in ${delayMilliseconds} ms: ${error.message}`);
 * };
 * const client = createClient({ url: 'http://127.0.0.1:7400', retry: { onRetry } });
 * ```
 */
export interface Retry {
  /** The operation id, such as `createToken`. */
  readonly operation: string;
  /** How often it was sent already. */
  readonly attempt: number;
  readonly delayMilliseconds: number;
  /** Why: a MusterError or a MusterConnectionError. */
  readonly error: Error;
}

/**
 * What one call does differently from its client, and the signal that ends it.
 *
 * @example
 * ```ts
 * const options: CallOptions = { timeoutMilliseconds: 5_000, retry: { attempts: 1 } };
 * const project = await getProject(client, { projectID }, options);
 * ```
 */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /** For the whole call, with all attempts and waits: 60,000 unless given. Of a list: for each page. */
  readonly timeoutMilliseconds?: number | undefined;
  /** For each attempt, until its answer is there as a whole: 30,000 unless given. */
  readonly attemptTimeoutMilliseconds?: number | undefined;
  readonly retry?: RetryOptions | undefined;
}

/**
 * Where the service is and how to talk to it.
 *
 * @example
 * ```ts
 * const options: ClientOptions = {
 *   url: 'https://muster.example.com',
 *   credential: { accessToken: 'mst_u_…' },
 *   timeoutMilliseconds: 10_000,
 *   userAgent: 'fleet-report/1.2',
 * };
 * const client = createClient(options);
 * ```
 */
export interface ClientOptions {
  /** Of the service, with the path before `/v1` where a proxy adds one. */
  readonly url: string;
  /**
   * Absent: none is sent. A function is asked before each attempt, for tokens that are renewed (OpenID Connect).
   */
  readonly credential?: Credential | (() => Credential | Promise<Credential>) | undefined;
  /** Absent: the platform's. */
  readonly fetch?: Fetch | undefined;
  /** For a whole call, with all attempts and waits: 60,000 unless given. Of a list: for each page. */
  readonly timeoutMilliseconds?: number | undefined;
  /** For each attempt, until its answer is there as a whole: 30,000 unless given. */
  readonly attemptTimeoutMilliseconds?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Sent as `User-Agent`, for the log of the service; browsers send their own. */
  readonly userAgent?: string | undefined;
}
