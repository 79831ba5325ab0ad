import { type Kysely, sql } from 'kysely';
import type { PostgresDatabase } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import {
  type FoldedGroup,
  type FoldedPortion,
  type FoldMoment,
  type FoldRequest,
  type NotedPortion,
  nothingNoted,
} from '../../foundation/folded-portion.ts';
import { applyTakenChanges } from './applied-changes-store-postgres.ts';
import { foldGroupsOnPostgres } from './folded-group-store-postgres.ts';
import { groupUngrouped, insertMissingGroups } from './group-store-postgres.ts';
import { supersedeErrors } from './supersede-store-postgres.ts';

/** Called with what happened to the groups, in the transaction that counts it, also for a portion without changes. */
export type OnFolded = (
  trx: Kysely<Tables>,
  groups: readonly FoldedGroup[],
  moment: FoldMoment,
) => Promise<NotedPortion>;

/** The lock for counting; one replica holds it at a time. */
export const foldLockName = 'error groups';

/**
 * The counter on PostgreSQL: counts the changes with the lowest keys, in one transaction. Returns undefined while another
 * replica is counting.
 *
 * Keys are assigned before their transactions commit. A key lower than those already counted may appear later, and is
 * counted then. If one change depends on another, the later one has the greater key.
 */
export async function foldPortionOnPostgres(
  database: PostgresDatabase,
  { maxChanges, ...moment }: FoldRequest,
  options: { readonly waits: boolean; readonly onFolded?: OnFolded | undefined },
): Promise<FoldedPortion | undefined> {
  return database.write.transaction().execute(async (trx) => {
    if (options.waits) await database.takeLock(trx, foldLockName);
    else if (!(await tryLock(trx))) return undefined;
    const { changes, hasMore, groups } = await applyChanges(trx, { now: moment.now, maxChanges });
    const noted = (await options.onFolded?.(trx, groups, moment)) ?? nothingNoted;
    return { changes, isDrained: !hasMore && !noted.hasMore, groups, noted };
  });
}

async function applyChanges(
  trx: Kysely<Tables>,
  { now, maxChanges }: Pick<FoldRequest, 'now' | 'maxChanges'>,
): Promise<Pick<FoldedPortion, 'changes' | 'groups'> & { readonly hasMore: boolean }> {
  if (maxChanges === 0) return { changes: 0, hasMore: false, groups: [] };
  await preparePlans(trx);
  const applied = await applyTakenChanges(trx, maxChanges);
  if (applied.count === 0) return { changes: 0, hasMore: false, groups: [] };
  await groupUngrouped(trx, applied.ungrouped);
  await insertMissingGroups(
    trx,
    applied.groups.filter((group) => !group.is_known),
  );
  const superseded = await supersedeErrors(trx, applied.agentIDs, now);
  const groups = await foldGroupsOnPostgres(trx, applied, superseded, now);
  const hasMore = applied.count >= maxChanges || applied.ungrouped.errorIDs.length > 0;
  return { changes: applied.count, hasMore, groups };
}

async function tryLock(trx: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ is_locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${foldLockName}, 0)) as is_locked`.execute(trx);
  return rows[0]?.is_locked === true;
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
