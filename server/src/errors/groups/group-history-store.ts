import { sql } from 'kysely';
import { minIDAt } from '../../foundation/clock.ts';
import { firstPlaceAt, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { SearchTurn } from '../../foundation/database/searches.ts';
import { bucketMilliseconds, bucketStarts, type HistoryRange } from '../../foundation/history-range.ts';

interface GroupHistoryRange extends HistoryRange {
  readonly groupID: string;
}

export interface HistoryRow {
  /** Milliseconds. */
  readonly startsAt: number;
  readonly errors: number;
  readonly agents: number;
}

/** A history is read in up to this many portions, so that other searches have their turn in between. */
const maxPortions = 20;

/** All buckets of the range, oldest first; those in which nothing was created have zeros. */
export async function countHistory(
  { db, goOn }: SearchTurn,
  engine: Engine,
  range: GroupHistoryRange,
): Promise<HistoryRow[]> {
  const length = bucketMilliseconds[range.bucket];
  const count = Math.ceil((range.until - range.since) / length);
  const counted = new Map<number, HistoryRow>();
  const step = Math.ceil(count / maxPortions) * length;
  for (let since = range.since; since < range.until; since += step) {
    goOn();
    const until = Math.min(range.until, since + step);
    const { rows } = await (engine === 'sqlite' ? countOnSqlite : countOnPostgres)({
      ...range,
      since,
      until,
    }).execute(db);
    for (const row of rows) counted.set(row.startsAt, row);
  }
  return bucketStarts(range).map((startsAt) => counted.get(startsAt) ?? { startsAt, errors: 0, agents: 0 });
}

function countOnSqlite({ groupID, bucket, since, until }: GroupHistoryRange) {
  const length = bucketMilliseconds[bucket];
  return sql<HistoryRow>`
    select ${sql.raw(timeAtPlaceSql)} / ${sql.lit(length)} * ${sql.lit(length)} as "startsAt", count(*) as errors,
      count(distinct agent_key) as agents
    from agent_error_rows indexed by agent_error_rows_by_group
    where error_group = (select key from agent_error_groups where id = ${groupID})
      and place >= ${firstPlaceAt(since)} and place < ${firstPlaceAt(until)}
    group by 1`;
}

function countOnPostgres({ groupID, bucket, since, until }: GroupHistoryRange) {
  const length = bucketMilliseconds[bucket];
  return sql<HistoryRow>`
    select created_at / ${sql.lit(length)} * ${sql.lit(length)} as "startsAt", count(*) as errors,
      count(distinct agent_id) as agents
    from agent_errors
    where group_id = ${groupID} and id >= ${minIDAt(since)} and id < ${minIDAt(until)}
    group by 1`;
}
