import type { Fetch, Signal } from './platform.ts';

/**
 * The client's credential: the whole value of one kind of token.
 *
 * @example
 * ```ts
 * const credential: Credential = { projectToken: 'eyJ….mst_p_…' };
 * const client = createClient({ url: 'http://127.0.0.1:7400', credential });
 * ```
 */
export type Credential =
  /** Token of a person, of an operator's script, or of the identity provider. */
  | { readonly accessToken: string }
  /** Token of an application of a project: an agent, a core instance, a command-line client. */
  | { readonly projectToken: string }
  /** Token of one registered agent. */
  | { readonly agentToken: string }
  /** Token of a core instance: a Muster at a site. */
  | { readonly coreInstanceToken: string }
  /** Both, to register the machine of an agent again: the agent token proves who the caller is. */
  | { readonly projectToken: string; readonly agentToken: string };

/**
 * How often and how fast failed requests are repeated. A request is repeated only if that cannot carry it out twice.
 *
 * @example
 * ```ts
 * const retry: RetryOptions = { attempts: 6, onRetry: ({ delayMilliseconds }) => console.error(delayMilliseconds) };
 * const client = createClient({ url: 'http://127.0.0.1:7400', retry });
 * ```
 */
export interface RetryOptions {
  /**
   * Maximum number of attempts, including the first; 1 disables retries. Default: 7. With the other defaults they take
   * 8 to 16 seconds if the service gives no `Retry-After`, which is longer than it takes to restart.
   */
  readonly attempts?: number | undefined;
  /** Maximum wait before the second attempt; doubles with each further one. The wait is a random half to the whole of it. Default: 250. */
  readonly firstDelayMilliseconds?: number | undefined;
  /** Limit of the doubled wait. Default: 10,000. A longer `Retry-After` is still respected, up to an hour. */
  readonly maxDelayMilliseconds?: number | undefined;
  /** Called before each wait. An error that it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/**
 * A request that is about to be repeated.
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
  /** Number of attempts so far. */
  readonly attempt: number;
  readonly delayMilliseconds: number;
  /** The failure: a MusterError or a MusterConnectionError. */
  readonly error: Error;
}

/**
 * Options of one call, which override those of its client, and a signal to cancel the call.
 *
 * @example
 * ```ts
 * const options: CallOptions = { timeoutMilliseconds: 5_000, retry: { attempts: 1 } };
 * const project = await getProject(client, { projectID }, options);
 * ```
 */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /** Time limit of the whole call, including all attempts and waits. Default: 60,000. Applies to each page of a list. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Time limit of one attempt, until its whole answer has arrived. Default: 30,000. */
  readonly attemptTimeoutMilliseconds?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * Of operations that take one, such as `rotateToken`: 16 to 128 visible ASCII characters. With the same key, another process can repeat a call whose
   * answer was lost. Absent: a random one, so that the attempts of one call are the same request.
   */
  readonly idempotencyKey?: string | undefined;
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
  /** URL of the service, including the path before `/v1` if a proxy adds one. */
  readonly url: string;
  /** Absent: no credential is sent. A function is called before each attempt, for tokens that are renewed (OpenID Connect). */
  readonly credential?: Credential | (() => Credential | Promise<Credential>) | undefined;
  /** Absent: the fetch of the platform. */
  readonly fetch?: Fetch | undefined;
  /** Time limit of a whole call, including all attempts and waits. Default: 60,000. Applies to each page of a list. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Time limit of one attempt, until its whole answer has arrived. Default: 30,000. */
  readonly attemptTimeoutMilliseconds?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Sent as `User-Agent`, for the log of the service; browsers send their own instead. */
  readonly userAgent?: string | undefined;
}
