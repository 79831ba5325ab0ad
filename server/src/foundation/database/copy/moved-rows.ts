import { hash } from 'node:crypto';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { idAtPlaceSql, idOfBytesSql, maxMoved, placeOfID, timeAtPlaceSql } from '../id-place.ts';
import type { Tables } from '../tables.ts';
import { errorTable } from './error-source.ts';
import { type Belonging, findProjectTable, type ProjectTable, projectTables } from './project-tables.ts';
import { quoteName } from './row-pages.ts';
import { readTableShape } from './table-shape.ts';

/** A value of a column on its way between two installations. */
export type MovedValue = null | number | string | { readonly base64: string };

/** In the order of the columns of `MovedShape`. */
export type MovedRow = readonly MovedValue[];

/** Values of the key of a table. */
export type MovedKey = readonly (string | number)[];

/** The rows after a key, up to another one: those of no project but one. */
export interface MovedRange {
  readonly after: MovedKey | undefined;
  /** Undefined: to the last row. */
  readonly through: MovedKey | undefined;
}

/** What moves of a table: the same on both engines. */
export interface MovedShape {
  readonly table: ProjectTable;
  /** In the order of their names. */
  readonly columns: readonly string[];
  /** On PostgreSQL, the types of all columns. */
  readonly types: ReadonlyMap<string, string>;
  /** With which secrets can be read. Absent: all of them. */
  readonly keyIDs?: readonly string[];
}

/** What a range holds. The digest leaves out secrets, whose rows have other columns that change with them. */
export interface RangeDigest {
  readonly count: number;
  readonly digest: string;
}

/** A page ends at the first limit that it reaches, and has at least one row. */
const pageLimits = { rows: 500, bytes: 512 * 1024 };

/** Columns that one engine has, and the other computes. */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  agent_errors: ['error_digest'],
  agent_error_groups: ['key'],
  dismissals: ['key'],
};

/** @param keyIDs of the installation that the project leaves. */
export async function readMovedShape(
  database: Database,
  table: ProjectTable,
  keyIDs?: readonly string[],
): Promise<MovedShape> {
  const types = new Map(await listColumns(database, table.name));
  const left = [
    ...(table.left ?? []),
    ...(ownColumns[table.name] ?? []),
    ...(table.secret?.keyID === undefined ? [] : [table.secret.keyID]),
  ];
  const columns = [...types.keys()].filter((name) => !left.includes(name)).sort();
  return { table, columns, types, ...(keyIDs && { keyIDs }) };
}

/** A secret as it is stored, and the id of its row. */
export interface StoredSecret {
  readonly text: string;
  /** Undefined: it is not encrypted. */
  readonly keyID: string | undefined;
  readonly id: string;
}

/**
 * The first rows of a range, in the order of the key. Empty: there are none.
 *
 * @param seal what is given instead of a secret. Absent: an empty text.
 */
export async function readMovedPage(
  { engine }: Pick<Database, 'engine'>,
  db: Kysely<Tables>,
  projectID: string,
  shape: MovedShape,
  range: MovedRange,
  seal?: (secret: StoredSecret) => string,
): Promise<readonly MovedRow[]> {
  const rows =
    engine === 'sqlite' && shape.table.name === errorTable
      ? await readErrorsOnSqlite(db, projectID, range)
      : await readRows(engine, db, projectID, shape, range);
  return rows.map((row) =>
    shape.columns.map((name) => {
      const value = toMoved(row[name]);
      if (name !== shape.table.secret?.column || value === null) return value;
      const { keyID } = shape.table.secret;
      const stored = {
        text: String(value),
        keyID: keyID === undefined ? undefined : String(row[keyID]),
        id: String(row.id),
      };
      return seal?.(stored) ?? '';
    }),
  );
}

/** Whether a project has secrets that move with it. */
export async function hasSecrets(
  database: Database,
  projectID: string,
  keyIDs: readonly string[],
): Promise<boolean> {
  for (const table of projectTables) {
    if (table.secret === undefined) continue;
    const shape = await readMovedShape(database, table, keyIDs);
    const parameters = new Parameters(database.engine);
    const conditions = [
      ...movedSql(database.engine, projectID, shape, parameters),
      `${quoteName(table.secret.column)} is not null`,
    ];
    const found = await queryRows(
      database.read,
      `select 1 from ${quoteName(table.name)} where ${conditions.join(' and ')} limit 1`,
      parameters.values,
    );
    if (found.length > 0) return true;
  }
  return false;
}

