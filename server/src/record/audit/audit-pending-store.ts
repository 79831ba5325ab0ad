import { CompiledQuery, type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { preparedAs } from '../../foundation/database/prepared-name.ts';
import type { Tables } from '../../foundation/database/tables.ts';

export type PendingRow = Selectable<Tables['audit_pending']>;

/** The parts of one work, or those that are due at a time. */
export type PendingFilter = { readonly work: string } | { readonly dueAt: number };

export const maxPortion = 2_000;

const columns = ['id', 'work', 'project_id', 'due_at', 'created_at', 'entry', 'agent_ids'] as const;

/** As a text that PostgreSQL prepares, because each change of a configuration contains it. */
const insertSql = {
  sqlite: insertStatement((column) => `?${column}`),
  postgres: `${preparedAs('insert-pending-audit')}${insertStatement((column) => `$${column}`)}`,
};

export async function insertPending(
  trx: Kysely<Tables>,
  engine: Engine,
  row: Insertable<Tables['audit_pending']>,
): Promise<void> {
  await trx.executeQuery(
    CompiledQuery.raw(
      insertSql[engine],
      columns.map((name) => row[name]),
    ),
  );
}

function insertStatement(parameter: (column: number) => string): string {
  return `
    insert into audit_pending (${columns.join(', ')})
    values (${columns.map((_, index) => parameter(index + 1)).join(', ')})`;
}

export async function hasPending(db: Kysely<Tables>, filter: PendingFilter): Promise<boolean> {
  return (await selectPending(db, filter).limit(1).executeTakeFirst()) !== undefined;
}

/** Removes and returns parts. On PostgreSQL, those that another replica takes are left to it. */
export async function takePending(
  trx: Kysely<Tables>,
  engine: Engine,
  filter: PendingFilter,
): Promise<PendingRow[]> {
  const query = selectPending(trx, filter).limit(maxPortion);
  const rows = await (engine === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
  const ids = JSON.stringify(rows.map(({ id }) => id));
  if (rows.length > 0) await deletePending(trx, engine, ids);
  return rows.toSorted((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
}

function selectPending(db: Kysely<Tables>, filter: PendingFilter) {
  const query = db.selectFrom('audit_pending').selectAll();
  return 'work' in filter
    ? query.where('work', '=', filter.work)
    : query.where('due_at', '<=', filter.dueAt).orderBy('due_at');
}

/** @param ids JSON array */
async function deletePending(trx: Kysely<Tables>, engine: Engine, ids: string): Promise<void> {
  const listed =
    engine === 'sqlite'
      ? sql<string>`(select value from json_each(${ids}))`
      : sql<string>`(select json_array_elements_text(${ids}::json))`;
  await trx.deleteFrom('audit_pending').where('id', 'in', listed).execute();
}
