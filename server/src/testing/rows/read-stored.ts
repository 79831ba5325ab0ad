import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { prepareTestDatabase } from '../test-database.ts';

/** Everything that an app stores: its files byte for byte, and on PostgreSQL every row of every table. */
export async function readStored(dataDirectory: string): Promise<string> {
  const files = readdirSync(dataDirectory).map((name) => readFileSync(join(dataDirectory, name), 'latin1'));
  const url = await prepareTestDatabase(dataDirectory);
  return [...files, ...(url === undefined ? [] : await readTables(url))].join('\n');
}

async function readTables(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
      texts.push(...rows.map(({ text }) => text));
    }
    return texts;
  } finally {
    await client.end();
  }
}
