import { type Kysely, sql } from 'kysely';
import type { CountedGroup } from '../../../foundation/counted-portion.ts';
import { arrayLiteral } from '../../../foundation/database/postgres/array-literal.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { AppliedChange, AppliedChanges, AppliedGroup } from './applied-changes-store-postgres.ts';
import {
  beginsEarlier,
  countGroup,
  type GroupChange,
  type GroupRow,
  type GroupTally,
  nothingCounted,
} from './counted-group.ts';
import type { OrderedChange } from './dismissal-of-group.ts';
import { errorChangeKinds, type GroupCounts, noGroupCounts } from './error-changes.ts';

/**
 * Writes the groups of applied changes, and adds the changes to the counts of their projects.
 *
 * @param superseded the changes to the counts of groups whose errors were superseded
 */
export async function countGroupsOnPostgres(
  trx: Kysely<Tables>,
  applied: Pick<AppliedChanges, 'groups' | 'ordered'>,
  superseded: ReadonlyMap<string, GroupCounts>,
  now: number,
): Promise<CountedGroup[]> {
  const reported = applied.groups.map((row) => ({ row, tally: tallyOf(row), counts: countsOf(row) }));
  const known = new Set(applied.groups.map(({ id }) => id));
  const others = await readGroups(
    trx,
    [...superseded.keys()].filter((id) => !known.has(id)),
  );
  const changes = [...reported, ...others].map(({ row, tally, counts: ofReports }) => {
    const counts = addCounts(ofReports, superseded.get(row.id));
    const ordered = (applied.ordered[row.id] ?? []).map(toOrderedChange);
    return { row, tally, counts, ...countGroup(row, tally, counts, ordered) };
  });
  await updateGroups(trx, changes, now);
  const earlier = changes.filter(({ row, tally }) => beginsEarlier(row, tally));
  if (earlier.length > 0)
    await updateFirst(
      trx,
      earlier.map(({ row: { id } }) => id),
    );
  return changes.map(({ counted }) => counted);
}

function tallyOf(row: AppliedGroup): GroupTally {
  return {
    created: row.created,
    muted: row.muted,
    dismissed: row.dismissed,
    reopened: row.reopened,
    dismissals: row.dismissals,
    occurrences: row.occurrences,
    firstAt: row.first_at,
    seenAt: row.seen_at,
    newestErrorID: row.newest_id,
  };
}

function countsOf(row: AppliedGroup): GroupCounts {
  return {
    currentErrors: row.current_change,
    supersededErrors: row.superseded_change,
    dismissedErrors: row.dismissed_change,
    currentAgents: row.current_agents,
    supersededAgents: row.superseded_agents,
    openAgents: row.open_agents,
    dismissedAgents: row.dismissed_agents,
    agents: row.agents,
  };
}

function addCounts(one: GroupCounts, other: GroupCounts = noGroupCounts()): GroupCounts {
  return {
    currentErrors: one.currentErrors + other.currentErrors,
    supersededErrors: one.supersededErrors + other.supersededErrors,
    dismissedErrors: one.dismissedErrors + other.dismissedErrors,
    currentAgents: one.currentAgents + other.currentAgents,
    supersededAgents: one.supersededAgents + other.supersededAgents,
    openAgents: one.openAgents + other.openAgents,
    dismissedAgents: one.dismissedAgents + other.dismissedAgents,
    agents: one.agents + other.agents,
  };
}

interface ChangedGroup {
  readonly row: GroupRow;
  readonly tally: GroupTally;
  readonly counts: GroupCounts;
}

/** Groups without changes of their own: only the configurations of their agents have changed. */
async function readGroups(trx: Kysely<Tables>, ids: readonly string[]): Promise<ChangedGroup[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<GroupRow>`
    select id, project_id, counted_at, dismissed_at, partly_dismissed_at, regressed_at, regressed_before, first_seen_at, current_errors
    from agent_error_groups where id = any(${ids}::uuid[]) order by id`.execute(trx);
  const tally = { ...nothingCounted, newestErrorID: null };
  return rows.map((row) => ({ row, tally, counts: noGroupCounts() }));
}

