import pg from 'pg';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import { batchesOf } from './batches.ts';
import type { DataSetShape } from './data-set.ts';
import { type TableRows, tablesOf } from './data-set-tables.ts';
import { groupErrors } from './group-errors.ts';
import { Progress } from './progress.ts';

const rowsPerInsert = 5_000;

/** Creates the product's tables in an empty database and fills them: rows first, then indexes. */
export async function fillPostgres(databaseUrl: string, shape: DataSetShape): Promise<void> {
  const database = await openIn(databaseUrl);
  await migrate(database);
  await database.close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // An interrupted fill is repeated from the beginning, so data need not be durable before the end.
  await client.query('set synchronous_commit = off');
  const restoreIndexes = await takeIndexes(client);
  // Its triggers would queue each error for its group, of which it has none yet.
  await client.query('alter table agent_errors disable trigger user');
  for (const table of tablesOf(shape)) await fillTable(client, table);
  await client.query('alter table agent_errors enable trigger user');
  await restoreIndexes();
  await client.query('vacuum (analyze)');
  const filled = await openIn(databaseUrl);
  await groupErrors(filled);
  await filled.close();
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  await client.end();
}

function openIn(databaseUrl: string): ReturnType<typeof openDatabase> {
  return openDatabase({ dataDirectory: '', databaseUrl, onConnectionError: () => undefined });
}

/** Drops the indexes other than primary keys; returns a function that recreates them. */
async function takeIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; sql: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql
    from pg_index
    where indrelid::regclass::text in (select tablename from pg_tables where schemaname = current_schema())
      and not indisprimary`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    for (const { name, sql } of rows) {
      const started = performance.now();
      await client.query(sql);
      const seconds = (performance.now() - started) / 1_000;
      if (seconds > 1) console.log(`  index ${name}, in ${seconds.toFixed(1)} s`);
    }
  };
}

async function fillTable(client: pg.Client, { table, columns, count, rows }: TableRows): Promise<void> {
  const progress = new Progress(table, count);
  const names = columns.map(([name]) => name).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  const text = `insert into ${table} (${names}) select * from unnest(${arrays})`;
  for (const batch of batchesOf(rows(), rowsPerInsert)) {
    await client.query({
      name: `fill ${table}`,
      text,
      values: columns.map((_, column) => batch.map((row) => row[column])),
    });
    progress.add(batch.length);
  }
  progress.end();
}
