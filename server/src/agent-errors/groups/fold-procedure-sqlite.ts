import { idAtPlaceSql, timeAtPlaceSql } from '../../database/id-place.ts';
import type { SqliteRow } from '../../database/sqlite/sqlite-messages.ts';
import type { SqliteProcedure, SqliteStatements } from '../../database/sqlite/sqlite-procedure.ts';
import {
  type FoldedGroup,
  type FoldedPortion,
  type FoldRequest,
  type NotedPortion,
  nothingNoted,
} from '../../folded-portion.ts';
import type { OrderedChange } from './dismissal-of-group.ts';
import {
  addPairChange,
  changePair,
  type GroupCounts,
  errorChangeKinds as kinds,
  noGroupCounts,
  type PairChange,
  type PairState,
  sizeOf,
} from './error-changes.ts';
import { foldGroup, type GroupRow, type GroupTally, needsOrder } from './fold-group.ts';
import type { GroupKeys } from './group-keys-sqlite.ts';

interface FoldOptions {
  /** Called in the same transaction with what happened to the groups, also for a portion without changes. */
  readonly onFolded?: (
    statements: SqliteStatements,
    groups: readonly FoldedGroup[],
    now: number,
  ) => NotedPortion;
}

/** The folder on SQLite: counts the oldest changes of the queue, in one transaction of the writer. */
export function createFoldProcedure(
  groupKeys: GroupKeys,
  { onFolded }: FoldOptions = {},
): SqliteProcedure<FoldRequest, FoldedPortion> {
  return {
    watches: groupKeys.watches,
    run(statements, { now, maxChanges }) {
      const { changes, hasMore, groups } = applyChanges(statements, groupKeys, {
        now,
        maxChanges,
        wantsNewest: onFolded !== undefined,
      });
      const noted = onFolded?.(statements, groups, now) ?? nothingNoted;
      return { changes, isDrained: !hasMore && !noted.hasMore, groups, noted };
    },
    undo: () => groupKeys.forgetAll(),
  };
}

function applyChanges(
  statements: SqliteStatements,
  groupKeys: GroupKeys,
  { now, maxChanges, wantsNewest }: FoldRequest & { readonly wantsNewest: boolean },
): Pick<FoldedPortion, 'changes' | 'groups'> & { readonly hasMore: boolean } {
  const bound = statements.get(selectBoundSql, maxChanges);
  const changes = Number(bound?.changes ?? 0);
  if (changes === 0) return { changes, hasMore: false, groups: [] };
  const last = Number(bound?.last);
  const kindsInPortion = Number(bound?.kinds);
  const has = (kind: number): boolean => (kindsInPortion & (1 << kind)) !== 0;
  if (has(kinds.ungrouped)) groupUngrouped(statements, groupKeys, last);
  const counts = new Map<number, GroupCounts>();
  const late = foldPairs(statements, last, counts);
  const configured = has(kinds.configurationChanged) ? statements.all(selectConfiguredSql, last) : [];
  for (const agentKey of new Set([...late, ...configured.map((row) => Number(row.agent_key))])) {
    supersede(statements, agentKey, now, counts);
  }
  const groups = foldGroups(statements, last, counts, now, wantsNewest);
  statements.run('delete from agent_error_changes where key <= ?1', last);
  return { changes, hasMore: changes >= maxChanges || has(kinds.ungrouped), groups };
}

/** The triggers append the resulting changes to the queue, after this portion. */
function groupUngrouped(statements: SqliteStatements, groupKeys: GroupKeys, last: number): void {
  for (const row of statements.all(selectUngroupedSql, last)) {
    const { key } = groupKeys.find(statements, {
      projectID: String(row.project_id),
      error: String(row.error),
      createdAt: Number(row.created_at),
      configID: row.config_id instanceof Uint8Array ? row.config_id : null,
    });
    statements.run(
      'update agent_error_rows set error_group = ?2 where place = (select place from agent_error_changes where key = ?1)',
      Number(row.change_key),
      key,
    );
  }
}

