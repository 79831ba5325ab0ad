import type { AlertDeliveryState } from '@muster/contract';
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { minIDAt } from '../../../foundation/clock.ts';
import { newestFirst } from '../../../foundation/database/newest-first.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Page } from '../../../foundation/list-page.ts';
import { leaseMilliseconds, longestAskedPause } from './retry-schedule.ts';

export type DeliveryRow = Selectable<Tables['alert_deliveries']>;

interface DeliveryFilter {
  readonly projectID: string;
  readonly channelID: string | undefined;
  readonly state: AlertDeliveryState | undefined;
}

export async function insertDelivery(
  db: Kysely<Tables>,
  row: Insertable<Tables['alert_deliveries']>,
): Promise<void> {
  await db.insertInto('alert_deliveries').values(row).execute();
}

export async function findDelivery(db: Kysely<Tables>, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom('alert_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Newest first, with one more than the page if another page follows. */
export async function listDeliveries(
  db: Kysely<Tables>,
  { projectID, channelID, state }: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  let query = db.selectFrom('alert_deliveries').selectAll().where('project_id', '=', projectID);
  if (channelID !== undefined) query = query.where('channel_id', '=', channelID);
  if (state !== undefined) query = query.where('state', '=', state);
  return newestFirst(query, 'id', page).execute();
}

/** The oldest waiting message of each channel, if it is due and no replica is sending it; of each project in turn, so that none keeps others waiting. */
export async function listDueDeliveries(
  db: Kysely<Tables>,
  {
    now,
    keyIDs,
    limit,
  }: { readonly now: number; readonly keyIDs: readonly string[]; readonly limit: number },
): Promise<DeliveryRow[]> {
  const ids = db
    .selectFrom('alert_deliveries as due')
    .innerJoin('alert_channels as channel', 'channel.id', 'due.channel_id')
    .innerJoin('projects', 'projects.id', 'due.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('due.state', '=', 'waiting')
    .where(isDue('due', now))
    // A channel that is stored with another key is left to the replicas that have it.
    .where((eb) => eb.or([eb('channel.key_id', 'is', null), eb('channel.key_id', 'in', ['', ...keyIDs])]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert_deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.channel_id', '=', 'due.channel_id')
            .whereRef('earlier.id', '<', 'due.id')
            .where('earlier.state', '=', 'waiting'),
        ),
      ),
    )
    .select('due.id')
    .orderBy(sql`row_number() over (partition by due.project_id order by due.next_attempt_at)`)
    .orderBy('due.next_attempt_at')
    .limit(limit);
  return db.selectFrom('alert_deliveries').selectAll().where('id', 'in', ids).execute();
}

/** What lies further ahead than a pause and a lease can was written before the clock was set back. */
function isDue(table: string, now: number): RawBuilder<boolean> {
  const [nextAttemptAt, leaseUntil] = [sql.ref(`${table}.next_attempt_at`), sql.ref(`${table}.lease_until`)];
  return sql<boolean>`((${nextAttemptAt} <= ${now} or ${nextAttemptAt} > ${now + longestAskedPause})
    and (${leaseUntil} <= ${now} or ${leaseUntil} > ${now + leaseMilliseconds}))`;
}

/** True for the one replica that may send it until the lease ends. */
export async function leaseDelivery(
  db: Kysely<Tables>,
  id: string,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_deliveries')
    .set((eb) => ({ lease_until: until, last_attempt_at: now, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where(isDue('alert_deliveries', now))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Undefined: the message or its channel was deleted meanwhile. */
export async function updateDelivery(
  db: Kysely<Tables>,
  id: string,
  change: Updateable<Tables['alert_deliveries']>,
): Promise<void> {
  await db.updateTable('alert_deliveries').set(change).where('id', '=', id).execute();
}

/** Gives up everything that waits for a channel, except that an incident is over: that is said when the channel is enabled again. */
export async function giveUpWaiting(
  db: Kysely<Tables>,
  channelID: string,
  { at, failure }: { readonly at: number; readonly failure: string },
): Promise<void> {
  await db
    .updateTable('alert_deliveries')
    .set({ state: 'failed', ended_at: at, next_attempt_at: null, failure })
    .where('channel_id', '=', channelID)
    .where('state', '=', 'waiting')
    .execute();
  await db
    .deleteFrom('alert_notes')
    .where('channel_id', '=', channelID)
    .where('delivery_id', 'is', null)
    .where((eb) =>
      eb.or([
        eb('kind', '!=', 'over'),
        eb(
          'alert_id',
          'not in',
          eb
            .selectFrom('alert_notes as opening')
            .select('opening.alert_id')
            .where('opening.channel_id', '=', channelID)
            .where('opening.incident_key', 'is not', null),
        ),
      ]),
    )
    .execute();
}

/** Removes up to `limit` messages that ended before a time. */
export async function deleteEndedDeliveries(
  db: Kysely<Tables>,
  before: number,
  limit: number,
): Promise<number> {
  const ended = db
    .selectFrom('alert_deliveries')
    .select('id')
    .where('id', '<', minIDAt(before))
    .where('state', '!=', 'waiting')
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('alert_deliveries')
    .where('id', 'in', ended)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
