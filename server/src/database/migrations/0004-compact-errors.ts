import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Engine } from './column-types.ts';

/** Rows that one commit copies. */
const usualPortionRows = 20_000;

export interface CopiedErrors {
  readonly done: number;
  readonly total: number;
}

/**
 * On SQLite, errors move to agent_error_rows: a table in order of time, whose rows name their agent and project by small
 * integers. Rows, indexes and the log become a third as large. `agent_errors` is a view from then on, with the columns
 * of the table on PostgreSQL except for the digest.
 *
 * `place`, `id_rest`: see id-place.ts. `digest`: the first 48 bits of the SHA-256 of the text, so that equal texts have
 * equal digests, and not the other way round.
 */
export async function compactErrors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') return;
  await createTables(db);
  while ((await copyPortion(db, usualPortionRows)) > 0);
  await createIndexes(db);
  await requireAllCopied(db);
  await run(db, [
    sql`drop table agent_errors`,
    sql`drop table compact_errors_progress`,
    sql`create view agent_errors as
      select agents.id as agent_id, ${idOf('rows')} as id, projects.id as project_id, error, epoch,
        ${uuidOf('config_id')} as config_id, ${timeOf('rows')} as created_at, occurrences, last_seen_at,
        dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id
      from agent_error_rows as rows
      join id_keys as agents on agents.key = rows.agent_key
      join id_keys as projects on projects.key = rows.project_key`,
  ]);
}

/**
 * Does most of `compactErrors` ahead of it, in commits of their own: can be killed at any moment, and goes on from
 * there. What an older version changes meanwhile makes it begin anew.
 */
export async function copyErrorsAhead<Schema>(
  db: Kysely<Schema>,
  onProgress: (copied: CopiedErrors) => void,
  portionRows = usualPortionRows,
): Promise<void> {
  const inTransaction = <Result>(work: (trx: QueryExecutorProvider) => Promise<Result>): Promise<Result> =>
    db.transaction().execute(work);
  await inTransaction(createTables);
  const total = await count(db, 'agent_errors');
  let done = await count(db, 'agent_error_rows');
  onProgress({ done, total });
  for (;;) {
    const copied = await inTransaction((trx) => copyPortion(trx, portionRows));
    if (copied === 0) break;
    done += copied;
    onProgress({ done, total });
  }
  for (const index of indexes) await index.execute(db);
}

/** Finds the tables as an earlier run has left them, unless an older version has changed errors since. */
async function createTables(db: QueryExecutorProvider): Promise<void> {
  await run(db, [
    sql`create table if not exists id_keys (
      key integer primary key autoincrement,
      id text not null unique
    ) strict`,
    sql`create table if not exists compact_errors_progress (
      id integer not null primary key,
      last_id text not null
    ) strict`,
  ]);
  const { rows } = await sql`select 1 from compact_errors_progress`.execute(db);
  if (rows.length > 0) return;
  await run(db, [
    sql`drop table if exists agent_error_rows`,
    sql`create table agent_error_rows (
      place integer not null primary key,
      id_rest integer not null,
      agent_key integer not null,
      project_key integer not null,
      epoch integer not null,
      digest integer not null,
      config_id blob,
      occurrences integer not null,
      last_seen_at integer not null,
      dismissed_at integer,
      dismissed_by_kind text,
      dismissed_by_id text,
      dismiss_reason text,
      error text not null
    ) strict`,
    // An older version that runs once more on the half-copied database: what it changes was copied before perhaps.
    ...['update', 'delete'].map(
      (change) => sql`create trigger if not exists ${sql.raw(`compact_errors_${change}`)}
        after ${sql.raw(change)} on agent_errors
        when old.id <= (select last_id from compact_errors_progress)
        begin delete from compact_errors_progress; end`,
    ),
    sql`create trigger if not exists compact_errors_insert after insert on agent_errors
      when new.id <= (select last_id from compact_errors_progress)
      begin delete from compact_errors_progress; end`,
    sql`insert into compact_errors_progress (id, last_id) values (1, '')`,
  ]);
}

const indexes = [
  // The ignore rule, the status of agents, and the open errors of an agent.
  sql`create index if not exists agent_error_rows_open on agent_error_rows (agent_key, epoch, digest)
    where dismissed_at is null`,
  sql`create index if not exists agent_error_rows_dismissed on agent_error_rows (agent_key)
    where dismissed_at is not null`,
  sql`create index if not exists agent_error_rows_by_project on agent_error_rows (project_key)`,
  sql`create index if not exists agent_error_rows_open_by_project on agent_error_rows (project_key)
    where dismissed_at is null`,
  sql`create index if not exists agent_error_rows_by_dismissal on agent_error_rows (dismissed_at)
    where dismissed_at is not null`,
];

async function createIndexes(db: QueryExecutorProvider): Promise<void> {
  await run(db, indexes);
}

/** Answers how many rows it has copied: none when all are there. */
async function copyPortion(db: QueryExecutorProvider, portionRows: number): Promise<number> {
  const { rows: progress } = await sql<{ last_id: string }>`
    select last_id from compact_errors_progress`.execute(db);
  const from = progress[0]?.last_id ?? '';
  const { rows: bounds } = await sql<{ count: number; last_id: string | null }>`
    select count(*) as count, max(id) as last_id from (
      select id from agent_errors where id > ${from} order by id limit ${portionRows})`.execute(db);
  const { count: expected = 0, last_id: to = null } = bounds[0] ?? {};
  if (to === null) return 0;
  const portion = sql`agent_errors.id > ${from} and agent_errors.id <= ${to}`;
  await run(db, [
    sql`insert or ignore into id_keys (id) select agent_id from agent_errors where ${portion}`,
    sql`insert or ignore into id_keys (id) select project_id from agent_errors where ${portion}`,
  ]);
  const inserted = Number((await insertRows(db, portion, 0)).numAffectedRows ?? 0);
  if (inserted < expected) await insertMoved(db, portion, expected - inserted);
  await sql`update compact_errors_progress set last_id = ${to}`.execute(db);
  return expected;
}