/** Returns the agents that got open errors of an earlier configuration. */
function foldPairs(
  statements: SqliteStatements,
  last: number,
  counts: Map<number, GroupCounts>,
): Set<number> {
  const late = new Set<number>();
  // SQLite happens to sort when it groups, but does not promise it. Sorting sorted rows takes no time.
  const rows = statements.all(selectPairsSql, last).toSorted(comparePairs);
  for (let index = 0; index < rows.length; ) {
    const first = rows[index];
    if (first === undefined) break;
    const groupKey = Number(first.group_key);
    const agentKey = Number(first.agent_key);
    const before = pairOf(first);
    const changes: PairChange[] = [];
    let agentEpoch = 0;
    for (; index < rows.length; index += 1) {
      const row = rows[index];
      if (row === undefined || row.group_key !== first.group_key || row.agent_key !== first.agent_key) break;
      const change = {
        epoch: Number(row.epoch),
        opened: Number(row.opened),
        dismissed: Number(row.dismissed),
      };
      agentEpoch = Math.max(agentEpoch, Number(row.agent_epoch ?? 0));
      changes.push(change);
    }
    const after = changePair(before, changes, agentEpoch);
    if (changes.some(({ epoch, opened }) => opened > 0 && epoch < after.epoch)) late.add(agentKey);
    writePair(statements, groupKey, agentKey, before, after);
    addPairChange(countsOf(counts, groupKey), before, after);
  }
  return late;
}

function comparePairs(one: SqliteRow, other: SqliteRow): number {
  return Number(one.group_key) - Number(other.group_key) || Number(one.agent_key) - Number(other.agent_key);
}

function pairOf(row: SqliteRow): PairState | undefined {
  if (row.pair_epoch === null || row.pair_epoch === undefined) return undefined;
  return {
    epoch: Number(row.pair_epoch),
    current: Number(row.current_errors),
    superseded: Number(row.superseded_errors),
    dismissed: Number(row.dismissed_errors),
  };
}

function writePair(
  statements: SqliteStatements,
  groupKey: number,
  agentKey: number,
  before: PairState | undefined,
  after: PairState,
): void {
  if (sizeOf(after) > 0) {
    statements.run(
      before === undefined ? insertPairSql : updatePairSql,
      groupKey,
      agentKey,
      after.epoch,
      after.current,
      after.superseded,
      after.dismissed,
    );
  } else if (before !== undefined) {
    statements.run(deletePairSql, groupKey, agentKey);
  }
}

/** Marks and counts the open errors of an agent's earlier configurations as superseded. */
function supersede(
  statements: SqliteStatements,
  agentKey: number,
  now: number,
  counts: Map<number, GroupCounts>,
): void {
  const agent = statements.get(selectEpochSql, agentKey);
  if (agent === undefined) return;
  const epoch = Number(agent.epoch);
  const groups = statements.all(selectSupersededGroupsSql, agentKey, epoch);
  if (groups.length === 0) return;
  statements.run(markSupersededSql, agentKey, epoch, now);
  for (const { error_group: group } of groups) {
    if (group === null || group === undefined) continue;
    const groupKey = Number(group);
    const row = statements.get(selectPairSql, groupKey, agentKey);
    const before = row && pairOf(row);
    if (before === undefined || before.epoch >= epoch) continue;
    const after = changePair(before, [], epoch);
    writePair(statements, groupKey, agentKey, before, after);
    addPairChange(countsOf(counts, groupKey), before, after);
  }
}

