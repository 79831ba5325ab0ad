/** What keeps clients that are slow, on purpose or not, from holding up the others. */
export interface HttpLimits {
  /** A request that is not whole by then, and an answer that is not taken by then, end their connection. */
  readonly slowClientMilliseconds: number;
  /** How often slow clients are looked for. */
  readonly checkMilliseconds: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveMilliseconds: number;
  /** From 90 % of these on, connections without a request make room for new ones; beyond, those are not taken. */
  readonly maxConnections: number;
  /** While it stops: how long connections may wait for the request whose answer ends them. */
  readonly drainIdleMilliseconds: number;
  /** While it stops: how long requests under way may take beyond that. */
  readonly drainMilliseconds: number;
}

export const defaultHttpLimits: HttpLimits = {
  slowClientMilliseconds: 10_000,
  checkMilliseconds: 2_000,
  // Longer than the interval of agents that report each minute, and than that of usual load balancers.
  keepAliveMilliseconds: 75_000,
  // Some 10 KB each without a request; the system may allow fewer.
  maxConnections: 20_000,
  drainIdleMilliseconds: 1_000,
  drainMilliseconds: 6_000,
};

/** Most bytes of a request line and its headers. */
export const headerLimitBytes = 16 * 1024;
