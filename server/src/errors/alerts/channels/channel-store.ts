import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { newestFirst } from '../../../foundation/database/newest-first.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Page } from '../../../foundation/list-page.ts';

export type ChannelRow = Selectable<Tables['alert_channels']>;

export async function insertChannel(
  db: Kysely<Tables>,
  row: Insertable<Tables['alert_channels']>,
): Promise<void> {
  await db.insertInto('alert_channels').values(row).execute();
}

export async function findChannel(db: Kysely<Tables>, id: string): Promise<ChannelRow | undefined> {
  return db.selectFrom('alert_channels').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Newest first, with one more than the page if another page follows. */
export async function listChannels(db: Kysely<Tables>, projectID: string, page: Page): Promise<ChannelRow[]> {
  const query = db.selectFrom('alert_channels').selectAll().where('project_id', '=', projectID);
  return newestFirst(query, 'id', page).execute();
}

export async function countChannels(db: Kysely<Tables>, projectID: string): Promise<number> {
  const { count } = await db
    .selectFrom('alert_channels')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('project_id', '=', projectID)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function updateChannel(
  db: Kysely<Tables>,
  id: string,
  change: Updateable<Tables['alert_channels']>,
): Promise<void> {
  await db.updateTable('alert_channels').set(change).where('id', '=', id).execute();
}

/** True if no test message was sent since a time. Of several requests at once, one gets true. */
export async function takeTest(
  db: Kysely<Tables>,
  id: string,
  { now, since }: { readonly now: number; readonly since: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_channels')
    .set({ tested_at: now })
    .where('id', '=', id)
    // A time in the future: the clock was set back.
    .where((eb) => eb.or([eb('tested_at', '<=', since), eb('tested_at', '>', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteChannel(db: Kysely<Tables>, id: string): Promise<void> {
  await db.deleteFrom('alert_deliveries').where('channel_id', '=', id).execute();
  await db.deleteFrom('alert_notes').where('channel_id', '=', id).execute();
  await db.deleteFrom('alert_channels').where('id', '=', id).execute();
}

/** How many channels are stored with a key that is not among these. */
export async function countLockedChannels(db: Kysely<Tables>, keyIDs: readonly string[]): Promise<number> {
  let query = db
    .selectFrom('alert_channels')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('key_id', 'is not', null);
  if (keyIDs.length > 0) query = query.where('key_id', 'not in', [...keyIDs]);
  const { count } = await query.executeTakeFirstOrThrow();
  return Number(count);
}
