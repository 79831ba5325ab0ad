import { type RawBuilder, sql } from 'kysely';
import { minIDAt } from '../../foundation/clock.ts';
import { firstPlaceAt } from '../../foundation/database/id-place.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { SearchTurn } from '../../foundation/database/searches.ts';
import { bucketMilliseconds, bucketStarts, type HistoryRange } from '../../foundation/history-range.ts';

export interface ProjectHistoryRow {
  /** Milliseconds. */
  readonly startsAt: number;
  readonly errors: number;
  readonly newGroups: number;
  readonly configChanges: number;
}

/** A configuration that agents got, by the text that is stored of it. */
export interface RolledOutConfiguration {
  readonly configID: string;
  readonly agentID: string;
  readonly agentName: string;
  readonly agents: number;
  /** Milliseconds. */
  readonly firstChangedAt: number;
  readonly lastChangedAt: number;
}

interface ProjectRange extends HistoryRange {
  readonly projectID: string;
}

/** Buckets of one statement, so that other searches have their turn in between. */
const portionSize = 50;

/** All buckets of the range, oldest first. Each count is one range of an index. */
export async function countProjectHistory(
  { db, goOn }: SearchTurn,
  engine: Engine,
  range: ProjectRange,
): Promise<ProjectHistoryRow[]> {
  const length = bucketMilliseconds[range.bucket];
  const buckets = bucketStarts(range).map((startsAt) => ({
    startsAt,
    endsAt: Math.min(range.until, startsAt + length),
  }));
  const counted: ProjectHistoryRow[] = [];
  for (let first = 0; first < buckets.length; first += portionSize) {
    goOn();
    const portion = buckets.slice(first, first + portionSize);
    const statement = (engine === 'sqlite' ? countOnSqlite : countOnPostgres)(range.projectID, portion);
    counted.push(...(await statement.execute(db)).rows);
  }
  return counted;
}

interface Bucket {
  /** Milliseconds. */
  readonly startsAt: number;
  /** Milliseconds, exclusive. */
  readonly endsAt: number;
}

function countOnSqlite(projectID: string, buckets: readonly Bucket[]) {
  // As texts, because places have more bits than a number can represent.
  const bounds = buckets.map(({ startsAt, endsAt }) => [
    startsAt,
    endsAt,
    String(firstPlaceAt(startsAt)),
    String(firstPlaceAt(endsAt)),
  ]);
  return sql<ProjectHistoryRow>`
    with buckets as materialized (
      select value ->> 0 as starts_at, value ->> 1 as ends_at,
        cast(value ->> 2 as integer) as first_place, cast(value ->> 3 as integer) as end_place
      from json_each(${JSON.stringify(bounds)})
    )
    select starts_at as "startsAt",
      (select count(*) from agent_error_rows indexed by agent_error_rows_by_project
        where project_key = (select key from id_keys where id = ${projectID})
          and place >= first_place and place < end_place) as errors,
      ${otherCounts(projectID)}
    from buckets order by starts_at`;
}

function countOnPostgres(projectID: string, buckets: readonly Bucket[]) {
  return sql<ProjectHistoryRow>`
    select starts_at as "startsAt",
      (select count(*) from agent_errors
        where project_id = ${projectID} and id >= first_id and id < end_id) as errors,
      ${otherCounts(projectID)}
    from unnest(
      ${buckets.map(({ startsAt }) => startsAt)}::bigint[],
      ${buckets.map(({ endsAt }) => endsAt)}::bigint[],
      ${buckets.map(({ startsAt }) => minIDAt(startsAt))}::uuid[],
      ${buckets.map(({ endsAt }) => minIDAt(endsAt))}::uuid[]
    ) as buckets (starts_at, ends_at, first_id, end_id)
    order by starts_at`;
}

function otherCounts(projectID: string): RawBuilder<unknown> {
  return sql`
    (select count(*) from agent_error_groups
      where project_id = ${projectID} and first_seen_at >= starts_at and first_seen_at < ends_at) as "newGroups",
    (select count(*) from agent_configs
      where project_id = ${projectID} and epoch > 1 and created_at >= starts_at and created_at < ends_at)
      as "configChanges"`;
}

/** The configurations that the most agents got in the range, the largest first, and how many different ones there are. */
export async function listRolledOutConfigurations(
  { db, goOn }: SearchTurn,
  { projectID, since, until }: ProjectRange,
  limit: number,
): Promise<{ readonly configurations: RolledOutConfiguration[]; readonly count: number }> {
  goOn();
  const inRange = sql`agent_configs.project_id = ${projectID} and agent_configs.epoch > 1
    and agent_configs.created_at >= ${since} and agent_configs.created_at < ${until}`;
  const { rows } = await sql<
    Pick<RolledOutConfiguration, 'agents' | 'lastChangedAt' | 'firstChangedAt'> & {
      readonly digest: string;
      readonly ofAll: number;
    }
  >`
    select text_digest as digest, count(distinct agent_id) as agents, min(created_at) as "firstChangedAt",
      max(created_at) as "lastChangedAt", count(*) over () as "ofAll"
    from agent_configs where ${inRange}
    group by text_digest
    order by agents desc, "firstChangedAt" desc, digest
    limit ${limit}`.execute(db);
  const configurations: RolledOutConfiguration[] = [];
  for (const { digest, agents, firstChangedAt, lastChangedAt } of rows) {
    goOn();
    const first = await sql<Pick<RolledOutConfiguration, 'configID' | 'agentID' | 'agentName'>>`
      select agent_configs.id as "configID", agent_id as "agentID", agents.name as "agentName"
      from agent_configs join agents on agents.id = agent_configs.agent_id
      where ${inRange} and agent_configs.created_at = ${firstChangedAt} and text_digest = ${digest}
      order by agent_id limit 1`.execute(db);
    // Its agent may have been deleted since.
    for (const row of first.rows) configurations.push({ ...row, agents, firstChangedAt, lastChangedAt });
  }
  return { configurations, count: rows[0]?.ofAll ?? 0 };
}
