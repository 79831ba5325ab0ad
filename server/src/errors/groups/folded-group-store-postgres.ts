import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import type { FoldedGroup } from '../../foundation/folded-portion.ts';
import type { OrderedChange } from './dismissal-of-group.ts';
import { type GroupCounts, errorChangeKinds as kinds, noGroupCounts } from './error-changes.ts';
import { foldGroup, type GroupChange, type GroupRow, type GroupTally, needsOrder } from './fold-group.ts';
import type { IsTaken } from './group-store-postgres.ts';

interface TallyRow extends GroupRow {
  readonly created: number;
  readonly muted: number;
  readonly dismissed: number;
  readonly reopened: number;
  readonly occurrences: number;
  readonly seen_at: number | null;
  readonly newest_id: string | null;
}

/** Applies the taken changes, and the changes of pairs, to the groups. */
export async function foldGroupsOnPostgres(
  trx: Kysely<Tables>,
  isTaken: IsTaken,
  counts: ReadonlyMap<string, GroupCounts>,
  now: number,
): Promise<FoldedGroup[]> {
  const rows = await readGroups(trx, isTaken, [...counts.keys()]);
  const tallied = rows.map((row) => ({ row, tally: tallyOf(row) }));
  const inOrder = tallied.filter(({ row, tally }) => needsOrder(row, tally)).map(({ row }) => row.id);
  const ordered = await readOrderedChanges(trx, isTaken, inOrder);
  const changes = tallied.map(({ row, tally }) => {
    const ofGroup = counts.get(row.id) ?? noGroupCounts();
    return { tally, counts: ofGroup, ...foldGroup(row, tally, ofGroup, ordered.get(row.id) ?? []) };
  });
  await updateGroups(trx, changes, now);
  return changes.map(({ folded }) => folded);
}

async function readGroups(
  trx: Kysely<Tables>,
  isTaken: IsTaken,
  others: readonly string[],
): Promise<TallyRow[]> {
  const { rows } = await sql<TallyRow>`
    select error_group.id, error_group.project_id, error_group.counted_at, error_group.dismissed_at,
      error_group.regressed_at, error_group.current_errors, tally.*
    from (
      select group_id, sum(created)::integer as created, sum(muted)::integer as muted,
        sum(dismissed)::integer as dismissed, sum(reopened)::integer as reopened,
        sum(occurrences)::bigint as occurrences, max(seen_at) as seen_at,
        (array_agg(newest_id order by newest_id desc nulls last))[1] as newest_id
      from (
        select group_id,
          (kind = ${sql.lit(kinds.created)} and opened = 1)::integer as created,
          (kind = ${sql.lit(kinds.created)} and opened = 0)::integer as muted,
          (kind = ${sql.lit(kinds.dismissed)})::integer as dismissed,
          (kind = ${sql.lit(kinds.reopened)})::integer as reopened, occurrences,
          case when kind <> ${sql.lit(kinds.dismissed)} then seen_at end as seen_at,
          case when kind = ${sql.lit(kinds.created)} and opened = 1 then error_id end as newest_id
        from agent_error_changes as change
        where ${isTaken} and group_id is not null
        union all
        select id, 0, 0, 0, 0, 0, null, null from unnest(${others}::uuid[]) as other (id)
      ) as change
      group by group_id
    ) as tally
    cross join lateral (
      select * from agent_error_groups as error_group where error_group.id = tally.group_id limit 1
    ) as error_group
    order by error_group.id`.execute(trx);
  return rows;
}

function tallyOf(row: TallyRow): GroupTally {
  return {
    created: row.created,
    muted: row.muted,
    dismissed: row.dismissed,
    reopened: row.reopened,
    occurrences: row.occurrences,
    seenAt: row.seen_at,
    newestErrorID: row.newest_id,
  };
}

async function readOrderedChanges(
  trx: Kysely<Tables>,
  isTaken: IsTaken,
  groupIDs: readonly string[],
): Promise<Map<string, OrderedChange[]>> {
  const ordered = new Map<string, OrderedChange[]>();
  if (groupIDs.length === 0) return ordered;
  const { rows } = await sql<{
    group_id: string;
    kind: number;
    opened: number;
    seen_at: number | null;
    is_current: boolean;
  }>`
    select change.group_id, change.kind, change.opened, change.seen_at,
      coalesce((
        select pair.epoch = change.epoch from agent_error_group_agents as pair
        where pair.group_id = change.group_id and pair.agent_id = change.agent_id), true) as is_current
    from agent_error_changes as change
    where ${isTaken} and change.group_id = any(${groupIDs}::uuid[])
      and change.kind <> ${sql.lit(kinds.repeated)}
    order by change.key`.execute(trx);
  for (const { group_id: groupID, kind, opened, seen_at: at, is_current: isCurrent } of rows) {
    const change = { kind, opened, isCurrent, at };
    const ofGroup = ordered.get(groupID);
    if (ofGroup === undefined) ordered.set(groupID, [change]);
    else ofGroup.push(change);
  }
  return ordered;
}

interface CountedGroup extends GroupChange {
  readonly tally: GroupTally;
  readonly counts: GroupCounts;
}

async function updateGroups(
  trx: Kysely<Tables>,
  changes: readonly CountedGroup[],
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  const column = (name: keyof GroupCounts) => changes.map(({ counts }) => counts[name]);
  await sql`
    update agent_error_groups as error_group
    set current_errors = error_group.current_errors + change.current_errors,
      superseded_errors = error_group.superseded_errors + change.superseded_errors,
      dismissed_errors = error_group.dismissed_errors + change.dismissed_errors,
      current_agents = error_group.current_agents + change.current_agents,
      superseded_agents = error_group.superseded_agents + change.superseded_agents,
      open_agents = error_group.open_agents + change.open_agents,
      dismissed_agents = error_group.dismissed_agents + change.dismissed_agents,
      agents = error_group.agents + change.agents,
      occurrences = error_group.occurrences + change.occurrences,
      last_seen_at = greatest(error_group.last_seen_at, change.seen_at),
      dismissed_at = change.dismissed_at, regressed_at = change.regressed_at,
      counted_at = coalesce(error_group.counted_at, ${now})
    from unnest(
      ${changes.map(({ folded }) => folded.groupID)}::uuid[],
      ${column('currentErrors')}::bigint[], ${column('supersededErrors')}::bigint[],
      ${column('dismissedErrors')}::bigint[], ${column('currentAgents')}::bigint[],
      ${column('supersededAgents')}::bigint[], ${column('openAgents')}::bigint[],
      ${column('dismissedAgents')}::bigint[], ${column('agents')}::bigint[],
      ${changes.map(({ tally }) => tally.occurrences)}::bigint[],
      ${changes.map(({ tally }) => tally.seenAt)}::bigint[],
      ${changes.map(({ dismissal }) => dismissal.dismissedAt)}::bigint[],
      ${changes.map(({ dismissal }) => dismissal.regressedAt)}::bigint[]
    ) as change (
      id, current_errors, superseded_errors, dismissed_errors, current_agents, superseded_agents, open_agents,
      dismissed_agents, agents, occurrences, seen_at, dismissed_at, regressed_at)
    where error_group.id = change.id`.execute(trx);
}