/** Those whose place another row has, which happens where a clock was put back over a restart. */
async function insertMoved(db: QueryExecutorProvider, portion: RawBuilder<unknown>, missing: number) {
  const isMissing = sql`${portion} and not exists (
    select 1 from agent_error_rows as there
    where there.place between ${placeOfID} and ${placeOfID} + 7
      and there.id_rest = ${restOfID} + (there.place - ${placeOfID} << 55))`;
  let left = missing;
  for (let moved = 1; moved <= 7 && left > 0; moved += 1) {
    left -= Number((await insertRows(db, isMissing, moved)).numAffectedRows ?? 0);
  }
  if (left === 0) return;
  const { rows } = await sql<{ agent_id: string; id: string }>`
    select agent_id, id from agent_errors where ${isMissing} order by id`.execute(db);
  for (const { agent_id: agentID, id } of rows) {
    await insertRows(
      db,
      sql`agent_errors.agent_id = ${agentID} and agent_errors.id = ${id}`,
      'with another id',
    );
  }
}

/** @param moved by so many places, with the same id; or to the next free place, with the id that belongs to it. */
function insertRows(
  db: QueryExecutorProvider,
  condition: RawBuilder<unknown>,
  moved: number | 'with another id',
) {
  const [place, rest] =
    moved === 'with another id'
      ? [nextFreePlace, randomBitsOfID]
      : [sql`${placeOfID} + ${sql.lit(moved)}`, sql`${restOfID} + (${sql.lit(moved)} << 55)`];
  return sql`
    insert into agent_error_rows (
      place, id_rest, agent_key, project_key, epoch, digest, config_id, occurrences, last_seen_at,
      dismissed_at, dismissed_by_kind, dismissed_by_id, dismiss_reason, error
    )
    select ${place}, ${rest}, agents.key, projects.key, epoch,
      ('0x' || hex(substr(error_digest, 1, 6))) ->> '$', unhex(config_id, '-'), occurrences, last_seen_at,
      dismissed_at, dismissed_by_kind, dismissed_by_id, dismiss_reason, error
    from agent_errors indexed by agent_errors_by_id
    cross join id_keys as agents on agents.id = agent_errors.agent_id
    cross join id_keys as projects on projects.id = agent_errors.project_id
    where ${condition}
    order by agent_errors.id
    on conflict (place) do nothing`.execute(db);
}

async function requireAllCopied(db: QueryExecutorProvider): Promise<void> {
  const [old, copied] = [await count(db, 'agent_errors'), await count(db, 'agent_error_rows')];
  if (old !== copied) throw new Error(`${copied} of ${old} errors were copied`);
}

async function count(db: QueryExecutorProvider, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

async function run(db: QueryExecutorProvider, statements: readonly RawBuilder<unknown>[]): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

/** Numbers out of the hexadecimal digits of an id, as JSON5 reads them. */
function digits(from: number, length: number): RawBuilder<number> {
  return sql<number>`(('0x' || substr(agent_errors.id, ${sql.lit(from)}, ${sql.lit(length)})) ->> '$')`;
}

const millisecondsOfID = sql`((${digits(1, 8)} << 16) + ${digits(10, 4)})`;
const sequenceOfID = sql`((${digits(16, 3)} << 20) + ((${digits(20, 4)} & 16383) << 6) + (${digits(25, 12)} >> 42))`;
const placeOfID = sql`((${millisecondsOfID} << 19) + ${sequenceOfID})`;
const randomBitsOfID = sql`(${digits(25, 12)} & 4398046511103)`;
const restOfID = sql`(((${sequenceOfID} >> 19) << 42) + ${randomBitsOfID})`;
/** Behind the place of the id, which another row has. */
const nextFreePlace = sql`(
  select there.place + 1 from agent_error_rows as there
  where there.place >= ${placeOfID} and not exists (
    select 1 from agent_error_rows as next where next.place = there.place + 1)
  order by there.place limit 1)`;

function timeOf(rows: string): RawBuilder<unknown> {
  const [place, rest] = [sql.ref(`${rows}.place`), sql.ref(`${rows}.id_rest`)];
  return sql`((${place} - (${rest} >> 55) >> 19) - ((${rest} >> 42) & 8191))`;
}

function idOf(rows: string): RawBuilder<unknown> {
  const [place, rest, time] = [sql.ref(`${rows}.place`), sql.ref(`${rows}.id_rest`), timeOf(rows)];
  const sequence = sql`((((${rest} >> 42) & 8191) << 19) | (${place} - (${rest} >> 55) & 524287))`;
  return sql`printf('%08x-%04x-7%03x-%04x-%012x', ${time} >> 16, ${time} & 65535, ${sequence} >> 20,
    32768 | (${sequence} >> 6 & 16383), (${sequence} & 63) << 42 | (${rest} & 4398046511103))`;
}

function uuidOf(bytes: string): RawBuilder<unknown> {
  const part = (from: number, length: number) =>
    sql`substr(lower(hex(${sql.ref(bytes)})), ${sql.lit(from)}, ${sql.lit(length)})`;
  return sql`case when ${sql.ref(bytes)} is not null then ${part(1, 8)} || '-' || ${part(9, 4)} || '-'
    || ${part(13, 4)} || '-' || ${part(17, 4)} || '-' || ${part(21, 12)} end`;
}
