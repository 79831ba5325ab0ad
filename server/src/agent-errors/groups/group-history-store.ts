import { type Kysely, sql } from 'kysely';
import { minIDAt } from '../../clock.ts';
import { firstPlaceAt, timeAtPlaceSql } from '../../database/id-place.ts';
import type { Engine } from '../../database/migrations/column-types.ts';
import type { Tables } from '../../database/tables.ts';

/** Times in milliseconds. */
export interface GroupHistoryRange {
  /** Inclusive: where the first bucket begins. */
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
  readonly bucketMilliseconds: number;
}

export interface GroupHistoryBucket {
  /** Where it begins. */
  readonly at: number;
  /** Errors that were created in it and are still stored, and the agents that they are of. */
  readonly errors_count: number;
  readonly agents_count: number;
}

/** Buckets of a group that have errors, in the order of time. Reads every error of the range: for the searching thread. */
export async function readGroupHistory(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  { since, until, bucketMilliseconds }: GroupHistoryRange,
): Promise<GroupHistoryBucket[]> {
  const width = sql.lit(bucketMilliseconds);
  const bucketOf = (time: ReturnType<typeof sql>) =>
    sql`(${time} - ${sql.lit(since)}) / ${width} * ${width} + ${sql.lit(since)}`;
  const query =
    engine === 'sqlite'
      ? sql<GroupHistoryBucket>`
        select ${bucketOf(sql.raw(timeAtPlaceSql))} as at, count(*) as errors_count,
          count(distinct agent_key) as agents_count
        from agent_error_rows indexed by agent_error_rows_by_group
        where error_group = (select key from agent_error_groups where id = ${groupID})
          and place >= ${firstPlaceAt(since)} and place < ${firstPlaceAt(until)}
        group by 1 order by 1`
      : sql<GroupHistoryBucket>`
        select ${bucketOf(sql`created_at`)} as at, count(*) as errors_count,
          count(distinct agent_id) as agents_count
        from agent_errors
        where group_id = ${groupID} and id >= ${minIDAt(since)} and id < ${minIDAt(until)}
        group by 1 order by 1`;
  const { rows } = await query.execute(db);
  return rows;
}
