import { unreachableAfterSeconds } from '@muster/contract';
import { type RawBuilder, sql } from 'kysely';
import { maxJitterMilliseconds } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { isAnyID } from '../../../foundation/database/is-any-id.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import { type RowValue, writeRows } from '../../../foundation/database/write-rows.ts';
import {
  crashLoopMilliseconds,
  maxObservedMilliseconds,
  minSilenceMilliseconds,
  silentIntervals,
  siteSilenceMilliseconds,
} from './agent-status.ts';
import type { SignsOfAgent } from './signs-of-agent.ts';

/**
 * Adds the gathered signs of each agent, by agent id, to the stored ones, in one durable commit. The signs of deleted
 * agents are ignored.
 *
 * @param heardSince since when the service has listened without a break; silence before that time does not count.
 */
export async function addSigns(
  database: Database,
  signs: ReadonlyMap<string, SignsOfAgent>,
  heardSince: number,
): Promise<void> {
  const rows = [...signs]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([agentID, ofAgent]) => valuesOf(agentID, ofAgent));
  if (database.engine === 'sqlite') {
    const withTime = rows.map((row) => [...row, heardSince]);
    await writeRows(database, { sqlite: sqliteAddSql, postgres: '' }, withTime);
    return;
  }
  if (rows.length === 0) return;
  const columns = addedColumns.map((_, column) => rows.map((row) => row[column]));
  await database.postgres.query(postgresAddSql, [...columns, heardSince]);
}

/** Removes the signs of deleted agents of a project. */
export async function deleteSigns(
  database: Database,
  projectID: string,
  agentIDs: readonly string[],
): Promise<void> {
  const isTheirs = isAnyID(database.engine, sql.ref('agent_id'), agentIDs);
  await deleteKeys(
    database,
    sql`select project_id, agent_id from agent_signs where project_id = ${projectID} and ${isTheirs}`,
  );
}

/** Removes up to `limit` rows of signs of agents of deleted projects. */
export async function deleteSignsOfDeletedProjects(database: Database, limit: number): Promise<number> {
  return deleteKeys(
    database,
    sql`select signs.project_id, signs.agent_id
      from projects join agent_signs as signs on signs.project_id = projects.id
      where projects.deleted_at > 0
      limit ${limit}`,
  );
}

