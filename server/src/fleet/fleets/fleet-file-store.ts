import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { NewID } from '../../foundation/clock.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';
import type { FileOfVersion } from './fleet-content.ts';

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

/** Lets a fleet have exactly these files, whose bytes are stored. A file that stays keeps its id. */
export async function replaceFiles(
  trx: Kysely<Tables>,
  fleetID: string,
  files: readonly FileOfVersion[],
  { now, newID }: { readonly now: number; readonly newID: NewID },
): Promise<void> {
  const stored = new Map((await listFiles(trx, fleetID)).map((row) => [row.name, row]));
  for (const { name, digest, bytes } of files) {
    const row = stored.get(name);
    stored.delete(name);
    if (row === undefined) {
      const times = { created_at: now, updated_at: now };
      await insertFile(trx, { id: newID(), fleet_id: fleetID, name, digest, bytes, ...times });
    } else if (row.digest !== digest) await updateFile(trx, row.id, { digest, bytes, updated_at: now });
  }
  for (const { id } of stored.values()) await deleteFile(trx, id);
}

export async function deleteFile(trx: Kysely<Tables>, id: string): Promise<void> {
  await trx.deleteFrom('fleet_files').where('id', '=', id).execute();
}
