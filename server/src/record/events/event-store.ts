import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';

export interface StoredEvent {
  readonly sequence: number;
  readonly type: string;
  /** A JSON object. */
  readonly data: string;
  readonly created_at: number;
}

/** The range of stored events of a project. */
export interface EventRange {
  /** The number of the last event. 0: there is none yet. */
  readonly last: number;
  /** The number of the last removed event. 0: none was removed. */
  readonly removedThrough: number;
}

/** The range of a project without events. */
export const noEvents: EventRange = { last: 0, removedThrough: 0 };

export async function readEventRanges(
  db: Kysely<Tables>,
  projectIDs: readonly string[],
): Promise<Map<string, EventRange>> {
  if (projectIDs.length === 0) return new Map();
  const { rows } = await sql<{ project_id: string; last_sequence: number; removed_through: number }>`
    select project_id, last_sequence, removed_through from event_sequences
    where project_id in (${sql.join(projectIDs)})`.execute(db);
  return new Map(
    rows.map((row) => [row.project_id, { last: row.last_sequence, removedThrough: row.removed_through }]),
  );
}

interface EventPage {
  readonly after: number;
  readonly through: number;
  readonly limit: number;
}

/** The events after one number, up to and including another, in order. */
export async function listEvents(
  db: Kysely<Tables>,
  projectID: string,
  { after, through, limit }: EventPage,
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select sequence, type, data, created_at from events
    where project_id = ${projectID} and sequence > ${after} and sequence <= ${through}
    order by sequence limit ${limit}`.execute(db);
  return rows;
}

interface Outdated {
  /** Events before this time are removed. */
  readonly before: number;
  readonly limit: number;
}

/** Removes some of the outdated events. Returns the number of removed ones. */
export async function deleteEventsBefore(db: Kysely<Tables>, { before, limit }: Outdated): Promise<number> {
  const { rows } = await sql<{ project_id: string; sequence: number }>`
    select project_id, sequence from events where created_at < ${before} order by created_at limit ${limit}
  `.execute(db);
  const lasts = new Map<string, number>();
  for (const { project_id: projectID, sequence } of rows) {
    lasts.set(projectID, Math.max(lasts.get(projectID) ?? 0, sequence));
  }
  for (const [projectID, last] of lasts) await deleteThrough(db, projectID, last);
  return rows.length;
}

/** Removes all but the newest events of a project, if it has more than the maximum. */
export async function deleteEventsBeyond(
  db: Kysely<Tables>,
  maxPerProject: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ project_id: string; through: number }>`
    select project_id,
      case when last_sequence - ${maxPerProject} < removed_through + ${limit}
        then last_sequence - ${maxPerProject} else removed_through + ${limit} end as through
    from event_sequences where last_sequence - removed_through > ${maxPerProject} limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return 0;
  await deleteThrough(db, row.project_id, row.through);
  return 1;
}

/** One project per transaction, because the consumer that numbers events locks the rows of several projects. */
async function deleteThrough(db: Kysely<Tables>, projectID: string, last: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`
      update event_sequences set removed_through = ${last}
      where project_id = ${projectID} and removed_through < ${last}`.execute(trx);
    await sql`delete from events where project_id = ${projectID} and sequence <= ${last}`.execute(trx);
  });
}

/** Removes some events of deleted projects. Returns the number of removed ones. */
export async function deleteEventsOfDeletedProjects(db: Kysely<Tables>, limit: number): Promise<number> {
  const { rows } = await sql<{ project_id: string; sequence: number }>`
    select events.project_id, events.sequence from projects
    join events on events.project_id = projects.id
    where projects.deleted_at > 0 order by events.project_id, events.sequence limit ${limit}`.execute(db);
  const last = rows.at(-1);
  if (last === undefined) return 0;
  await deleteThrough(db, last.project_id, last.sequence);
  return rows.length;
}

/** Removes the folds of groups that had no new errors for a long time. */
export async function deleteIdleFolds(db: Kysely<Tables>, before: number): Promise<void> {
  await sql`delete from event_folds where waiting = 0 and written_at < ${before}`.execute(db);
}
