import { CompiledQuery, type Kysely } from 'kysely';
import { Refusal } from '../../refusal.ts';
import type { Database } from '../database.ts';
import type { Tables } from '../tables.ts';
import { errorTable, textDigest } from './error-source.ts';
import { deleteErrorsOnSqlite, insertErrorsOnSqlite } from './moved-errors-sqlite.ts';
import {
  belongsSql,
  digestMovedRange,
  digestMovedRows,
  type MovedRange,
  type MovedRow,
  type MovedShape,
  type MovedValue,
  Parameters,
  queryRows,
  rangeSql,
} from './moved-rows.ts';
import { findProjectTable } from './project-tables.ts';
import { quoteName } from './row-pages.ts';

/** A page of rows for a project that arrives. */
export interface ArrivingPage {
  readonly projectID: string;
  readonly shape: MovedShape;
  readonly range: MovedRange;
  readonly rows: readonly MovedRow[];
  /** Seals a secret for this installation. Undefined: it was not sealed for this arrival. */
  readonly reseal: (
    sealed: string,
    id: string,
  ) => { readonly text: string; readonly keyID?: string } | undefined;
}

/**
 * Makes the rows of a range of a project those of a page, inside a transaction of the caller. What is written is read again: rows of other projects, rows
 * outside of the range and values that the database changes are refused by that.
 *
 * @throws Refusal project_page_refused
 */
export async function writeArrivingPage(
  database: Database,
  trx: Kysely<Tables>,
  page: ArrivingPage,
): Promise<void> {
  const { projectID, shape, range, rows } = page;
  const { table, columns } = shape;
  const faulty = rows.find((row) => row.length !== columns.length);
  if (faulty !== undefined) {
    throw refused(page, `a row has ${faulty.length} values, where the table has ${columns.length} columns`);
  }
  await requireOwnReferences(database.engine, trx, page);
  try {
    if (table.rows === 'replaced') await removeRange(database.engine, trx, page);
    else await removeSurplus(database.engine, trx, page);
    await requireFreeValues(database.engine, trx, page);
    if (rows.length > 0) await insertRows(database.engine, trx, page);
  } catch (error) {
    if (isConflict(error)) throw refused(page, 'a row that is here already has the same id, name or value');
    throw error;
  }
  // What came over did not happen now.
  await trx.executeQuery(deletion('event_changes', projectID, database.engine));
  await trx.executeQuery(deletion('audit_pending', projectID, database.engine));
  const sent = digestMovedRows(shape, rows);
  const stored = await digestMovedRange(database, trx, projectID, shape, range);
  if (sent.count !== stored.count || sent.digest !== stored.digest) {
    throw refused(
      page,
      `of ${sent.count} rows, ${stored.count} are in the project, in their range and as they were sent`,
    );
  }
}

function deletion(table: 'event_changes' | 'audit_pending', projectID: string, engine: Database['engine']) {
  const parameters = new Parameters(engine);
  const text = `delete from ${table} where project_id = ${parameters.add(projectID, 'uuid')}`;
  return CompiledQuery.raw(text, parameters.values);
}

async function removeRange(
  engine: Database['engine'],
  trx: Kysely<Tables>,
  page: ArrivingPage,
): Promise<void> {
  const { projectID, shape, range } = page;
  if (engine === 'sqlite' && shape.table.name === errorTable) {
    await deleteErrorsOnSqlite(trx, projectID, range);
    return;
  }
  const parameters = new Parameters(engine);
  await queryRows(
    trx,
    `delete from ${quoteName(shape.table.name)} where ${ownRangeSql(engine, page, parameters)}`,
    parameters.values,
  );
}

/** Rows that the source has no longer. */
async function removeSurplus(
  engine: Database['engine'],
  trx: Kysely<Tables>,
  page: ArrivingPage,
): Promise<void> {
  const { shape, rows, projectID } = page;
  const { name } = shape.table;
  if (name === 'projects' || name === 'audit_chains') return;
  const parameters = new Parameters(engine);
  const own = ownRangeSql(engine, page, parameters);
  if (shape.table.rows === 'appended') {
    // Retention has removed them there.
    const chain = parameters.add(projectID, 'uuid');
    await queryRows(
      trx,
      `delete from audit_entries where ${own} and sequence <= (select removed_sequence from audit_chains where chain_id = ${chain})`,
      parameters.values,
    );
    return;
  }
  const ids = rows.map((row) => String(row[shape.columns.indexOf('id')]));
  const surplus = `select id from ${quoteName(name)} where ${own} and not (${isAny(engine, 'id', ids, 'uuid', parameters)})`;
  await queryRows(
    trx,
    name === 'project_tokens'
      ? // With those that it has created: they are not there either.
        `with recursive surplus (id) as (
          ${surplus} union select child.id from project_tokens as child join surplus on child.parent_id = surplus.id
        ) delete from project_tokens where id in (select id from surplus)`
      : `delete from ${quoteName(name)} where id in (${surplus})`,
    parameters.values,
  );
}

function ownRangeSql(
  engine: Database['engine'],
  { projectID, shape, range }: ArrivingPage,
  parameters: Parameters,
): string {
  return [
    belongsSql(shape.table.belongs, parameters.add(projectID, 'uuid')),
    rangeSql(engine, shape, range, parameters),
  ]
    .filter((text) => text !== '')
    .join(' and ');
}

