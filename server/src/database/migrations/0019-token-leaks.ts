import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * Values that somebody reported as found: `token_leaks` holds their digests until they are dealt with, and the token of a valid one says when it was
 * reported.
 */
export async function addTokenLeaks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const columns: readonly (readonly [string, string, RawBuilder<unknown>])[] = [
    ['project_tokens', 'leaked_at', integer],
    ['project_tokens', 'leak_source', text],
    // The number of the newest value that was reported.
    ['project_tokens', 'leaked_number', integer],
    ['access_tokens', 'leaked_at', integer],
    ['access_tokens', 'leak_source', text],
    ['access_tokens', 'leaked_number', integer],
    ['agent_tokens', 'leaked_at', integer],
  ];
  for (const [table, column, definition] of columns) {
    await sql`alter table ${sql.ref(table)} add column ${sql.ref(column)} ${definition}`.execute(db);
  }
  await sql`create table token_leaks (
    id ${id} not null primary key,
    digest ${text} not null,
    source ${text},
    address ${text},
    request_id ${text} not null,
    reported_at ${integer} not null
  ) ${tableOptions(engine)}`.execute(db);
}
