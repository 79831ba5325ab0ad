import { type Kysely, sql } from 'kysely';
import type { PostgresDatabase } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import {
  type FoldedGroup,
  type FoldedPortion,
  type FoldRequest,
  type NotedPortion,
  nothingNoted,
  type PartitionMoment,
} from '../../foundation/folded-portion.ts';
import { applyTakenChanges } from './applied-changes-store-postgres.ts';
import { nextCountAt } from './counting-pace.ts';
import { foldGroupsOnPostgres } from './folded-group-store-postgres.ts';
import { groupUngrouped, insertMissingGroups } from './group-store-postgres.ts';
import { supersedeErrors } from './supersede-store-postgres.ts';

/** Called with what happened to the groups, in the transaction that counts it, also for a portion without changes. */
export type OnFolded = (
  trx: Kysely<Tables>,
  groups: readonly FoldedGroup[],
  moment: PartitionMoment,
) => Promise<NotedPortion>;

export interface PartitionRequest extends FoldRequest, PartitionMoment {}

/** What all replicas know of a partition. */
export interface WaitingPartition {
  readonly part: number;
  readonly hasChanges: boolean;
  /** Everything that was committed before is counted, in milliseconds. */
  readonly countedAt: number;
  /** In a storm, when its changes are counted next; otherwise a time in the past. */
  readonly nextAt: number;
}

export async function readPartitions({ postgres }: PostgresDatabase): Promise<WaitingPartition[]> {
  return postgres.query<WaitingPartition & { readonly [column: string]: unknown }>(
    `select part, counted_at as "countedAt", next_at as "nextAt", exists (
       select from agent_error_changes as change where change.part = fold_partitions.part) as "hasChanges"
     from fold_partitions order by part`,
    [],
  );
}

/**
 * The counter on PostgreSQL: counts the changes of a partition with the lowest keys, in one transaction. Returns undefined while another
 * call is counting them, here or at another replica.
 *
 * Keys are assigned before their transactions commit. A key lower than those already counted may appear later, and is
 * counted then. If one change depends on another, the later one has the greater key.
 */
export async function foldPortionOnPostgres(
  database: PostgresDatabase,
  { maxChanges, ...moment }: PartitionRequest,
  options: { readonly isRead: boolean; readonly onFolded?: OnFolded | undefined },
): Promise<FoldedPortion | undefined> {
  return database.write.transaction().execute(async (trx) => {
    const progress = await lockPartition(trx, moment.partition, 'skip');
    if (progress === undefined) return undefined;
    const { changes, last, hasMore, groups } = await applyChanges(trx, {
      ...moment,
      maxChanges: progress.has_changes ? maxChanges : 0,
    });
    const noted = (await options.onFolded?.(trx, groups, moment)) ?? nothingNoted;
    const isDrained = !hasMore && !noted.hasMore;
    const portion = { changes, isDrained, groups, noted };
    if (changes === 0) return portion;
    const counted = follow(progress, { isDrained, last, now: moment.now });
    const nextAt = hasMore ? 0 : nextCountAt(changes, moment.now);
    await sql`
      update fold_partitions
      set counted_at = ${counted.countedAt}, marked_at = ${counted.markedAt},
        marked_key = case when ${counted.isMarked} then marked_key when ${isDrained} then null
          else (select max(key) from agent_error_changes where part = ${moment.partition}) end,
        -- Reads count at any time. They change nothing about when the next turn does.
        next_at = case when ${options.isRead} then next_at else ${nextAt}::bigint end
      where part = ${moment.partition}`.execute(trx);
    return { ...portion, countedAt: counted.countedAt };
  });
}

interface Progress {
  readonly counted_at: number;
  readonly marked_key: number | null;
  readonly marked_at: number;
  /** Whether there were any when the lock was asked for. */
  readonly has_changes: boolean;
}

/** Undefined: another transaction has it. The lock is a row and not an advisory lock, so that a lock also hands over what was counted so far. */
export async function lockPartition(
  trx: Kysely<Tables>,
  partition: number,
  ifLocked: 'skip' | 'wait',
): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`
    select counted_at, marked_key, marked_at,
      exists (select from agent_error_changes as change where change.part = fold_partitions.part) as has_changes
    from fold_partitions
    where part = ${partition} for no key update ${ifLocked === 'skip' ? sql`skip locked` : sql``}`.execute(
    trx,
  );
  return rows[0];
}

/**
 * Up to when the changes are counted. Where more of them wait than a portion takes, the last key that is there is marked: when it was taken, everything
 * that had been committed at the time of the mark is counted.
 */
function follow(
  { counted_at: countedAt, marked_key: markedKey, marked_at: markedAt }: Progress,
  { isDrained, last, now }: { readonly isDrained: boolean; readonly last: number; readonly now: number },
): { readonly countedAt: number; readonly markedAt: number; readonly isMarked: boolean } {
  // Not the greater one: it may come from a replica whose clock was wrong.
  if (isDrained) return { countedAt: now, markedAt: now, isMarked: false };
  if (markedKey === null) return { countedAt, markedAt: now, isMarked: false };
  if (last < markedKey) return { countedAt, markedAt, isMarked: true };
  return { countedAt: Math.max(countedAt, markedAt), markedAt: now, isMarked: false };
}

interface Applied extends Pick<FoldedPortion, 'changes' | 'groups'> {
  /** The greatest key. */
  readonly last: number;
  readonly hasMore: boolean;
}

async function applyChanges(
  trx: Kysely<Tables>,
  { now, partition, maxChanges }: Pick<PartitionRequest, 'now' | 'partition' | 'maxChanges'>,
): Promise<Applied> {
  const nothing = { changes: 0, last: 0, hasMore: false, groups: [] };
  if (maxChanges === 0) return nothing;
  await preparePlans(trx);
  const applied = await applyTakenChanges(trx, partition, maxChanges);
  if (applied.count === 0) return nothing;
  await groupUngrouped(trx, applied.ungrouped);
  await insertMissingGroups(
    trx,
    applied.groups.filter((group) => !group.is_known),
  );
  const superseded = await supersedeErrors(trx, applied.agentIDs, now);
  const groups = await foldGroupsOnPostgres(trx, applied, superseded, now);
  const hasMore = applied.count >= maxChanges || applied.ungrouped.errorIDs.length > 0;
  return { changes: applied.count, last: applied.last, hasMore, groups };
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
