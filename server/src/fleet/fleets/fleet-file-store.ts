import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';

export type FleetFileRow = Selectable<Tables['fleet_files']>;

/** All files of a fleet, in the order of their names. */
export async function listFiles(db: Kysely<Tables>, fleetID: string): Promise<FleetFileRow[]> {
  const rows = await db.selectFrom('fleet_files').selectAll().where('fleet_id', '=', fleetID).execute();
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Newest first, with one more than the page if another page follows. */
export async function listFilePage(db: Kysely<Tables>, fleetID: string, page: Page): Promise<FleetFileRow[]> {
  const query = db.selectFrom('fleet_files').selectAll().where('fleet_id', '=', fleetID);
  return newestFirst(query, 'id', page).execute();
}

export async function findFile(db: Kysely<Tables>, id: string): Promise<FleetFileRow | undefined> {
  return db.selectFrom('fleet_files').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertFile(trx: Kysely<Tables>, row: Insertable<Tables['fleet_files']>): Promise<void> {
  await trx.insertInto('fleet_files').values(row).execute();
}

export async function updateFile(
  trx: Kysely<Tables>,
  id: string,
  change: Updateable<Tables['fleet_files']>,
): Promise<void> {
  await trx.updateTable('fleet_files').set(change).where('id', '=', id).execute();
}

export async function deleteFile(trx: Kysely<Tables>, id: string): Promise<void> {
  await trx.deleteFrom('fleet_files').where('id', '=', id).execute();
}
