import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { placeOfID } from '../../server/src/foundation/database/id-place.ts';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import { sqliteFileName } from '../../server/src/foundation/database/sqlite/open-sqlite.ts';
import { batchesOf } from './batches.ts';
import type { DataSetShape } from './data-set.ts';
import { type TableRows, tablesOf } from './data-set-tables.ts';
import { groupErrors } from './group-errors.ts';
import { Progress } from './progress.ts';

type Connection = InstanceType<ReturnType<typeof loadSqliteDriver>['DatabaseSync']>;

/** Rows per statement, and statements per transaction. */
const rowsPerInsert = 50;
const rowsPerTransaction = 100_000;

/** Creates the product's database in a directory and fills it: rows first, in the order of their keys, then indexes. */
export async function fillSqlite(dataDirectory: string, shape: DataSetShape): Promise<void> {
  const database = await openIn(dataDirectory);
  await migrate(database);
  await database.close();
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(join(dataDirectory, sqliteFileName));
  // An interrupted fill is repeated from the beginning, so data need not be durable before the end.
  connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  const restore = takeIndexesAndTriggers(connection);
  for (const table of tablesOf(shape)) {
    if (table.table === 'agent_errors') fillErrors(connection, dataDirectory, table);
    else fillTable(connection, table.table, table);
  }
  restore();
  connection.exec(queueAgents);
  connection.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL');
  connection.close();
  const filled = await openIn(dataDirectory);
  await groupErrors(filled);
  await filled.close();
}

/** The triggers would have done it. The service counts what is in this queue. */
const queueAgents = `
  insert into agent_states (project_id, agent_id, status, type, version)
  select project_id, id, null, '', '' from agents;
  insert into agent_changes (project_id, agent_id) select project_id, id from agents order by id`;

function openIn(dataDirectory: string): ReturnType<typeof openDatabase> {
  return openDatabase({ dataDirectory, databaseUrl: undefined, onConnectionError: () => undefined });
}

/** Drops the triggers, and the indexes other than primary keys; returns a function that recreates them. */
function takeIndexesAndTriggers(connection: Connection): () => void {
  const taken = connection
    .prepare(
      "select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null",
    )
    .all() as { type: string; name: string; sql: string }[]; // the columns that it asks for
  for (const { type, name } of taken) connection.exec(`drop ${type} ${name}`);
  return () => {
    for (const { type, name, sql } of taken) {
      const started = performance.now();
      connection.exec(sql);
      const seconds = (performance.now() - started) / 1_000;
      if (seconds > 1) console.log(`  ${type} ${name}, in ${seconds.toFixed(1)} s`);
    }
  };
}

/** By agent first, in a file of their own, and then in the order in which they lie in the product's table. */
function fillErrors(connection: Connection, dataDirectory: string, errors: TableRows): void {
  const file = join(dataDirectory, 'staged.db');
  connection.exec(`attach '${file}' as staged`);
  connection.exec('pragma staged.journal_mode = off; pragma staged.synchronous = off');
  connection.exec(`create table staged.errors (${errors.columns.map(([name]) => name).join(', ')})`);
  connection.exec(`insert or ignore into id_keys (id) select id from projects`);
  connection.exec(`insert or ignore into id_keys (id) select id from agents`);
  fillTable(connection, 'staged.errors', errors);
  connection.function('place_of', (id: string) => placeOfID(id)?.place ?? null);
  connection.function('rest_of', (id: string) => placeOfID(id)?.rest ?? null);
  connection.exec(`
    insert into agent_error_rows (
      place, id_rest, agent_key, project_key, epoch, digest, config_id, occurrences, last_seen_at,
      dismissed_at, dismissed_by_kind, dismiss_reason, error
    )
    select place_of(errors.id) as place, rest_of(errors.id), agents.key, projects.key, epoch,
      ('0x' || hex(substr(error_digest, 1, 6))) ->> '$', unhex(config_id, '-'), occurrences, last_seen_at,
      dismissed_at, dismissed_by_kind, dismiss_reason, error
    from staged.errors
    join id_keys as agents on agents.id = agent_id
    join id_keys as projects on projects.id = project_id
    order by place`);
  connection.exec('detach staged');
  rmSync(file);
}

function fillTable(
  connection: Connection,
  table: string,
  { columns, count, rows }: Omit<TableRows, 'table'>,
): void {
  const progress = new Progress(table, count);
  const insert = prepareInsert(connection, table, columns);
  for (const transaction of batchesOf(batchesOf(rows(), rowsPerInsert), rowsPerTransaction / rowsPerInsert)) {
    connection.exec('BEGIN');
    for (const batch of transaction) {
      insert(batch.length).run(...batch.flat());
      progress.add(batch.length);
    }
    connection.exec('COMMIT');
  }
  progress.end();
}

/** One statement for full batches, and one for the last. */
function prepareInsert(connection: Connection, table: string, columns: TableRows['columns']) {
  const names = columns.map(([name]) => name).join(', ');
  const row = `(${columns.map(() => '?').join(', ')})`;
  const statements = new Map<number, ReturnType<Connection['prepare']>>();
  return (count: number) => {
    const known = statements.get(count);
    if (known !== undefined) return known;
    const values = Array.from({ length: count }, () => row).join(', ');
    const statement = connection.prepare(`insert into ${table} (${names}) values ${values}`);
    statements.set(count, statement);
    return statement;
  };
}
