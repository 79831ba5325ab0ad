import type { AgentStatus } from '@muster/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import {
  crashLoopFailures,
  crashLoopMilliseconds,
  type Moment,
  minSilenceMilliseconds,
  silentIntervals,
  siteSilenceMilliseconds,
} from './agent-status.ts';

/** `describeStatus` as a condition on `agents`, `signs` (agent_signs, left joined) and open errors. */
export function hasStatus(
  engine: Engine,
  status: AgentStatus,
  moment: Moment,
  hasOpenError: RawBuilder<boolean>,
): RawBuilder<boolean> {
  const isStopped = sql<boolean>`coalesce(
    signs.stopped_at >= agents.last_seen_at and signs.stopped_at >= signs.seen_at, false)`;
  const isSilent = sql<boolean>`(coalesce(
    signs.offline_at > ${greatest(engine)}(agents.last_seen_at, signs.seen_at), false) or coalesce(
    ${greatest(engine)}(agents.last_seen_at, signs.seen_at, ${moment.heardSince}) + ${silenceSql(engine)} <= ${moment.now},
    false))`;
  const isCrashLoop = sql<boolean>`coalesce(
    signs.failures >= ${crashLoopFailures} and signs.failed_at > ${moment.now - crashLoopMilliseconds}, false)`;
  const isUnknown = sql<boolean>`(signs.unreachable_since is not null)`;
  switch (status) {
    case 'unknown':
      return isUnknown;
    case 'stopped':
      return sql<boolean>`(not ${isUnknown} and ${isStopped} and signs.stop_failed = 0)`;
    case 'offline':
      return sql<boolean>`(not ${isUnknown} and not ${isStopped} and ${isSilent})`;
    case 'unhealthy':
      return sql<boolean>`(not ${isUnknown} and case when ${isStopped} then signs.stop_failed = 1
        else not ${isSilent} and (${isCrashLoop} or ${hasOpenError}) end)`;
    case 'healthy':
      return sql<boolean>`(not ${isUnknown} and not ${isStopped} and not ${isSilent} and not ${isCrashLoop}
        and not ${hasOpenError})`;
  }
}

/**
 * Up to a limit, the agents of a project that may have a status because of their signs of life; a few of them do not have
 * it. It reads the signs of the project in one range.
 */
export function agentsThatMayBe(
  engine: Engine,
  status: Exclude<AgentStatus, 'healthy'>,
  projectID: string,
  moment: Moment,
  limit: number,
): RawBuilder<{ agent_id: string }> {
  const conditions: Readonly<Record<typeof status, RawBuilder<unknown>>> = {
    unknown: sql`unreachable_since is not null`,
    stopped: sql`stopped_at is not null and stop_failed = 0`,
    offline: sql`(offline_at is not null
      or ${greatest(engine)}(seen_at, ${moment.heardSince}) + ${silenceSql(engine)} <= ${moment.now})`,
    unhealthy: sql`(stopped_at is not null and stop_failed = 1
      or failures >= ${crashLoopFailures} and failed_at > ${moment.now - crashLoopMilliseconds})`,
  };
  return sql<{ agent_id: string }>`
    select agent_id from agent_signs as signs
    where project_id = ${projectID} and ${conditions[status]}
    limit ${limit}`;
}

/** How long an agent may be silent; null if it promised nothing. */
export function silenceSql(engine: Engine): RawBuilder<number> {
  return sql<number>`case when coalesce(signs.promised_ms, signs.observed_ms) is not null
    and coalesce(signs.promised_ms, 1) > 0
    then ${greatest(engine)}(${sql.lit(minSilenceMilliseconds)},
      ${sql.lit(silentIntervals)} * coalesce(signs.promised_ms, signs.observed_ms))
      + case when signs.core_instance_id is null then 0 else ${sql.lit(siteSilenceMilliseconds)} end end`;
}

/** Both numbers must not be null. */
export function greatest(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`max` : sql`greatest`;
}