/** @throws Refusal project_page_refused if a row refers to a row of another project */
async function requireOwnReferences(
  engine: Database['engine'],
  trx: Kysely<Tables>,
  page: ArrivingPage,
): Promise<void> {
  const { shape, rows, projectID } = page;
  for (const [column, of] of Object.entries(shape.table.refers ?? {})) {
    const parent = of === undefined ? undefined : findProjectTable(of);
    if (parent === undefined) throw new Error(`${column} refers to no table that is moved`);
    const ids = valuesOf(shape, rows, column);
    if (ids.length === 0) continue;
    const parameters = new Parameters(engine);
    const found = await queryRows(
      trx,
      `select 1 from ${quoteName(parent.name)} where ${isAny(engine, 'id', ids, 'uuid', parameters)}
        and not (${belongsSql(parent.belongs, parameters.add(projectID, 'uuid'))}) limit 1`,
      parameters.values,
    );
    if (found.length > 0) throw refused(page, `its ${column} is of another project`);
  }
}

/** @throws Refusal project_page_refused if another row of the installation has an id or a value */
async function requireFreeValues(
  engine: Database['engine'],
  trx: Kysely<Tables>,
  page: ArrivingPage,
): Promise<void> {
  const { shape, rows, projectID } = page;
  const { key, unique = [], name, belongs } = shape.table;
  if (engine === 'sqlite' && name === errorTable) return;
  const columns = [
    ...(key.length === 1 && !['project_id', 'chain_id'].includes(key[0] ?? '') ? key : []),
    ...unique,
  ];
  for (const column of new Set(columns)) {
    if (column === 'seconds' || (column === 'digest' && name === 'fleet_contents')) continue;
    const values = valuesOf(shape, rows, column);
    if (values.length === 0) continue;
    const parameters = new Parameters(engine);
    const found = await queryRows(
      trx,
      `select 1 from ${quoteName(name)}
        where ${isAny(engine, column, values, shape.types.get(column) ?? 'text', parameters)}
        and not (${belongsSql(belongs, parameters.add(projectID, 'uuid'))}) limit 1`,
      parameters.values,
    );
    if (found.length > 0) {
      throw refused(page, `another project here has a row with the same ${column}`);
    }
  }
}

async function insertRows(
  engine: Database['engine'],
  trx: Kysely<Tables>,
  page: ArrivingPage,
): Promise<void> {
  const { shape, rows } = page;
  const { table, columns } = shape;
  if (engine === 'sqlite' && table.name === errorTable) {
    await insertErrorsOnSqlite(
      trx,
      rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))),
    );
    return;
  }
  const made =
    table.name === errorTable
      ? ['error_digest']
      : table.secret?.keyID === undefined
        ? []
        : [table.secret.keyID];
  const parameters = new Parameters(engine);
  const values = rows.map((row) => {
    const cellOf = (name: string) => row[columns.indexOf(name)] ?? null;
    const secret = resealed(page, cellOf);
    const all = columns.map((name) => {
      const value = name === table.secret?.column && secret !== undefined ? secret.text : cellOf(name);
      return parameters.add(toStored(value), shape.types.get(name));
    });
    const added = made.map((name) =>
      parameters.add(
        table.name === errorTable ? textDigest(String(cellOf('error'))) : (secret?.keyID ?? null),
        shape.types.get(name),
      ),
    );
    return `(${[...all, ...added].join(', ')})`;
  });
  const names = [...columns, ...made];
  await queryRows(
    trx,
    `insert into ${quoteName(table.name)} (${names.map(quoteName).join(', ')}) values ${values.join(', ')}
      ${onConflict(page, parameters)}`,
    parameters.values,
  );
}

function onConflict(
  { shape: { table, columns, types }, projectID }: ArrivingPage,
  parameters: Parameters,
): string {
  const key = table.key.map(quoteName).join(', ');
  if (table.rows === 'replaced') return '';
  if (table.rows === 'appended') return `on conflict (${key}) do nothing`;
  const set = columns
    .filter((name) => !table.key.includes(name))
    .map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`);
  const { column } = table.belongs;
  const own = parameters.add(projectID, types.get(column) ?? 'uuid');
  return `on conflict (${key}) do update set ${set.join(', ')} where ${quoteName(table.name)}.${quoteName(column)} = ${own}`;
}

/** @throws Refusal project_page_refused */
function resealed(page: ArrivingPage, cellOf: (name: string) => MovedValue) {
  const { secret } = page.shape.table;
  const sealed = secret && cellOf(secret.column);
  if (sealed === undefined || sealed === null) return undefined;
  const opened = page.reseal(String(sealed), String(cellOf('id')));
  if (opened === undefined) throw refused(page, 'a secret was not sealed for this arrival');
  return opened;
}

function toStored(value: MovedValue): unknown {
  return value !== null && typeof value === 'object' ? Buffer.from(value.base64, 'base64') : value;
}

function valuesOf({ columns }: MovedShape, rows: readonly MovedRow[], column: string): unknown[] {
  const at = columns.indexOf(column);
  return [...new Set(rows.map((row) => row[at]).filter((value) => value !== null && value !== undefined))];
}

function isAny(
  engine: Database['engine'],
  column: string,
  values: readonly unknown[],
  type: string,
  parameters: Parameters,
): string {
  return engine === 'sqlite'
    ? `${quoteName(column)} in (select value from json_each(${parameters.add(JSON.stringify(values))}))`
    : `${quoteName(column)} = any(${parameters.add(values, `${type}[]`)})`;
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    ['21000', '23505', '23503', '22P02', '23502'].includes(code) || /constraint failed/i.test(error.message)
  );
}

function refused({ shape }: ArrivingPage, why: string): Refusal {
  return new Refusal('project_page_refused', {
    detail: `Rows of the table ${shape.table.name} were refused, and nothing of their page was stored: ${why}.`,
  });
}
