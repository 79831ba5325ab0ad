import { type Kysely, type Selectable, sql } from 'kysely';
import { minIDAt } from '../../../foundation/clock.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { ChannelRow } from '../channels/channel-store.ts';

export type NoteRow = Selectable<Tables['alert_notes']>;

/** What decides about a note; its content is read for few of them. */
export type WaitingNote = Pick<NoteRow, 'id' | 'alert_id' | 'kind' | 'weight'>;

/**
 * Channels with waiting notes that may get a message now: they are enabled, got their last message before `toldBefore`, and no earlier message
 * waits for them.
 */
export async function listChannelsToTell(
  db: Kysely<Tables>,
  { toldBefore, now }: { readonly toldBefore: number; readonly now: number },
): Promise<ChannelRow[]> {
  return toldable(db, { toldBefore, now }).execute();
}

/** The same again, in the transaction that writes the message. */
export async function mayBeTold(
  db: Kysely<Tables>,
  id: string,
  times: { readonly toldBefore: number; readonly now: number },
): Promise<boolean> {
  return (await toldable(db, times).where('channel.id', '=', id).executeTakeFirst()) !== undefined;
}

function toldable(
  db: Kysely<Tables>,
  { toldBefore, now }: { readonly toldBefore: number; readonly now: number },
) {
  return (
    db
      .selectFrom('alert_channels as channel')
      .innerJoin('projects', 'projects.id', 'channel.project_id')
      .where('projects.deleted_at', 'is', null)
      .where('channel.disabled_at', 'is', null)
      // A time in the future: the clock was set back.
      .where((eb) => eb.or([eb('channel.told_at', '<=', toldBefore), eb('channel.told_at', '>', now)]))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('alert_notes')
            .select('alert_notes.id')
            .whereRef('alert_notes.channel_id', '=', 'channel.id')
            .where('alert_notes.delivery_id', 'is', null),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('alert_deliveries')
              .select('alert_deliveries.id')
              .whereRef('alert_deliveries.channel_id', '=', 'channel.id')
              .where('alert_deliveries.state', '=', 'waiting'),
          ),
        ),
      )
      .selectAll('channel')
      .orderBy('channel.id')
  );
}

/** Oldest first. */
export async function listWaitingNotes(
  db: Kysely<Tables>,
  channelID: string,
  limit: number,
): Promise<WaitingNote[]> {
  return db
    .selectFrom('alert_notes')
    .select(['id', 'alert_id', 'kind', 'weight'])
    .where('channel_id', '=', channelID)
    .where('delivery_id', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function readNotes(db: Kysely<Tables>, ids: readonly string[]): Promise<NoteRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('alert_notes')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

/** The notes up to this one are in a message now. */
export async function assignNotes(
  db: Kysely<Tables>,
  channelID: string,
  { through, deliveryID }: { readonly through: string; readonly deliveryID: string },
): Promise<void> {
  await db
    .updateTable('alert_notes')
    .set({ delivery_id: deliveryID })
    .where('channel_id', '=', channelID)
    .where('delivery_id', 'is', null)
    .where('id', '<=', through)
    .execute();
}

/** These notes have opened an incident. */
export async function assignIncident(
  db: Kysely<Tables>,
  noteIDs: readonly string[],
  { incidentKey, deliveryID }: { readonly incidentKey: string; readonly deliveryID: string },
): Promise<void> {
  const size = 500;
  for (let start = 0; start < noteIDs.length; start += size) {
    await db
      .updateTable('alert_notes')
      .set({ delivery_id: deliveryID, incident_key: incidentKey })
      .where('id', 'in', noteIDs.slice(start, start + size))
      .execute();
  }
}

/** Removes the notes up to this one that are in no message: there is nothing to tell. */
export async function dropNotes(db: Kysely<Tables>, channelID: string, through: string): Promise<void> {
  await db
    .deleteFrom('alert_notes')
    .where('channel_id', '=', channelID)
    .where('delivery_id', 'is', null)
    .where('id', '<=', through)
    .execute();
}

/** The incidents of a channel that these alerts have opened, and of which no alert is open any more. */
export async function listEndedIncidents(
  db: Kysely<Tables>,
  channelID: string,
  alertIDs: readonly string[],
): Promise<string[]> {
  const found = new Set<string>();
  const size = 500;
  for (let start = 0; start < alertIDs.length; start += size) {
    const rows = await db
      .selectFrom('alert_notes as opening')
      .select('opening.incident_key')
      .distinct()
      .where('opening.channel_id', '=', channelID)
      .where('opening.incident_key', 'is not', null)
      .where('opening.alert_id', 'in', alertIDs.slice(start, start + size))
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('alert_notes as other')
              .innerJoin('alerts', 'alerts.id', 'other.alert_id')
              .select('other.id')
              .whereRef('other.channel_id', '=', 'opening.channel_id')
              .whereRef('other.incident_key', '=', 'opening.incident_key')
              .where('alerts.is_open', '=', 1)
              .where('alerts.is_told', '=', 1),
          ),
        ),
      )
      .execute();
    for (const { incident_key: key } of rows) if (key !== null) found.add(key);
  }
  return [...found].sort();
}

/** An ended incident is not ended again. */
export async function closeIncident(
  db: Kysely<Tables>,
  channelID: string,
  incidentKey: string,
): Promise<void> {
  await db
    .updateTable('alert_notes')
    .set({ incident_key: null })
    .where('channel_id', '=', channelID)
    .where('incident_key', '=', incidentKey)
    .execute();
}

/** Removes up to `limit` notes of before a time that are in a message and in no incident. */
export async function deleteToldNotes(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const told = db
    .selectFrom('alert_notes')
    .select('id')
    .where('id', '<', minIDAt(before))
    .where('delivery_id', 'is not', null)
    .where('incident_key', 'is', null)
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('alert_notes').where('id', 'in', told).executeTakeFirst();
  return Number(numDeletedRows);
}

const tablesOfProjects = [
  'alert_deliveries',
  'alert_notes',
  'alerts',
  'alert_rules',
  'alert_channels',
  'alert_cursors',
] as const;

/** Removes up to `limit` rows of deleted projects. */
export async function deleteOfDeletedProjects(db: Kysely<Tables>, limit: number): Promise<number> {
  for (const table of tablesOfProjects) {
    const key = table === 'alert_cursors' ? 'project_id' : 'id';
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${sql.ref(key)} in (
        select ${sql.ref(`${table}.${key}`)} from ${sql.table(table)}
        join projects on projects.id = ${sql.ref(`${table}.project_id`)}
        where projects.deleted_at > 0 limit ${limit}
      )`.execute(db);
    if (numAffectedRows > 0n) return Number(numAffectedRows);
  }
  return 0;
}
