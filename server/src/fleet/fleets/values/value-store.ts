import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { isAnyID } from '../../../foundation/database/is-any-id.ts';
import { newestFirst } from '../../../foundation/database/newest-first.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Page } from '../../../foundation/list-page.ts';

export type VariableRow = Selectable<Tables['fleet_variables']>;
export type SecretRow = Selectable<Tables['fleet_secrets']>;

/** Whom a value is for. */
export interface Subject {
  readonly kind: 'fleet' | 'tag' | 'agent';
  /** Empty, a tag, or the id of an agent. */
  readonly name: string;
}

/** Newest first, with one more than the page if another page follows. @param name of the variable. Undefined: all */
export async function listVariables(
  db: Kysely<Tables>,
  fleetID: string,
  name: string | undefined,
  page: Page,
): Promise<VariableRow[]> {
  let query = db.selectFrom('fleet_variables').selectAll().where('fleet_id', '=', fleetID);
  if (name !== undefined) query = query.where('name', '=', name);
  return newestFirst(query, 'id', page).execute();
}

/** The names of agents by their ids, of those that were not deleted. */
export async function listAgentNames(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  agentIDs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (agentIDs.length === 0) return new Map();
  const rows = await read
    .selectFrom('agents')
    .select(['id', 'name'])
    .where('deleted_at', 'is', null)
    .where(isAnyID(engine, sql.ref('id'), agentIDs))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** All values but those of single agents. */
export async function listSharedVariables(db: Kysely<Tables>, fleetID: string): Promise<VariableRow[]> {
  return db
    .selectFrom('fleet_variables')
    .selectAll()
    .where('fleet_id', '=', fleetID)
    .where('subject_kind', '<>', 'agent')
    .execute();
}

/** Which names have a value for which kind of subject. */
export async function listVariableNames(
  db: Kysely<Tables>,
  fleetID: string,
): Promise<{ readonly name: string; readonly subject_kind: string }[]> {
  return db
    .selectFrom('fleet_variables')
    .select(['name', 'subject_kind'])
    .distinct()
    .where('fleet_id', '=', fleetID)
    .execute();
}

export async function listVariablesOf(
  db: Kysely<Tables>,
  fleetID: string,
  { kind, name }: Subject,
): Promise<VariableRow[]> {
  return db
    .selectFrom('fleet_variables')
    .selectAll()
    .where('fleet_id', '=', fleetID)
    .where('subject_kind', '=', kind)
    .where('subject', '=', name)
    .execute();
}

export async function countVariables(db: Kysely<Tables>, fleetID: string): Promise<number> {
  const { count } = await db
    .selectFrom('fleet_variables')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('fleet_id', '=', fleetID)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function saveVariable(
  trx: Kysely<Tables>,
  row: Insertable<Tables['fleet_variables']>,
): Promise<void> {
  const { value, updated_at, updated_by_kind, updated_by_id, updated_by_name } = row;
  await trx
    .insertInto('fleet_variables')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['fleet_id', 'subject_kind', 'subject', 'name'])
        .doUpdateSet({ value, updated_at, updated_by_kind, updated_by_id, updated_by_name }),
    )
    .execute();
}

export async function deleteVariable(trx: Kysely<Tables>, id: string): Promise<void> {
  await trx.deleteFrom('fleet_variables').where('id', '=', id).execute();
}

/** What is served, in the order of names. */
export async function listSecrets(db: Kysely<Tables>, fleetID: string): Promise<SecretRow[]> {
  const rows = await db
    .selectFrom('fleet_secrets')
    .selectAll()
    .where('fleet_id', '=', fleetID)
    .where('ended_at', 'is', null)
    .execute();
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** All that agents were served, also lately. */
export async function listAllSecrets(db: Kysely<Tables>): Promise<SecretRow[]> {
  return db.selectFrom('fleet_secrets').selectAll().execute();
}

export async function insertSecret(
  trx: Kysely<Tables>,
  row: Insertable<Tables['fleet_secrets']>,
): Promise<void> {
  await trx.insertInto('fleet_secrets').values(row).execute();
}

export async function endSecret(trx: Kysely<Tables>, id: string, now: number): Promise<void> {
  await trx.updateTable('fleet_secrets').set({ ended_at: now }).where('id', '=', id).execute();
}

/** Forgets the values of a fleet that were replaced longest ago, but for the newest. */
export async function deleteEarliestSecrets(
  trx: Kysely<Tables>,
  fleetID: string,
  keptCount: number,
): Promise<void> {
  const ended = await trx
    .selectFrom('fleet_secrets')
    .select('id')
    .where('fleet_id', '=', fleetID)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  for (const { id } of ended.slice(keptCount))
    await trx.deleteFrom('fleet_secrets').where('id', '=', id).execute();
}

export async function hasAgent(db: Kysely<Tables>, projectID: string, agentID: string): Promise<boolean> {
  const row = await db
    .selectFrom('agents')
    .select('id')
    .where('id', '=', agentID)
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** What is known of an agent that its variables stand for. */
export async function findAgentWithVariables(
  db: Kysely<Tables>,
  fleetID: string,
  agentID: string,
): Promise<{ name: string; machine_id: string; tags: string; vars: VariableRow[] } | undefined> {
  const agent = await db
    .selectFrom('agents')
    .select(['name', 'machine_id', 'tags'])
    .where('id', '=', agentID)
    .executeTakeFirst();
  if (agent === undefined) return undefined;
  return { ...agent, vars: await listVariablesOf(db, fleetID, { kind: 'agent', name: agentID }) };
}