function foldGroups(
  statements: SqliteStatements,
  last: number,
  counts: Map<number, GroupCounts>,
  now: number,
  namesErrors: boolean,
): FoldedGroup[] {
  const tallies = new Map(
    statements
      .all(selectTalliesSql, last, namesErrors ? 1 : 0)
      .map((row) => [Number(row.group_key), tallyOf(row)]),
  );
  const changed = [...new Set([...tallies.keys(), ...counts.keys()])].map((key) => ({
    key,
    row: statements.get(selectGroupSql, key) as (SqliteRow & GroupRow) | undefined, // the selected columns
    tally: tallies.get(key) ?? noTally,
  }));
  const inOrder = changed.filter(({ row, tally }) => row !== undefined && needsOrder(row, tally));
  const ordered = orderedChanges(
    statements,
    last,
    inOrder.map(({ key }) => key),
  );
  const folded: FoldedGroup[] = [];
  for (const { key, row, tally } of changed) {
    // Rows without a group were written by hand.
    if (row === undefined) continue;
    const change = counts.get(key) ?? noGroupCounts();
    const { dismissal, folded: group } = foldGroup(row, tally, change, ordered.get(key) ?? []);
    statements.run(
      updateGroupSql,
      key,
      change.currentErrors,
      change.supersededErrors,
      change.dismissedErrors,
      change.currentAgents,
      change.supersededAgents,
      change.openAgents,
      change.dismissedAgents,
      change.agents,
      tally.occurrences,
      tally.seenAt ?? 0,
      dismissal.dismissedAt,
      dismissal.regressedAt,
      now,
    );
    folded.push(group);
  }
  return folded;
}

function orderedChanges(
  statements: SqliteStatements,
  last: number,
  groupKeys: readonly number[],
): Map<number, OrderedChange[]> {
  const ordered = new Map<number, OrderedChange[]>();
  if (groupKeys.length === 0) return ordered;
  for (const row of statements.all(selectOrderedSql, last, JSON.stringify(groupKeys))) {
    const groupKey = Number(row.group_key);
    const change = {
      kind: Number(row.kind),
      opened: Number(row.opened),
      isCurrent: row.is_current === 1,
      at: row.seen_at === null ? null : Number(row.seen_at),
    };
    const ofGroup = ordered.get(groupKey);
    if (ofGroup === undefined) ordered.set(groupKey, [change]);
    else ofGroup.push(change);
  }
  return ordered;
}

function countsOf(counts: Map<number, GroupCounts>, groupKey: number): GroupCounts {
  const known = counts.get(groupKey);
  if (known !== undefined) return known;
  const made = noGroupCounts();
  counts.set(groupKey, made);
  return made;
}

const noTally: GroupTally = {
  created: 0,
  muted: 0,
  dismissed: 0,
  reopened: 0,
  occurrences: 0,
  seenAt: null,
  newestErrorID: null,
};

function tallyOf(row: SqliteRow): GroupTally {
  return {
    created: Number(row.created),
    muted: Number(row.muted),
    dismissed: Number(row.dismissed),
    reopened: Number(row.reopened),
    occurrences: Number(row.occurrences),
    seenAt: row.seen_at === null ? null : Number(row.seen_at),
    newestErrorID: typeof row.newest_id === 'string' ? row.newest_id : null,
  };
}

const selectBoundSql = `
  select count(*) as changes, max(key) as last,
    (max(kind = ${kinds.ungrouped}) << ${kinds.ungrouped})
      | (max(kind = ${kinds.configurationChanged}) << ${kinds.configurationChanged}) as kinds
  from (select key, kind from agent_error_changes order by key limit ?1)`;

const selectUngroupedSql = `
  select changes.key as change_key, projects.id as project_id, error, config_id, ${timeAtPlaceSql} as created_at
  from agent_error_changes as changes
  cross join agent_error_rows using (place)
  cross join id_keys as projects on projects.key = project_key
  where changes.key <= ?1 and changes.kind = ${kinds.ungrouped} and error_group is null
  order by changes.key`;

/**
 * An error is created with the current epoch of its agent. An error that is reopened or moved to another group may have an
 * earlier epoch.
 */