/** Of all rows of a range, read page by page. */
export async function digestMovedRange(
  database: Pick<Database, 'engine'>,
  db: Kysely<Tables>,
  projectID: string,
  shape: MovedShape,
  range: MovedRange,
): Promise<RangeDigest> {
  const sum = hashOfRows(shape);
  let { after } = range;
  for (;;) {
    const page = await readMovedPage(database, db, projectID, shape, { ...range, after });
    const last = page.at(-1);
    if (last === undefined) return sum.end();
    sum.add(page);
    after = keyOfMoved(shape, last);
  }
}

export function digestMovedRows(shape: MovedShape, rows: readonly MovedRow[]): RangeDigest {
  const sum = hashOfRows(shape);
  sum.add(rows);
  return sum.end();
}

export function keyOfMoved({ table, columns }: MovedShape, row: MovedRow): MovedKey {
  return table.key.map((name) => row[columns.indexOf(name)] as string | number); // columns of keys are ids, texts and numbers
}

/** A condition on the rows of a table, with the parameter that holds the id of the project. */
export function belongsSql(belongs: Belonging, project: string): string {
  const column = quoteName(belongs.column);
  if (!('of' in belongs)) return `${column} = ${project}`;
  const parent = findProjectTable(belongs.of);
  if (parent === undefined) throw new Error(`rows of ${belongs.of} do not belong to projects`);
  return `${column} in (select ${quoteName(belongs.key)} from ${quoteName(parent.name)} where ${belongsSql(parent.belongs, project)})`;
}

/** Numbered parameters of a statement, which may be repeated in it. */
export class Parameters {
  readonly values: unknown[] = [];
  readonly #engine: Database['engine'];

  constructor(engine: Database['engine']) {
    this.#engine = engine;
  }

  /** @param type on PostgreSQL. */
  add(value: unknown, type = 'text'): string {
    this.values.push(value);
    return this.#engine === 'sqlite' ? `?${this.values.length}` : `$${this.values.length}::${type}`;
  }
}

/** A condition on the rows of a range. */
export function rangeSql(
  engine: Database['engine'],
  { table, types }: MovedShape,
  { after, through }: MovedRange,
  parameters: Parameters,
): string {
  const parts = keyParts(engine, { table, types });
  const compare = (operator: string, key: MovedKey) => {
    const values = key.map((value, index) => parameters.add(value, types.get(table.key[index] ?? '')));
    return `(${parts.join(', ')}) ${operator} (${values.join(', ')})`;
  };
  return [
    ...(after === undefined ? [] : [compare('>', after)]),
    ...(through === undefined ? [] : [compare('<=', through)]),
  ].join(' and ');
}

export async function queryRows<Row = Readonly<Record<string, unknown>>>(
  db: Kysely<Tables>,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return rows;
}

/** Conditions on all rows of a project that move. */
function movedSql(
  engine: Database['engine'],
  projectID: string,
  { table, keyIDs }: MovedShape,
  parameters: Parameters,
): string[] {
  const belongs = belongsSql(table.belongs, parameters.add(projectID, 'uuid'));
  const { keyID, hasEnded } = table.secret ?? {};
  if (keyIDs === undefined || keyID === undefined || hasEnded === undefined) return [belongs];
  const isReadable =
    engine === 'sqlite'
      ? `${quoteName(keyID)} in (select value from json_each(${parameters.add(JSON.stringify(keyIDs))}))`
      : `${quoteName(keyID)} = any(${parameters.add(keyIDs, 'text[]')})`;
  return [belongs, `(${isReadable} or not ${hasEnded})`];
}

/** Texts are compared as bytes, whatever collation the database has. */
function keyParts(engine: Database['engine'], { table, types }: Pick<MovedShape, 'table' | 'types'>) {
  return table.key.map((name) =>
    engine === 'postgres' && types.get(name) === 'text' ? `${quoteName(name)} collate "C"` : quoteName(name),
  );
}

