import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';

export type AlertRow = Selectable<Tables['alerts']>;

/** Rows of one statement. */
const portionSize = 200;

/** A project with rules, and how far they have looked. */
export interface WatchedProject {
  readonly project_id: string;
  /** The last event that the rules have seen. Null: they have never looked. */
  readonly sequence: number | null;
  readonly revision: number | null;
  /** The last event there is. */
  readonly last_sequence: number;
  readonly removed_through: number;
}

export async function listWatchedProjects(db: Kysely<Tables>): Promise<WatchedProject[]> {
  const { rows } = await sql<WatchedProject>`
    select watched.project_id, cursors.sequence, cursors.revision,
      coalesce(sequences.last_sequence, 0) as last_sequence,
      coalesce(sequences.removed_through, 0) as removed_through
    from (select distinct project_id from alert_rules) as watched
    join projects on projects.id = watched.project_id and projects.deleted_at is null
    left join alert_cursors as cursors on cursors.project_id = watched.project_id
    left join event_sequences as sequences on sequences.project_id = watched.project_id
    order by watched.project_id`.execute(db);
  return rows;
}

/** Moves the cursor. False: another replica has moved it since. Call it under the lock of the project. */
export async function moveCursor(
  db: Kysely<Tables>,
  projectID: string,
  { from, sequence }: { readonly from: number | null; readonly sequence: number },
): Promise<boolean> {
  if (from === null) {
    const { numAffectedRows = 0n } = await sql`
      insert into alert_cursors (project_id, sequence, revision) values (${projectID}, ${sequence}, 1)
      on conflict (project_id) do nothing`.execute(db);
    return numAffectedRows > 0n;
  }
  const { numAffectedRows = 0n } = await sql`
    update alert_cursors set sequence = ${sequence}, revision = revision + 1
    where project_id = ${projectID} and revision = ${from}`.execute(db);
  return numAffectedRows > 0n;
}

/** What is known of these subjects, by `ruleID subject`. */
export async function readAlerts(
  db: Kysely<Tables>,
  ruleIDs: readonly string[],
  subjects: readonly string[],
): Promise<Map<string, AlertRow>> {
  const found = new Map<string, AlertRow>();
  if (ruleIDs.length === 0) return found;
  for (let start = 0; start < subjects.length; start += portionSize) {
    const rows = await db
      .selectFrom('alerts')
      .selectAll()
      .where('rule_id', 'in', [...ruleIDs])
      .where('subject', 'in', subjects.slice(start, start + portionSize))
      .execute();
    for (const row of rows) found.set(alertKey(row.rule_id, row.subject), row);
  }
  return found;
}

export function alertKey(ruleID: string, subject: string): string {
  return `${ruleID} ${subject}`;
}

/** Open alerts of which nobody was told yet, because of a cool-down. */
export async function listUntoldAlerts(db: Kysely<Tables>, projectID: string): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('project_id', '=', projectID)
    .where('is_open', '=', 1)
    .where('is_told', '=', 0)
    .execute();
}

export async function listOpenAlertsOfRule(db: Kysely<Tables>, ruleID: string): Promise<AlertRow[]> {
  return db.selectFrom('alerts').selectAll().where('rule_id', '=', ruleID).where('is_open', '=', 1).execute();
}

export async function readAlertsByID(db: Kysely<Tables>, ids: readonly string[]): Promise<AlertRow[]> {
  const found: AlertRow[] = [];
  for (let start = 0; start < ids.length; start += portionSize) {
    found.push(
      ...(await db
        .selectFrom('alerts')
        .selectAll()
        .where('id', 'in', ids.slice(start, start + portionSize))
        .execute()),
    );
  }
  return found;
}

/** Inserts alerts, or replaces those of the same rule and subject, whose id stays. */
export async function writeAlerts(
  db: Kysely<Tables>,
  rows: readonly Insertable<Tables['alerts']>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += portionSize) {
    await db
      .insertInto('alerts')
      .values(rows.slice(start, start + portionSize))
      .onConflict((conflict) =>
        conflict.columns(['rule_id', 'subject']).doUpdateSet((eb) => ({
          is_open: eb.ref('excluded.is_open'),
          is_told: eb.ref('excluded.is_told'),
          opened_at: eb.ref('excluded.opened_at'),
          over_at: eb.ref('excluded.over_at'),
          told_at: eb.ref('excluded.told_at'),
          content: eb.ref('excluded.content'),
        })),
      )
      .execute();
  }
}

export async function insertNotes(
  db: Kysely<Tables>,
  rows: readonly Insertable<Tables['alert_notes']>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += portionSize) {
    await db
      .insertInto('alert_notes')
      .values(rows.slice(start, start + portionSize))
      .execute();
  }
}

/**
 * The channels that have to learn that these alerts are over, whether they are enabled or not, by the id of the alert: in them, an incident is open,
 * or the message that it is open waits.
 */
export async function listAwaitingChannels(
  db: Kysely<Tables>,
  alertIDs: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (let start = 0; start < alertIDs.length; start += portionSize) {
    const rows = await db
      .selectFrom('alert_notes')
      .select(['alert_id', 'channel_id'])
      .distinct()
      .where('alert_id', 'in', alertIDs.slice(start, start + portionSize))
      .where('kind', '=', 'open')
      .where((eb) => eb.or([eb('incident_key', 'is not', null), eb('delivery_id', 'is', null)]))
      .orderBy('channel_id')
      .execute();
    for (const { alert_id: alertID, channel_id: channelID } of rows) {
      const channels = found.get(alertID);
      if (channels === undefined) found.set(alertID, [channelID]);
      else channels.push(channelID);
    }
  }
  return found;
}

/** The enabled channels of a project. */
export async function listEnabledChannelIDs(db: Kysely<Tables>, projectID: string): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_channels')
    .select('id')
    .where('project_id', '=', projectID)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes up to `limit` alerts that were over before a time, and of which nobody was told since then. */
export async function deleteOldAlerts(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('alerts')
    .select('id')
    .where('is_open', '=', 0)
    .where('over_at', '<', before)
    .where('told_at', '<', before)
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('alerts').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
