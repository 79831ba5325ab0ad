import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { idAtPlaceSql, placeOfID } from '../../foundation/database/id-place.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** The sum over a portion of rows. */
export interface Portion {
  readonly bytes: number;
  /** Where the next portion begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** Overhead of a row with its index entries, in bytes, without its texts. It is about the same on both engines. */
const rowBytes = { agent: 1_000, config: 200, error: 400 };
/** Rows per statement, so that a statement takes about ten milliseconds. */
const portions = { projects: 1_000, agents: 500, errors: 10_000 };

/** The counted bytes of an error whose text has this many bytes. */
export function bytesOfError(textBytes: number): number {
  return textBytes + rowBytes.error;
}

/** The counted bytes of a configuration whose text has this many bytes. */
export function bytesOfConfig(textBytes: number): number {
  return textBytes + rowBytes.config;
}

/** Counts the agents of a project, at most as many as `limit`. */
export async function countAgents(
  db: Kysely<Tables>,
  projectID: string,
  limit: number | undefined,
): Promise<number> {
  const agents = db
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null);
  const row = await db
    .selectFrom((limit === undefined ? agents : agents.limit(limit)).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Projects that still exist, in the order of their ids. */
export async function listProjectIDs(db: Kysely<Tables>, after: string | undefined): Promise<string[]> {
  let query = db.selectFrom('projects').select('id').where('deleted_at', 'is', null);
  if (after !== undefined) query = query.where('id', '>', after);
  const rows = await query.orderBy('id').limit(portions.projects).execute();
  return rows.map(({ id }) => id);
}

/** Adds up a portion of a project's agents with all their configurations. Neither engine reads the long texts for this. */
export async function addUpAgents(
  db: Kysely<Tables>,
  projectID: string,
  after: string | undefined,
): Promise<Portion> {
  let agents = db
    .selectFrom('agents')
    .select([
      'id',
      sql<number>`octet_length(metadata) + octet_length(flags) + octet_length(tags) + ${sql.lit(rowBytes.agent)}`.as(
        'bytes',
      ),
    ])
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null);
  if (after !== undefined) agents = agents.where('id', '>', after);
  const portion = agents.orderBy('id').limit(portions.agents);
  const found = await addUp(db, portion, portions.agents);
  const configs = await db
    .selectFrom('agent_configs')
    .where('agent_id', 'in', (eb) => eb.selectFrom(portion.as('portion')).select('portion.id'))
    .select(sql<number>`coalesce(sum(octet_length(raw_config) + ${sql.lit(rowBytes.config)}), 0)`.as('bytes'))
    .executeTakeFirstOrThrow();
  return { ...found, bytes: found.bytes + Number(configs.bytes) };
}

/** Adds up a portion of a project's errors, dismissed ones too. */
export async function addUpErrors(
  db: Kysely<Tables>,
  projectID: string,
  after: string | undefined,
): Promise<Portion> {
  let errors = db
    .selectFrom('agent_errors')
    .select(['id', sql<number>`octet_length(error) + ${sql.lit(rowBytes.error)}`.as('bytes')])
    .where('project_id', '=', projectID);
  if (after !== undefined) errors = errors.where('id', '>', after);
  return addUp(db, errors.orderBy('id').limit(portions.errors), portions.errors);
}

/** The same on SQLite, where rows are stored in the order of their places. */
export async function addUpErrorRows(
  db: Kysely<Tables>,
  projectID: string,
  after: string | undefined,
): Promise<Portion> {
  const { place } = (after === undefined ? undefined : placeOfID(after)) ?? { place: -1n };
  const { rows } = await sql<{ bytes: number | null; last: string | null; count: number }>`
    select sum(bytes) as bytes, max(id) as last, count(*) as count
    from (
      select ${sql.raw(idAtPlaceSql)} as id, octet_length(error) + ${sql.lit(rowBytes.error)} as bytes
      from agent_error_rows indexed by agent_error_rows_by_project
      where project_key = (select key from id_keys where id = ${projectID}) and place > ${place}
      order by place limit ${portions.errors}
    )`.execute(db);
  return toPortion(rows[0], portions.errors);
}

async function addUp(
  db: Kysely<Tables>,
  rows: SelectQueryBuilder<Tables, 'agents' | 'agent_errors', { id: string; bytes: number }>,
  size: number,
): Promise<Portion> {
  const portion = await db
    .selectFrom(rows.as('portion'))
    .select((eb) => [
      sql<number | null>`sum(bytes)`.as('bytes'),
      // PostgreSQL before 18 has no max() for UUIDs; as texts they have the same order.
      sql<string | null>`max(cast(id as text))`.as('last'),
      eb.fn.countAll<number>().as('count'),
    ])
    .executeTakeFirstOrThrow();
  return toPortion(portion, size);
}

function toPortion(
  { bytes, last, count } = { bytes: null, last: null, count: 0 } as {
    readonly bytes: number | null;
    readonly last: string | null;
    readonly count: number;
  },
  size: number,
): Portion {
  return { bytes: Number(bytes ?? 0), next: count < size || last === null ? undefined : last };
}
