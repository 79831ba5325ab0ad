import { type Kysely, sql } from 'kysely';
import {
  type CountedGroup,
  type CountedPartition,
  type CountedPortion,
  type CountRequest,
  type NotedPortion,
  nothingNoted,
  type PartitionsMoment,
} from '../../../foundation/counted-portion.ts';
import { hasWaitingSql, oneOfPartitions } from '../../../foundation/database/counting-partition.ts';
import type { PostgresDatabase } from '../../../foundation/database/database.ts';
import { arrayLiteral } from '../../../foundation/database/postgres/array-literal.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { groupUngrouped, insertMissingGroups } from '../identity/group-store-postgres.ts';
import { type AppliedChanges, applyTakenChanges } from './applied-changes-store-postgres.ts';
import { countGroupsOnPostgres } from './counted-group-store-postgres.ts';
import type { CountingCall } from './counting-engine.ts';
import { nextCountAt } from './counting-pace.ts';
import { QueueFloors, type QueueLook } from './queue-floors.ts';
import { supersedeErrors } from './supersede-store-postgres.ts';

/** Called with what happened to the groups, in the transaction that counts it, also for a portion without changes. */
export type OnCounted = (
  trx: Kysely<Tables>,
  groups: readonly CountedGroup[],
  moment: PartitionsMoment,
) => Promise<NotedPortion>;

export interface PartitionsRequest extends CountRequest, PartitionsMoment {}

/** What all replicas know of a partition. */
export interface WaitingPartition {
  readonly part: number;
  readonly hasChanges: boolean;
  /** Everything that was committed before is counted, in milliseconds. */
  readonly countedAt: number;
  /** In a storm, when its changes are counted next; otherwise a time in the past. */
  readonly nextAt: number;
}

/** Of the errors that a portion marks as superseded, for each of its changes: to mark one takes longer than to count a change. */
const supersededShare = 0.5;

const waitingSql = `
  select part, counted_at as "countedAt", next_at as "nextAt", ${hasWaitingSql('agent_error_changes')} as "hasChanges"
  from counting_partitions`;

/** Of all partitions. Raises the floors of the queue. */
export async function readPartitions(
  { postgres }: PostgresDatabase,
  floors = new QueueFloors(),
): Promise<WaitingPartition[]> {
  const look = floors.beginLook();
  const rows = await postgres.query<SeenPartition>(
    `select part, counted_at as "countedAt", next_at as "nextAt",
       (
         select queue.key from agent_error_changes as queue
         where queue.part = counting_partitions.part and queue.key > ($1::bigint[])[counting_partitions.part + 1]
         order by queue.key limit 1
       ) as "lowestKey",
       (select case when is_called then last_value else 0 end from agent_error_changes_key_seq) as "lastKey",
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest,
       pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next
     from counting_partitions order by part`,
    [arrayLiteral(look.floors)],
  );
  const [first] = rows;
  if (first !== undefined) {
    look.end({ ...first, lowestKeys: new Map(rows.map(({ part, lowestKey }) => [part, lowestKey])) });
  }
  return rows.map(({ part, countedAt, nextAt, lowestKey }) => ({
    part,
    countedAt,
    nextAt,
    hasChanges: lowestKey !== null,
  }));
}

interface SeenPartition extends Omit<WaitingPartition, 'hasChanges'>, Omit<QueueLook, 'lowestKeys'> {
  readonly lowestKey: number | null;
  readonly [column: string]: unknown;
}

export async function readPartition(db: Kysely<Tables>, part: number): Promise<WaitingPartition> {
  const { rows } = await sql<WaitingPartition>`${sql.raw(waitingSql)} where part = ${part}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no partition ${part}`);
  return row;
}

/**
 * The counter on PostgreSQL: counts the changes of some partitions with the lowest keys, in one transaction. It leaves out partitions that another call
 * is counting, here or at another replica, and returns undefined if these are all.
 *
 * Keys are assigned before their transactions commit. A key lower than those already counted may appear later, and is
 * counted then. If one change depends on another, the later one has the greater key.
 */
