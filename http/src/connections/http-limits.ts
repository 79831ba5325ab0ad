/** Limits that keep slow clients, malicious or not, from affecting others. */
export interface HttpLimits {
  /** Time limit for receiving a request and for delivering an answer. A connection that exceeds it is closed. */
  readonly slowClientMilliseconds: number;
  /** Interval of the check for slow clients. */
  readonly checkMilliseconds: number;
  /** How long an idle connection stays open between two requests. */
  readonly keepAliveMilliseconds: number;
  /** From 90 % of this number on, idle connections are closed to make room for new ones; above it, new ones are refused. */
  readonly maxConnections: number;
  /** During a stop: how long idle connections may wait for a last request. */
  readonly drainIdleMilliseconds: number;
  /** During a stop: how much longer requests under way may take. */
  readonly drainMilliseconds: number;
}

export const defaultHttpLimits: HttpLimits = {
  slowClientMilliseconds: 10_000,
  checkMilliseconds: 2_000,
  // Longer than the interval of agents that report each minute, and than the idle timeout of usual load balancers.
  keepAliveMilliseconds: 75_000,
  // About 10 KB each when idle. The system may allow fewer.
  maxConnections: 20_000,
  drainIdleMilliseconds: 1_000,
  drainMilliseconds: 6_000,
};

/** Maximum number of bytes of a request line and its headers. */
export const headerLimitBytes = 16 * 1024;
