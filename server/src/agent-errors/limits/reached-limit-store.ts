import { sql } from 'kysely';
import { timeOfID } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import { prefixBytes } from '../open-errors/repeatable-digests.ts';
import type { Range, Sql, Walk } from '../rows/error-rows.ts';
import { errorRowsOf } from '../rows/error-rows-of.ts';
import { newestOfEach } from '../rows/walk-store.ts';
import {
  idsAround,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
} from './new-error-limits.ts';

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
  const errors = errorRowsOf(database.engine);
  const ofAgent: readonly Walk[] = [
    { of: 'agents', ids: [agentID], state: 'open' },
    { of: 'agents', ids: [agentID], state: 'dismissed' },
  ];
  const ofProject: readonly Walk[] = [{ of: 'project', id: projectID, state: 'any' }];
  // The id of the newest error, or of the one `offset` places before it.
  const newest = (walks: readonly Walk[], offset: number, range: Range = {}): Sql => {
    const page = sql`
      ${newestOfEach(errors, walks, offset + 1, { range, columns: errors.key })} order by ${errors.key} desc limit 1 offset ${offset}`;
    return sql`(select ${errors.id} from ${errors.fromPage(page)})`;
  };
  // The oldest of the latest `limit` errors, if the interval contains that many.
  const lastThatCounts = (walks: readonly Walk[], limit: number, milliseconds: number): Sql => {
    const [from, before] = idsAround(now, milliseconds);
    return limit === 0 ? sql`null` : newest(walks, limit - 1, { from, before });
  };
  const isOfNow = sql`epoch = (select epoch from agents where id = ${agentID})`;
  const open = sql`select ${errors.digest} from ${errors.openOf(sql`${agentID}`)}`;
  // What a report may repeat.
  const repeatable = sql`
    ${open} and ${isOfNow}
    union all select ${errors.digest} from ${errors.mutedOf(sql`${agentID}`)} and ${isOfNow}`;
  const { rows } = await sql<LimitStateRow>`
    select repeatable.total as repeatable_count, repeatable.prefixes as repeatable_digests,
      (select count(*) from (${open} limit ${openPerAgent}) as counted) as open_count,
      ${lastThatCounts(ofAgent, newPerAgentPerMinute, minuteMilliseconds)} as last_of_agent,
      ${lastThatCounts(ofProject, newPerProjectPerSecond, secondMilliseconds)} as last_of_project,
      ${newest(ofAgent, 0)} as newest
    from (
      select count(*) as total, string_agg(${errors.digestPrefix(prefixBytes)}, '') as prefixes
      from (select * from (${repeatable}) as ones limit ${maxDigests + 1}) as repeatable_ones
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

function timeAfter(id: string | null, milliseconds: number): number | undefined {
  return id === null ? undefined : timeOfID(id) + milliseconds;
}
