import { type AgentStatus, nextPingSeconds, unreachableAfterSeconds } from '@muster/contract';

/** The stored facts from which the status of an agent is computed. Times are milliseconds since 1970. */
export interface StatusFacts {
  readonly created_at: number;
  /** The later of the times in the agent's row and in its signs of life. */
  readonly last_seen_at: number;
  /** 0: no promise. Null: the agent did not say. */
  readonly promised_ms: number | null;
  readonly observed_ms: number | null;
  /** Since when it is known to be offline. No longer true once it was heard. */
  readonly offline_at: number | null;
  readonly stopped_at: number | null;
  /** 1: the agent ended with a failure. Null: it has no signs of life yet. */
  readonly stop_failed: number | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly failures: number | null;
  readonly failing_since: number | null;
  readonly failed_at: number | null;
  readonly recovered_at: number | null;
  /** The core instance that last spoke for it. Null: it spoke itself. */
  readonly core_instance_id: string | null;
  /** Since when the core instance that speaks for it is not heard. Null: it is, or the agent speaks itself. */
  readonly unreachable_since: number | null;
  /** What that core instance is called, if it is asked for. */
  readonly core_instance_name?: string | null;
  /** Open errors of the configuration that the agent runs. */
  readonly open_errors: number;
  readonly oldest_open_error_at: number | null;
}

/** The time for which the status is computed, and since when the service has listened without a break. */
export interface Moment {
  readonly now: number;
  readonly heardSince: number;
}

export interface DescribedStatus {
  readonly status: AgentStatus;
  readonly since: number;
  /** Null if the agent is healthy. */
  readonly reason: string | null;
}

/** The number of intervals that may pass without a sign of life. */
export const silentIntervals = 3;
/** The minimum time that may pass without a sign of life. */
export const minSilenceMilliseconds = 90_000;

/**
 * How much longer an agent behind a core instance may be silent. Within this time it is known whether the core instance itself is not heard: then
 * nothing is known of the agent.
 */
export const siteSilenceMilliseconds = (unreachableAfterSeconds + nextPingSeconds) * 1_000;

/** The maximum observed interval, for agents that do not say how often they beat. */
export const maxObservedMilliseconds = 3_600_000;

/** This number of failures, each at most this long after the one before, is a crash loop until this long after the last. */
export const crashLoopFailures = 3;
export const crashLoopMilliseconds = 600_000;

/**
 * Computes the status of an agent. The first of these decides: nobody hears who speaks for it, it stopped (with a failure: unhealthy), it is silent, it is
 * in a crash loop, it has open errors. `agent-status-store.ts` has the same rules in SQL.
 */
export function describeStatus(facts: StatusFacts, { now, heardSince }: Moment): DescribedStatus {
  const { stopped_at: stoppedAt, failures, failing_since: failingSince, failed_at: failedAt } = facts;
  if (facts.unreachable_since !== null) {
    return {
      status: 'unknown',
      since: facts.unreachable_since,
      reason: `Its site '${facts.core_instance_name ?? ''}' is unreachable.`,
    };
  }
  if (stoppedAt !== null && stoppedAt >= facts.last_seen_at) {
    const isFailure = facts.stop_failed === 1;
    if (isFailure && isCrashLoop(failures)) {
      return { status: 'unhealthy', since: failingSince ?? stoppedAt, reason: describeLoop(facts) };
    }
    return {
      status: isFailure ? 'unhealthy' : 'stopped',
      since: stoppedAt,
      reason: `Stopped ${describeEnd(facts)}.`,
    };
  }
  const offlineAt = silentSince(facts, heardSince);
  if (offlineAt !== undefined && offlineAt <= now) {
    return {
      status: 'offline',
      since: offlineAt,
      reason: `Not heard since ${toTimestamp(facts.last_seen_at)}, although it ${describePromise(facts)}.`,
    };
  }
  if (isCrashLoop(failures) && failedAt !== null && failedAt > now - crashLoopMilliseconds) {
    return { status: 'unhealthy', since: failingSince ?? failedAt, reason: describeLoop(facts) };
  }
  if (facts.open_errors > 0) {
    return {
      status: 'unhealthy',
      since: facts.oldest_open_error_at ?? facts.created_at,
      reason: `Has ${facts.open_errors} open ${facts.open_errors === 1 ? 'error' : 'errors'} of its current configuration.`,
    };
  }
  return { status: 'healthy', since: Math.max(facts.created_at, facts.recovered_at ?? 0), reason: null };
}

/**
 * When its silence has lasted or will have lasted too long; undefined if it promised nothing. An agent that was offline before the
 * service stopped listening still is.
 */
function silentSince(facts: StatusFacts, heardSince: number): number | undefined {
  const { last_seen_at: seenAt, offline_at: offlineAt } = facts;
  if (offlineAt !== null && offlineAt > seenAt) return offlineAt;
  const interval = promisedInterval(facts);
  if (interval === undefined) return undefined;
  const further = facts.core_instance_id === null ? 0 : siteSilenceMilliseconds;
  return (
    Math.max(seenAt, heardSince) + Math.max(minSilenceMilliseconds, silentIntervals * interval) + further
  );
}

function isCrashLoop(failures: number | null): boolean {
  return failures !== null && failures >= crashLoopFailures;
}

/** The interval of the expected signs of life; undefined if the agent promised nothing. */
function promisedInterval({ promised_ms: promised, observed_ms: observed }: StatusFacts): number | undefined {
  if (promised !== null) return promised === 0 ? undefined : promised;
  return observed ?? undefined;
}

function describePromise(facts: StatusFacts): string {
  const seconds = Math.max(1, Math.round((promisedInterval(facts) ?? 0) / 1_000));
  return `${facts.promised_ms === null ? 'used to send' : 'promised'} a sign of life every ${seconds} s`;
}

function describeEnd({ signal, exit_code: exitCode }: StatusFacts): string {
  if (signal !== null) return `by ${signal}`;
  return exitCode === null ? 'without giving a reason' : `with exit code ${exitCode}`;
}

function describeLoop(facts: StatusFacts): string {
  return `Crash loop: stopped with a failure ${facts.failures} times, last ${describeEnd(facts)}.`;
}

function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
