import { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';

/**
 * A statement that is so frequent that PostgreSQL should parse and plan it once per connection. It names its columns: with `*`, the replicas of the
 * version before fail with "cached plan must not change result type" when a migration adds one.
 */
export interface PreparedStatement {
  /** Of the prepared statement on PostgreSQL: one name for one text. */
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}

export async function readPrepared<Row extends Readonly<Record<string, unknown>>>(
  database: Database,
  { name, ...texts }: PreparedStatement,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  if (database.engine === 'postgres') return database.postgres.query<Row>(texts.postgres, [...values], name);
  const { rows } = await database.read.executeQuery<Row>(CompiledQuery.raw(texts.sqlite, [...values]));
  return rows;
}