async function listColumns(database: Database, table: string): Promise<(readonly [string, string])[]> {
  if (database.engine === 'postgres') {
    const { columns } = await readTableShape(database.postgres, table);
    return columns.map(({ name, type }) => [name, type]);
  }
  const rows = await queryRows<{ name: string; type: string }>(
    database.read,
    'select name, type from pragma_table_info(?1)',
    [table],
  );
  return rows.map(({ name, type }) => [name, type.toLowerCase()]);
}

async function readRows(
  engine: Database['engine'],
  db: Kysely<Tables>,
  projectID: string,
  shape: MovedShape,
  range: MovedRange,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const parameters = new Parameters(engine);
  const conditions = [
    ...movedSql(engine, projectID, shape, parameters),
    rangeSql(engine, shape, range, parameters),
  ].filter((text) => text !== '');
  const from = `from ${quoteName(shape.table.name)} where ${conditions.join(' and ')}`;
  const key = keyParts(engine, shape).join(', ');
  const stored = [
    ...shape.columns,
    ...(shape.table.secret?.keyID === undefined ? [] : [shape.table.secret.keyID]),
  ];
  const sizes = shape.columns
    .filter((name) => ['text', 'bytea', 'blob'].includes(shape.types.get(name) ?? ''))
    .map((name) => `coalesce(octet_length(${quoteName(name)}), 0)`);
  // The sizes are read first, without the values, so that a page never loads too many bytes.
  return queryRows(
    db,
    `select ${stored.map(quoteName).join(', ')} ${from} order by ${key} limit (
      select count(*) from (
        select sum(size) over (order by position) - size as size_before from (
          select row_number() over (order by ${key}) as position, ${['0', ...sizes].join(' + ')} as size
          ${from} order by ${key} limit ${pageLimits.rows}
        ) as candidates
      ) as sized where size_before < ${pageLimits.bytes}
    )`,
    parameters.values,
  );
}

/**
 * On SQLite, errors are read in the order of their places. One that was moved, because another one had its place, is at most `maxMoved` places after its
 * own: reading as many more makes the order of ids.
 */
async function readErrorsOnSqlite(
  db: Kysely<Tables>,
  projectID: string,
  { after, through }: MovedRange,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [first] = after ?? [];
  const [last] = through ?? [];
  const from = first === undefined ? 0n : placeOfID(String(first))?.place;
  if (from === undefined) throw new TypeError(`no error has the id ${String(first)}`);
  const wanted = pageLimits.rows + maxMoved + 1;
  const rows = await queryRows<Readonly<Record<string, unknown>> & { readonly id: string }>(
    db,
    `select agents.id as agent_id, ${idAtPlaceSql} as id, projects.id as project_id, error, epoch,
      ${idOfBytesSql('config_id')} as config_id, ${timeAtPlaceSql} as created_at, rows.occurrences,
      rows.last_seen_at, rows.dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id,
      (select id from agent_error_groups where key = error_group) as group_id, superseded_at, is_muted,
      (select id from dismissals where key = dismissal) as dismissal_id
    from id_keys as projects
    cross join agent_error_rows as rows on rows.project_key = projects.key and place >= ?2
    cross join id_keys as agents on agents.key = rows.agent_key
    where projects.id = ?1
    order by place limit ${wanted}`,
    [projectID, from],
  );
  const limit = rows.length < wanted ? rows.length : pageLimits.rows;
  return rows
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit)
    .filter(({ id }) => (first === undefined || id > first) && (last === undefined || id <= last));
}

function toMoved(value: unknown): MovedValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
  throw new TypeError('a column holds a value that cannot be moved');
}

function hashOfRows({ table, columns }: MovedShape) {
  const secret = table.secret === undefined ? -1 : columns.indexOf(table.secret.column);
  let digest = '';
  let count = 0;
  return {
    add(rows: readonly MovedRow[]): void {
      for (const row of rows) {
        const shown = row.map((value, index) => (index === secret && value !== null ? true : value));
        digest = hash('sha256', `${digest}\n${JSON.stringify(shown)}`);
      }
      count += rows.length;
    },
    end: (): RangeDigest => ({ count, digest }),
  };
}
