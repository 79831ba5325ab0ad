import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/** Projects that move, or have moved, between two installations. */
export function projectMoveTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  return [
    sql`create table project_moves (
      project_id ${id} not null primary key,
      state ${text} not null,
      run_id ${id} not null,
      other_url ${text} not null,
      started_at ${integer} not null,
      frozen_until ${integer},
      public_key ${text},
      sealed_key ${text},
      key_id ${text}
    ) ${tableOptions(engine)}`,
  ];
}
