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
import {
  addPairChange,
  changePair,
  type GroupCounts,
  errorChangeKinds as kinds,
  noGroupCounts,
  type PairState,
} from './error-changes.ts';
import { foldGroupsOnPostgres } from './folded-group-store-postgres.ts';
import { groupUngrouped, type IsTaken, insertMissingGroups } from './group-store-postgres.ts';
import { type ChangedPair, writePairs } from './pair-store-postgres.ts';

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
  const taken = await takeChanges(trx, maxChanges);
  const { isTaken } = taken;
  if (taken.count === 0) return { changes: 0, hasMore: false, groups: [] };
  if (taken.hasUngrouped) await groupUngrouped(trx, isTaken);
  await insertMissingGroups(trx, isTaken);
  const counts = new Map<string, GroupCounts>();
  const late = await foldPairs(trx, isTaken, counts);
  await supersede(trx, [...new Set([...late, ...taken.configuredAgents])], now, counts);
  const groups = await foldGroupsOnPostgres(trx, isTaken, counts, now);
  await sql`delete from agent_error_changes as change where ${isTaken}`.execute(trx);
  return { changes: taken.count, hasMore: taken.count >= maxChanges || taken.hasUngrouped, groups };
}

async function tryLock(trx: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ is_locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${foldLockName}, 0)) as is_locked`.execute(trx);
  return rows[0]?.is_locked === true;
}

interface TakenChanges {
  readonly count: number;
  /** The condition for these rows of `change`. */
  readonly isTaken: IsTaken;
  readonly hasUngrouped: boolean;
  readonly configuredAgents: readonly string[];
}

async function takeChanges(trx: Kysely<Tables>, maxChanges: number): Promise<TakenChanges> {
  const { rows } = await sql<{
    count: number;
    keys: string;
    first: number;
    last: number;
    has_ungrouped: boolean | null;
    configured: string[] | null;
  }>`
    select count(*)::integer as count, coalesce(array_agg(key)::text, '{}') as keys, coalesce(min(key), 0) as first,
      coalesce(max(key), 0) as last, bool_or(kind = ${sql.lit(kinds.ungrouped)}) as has_ungrouped,
      array_agg(distinct agent_id) filter (where kind = ${sql.lit(kinds.configurationChanged)}) as configured
    from (select key, kind, agent_id from agent_error_changes order by key limit ${maxChanges}) as taken
  `.execute(trx);
  const [taken] = rows;
  return {
    count: taken?.count ?? 0,
    isTaken: isTakenBy(taken ?? { keys: '{}', first: 0, last: 0 }),
    hasUngrouped: taken?.has_ungrouped ?? false,
    configuredAgents: taken?.configured ?? [],
  };
}

/**
 * Rows lie in the order of their keys: to read the range and filter it takes less than a look-up for each key.
 *
 * @param taken the keys as PostgreSQL wrote them: all statements of a portion send them back, and there may be 10,000.
 */
function isTakenBy({ keys, first, last }: { keys: string; first: number; last: number }): IsTaken {
  return sql<boolean>`
    change.key between ${first}::bigint and ${last}::bigint and change.key + 0 = any(${keys}::bigint[])`;
}

interface PairChangeRow extends PairColumns {
  readonly group_id: string;
  readonly agent_id: string;
  readonly change_epoch: number;
  readonly opened: number;
  readonly dismissed: number;
  readonly agent_epoch: number | null;
}

interface PairColumns {
  readonly epoch: number | null;
  readonly current_errors: number | null;
  readonly superseded_errors: number | null;
  readonly dismissed_errors: number | null;
}

/** Returns the agents that got open errors of an earlier configuration. */
async function foldPairs(
  trx: Kysely<Tables>,
  isTaken: IsTaken,
  counts: Map<string, GroupCounts>,
): Promise<string[]> {
  const { rows } = await sql<PairChangeRow>`
    select change.group_id, change.agent_id, change.epoch as change_epoch, change.opened, change.dismissed,
      (select agents.epoch from agents where agents.id = change.agent_id) as agent_epoch,
      pair.epoch, pair.current_errors, pair.superseded_errors, pair.dismissed_errors
    from (
      select group_id, agent_id, epoch, sum(opened)::integer as opened, sum(dismissed)::integer as dismissed
      from agent_error_changes as change
      where ${isTaken} and group_id is not null and kind <> ${sql.lit(kinds.repeated)}
      group by group_id, agent_id, epoch
    ) as change
    left join lateral (
      select * from agent_error_group_agents as pair
      where pair.group_id = change.group_id and pair.agent_id = change.agent_id limit 1
    ) as pair on true
    order by change.group_id, change.agent_id`.execute(trx);
  const late: string[] = [];
  const changed: ChangedPair[] = [];
  for (let index = 0; index < rows.length; ) {
    const first = rows[index];
    if (first === undefined) break;
    const ofPair: PairChangeRow[] = [];
    for (; index < rows.length; index += 1) {
      const row = rows[index];
      if (row?.group_id !== first.group_id || row.agent_id !== first.agent_id) break;
      ofPair.push(row);
    }
    const before = pairOf(first);
    const changes = ofPair.map(({ change_epoch: epoch, opened, dismissed }) => ({
      epoch,
      opened,
      dismissed,
    }));
    const after = changePair(before, changes, first.agent_epoch ?? 0);
    if (changes.some(({ epoch, opened }) => opened > 0 && epoch < after.epoch)) late.push(first.agent_id);
    changed.push({ groupID: first.group_id, agentID: first.agent_id, before, after });
  }
  await applyPairs(trx, changed, counts);
  return late;
}

/** Marks and counts the open errors of the agents' earlier configurations as superseded. */
async function supersede(
  trx: Kysely<Tables>,
  agentIDs: readonly string[],
  now: number,
  counts: Map<string, GroupCounts>,
): Promise<void> {
  if (agentIDs.length === 0) return;
  const { rows } = await sql<PairColumns & { group_id: string; agent_id: string; agent_epoch: number }>`
    with due as materialized (
      select e.project_id, e.agent_id, e.id, e.group_id, agents.epoch as agent_epoch
      from unnest(${agentIDs}::uuid[]) as wanted (id)
      cross join lateral (select * from agents where agents.id = wanted.id limit 1) as agents
      join agent_errors as e on e.agent_id = agents.id and e.epoch < agents.epoch
      where e.dismissed_at is null and e.superseded_at is null
      order by e.agent_id, e.id
      for no key update of e
    ), marked as (
      update agent_errors as e set superseded_at = ${now}
      from due where e.project_id = due.project_id and e.id = due.id
      returning e.agent_id, e.group_id, due.agent_epoch
    )
    select marked.group_id, marked.agent_id, marked.agent_epoch,
      pair.epoch, pair.current_errors, pair.superseded_errors, pair.dismissed_errors
    from (select distinct * from marked where group_id is not null) as marked
    join agent_error_group_agents as pair
      on pair.group_id = marked.group_id and pair.agent_id = marked.agent_id
    where pair.epoch < marked.agent_epoch
    order by marked.group_id, marked.agent_id`.execute(trx);
  const changed = rows.flatMap((row) => {
    const before = pairOf(row);
    if (before === undefined) return [];
    const after = changePair(before, [], row.agent_epoch);
    return [{ groupID: row.group_id, agentID: row.agent_id, before, after }];
  });
  await applyPairs(trx, changed, counts);
}

async function applyPairs(
  trx: Kysely<Tables>,
  changed: readonly ChangedPair[],
  counts: Map<string, GroupCounts>,
): Promise<void> {
  for (const { groupID, before, after } of changed) {
    const ofGroup = counts.get(groupID) ?? noGroupCounts();
    counts.set(groupID, ofGroup);
    addPairChange(ofGroup, before, after);
  }
  await writePairs(trx, changed);
}

function pairOf(row: PairColumns): PairState | undefined {
  if (row.epoch === null) return undefined;
  return {
    epoch: row.epoch,
    current: row.current_errors ?? 0,
    superseded: row.superseded_errors ?? 0,
    dismissed: row.dismissed_errors ?? 0,
  };
}