/** When and with which configuration groups were first seen, of which an earlier error was stored than all before. */
async function updateFirst(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  await sql`
    update agent_error_groups as error_group
    set first_seen_at = first.created_at, first_config_id = first.config_id
    from unnest(${ids}::uuid[]) as wanted (id) cross join lateral (
      select created_at, config_id from agent_errors where agent_errors.group_id = wanted.id order by agent_errors.id limit 1
    ) as first
    where error_group.id = wanted.id and first.created_at < error_group.first_seen_at`.execute(trx);
}

function toOrderedChange([
  kind,
  opened,
  isCurrent,
  hasConfiguration,
  hadDismissed,
  at,
]: AppliedChange): OrderedChange {
  return {
    kind,
    opened,
    isCurrent: isCurrent === 1,
    isCreatedCurrent: hasConfiguration === 1 && kind === errorChangeKinds.created && opened === 1,
    hadDismissed: hadDismissed === 1,
    at,
  };
}

interface GroupUpdate extends GroupChange {
  readonly tally: GroupTally;
  readonly counts: GroupCounts;
}

async function updateGroups(
  trx: Kysely<Tables>,
  changes: readonly GroupUpdate[],
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  const column = (name: keyof GroupCounts) => arrayLiteral(changes.map(({ counts }) => counts[name]));
  await sql`
    with updated as (
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
      dismissed_at = change.dismissed_at, partly_dismissed_at = change.partly_dismissed_at,
      regressed_at = change.regressed_at, regressed_before = change.regressed_before,
      counted_at = coalesce(error_group.counted_at, ${now})
    from unnest(
      ${arrayLiteral(changes.map(({ counted }) => counted.groupID))}::uuid[],
      ${column('currentErrors')}::bigint[], ${column('supersededErrors')}::bigint[],
      ${column('dismissedErrors')}::bigint[], ${column('currentAgents')}::bigint[],
      ${column('supersededAgents')}::bigint[], ${column('openAgents')}::bigint[],
      ${column('dismissedAgents')}::bigint[], ${column('agents')}::bigint[],
      ${arrayLiteral(changes.map(({ tally }) => tally.occurrences))}::bigint[],
      ${changes.map(({ tally }) => tally.seenAt)}::bigint[],
      ${changes.map(({ dismissal }) => dismissal.dismissedAt)}::bigint[],
      ${changes.map(({ dismissal }) => dismissal.partlyDismissedAt)}::bigint[],
      ${changes.map(({ dismissal }) => dismissal.regressedAt)}::bigint[],
      ${changes.map(({ dismissal }) => dismissal.regressedBefore)}::bigint[]
    ) as change (
      id, current_errors, superseded_errors, dismissed_errors, current_agents, superseded_agents, open_agents,
      dismissed_agents, agents, occurrences, seen_at, dismissed_at, partly_dismissed_at, regressed_at,
      regressed_before)
    where error_group.id = change.id
    returning error_group.project_id, error_group.current_errors as total, change.current_errors, change.superseded_errors
    )
    insert into project_counts as known (project_id, current_errors, superseded_errors, open_groups)
    select * from (
      select project_id, sum(current_errors)::bigint as current_errors,
        sum(superseded_errors)::bigint as superseded_errors,
        sum((total > 0)::integer - (total - current_errors > 0)::integer) as open_groups
      from updated group by project_id
    ) as change
    where current_errors <> 0 or superseded_errors <> 0 or open_groups <> 0
    order by project_id
    on conflict (project_id) do update
    set current_errors = known.current_errors + excluded.current_errors,
      superseded_errors = known.superseded_errors + excluded.superseded_errors,
      open_groups = known.open_groups + excluded.open_groups`.execute(trx);
}