async function deleteKeys({ engine, write }: Database, keys: RawBuilder<unknown>): Promise<number> {
  // Locked in the order of the key, as when signs are added.
  const locked = sql`select project_id, agent_id from agent_signs where (project_id, agent_id) in (${keys})
    order by project_id, agent_id for update`;
  const result = await write
    .deleteFrom('agent_signs')
    .where(sql<boolean>`(project_id, agent_id) in (${engine === 'postgres' ? locked : keys})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The added values of an agent, in the order of the parameters. */
const addedColumns = [
  ['agent_id', 'uuid'],
  ['seen_at', 'bigint'],
  ['beat_at', 'bigint'],
  ['gap_ms', 'bigint'],
  ['promised_ms', 'bigint'],
  ['stopped_at', 'bigint'],
  ['stop_failed', 'bigint'],
  ['exit_code', 'bigint'],
  ['signal', 'text'],
  ['failures', 'bigint'],
  ['failing_since', 'bigint'],
  ['failed_at', 'bigint'],
  ['recovered_at', 'bigint'],
  ['core_instance_id', 'uuid'],
] as const;

function valuesOf(agentID: string, signs: SignsOfAgent): RowValue[] {
  const { firstBeatAt, lastBeatAt, stop } = signs;
  return [
    agentID,
    signs.seenAt,
    lastBeatAt ?? null,
    firstBeatAt === lastBeatAt ? null : (lastBeatAt ?? 0) - (firstBeatAt ?? 0),
    signs.promisedMilliseconds ?? null,
    stop?.at ?? null,
    stop?.isFailure ? 1 : 0,
    stop?.exitCode ?? null,
    stop?.signal ?? null,
    signs.failures,
    signs.failingSince ?? null,
    signs.failedAt ?? null,
    signs.recoveredAt ?? null,
    signs.coreInstanceID ?? null,
  ];
}

const sqliteAddSql = addSql('sqlite', {
  input: '',
  parameter: (index) => `?${index + 1}`,
  heardSince: `?${addedColumns.length + 1}`,
});

const postgresAddSql = addSql('postgres', {
  input: `join unnest(${addedColumns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
    as input (${addedColumns.map(([name]) => name).join(', ')}) on input.agent_id = agents.id`,
  parameter: (index) => `input.${addedColumns[index]?.[0]}`,
  heardSince: `$${addedColumns.length + 1}::bigint`,
});

interface AddSqlParts {
  readonly input: string;
  readonly parameter: (index: number) => string;
  readonly heardSince: string;
}

/** `signs` is the stored row. `excluded` is the added row, which is stored as it is if there was none. */
function addSql(engine: Engine, { input, parameter, heardSince }: AddSqlParts): string {
  const [greatest, least] = engine === 'sqlite' ? ['max', 'min'] : ['greatest', 'least'];
  const names = addedColumns
    .map(([name]) => name)
    .slice(1)
    .join(', ');
  const added = addedColumns.map((_, index) => parameter(index)).slice(1);
  const ofAgent = engine === 'sqlite' ? `agents.id = ${parameter(0)} and` : '';

  const silence = `case when coalesce(signs.promised_ms, signs.observed_ms) is not null
    and coalesce(signs.promised_ms, 1) > 0 then ${greatest}(${minSilenceMilliseconds},
      ${silentIntervals} * coalesce(signs.promised_ms, signs.observed_ms))
      + case when signs.core_instance_id is null then 0 else ${siteSilenceMilliseconds} end end`;
  const wasOffline = `excluded.seen_at >= ${greatest}(signs.seen_at, ${heardSince}) + ${silence}`;
  const wasKnownOffline = 'signs.offline_at is not null and excluded.seen_at > signs.seen_at';
  const wasStopped = 'excluded.seen_at > signs.stopped_at';
  // The agent was heard since: on another way, or at this site, whose newest signs overtake what waits there.
  const isOld = `(excluded.core_instance_id is not null and excluded.seen_at < signs.seen_at
    - case when excluded.core_instance_id is distinct from signs.core_instance_id then 0
      else ${maxJitterMilliseconds} end)`;
  const isStop = `(excluded.stopped_at >= excluded.seen_at and not ${isOld})`;

  const firstBeat = '(excluded.beat_at - coalesce(excluded.gap_ms, 0))';
  const gap = `case when signs.beat_at is null then excluded.gap_ms
    when ${firstBeat} > signs.beat_at
    then ${greatest}(${firstBeat} - signs.beat_at, coalesce(excluded.gap_ms, 0)) end`;
  // A batch that is tried again tells of the same ends, with the same times.
  const isTold = '(excluded.core_instance_id is not null and excluded.failed_at <= signs.failed_at)';
  const isChained = `signs.failed_at is not null
    and excluded.failing_since - signs.failed_at <= ${crashLoopMilliseconds}`;
  const afterEnd = (chained: string, first: string, clean: string, stored: string) => `case
    when ${isOld} or ${isTold} then ${stored}
    when excluded.failed_at is not null then case when ${isChained} then ${chained} else ${first} end
    when ${isStop} then ${clean} else ${stored} end`;

  const changes: Readonly<Record<string, string>> = {
    seen_at: `${greatest}(signs.seen_at, excluded.seen_at)`,
    core_instance_id: `case when excluded.seen_at >= signs.seen_at then excluded.core_instance_id else signs.core_instance_id end`,
    // Another one that speaks for it now decides.
    unreachable_since: `case when excluded.seen_at >= signs.seen_at and
      coalesce(excluded.core_instance_id <> signs.core_instance_id, true)
      then excluded.unreachable_since else signs.unreachable_since end`,
    offline_at: `case when ${wasKnownOffline} then null else signs.offline_at end`,
    beat_at: `case when excluded.beat_at > coalesce(signs.beat_at, 0) then excluded.beat_at else signs.beat_at end`,
    gap_ms: `coalesce(${gap}, signs.gap_ms)`,
    observed_ms: `case when ${gap} is null then signs.observed_ms
      else ${least}(${maxObservedMilliseconds}, ${greatest}(${gap}, coalesce(signs.gap_ms, 0))) end`,
    promised_ms: `case when ${isOld} then signs.promised_ms else coalesce(excluded.promised_ms, signs.promised_ms) end`,
    // A sign from a replica whose clock is ahead does not undo the end.
    stopped_at: `case when ${isStop} then ${greatest}(excluded.stopped_at, signs.seen_at)
      when ${wasStopped} then null else signs.stopped_at end`,
    stop_failed: `case when ${isStop} then excluded.stop_failed else signs.stop_failed end`,
    exit_code: `case when ${isStop} then excluded.exit_code else signs.exit_code end`,
    signal: `case when ${isStop} then excluded.signal else signs.signal end`,
    failures: afterEnd('signs.failures + excluded.failures', 'excluded.failures', '0', 'signs.failures'),
    failing_since: afterEnd('signs.failing_since', 'excluded.failing_since', 'null', 'signs.failing_since'),
    failed_at: afterEnd('excluded.failed_at', 'excluded.failed_at', 'null', 'signs.failed_at'),
    recovered_at: `nullif(${greatest}(coalesce(signs.recovered_at, 0), coalesce(excluded.recovered_at, 0),
      case when ${wasOffline} or ${wasKnownOffline} or ${wasStopped} then excluded.seen_at else 0 end), 0)`,
  };
  return `
    insert into agent_signs as signs (project_id, agent_id, ${names}, observed_ms, unreachable_since)
    select agents.project_id, agents.id, ${added.join(', ')}, 
      case when ${parameter(3)} is not null then ${least}(${parameter(3)}, ${maxObservedMilliseconds}) end,
      (select missed_contact_at + ${unreachableAfterSeconds * 1_000} from core_instances
        where core_instances.id = ${parameter(13)})
    from agents ${input}
    where ${ofAgent} agents.deleted_at is null
    order by agents.project_id, agents.id
    on conflict (project_id, agent_id) do update set
      ${Object.entries(changes)
        .map(([column, value]) => `${column} = ${value}`)
        .join(',\n      ')}`;
}
