import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../column-types.ts';

interface RowTrigger {
  readonly name: string;
  readonly table: string;
  /** What it comes after, such as `update of epoch`. */
  readonly event: string;
  readonly condition?: RawBuilder<unknown>;
  readonly statements: readonly RawBuilder<unknown>[];
  /** The function that PostgreSQL needs for it. Default: the name of the trigger. */
  readonly function?: string;
}

/** A trigger that runs statements for each row, with the function that PostgreSQL needs for it. */
export function rowTrigger(engine: Engine, trigger: RowTrigger): readonly RawBuilder<unknown>[] {
  const { name, table, event, condition, statements } = trigger;
  const when = (words: RawBuilder<unknown> | undefined) =>
    words === undefined ? sql`` : sql`when (${words})`;
  const start = sql`create trigger ${sql.raw(name)} after ${sql.raw(event)} on ${sql.raw(table)}`;
  const body = sql.join(statements, sql`; `);
  if (engine === 'sqlite') return [sql`${start} ${when(condition)} begin ${body}; end`];
  const called = sql.raw(trigger.function ?? name);
  return [
    sql`create or replace function ${called}() returns trigger language plpgsql as $$
      begin
        ${body};
        return null;
      end $$`,
    sql`${start} for each row ${when(condition)} execute function ${called}()`,
  ];
}

/** The text of a JSON object. @param members in SQL: names and values */
export function jsonText(engine: Engine, members: RawBuilder<unknown>): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`json_object(${members})` : sql`json_build_object(${members})::text`;
}

/** Whether one of these columns differs between the row before and after an update. */
export function isAnyOther(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    columns.map((column) => sql.raw(`old.${column} is distinct from new.${column}`)),
    sql` or `,
  );
}
