import { type RawBuilder, sql } from 'kysely';
import { timeOfID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { idAtPlaceSql, placeOfID } from '../../foundation/database/id-place.ts';
import { errorsOfAgentSql } from '../error-row-store-postgres.ts';
import {
  idsAround,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
} from './new-error-limits.ts';
import { prefixBytes } from './repeatable-digests.ts';

/** The state of an agent's limits on new errors, from one query. Times in milliseconds. */
export interface LimitState {
  readonly hasMaxOpen: boolean;
  /** The time until which the limit of the agent, or of its project, is reached; undefined if it is not. */
  readonly agentFullUntil: number | undefined;
  readonly projectFullUntil: number | undefined;
  /** Time of the agent's latest error; undefined if it has none. */
  readonly newestAt: number | undefined;
  /** The prefixes of the digests of the errors that a report may repeat, in hexadecimal; undefined if there are too many. */
  readonly repeatableDigests: string | undefined;
}

interface LimitStateRow {
  readonly open_count: number;
  readonly last_of_agent: string | null;
  readonly last_of_project: string | null;
  readonly newest: string | null;
  readonly repeatable_count: number;
  readonly repeatable_digests: string | null;
}

/**
 * Reads the limits like the statements that store reports: 0 means no limit, and counting stops at the limit. In an interval, the latest errors
 * count, and the oldest of them frees a place when it leaves the interval.
 *
 * @param now milliseconds.
 * @param maxDigests maximum number of digests that are returned.
 */
export async function findLimitState(
  database: Database,
  limits: NewErrorLimits,
  { agentID, projectID }: { readonly agentID: string; readonly projectID: string },
  now: number,
  maxDigests: number,
): Promise<LimitState> {
  const { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond } = limits;
  const words =
    database.engine === 'sqlite' ? sqliteWords(agentID, projectID) : postgresWords(agentID, projectID);
  // The oldest of the latest `limit` errors, if the interval contains that many.
  const lastThatCounts = (
    of: 'agent' | 'project',
    limit: number,
    ids: readonly [string, string],
  ): RawBuilder<unknown> => (limit === 0 ? sql`null` : words.newest(of, limit - 1, ids));
  const { rows } = await sql<LimitStateRow>`
    select repeatable.total as repeatable_count, repeatable.prefixes as repeatable_digests,
      (select count(*) from (${words.open} limit ${openPerAgent}) as counted) as open_count,
      ${lastThatCounts('agent', newPerAgentPerMinute, idsAround(now, minuteMilliseconds))} as last_of_agent,
      ${lastThatCounts('project', newPerProjectPerSecond, idsAround(now, secondMilliseconds))} as last_of_project,
      ${words.newest('agent', 0)} as newest
    from (
      select count(*) as total, ${words.prefixes} as prefixes
      from (${words.repeatable} limit ${maxDigests + 1}) as repeatable_ones
    ) as repeatable`.execute(database.read);
  const [row] = rows;
  if (row === undefined) throw new TypeError('an aggregate without groups has one row');
  return {
    hasMaxOpen: openPerAgent > 0 && row.open_count >= openPerAgent,
    agentFullUntil: timeAfter(row.last_of_agent, minuteMilliseconds),
    projectFullUntil: timeAfter(row.last_of_project, secondMilliseconds),
    newestAt: timeAfter(row.newest, 0),
    repeatableDigests: row.repeatable_count > maxDigests ? undefined : (row.repeatable_digests ?? ''),
  };
}

/** The parts of the query that differ by engine. */
interface LimitWords {
  /** The open errors of the agent, as rows with their digest. */
  readonly open: RawBuilder<unknown>;
  /** What a report may repeat: open and muted errors of the current configuration, as rows with their digest. */
  readonly repeatable: RawBuilder<unknown>;
  readonly prefixes: RawBuilder<unknown>;
  /** The id of the newest error, or of the one `offset` places before it; only between two ids if they are given. */
  newest(of: 'agent' | 'project', offset: number, ids?: readonly [string, string]): RawBuilder<unknown>;
}

function postgresWords(agentID: string, projectID: string): LimitWords {
  const open = sql`select error_digest from agent_errors where agent_id = ${agentID} and dismissed_at is null`;
  const isOfNow = sql`epoch = (select epoch from agents where id = ${agentID})`;
  const isBetween = (ids: readonly [string, string] | undefined): RawBuilder<unknown> =>
    ids === undefined ? sql`true` : sql`id >= ${ids[0]} and id < ${ids[1]}`;
  return {
    open,
    repeatable: sql`
      select error_digest from (${open} and ${isOfNow}
        union all
        select error_digest from agent_errors
        where agent_id = ${agentID} and is_muted is not null and ${isOfNow}) as repeatable`,
    prefixes: sql`string_agg(encode(substring(error_digest from 1 for ${sql.lit(prefixBytes)}), 'hex'), '')`,
    newest: (of, offset, ids) =>
      of === 'project'
        ? sql`(
          select id from agent_errors
          where project_id = ${projectID} and ${isBetween(ids)}
          order by id desc limit 1 offset ${offset})`
        : sql`(
          select id from (${errorsOfAgentSql({ agentID, columns: sql`id`, limit: offset + 1 })}) as of_agent
          where ${isBetween(ids)}
          order by id desc limit 1 offset ${offset})`,
  };
}

function sqliteWords(agentID: string, projectID: string): LimitWords {
  const agent = sql`agent_key = (select key from id_keys where id = ${agentID})`;
  const isOfNow = sql`epoch = (select epoch from agents where id = ${agentID})`;
  const project = sql`project_key = (select key from id_keys where id = ${projectID})`;
  const openOnes = sql`agent_error_rows indexed by agent_error_rows_open where ${agent} and dismissed_at is null`;
  const rows = {
    agent: (condition: RawBuilder<unknown>) => sql`
      select place, id_rest from ${openOnes} and ${condition}
      union all
      select place, id_rest from agent_error_rows indexed by agent_error_rows_dismissed
      where ${agent} and dismissed_at is not null and ${condition}`,
    project: (condition: RawBuilder<unknown>) => sql`
      select place, id_rest from agent_error_rows indexed by agent_error_rows_by_project
      where ${project} and ${condition}`,
  };
  const open = sql`select digest from ${openOnes}`;
  return {
    open,
    repeatable: sql`
      select digest from (${open} and ${isOfNow}
        union all
        select digest from agent_error_rows indexed by agent_error_rows_muted
        where ${agent} and is_muted is not null and ${isOfNow})`,
    // Of 48 bits.
    prefixes: sql`group_concat(printf('%08x', digest >> ${sql.lit(48 - 8 * prefixBytes)}), '')`,
    newest(of, offset, ids) {
      const [first, end] = (ids ?? []).map((id) => placeOfID(id)?.place ?? 0n);
      const isBetween = ids === undefined ? sql`true` : sql`place >= ${first} and place < ${end}`;
      return sql`(
        select ${sql.raw(idAtPlaceSql)} from (${rows[of](isBetween)})
        order by place desc limit 1 offset ${offset})`;
    },
  };
}

function timeAfter(id: string | null, milliseconds: number): number | undefined {
  return id === null ? undefined : timeOfID(id) + milliseconds;
}