export async function countPortionOnPostgres(
  database: PostgresDatabase,
  { maxChanges, ...request }: PartitionsRequest,
  options: CountingCall & {
    readonly onCounted?: OnCounted | undefined;
    readonly floors?: QueueFloors | undefined;
  },
): Promise<CountedPortion | undefined> {
  const { floors = new QueueFloors() } = options;
  return database.write.transaction().execute(async (trx) => {
    const locked = await lockPartitions(trx, request.partitions, 'skip', floors);
    if (locked.length === 0) return undefined;
    const moment = { ...request, partitions: locked.map(({ part }) => part) };
    const applied = await applyChanges(trx, {
      now: moment.now,
      partitions: locked.filter((one) => one.has_changes).map(({ part }) => part),
      maxChanges,
      floors,
      onTaken: options.onTaken,
    });
    const noted = (await options.onCounted?.(trx, applied.groups, moment)) ?? nothingNoted;
    const progress = locked.map((before) => {
      const hasMoreToNote = noted.hasMore && (noted.moreIn?.includes(before.part) ?? true);
      return follow(before, applied, hasMoreToNote, moment.now);
    });
    await writeProgress(
      trx,
      progress.filter(({ changes }) => changes > 0),
      options.isRead,
    );
    return {
      changes: applied.changes,
      isDrained: progress.every(({ isDrained }) => isDrained),
      groups: applied.groups,
      noted,
      partitions: progress,
    };
  });
}

interface Progress {
  readonly part: number;
  readonly counted_at: number;
  readonly marked_key: number | null;
  readonly marked_at: number;
  /** Whether there were any when the lock was asked for. */
  readonly has_changes: boolean;
}

/** Those that no other transaction has, or, with `wait`, all. The lock is a row and not an advisory lock, so that it also hands over what was counted so far. */
export async function lockPartitions(
  trx: Kysely<Tables>,
  partitions: readonly number[],
  ifLocked: 'skip' | 'wait',
  floors = new QueueFloors(),
): Promise<Progress[]> {
  const lowestKeys = partitions.map((partition) => floors.of(partition) + 1);
  const { rows } = await sql<Progress>`
    select part, counted_at, marked_key, marked_at,
      (
        select queue.key from agent_error_changes as queue
        where queue.part = counting_partitions.part
          and queue.key >= (${arrayLiteral(lowestKeys)}::bigint[])[
            array_position(${arrayLiteral(partitions)}::smallint[], counting_partitions.part)]
        order by queue.key limit 1
      ) is not null as has_changes
    from counting_partitions
    where part = ${oneOfPartitions(partitions)} order by part
    for no key update ${ifLocked === 'skip' ? sql`skip locked` : sql``}`.execute(trx);
  return rows;
}

interface FollowedPartition extends CountedPartition {
  readonly markedAt: number;
  /** The marked key stays. */
  readonly isMarked: boolean;
  readonly nextAt: number;
}

/**
 * Up to when the changes of a partition are counted. Where more of them wait than a portion takes, the last key that is there is marked: when it was
 * taken, everything that had been committed at the time of the mark is counted.
 */
function follow(
  { part, counted_at: countedAt, marked_key: markedKey, marked_at: markedAt }: Progress,
  { taken, limit, hasAdded }: Applied,
  hasMoreToNote: boolean,
  now: number,
): FollowedPartition {
  const { changes, last } = taken.find((one) => one.part === part) ?? { changes: 0, last: 0 };
  const hasMore = changes >= limit || hasAdded;
  const isDrained = !hasMore && !hasMoreToNote;
  const followed = { partition: part, changes, isDrained, nextAt: hasMore ? 0 : nextCountAt(changes, now) };
  // Not the greater one: it may come from a replica whose clock was wrong.
  if (isDrained) return { ...followed, countedAt: now, markedAt: now, isMarked: false };
  // What was added belongs to changes that were there at the time of the mark.
  if (markedKey === null || hasAdded) return { ...followed, countedAt, markedAt: now, isMarked: false };
  if (last < markedKey) return { ...followed, countedAt, markedAt, isMarked: true };
  return { ...followed, countedAt: Math.max(countedAt, markedAt), markedAt: now, isMarked: false };
}

