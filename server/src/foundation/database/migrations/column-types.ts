import { type RawBuilder, sql } from 'kysely';

export type Engine = 'sqlite' | 'postgres';

/** The same column in the words of each engine. */
export interface ColumnTypes {
  readonly id: RawBuilder<unknown>;
  readonly text: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** Milliseconds since 1970-01-01 UTC, and counts. */
  readonly integer: RawBuilder<unknown>;
}

const types: Readonly<Record<Engine, ColumnTypes>> = {
  sqlite: { id: sql`text`, text: sql`text`, bytes: sql`blob`, integer: sql`integer` },
  postgres: { id: sql`uuid`, text: sql`text`, bytes: sql`bytea`, integer: sql`bigint` },
};

export function columnTypes(engine: Engine): ColumnTypes {
  return types[engine];
}

/**
 * What ends a table's definition. In SQLite, columns keep their types, and rows lie in the order of the
 * primary key, which spares one index a table.
 */
export function tableOptions(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`strict, without rowid` : sql``;
}
