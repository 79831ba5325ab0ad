import { maxGroupTrends, trendBucketSeconds, trendBuckets } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import { minIDAt } from '../../foundation/clock.ts';
import { firstPlaceAt, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** How a group grew. */
export interface GroupTrend {
  readonly groupID: string;
  /** Agents with a new error in each bucket, oldest first. */
  readonly agentsCounts: readonly number[];
}

interface TrendRow {
  readonly groupID: string;
  readonly bucket: number;
  readonly agents: number;
}

const bucketMilliseconds = trendBucketSeconds * 1_000;

/** When the first bucket of the trends that end now starts, in milliseconds. */
export function trendStart(now: number): number {
  return (Math.floor(now / bucketMilliseconds) + 1 - trendBuckets) * bucketMilliseconds;
}

/** The groups of a project with the most new errors since then. */
export async function listGroupTrends(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  since: number,
): Promise<GroupTrend[]> {
  const { rows } = await (engine === 'sqlite' ? onSqlite : onPostgres)(projectID, since).execute(db);
  const trends = new Map<string, number[]>();
  for (const { groupID, bucket, agents } of rows) {
    const counts = trends.get(groupID) ?? Array.from({ length: trendBuckets }, () => 0);
    const place = (bucket * bucketMilliseconds - since) / bucketMilliseconds;
    // What a clock that was set back has stored in the future has no place.
    if (place < trendBuckets) counts[place] = agents;
    trends.set(groupID, counts);
  }
  return [...trends].map(([groupID, agentsCounts]) => ({ groupID, agentsCounts }));
}

function onSqlite(projectID: string, since: number) {
  return sql<TrendRow>`
    with counted as materialized (
      select error_group, ${sql.raw(timeAtPlaceSql)} / ${sql.lit(bucketMilliseconds)} as bucket,
        count(*) as errors, count(distinct agent_key) as agents
      from agent_error_rows indexed by agent_error_rows_by_project
      where project_key = (select key from id_keys where id = ${projectID}) and place >= ${firstPlaceAt(since)}
        and error_group is not null
      group by 1, 2),
    largest as materialized (
      select error_group from counted group by 1 order by sum(errors) desc, 1 limit ${maxGroupTrends})
    select agent_error_groups.id as "groupID", counted.bucket, counted.agents
    from largest
    join counted on counted.error_group = largest.error_group
    join agent_error_groups on agent_error_groups.key = largest.error_group
    order by 1, 2`;
}

function onPostgres(projectID: string, since: number) {
  return sql<TrendRow>`
    with counted as materialized (
      select group_id, created_at / ${sql.lit(bucketMilliseconds)} as bucket,
        count(*) as errors, count(distinct agent_id) as agents
      from agent_errors
      where project_id = ${projectID} and id >= ${minIDAt(since)} and group_id is not null
      group by 1, 2),
    largest as materialized (
      select group_id from counted group by 1 order by sum(errors) desc, 1 limit ${maxGroupTrends})
    select counted.group_id as "groupID", counted.bucket, counted.agents
    from largest join counted on counted.group_id = largest.group_id
    order by 1, 2`;
}