const selectPairsSql = `
  select change.*, pair.epoch as pair_epoch, current_errors, superseded_errors, dismissed_errors,
    case when is_doubtful then (
      select agents.epoch from id_keys cross join agents on agents.id = id_keys.id
      where id_keys.key = change.agent_key) end as agent_epoch
  from (
    select group_key, agent_key, epoch, sum(opened) as opened, sum(dismissed) as dismissed,
      max(kind in (${kinds.reopened}, ${kinds.moved})) as is_doubtful
    from agent_error_changes
    where key <= ?1 and group_key is not null and kind <> ${kinds.repeated}
    group by group_key, agent_key, epoch
  ) as change
  left join agent_error_group_agents as pair
    on pair.group_key = change.group_key and pair.agent_key = change.agent_key`;

const selectPairSql = `
  select epoch as pair_epoch, current_errors, superseded_errors, dismissed_errors
  from agent_error_group_agents where group_key = ?1 and agent_key = ?2`;

const insertPairSql = `
  insert into agent_error_group_agents (
    group_key, agent_key, epoch, current_errors, superseded_errors, dismissed_errors
  ) values (?1, ?2, ?3, ?4, ?5, ?6)`;

const updatePairSql = `
  update agent_error_group_agents
  set epoch = ?3, current_errors = ?4, superseded_errors = ?5, dismissed_errors = ?6
  where group_key = ?1 and agent_key = ?2`;

const deletePairSql = 'delete from agent_error_group_agents where group_key = ?1 and agent_key = ?2';

const selectConfiguredSql = `
  select distinct agent_key from agent_error_changes
  where key <= ?1 and kind = ${kinds.configurationChanged}`;

const selectEpochSql = `
  select agents.epoch from id_keys cross join agents on agents.id = id_keys.id where id_keys.key = ?1`;

const isSupersededSql = `
  agent_key = ?1 and epoch < ?2 and dismissed_at is null and superseded_at is null`;

const selectSupersededGroupsSql = `
  select distinct error_group from agent_error_rows indexed by agent_error_rows_open where ${isSupersededSql}`;

const markSupersededSql = `
  update agent_error_rows indexed by agent_error_rows_open set superseded_at = ?3 where ${isSupersededSql}`;

const selectTalliesSql = `
  select group_key, created, muted, dismissed, reopened, occurrences, seen_at,
    case when ?2 then (select ${idAtPlaceSql} from agent_error_rows where place = newest) end as newest_id
  from (
    select group_key,
      sum(kind = ${kinds.created} and opened = 1) as created,
      sum(kind = ${kinds.created} and opened = 0) as muted,
      sum(kind = ${kinds.dismissed}) as dismissed,
      sum(kind = ${kinds.reopened}) as reopened,
      sum(occurrences) as occurrences,
      max(case when kind <> ${kinds.dismissed} then seen_at end) as seen_at,
      max(case when kind = ${kinds.created} and opened = 1 then place end) as newest
    from agent_error_changes
    where key <= ?1 and group_key is not null
    group by group_key
  )`;

const selectGroupSql = `
  select id, project_id, counted_at, dismissed_at, regressed_at, current_errors
  from agent_error_groups where key = ?1`;

const selectOrderedSql = `
  select change.group_key, kind, opened, seen_at, coalesce(pair.epoch = change.epoch, true) as is_current
  from agent_error_changes as change
  left join agent_error_group_agents as pair
    on pair.group_key = change.group_key and pair.agent_key = change.agent_key
  where change.key <= ?1 and change.group_key in (select value from json_each(?2))
    and kind <> ${kinds.repeated}
  order by change.key`;

const updateGroupSql = `
  update agent_error_groups
  set current_errors = current_errors + ?2, superseded_errors = superseded_errors + ?3,
    dismissed_errors = dismissed_errors + ?4, current_agents = current_agents + ?5,
    superseded_agents = superseded_agents + ?6, open_agents = open_agents + ?7,
    dismissed_agents = dismissed_agents + ?8, agents = agents + ?9, occurrences = occurrences + ?10,
    last_seen_at = max(last_seen_at, ?11), dismissed_at = ?12, regressed_at = ?13,
    counted_at = coalesce(counted_at, ?14)
  where key = ?1`;
