import { type Kysely, sql } from 'kysely';
import type { CountedGroup, NotedPortion, PartitionsMoment } from '../../foundation/counted-portion.ts';
import {
  countingPartitionOf,
  hasWaitingSql,
  oneOfPartitions,
  waitingIn,
} from '../../foundation/database/counting-partition.ts';
import type { PostgresDatabase } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import {
  countByProject,
  type EventChange,
  type EventFold,
  makeEvents,
  type NewEvent,
} from './event-batch.ts';
import { maxEventChanges } from './event-changes.ts';

/**
 * Writes the events of a portion of changes, in its transaction. Only one replica at a time does this for a project, until its commit, so
 * its events become visible in the order of their numbers, without gaps.
 */
export async function noteEventsOnPostgres(
  trx: Kysely<Tables>,
  groups: readonly CountedGroup[],
  { now, partitions }: PartitionsMoment,
): Promise<NotedPortion> {
  const changes = await takeChanges(trx, partitions);
  const { events, folds } = makeEvents({
    changes,
    groups,
    folds: await readFolds(trx, groups, partitions),
    patterns: await readPatterns(trx, groups),
    now,
  });
  if (events.length > 0) await insertEvents(trx, events, now);
  if (folds.length > 0) await upsertFolds(trx, folds);
  const isFull = (part: number) =>
    changes.filter((change) => countingPartitionOf(change.project_id) === part).length >= maxEventChanges;
  const moreIn = changes.length < maxEventChanges ? [] : partitions.filter(isFull);
  return {
    written: events.length,
    hasMore: moreIn.length > 0,
    moreIn,
    // On PostgreSQL, `partitionsWithEvents` asks the database.
    isWaiting: false,
  };
}

/** The partitions in which events can be written although no error has changed. */
export async function partitionsWithEvents({ postgres }: PostgresDatabase): Promise<number[]> {
  const rows = await postgres.query<{ part: number }>(
    `select part from counting_partitions
     where ${hasWaitingSql('event_changes')}
       or (select group_id from event_folds where event_folds.part = counting_partitions.part and waiting > 0
         order by group_id limit 1) is not null`,
    [],
  );
  return rows.map(({ part }) => part);
}

/** Keys are assigned before the commit. A row with a lower key that commits later is taken later. */
async function takeChanges(trx: Kysely<Tables>, partitions: readonly number[]): Promise<EventChange[]> {
  const { rows } = await sql<EventChange>`
    with taken as (
      delete from event_changes
      where ctid = any(array(select place from ${waitingIn('event_changes', partitions, maxEventChanges)}))
      returning key, project_id, type, data
    )
    select project_id, type, data from taken order by key`.execute(trx);
  return rows;
}

async function readFolds(
  trx: Kysely<Tables>,
  groups: readonly CountedGroup[],
  partitions: readonly number[],
): Promise<EventFold[]> {
  const ids = groups.map(({ groupID }) => groupID);
  const { rows } = await sql<EventFold>`
    select group_id, project_id, written_at, waiting, newest_id from event_folds
    where (part = ${oneOfPartitions(partitions)} and waiting > 0) or group_id = any(${ids}::uuid[])
    order by group_id`.execute(trx);
  return rows;
}

async function readPatterns(
  trx: Kysely<Tables>,
  groups: readonly CountedGroup[],
): Promise<Map<string, string>> {
  const ids = groups.filter(({ isNew, hasRegressed }) => isNew || hasRegressed).map(({ groupID }) => groupID);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; pattern: string }>`
    select id, pattern from agent_error_groups where id = any(${ids}::uuid[])`.execute(trx);
  return new Map(rows.map(({ id, pattern }) => [id, pattern]));
}

async function insertEvents(trx: Kysely<Tables>, events: readonly NewEvent[], now: number): Promise<void> {
  const counts = countByProject(events);
  const { rows } = await sql<{ project_id: string; last_sequence: number }>`
    insert into event_sequences as known (project_id, last_sequence, removed_through)
    select project_id, added, 0 from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[])
      as counted (project_id, added)
    on conflict (project_id) do update set last_sequence = known.last_sequence + excluded.last_sequence
    returning project_id, last_sequence`.execute(trx);
  const next = new Map(
    rows.map(({ project_id: projectID, last_sequence: last }) => [
      projectID,
      last - (counts.get(projectID) ?? 0),
    ]),
  );
  const sequences = events.map(({ projectID }) => {
    const sequence = (next.get(projectID) ?? 0) + 1;
    next.set(projectID, sequence);
    return sequence;
  });
  await sql`
    insert into events (project_id, sequence, type, data, created_at)
    select project_id, sequence, type, data, ${now}::bigint from unnest(
      ${events.map(({ projectID }) => projectID)}::uuid[], ${sequences}::bigint[],
      ${events.map(({ type }) => type)}::text[], ${events.map(({ data }) => data)}::text[]
    ) as event (project_id, sequence, type, data)`.execute(trx);
}

async function upsertFolds(trx: Kysely<Tables>, folds: readonly EventFold[]): Promise<void> {
  await sql`
    insert into event_folds (group_id, project_id, written_at, waiting, newest_id)
    select * from unnest(
      ${folds.map((fold) => fold.group_id)}::uuid[], ${folds.map((fold) => fold.project_id)}::uuid[],
      ${folds.map((fold) => fold.written_at)}::bigint[], ${folds.map((fold) => fold.waiting)}::bigint[],
      ${folds.map((fold) => fold.newest_id)}::uuid[])
    on conflict (group_id) do update
    set written_at = excluded.written_at, waiting = excluded.waiting, newest_id = excluded.newest_id`.execute(
    trx,
  );
}
