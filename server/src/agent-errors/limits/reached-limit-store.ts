import { type RawBuilder, sql } from 'kysely';
import { timeOfID } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import { joinPrefixes } from '../../database/join-prefixes.ts';
import { prefixBytes } from '../open-errors/standing-digests.ts';
import {
  idsAround,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
} from './new-error-limits.ts';

/** How an agent stands to the limits on new errors, in one look. Times in milliseconds. */
export interface LimitState {
  readonly hasMostOpen: boolean;
  /** Until when the agent, or its project, has had as many new errors as are taken; undefined: it has not. */
  readonly agentFullUntil: number | undefined;
  readonly projectFullUntil: number | undefined;
  /** Of the latest error of the agent; undefined: it has none. */
  readonly newestAt: number | undefined;
  /** What the digests of the errors that stand begin with, in hexadecimal; undefined: they are too many. */
  readonly standing: string | undefined;
}

interface LimitStateRow {
  readonly open_count: number;
  readonly last_of_agent: string | null;
  readonly last_of_project: string | null;
  readonly newest: string | null;
  readonly standing_count: number;
  readonly standing: string | null;
}

/**
 * Looks at the limits as the statements do that store reports: 0 stands for none, counting stops at the limit, and
 * of an interval the latest errors count, the last of which frees its place when it falls out.
 *
 * @param now milliseconds.
 * @param mostStanding more errors than that are not answered.
 */
export async function findLimitState(
  database: Database,
  limits: NewErrorLimits,
  { agentID, projectID }: { readonly agentID: string; readonly projectID: string },
  now: number,
  mostStanding: number,
): Promise<LimitState> {
  const { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond } = limits;
  const ofAgent = sql`agent_id = ${agentID}`;
  const ofProject = sql`project_id = ${projectID}`;
  const prefixes = joinPrefixes(database.engine, sql<Uint8Array>`error_digest`, prefixBytes);
  const { rows } = await sql<LimitStateRow>`
    select standing.total as standing_count, standing.prefixes as standing,
      (select count(*) from (
        select 1 from agent_errors where ${ofAgent} and dismissed_at is null limit ${openPerAgent}
      ) as counted) as open_count,
      ${lastThatCounts(ofAgent, newPerAgentPerMinute, idsAround(now, minuteMilliseconds))} as last_of_agent,
      ${lastThatCounts(ofProject, newPerProjectPerSecond, idsAround(now, secondMilliseconds))} as last_of_project,
      (select id from agent_errors where ${ofAgent} order by id desc limit 1) as newest
    from (
      select count(*) as total, ${prefixes} as prefixes
      from (
        select error_digest from agent_errors
        where ${ofAgent} and epoch = (select epoch from agents where id = ${agentID}) and dismissed_at is null
        limit ${mostStanding + 1}
      ) as open_ones
    ) as standing`.execute(database.read);
  const [row] = rows;
  if (row === undefined) throw new TypeError('an aggregate without groups has one row');
  return {
    hasMostOpen: openPerAgent > 0 && row.open_count >= openPerAgent,
    agentFullUntil: timeAfter(row.last_of_agent, minuteMilliseconds),
    projectFullUntil: timeAfter(row.last_of_project, secondMilliseconds),
    newestAt: timeAfter(row.newest, 0),
    standing: row.standing_count > mostStanding ? undefined : (row.standing ?? ''),
  };
}

/** Of the latest `limit` errors the last one, where there are as many between those ids. */
function lastThatCounts(
  condition: RawBuilder<unknown>,
  limit: number,
  [first, end]: readonly [string, string],
): RawBuilder<unknown> {
  if (limit === 0) return sql`null`;
  return sql`(
    select id from agent_errors where ${condition} and id >= ${first} and id < ${end}
    order by id desc limit 1 offset ${limit - 1})`;
}

function timeAfter(id: string | null, milliseconds: number): number | undefined {
  return id === null ? undefined : timeOfID(id) + milliseconds;
}