async function writeProgress(
  trx: Kysely<Tables>,
  progress: readonly FollowedPartition[],
  isRead: boolean,
): Promise<void> {
  if (progress.length === 0) return;
  const column = <Value extends number | boolean>(of: (one: FollowedPartition) => Value) =>
    arrayLiteral(progress.map(of));
  await sql`
    update counting_partitions as stored
    set counted_at = counted.counted_at, marked_at = counted.marked_at,
      marked_key = case when counted.is_marked then stored.marked_key when counted.is_drained then null
        else (select max(key) from agent_error_changes as change where change.part = stored.part) end,
      -- Reads count at any time. They change nothing about when the next turn does.
      next_at = case when ${isRead} then stored.next_at else counted.next_at end
    from unnest(
      ${column(({ partition }) => partition)}::smallint[], ${column(({ countedAt }) => countedAt)}::bigint[],
      ${column(({ markedAt }) => markedAt)}::bigint[], ${column(({ isMarked }) => isMarked)}::boolean[],
      ${column(({ isDrained }) => isDrained)}::boolean[], ${column(({ nextAt }) => nextAt)}::bigint[]
    ) as counted (part, counted_at, marked_at, is_marked, is_drained, next_at)
    where stored.part = counted.part`.execute(trx);
}

interface Applied extends Pick<CountedPortion, 'changes' | 'groups'>, Pick<AppliedChanges, 'taken'> {
  /** The maximum number of changes of a partition. */
  readonly limit: number;
  /** The portion has added changes itself: errors got their groups, or agents have more errors of an earlier configuration. */
  readonly hasAdded: boolean;
}

interface PortionToApply
  extends Pick<PartitionsRequest, 'now' | 'partitions' | 'maxChanges'>,
    Pick<CountingCall, 'onTaken'> {
  readonly floors: QueueFloors;
}

async function applyChanges(
  trx: Kysely<Tables>,
  { now, partitions, maxChanges, floors, onTaken }: PortionToApply,
): Promise<Applied> {
  const limit = Math.ceil(maxChanges / Math.max(1, partitions.length));
  const nothing = { changes: 0, limit: 1, taken: [], hasAdded: false, groups: [] };
  if (partitions.length === 0 || limit === 0) return nothing;
  await preparePlans(trx);
  const applied = await applyTakenChanges(trx, partitions, limit, (partition) => floors.of(partition));
  if (applied.count === 0) return nothing;
  onTaken?.(applied.count);
  const { taken, ungrouped } = applied;
  await groupUngrouped(trx, ungrouped);
  const superseded = await supersedeErrors(trx, applied.agentIDs, {
    now,
    maxErrors: Math.ceil(maxChanges * supersededShare),
  });
  await insertMissingGroups(
    trx,
    applied.groups.filter((group) => !group.is_known),
  );
  const groups = await countGroupsOnPostgres(trx, applied, superseded.counts, now);
  const hasAdded = ungrouped.errorIDs.length > 0 || superseded.hasMore;
  return { changes: applied.count, limit, taken, hasAdded, groups };
}

/**
 * For the rest of the transaction. A portion has thousands of look-ups, and to read a table as a whole looks cheap for each of them while the table is
 * small, or was when it was analyzed. Its changes are 5 MB, which stay in memory.
 */
async function preparePlans(trx: Kysely<Tables>): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('work_mem', '32MB', true)`.execute(
    trx,
  );
}
