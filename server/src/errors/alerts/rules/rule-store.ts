import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { newestFirst } from '../../../foundation/database/newest-first.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Page } from '../../../foundation/list-page.ts';

export type RuleRow = Selectable<Tables['alert_rules']>;

export async function insertRule(db: Kysely<Tables>, row: Insertable<Tables['alert_rules']>): Promise<void> {
  await db.insertInto('alert_rules').values(row).execute();
}

export async function findRule(db: Kysely<Tables>, id: string): Promise<RuleRow | undefined> {
  return db.selectFrom('alert_rules').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Newest first, with one more than the page if another page follows. */
export async function listRules(db: Kysely<Tables>, projectID: string, page: Page): Promise<RuleRow[]> {
  const query = db.selectFrom('alert_rules').selectAll().where('project_id', '=', projectID);
  return newestFirst(query, 'id', page).execute();
}

/** Every rule of a project, oldest first. */
export async function listAllRules(db: Kysely<Tables>, projectID: string): Promise<RuleRow[]> {
  return db.selectFrom('alert_rules').selectAll().where('project_id', '=', projectID).orderBy('id').execute();
}

export async function updateRule(
  db: Kysely<Tables>,
  id: string,
  change: Updateable<Tables['alert_rules']>,
): Promise<void> {
  await db.updateTable('alert_rules').set(change).where('id', '=', id).execute();
}

export async function deleteRule(db: Kysely<Tables>, id: string): Promise<void> {
  await db.deleteFrom('alert_rules').where('id', '=', id).execute();
}

/** Which of these channels the project has. */
export async function listChannelIDs(
  db: Kysely<Tables>,
  projectID: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('alert_channels')
    .select('id')
    .where('project_id', '=', projectID)
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(({ id }) => id);
}

/** A deleted channel is named by no rule any more. A rule that named it alone then tells nobody. */
export async function removeChannelFromRules(
  db: Kysely<Tables>,
  projectID: string,
  channelID: string,
): Promise<void> {
  for (const { id, channel_ids: named } of await listAllRules(db, projectID)) {
    const ids = named === null ? [] : (JSON.parse(named) as string[]); // written by the service alone
    if (!ids.includes(channelID)) continue;
    await updateRule(db, id, { channel_ids: JSON.stringify(ids.filter((one) => one !== channelID)) });
  }
}

/** The first rule of a project looks at events from now on. */
export async function startAtLastEvent(db: Kysely<Tables>, projectID: string): Promise<void> {
  await sql`
    insert into alert_cursors (project_id, sequence, revision)
    select ${projectID}, coalesce(max(last_sequence), 0), 1 from event_sequences where project_id = ${projectID}
    on conflict (project_id) do update
    set sequence = excluded.sequence, revision = alert_cursors.revision + 1`.execute(db);
}
