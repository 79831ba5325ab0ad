import {
  type CountedGroup,
  type CountedPortion,
  type CountRequest,
  type NotedPortion,
  nothingNoted,
  type PortionMoment,
} from '../../../foundation/counted-portion.ts';
import { idAtPlaceSql, idOfBytesSql, timeAtPlaceSql } from '../../../foundation/database/id-place.ts';
import type { SqliteRow } from '../../../foundation/database/sqlite/sqlite-messages.ts';
import type {
  SqliteProcedure,
  SqliteStatements,
} from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import type { GroupKeys } from '../identity/group-keys-sqlite.ts';
import {
  beginsEarlier,
  countGroup,
  type GroupRow,
  type GroupTally,
  needsOrder,
  nothingCounted,
} from './counted-group.ts';
import { CountedPairs } from './counted-pairs-sqlite.ts';
import type { OrderedChange } from './dismissal-of-group.ts';
import { errorChangeKinds as kinds, noGroupCounts } from './error-changes.ts';
import { ProjectCounts } from './project-counts-sqlite.ts';
import { type QueuedChange, removeChanges, takeChanges } from './queued-changes-sqlite.ts';

interface CountOptions {
  /** Called in the same transaction with what happened to the groups, also for a portion without changes. */
  readonly onCounted?: (
    statements: SqliteStatements,
    groups: readonly CountedGroup[],
    moment: PortionMoment,
  ) => NotedPortion;
}

/** The counter on SQLite: counts the oldest changes of the queue, in one transaction of the writer. */
export function createCountProcedure(
  groupKeys: GroupKeys,
  { onCounted }: CountOptions = {},
): SqliteProcedure<CountRequest, CountedPortion> {
  return {
    watches: groupKeys.watches,
    run(statements, { maxChanges, ...moment }) {
      const { changes, hasMore, groups } = applyChanges(statements, groupKeys, {
        now: moment.now,
        maxChanges,
        wantsNewest: onCounted !== undefined,
      });
      const noted = onCounted?.(statements, groups, moment) ?? nothingNoted;
      return { changes, isDrained: !hasMore && !noted.hasMore, groups, noted };
    },
    undo: () => groupKeys.forgetAll(),
  };
}

function applyChanges(
  statements: SqliteStatements,
  groupKeys: GroupKeys,
  {
    now,
    maxChanges,
    wantsNewest,
  }: Pick<CountRequest, 'now' | 'maxChanges'> & { readonly wantsNewest: boolean },
): Pick<CountedPortion, 'changes' | 'groups'> & { readonly hasMore: boolean } {
  const { changes, last, hasMore } = takeChanges(statements, maxChanges);
  if (changes.length === 0) return { changes: 0, hasMore: false, groups: [] };
  const hasUngrouped = changes.some(({ kind }) => kind === kinds.ungrouped);
  if (hasUngrouped) groupUngrouped(statements, groupKeys, last);
  const pairs = new CountedPairs(statements);
  pairs.apply(changes, now);
  for (const [agentKey, epoch] of configuredAgents(changes)) pairs.supersede(agentKey, epoch, now);
  const groups = countGroups(statements, changes, pairs, now, wantsNewest);
  removeChanges(statements, last);
  return { changes: changes.length, hasMore: hasMore || hasUngrouped, groups };
}

/** The last epoch of each agent whose configuration has changed. */
function configuredAgents(changes: readonly QueuedChange[]): Map<number, number> {
  const epochs = new Map<number, number>();
  for (const { kind, agentKey, epoch } of changes) {
    if (kind === kinds.configurationChanged) epochs.set(agentKey, Math.max(epochs.get(agentKey) ?? 0, epoch));
  }
  return epochs;
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

function countGroups(
  statements: SqliteStatements,
  changes: readonly QueuedChange[],
  pairs: CountedPairs,
  now: number,
  namesErrors: boolean,
): CountedGroup[] {
  const tallies = tallyGroups(changes);
  const projects = new ProjectCounts();
  const groups: CountedGroup[] = [];
  let byGroup: ReadonlyMap<number, readonly QueuedChange[]> | undefined;
  const changesOf = (key: number): readonly QueuedChange[] => {
    byGroup ??= changesByGroup(changes);
    return byGroup.get(key) ?? [];
  };
  for (const key of new Set([...tallies.keys(), ...pairs.counts.keys()])) {
    const row = statements.get(selectGroupSql, key) as (SqliteRow & GroupRow) | undefined; // the selected columns
    // Rows without a group were written by hand.
    if (row === undefined) continue;
    const { newest, ...rest } = tallies.get(key) ?? noTally();
    const newestErrorID = namesErrors && newest !== null ? findID(statements, newest) : null;
    const tally: GroupTally = { ...rest, newestErrorID };
    const counts = pairs.counts.get(key) ?? noGroupCounts();
    const ordered = needsOrder(row, tally) ? changesOf(key) : [];
    const { dismissal, counted: group } = countGroup(row, tally, counts, orderedChanges(ordered, pairs));
    statements.run(
      updateGroupSql,
      key,
      counts.currentErrors,
      counts.supersededErrors,
      counts.dismissedErrors,
      counts.currentAgents,
      counts.supersededAgents,
      counts.openAgents,
      counts.dismissedAgents,
      counts.agents,
      tally.occurrences,
      tally.seenAt ?? 0,
      dismissal.dismissedAt,
      dismissal.regressedAt,
      now,
      dismissal.partlyDismissedAt,
      dismissal.regressedBefore,
    );
    if (beginsEarlier(row, tally)) statements.run(updateFirstSql, key);
    projects.addGroup(row, counts);
    groups.push(group);
  }
  projects.write(statements);
  return groups;
}

/** A tally that is being counted, with the place of the newest error that was created open. */
type CountedTally = { -readonly [Name in keyof Omit<GroupTally, 'newestErrorID'>]: GroupTally[Name] } & {
  newest: bigint | null;
};

function noTally(): CountedTally {
  return { ...nothingCounted, newest: null };
}

function tallyGroups(changes: readonly QueuedChange[]): Map<number, CountedTally> {
  const tallies = new Map<number, CountedTally>();
  for (const { kind, groupKey, opened, occurrences, seenAt, place } of changes) {
    if (groupKey === null) continue;
    const tally = tallies.get(groupKey) ?? noTally();
    tallies.set(groupKey, tally);
    tally.occurrences += occurrences;
    if (kind === kinds.dismissed) tally.dismissed += 1;
    else if (kind !== kinds.undone && seenAt !== null && seenAt > (tally.seenAt ?? -1)) tally.seenAt = seenAt;
    if (kind === kinds.reopened) tally.reopened += 1;
    if (kind === kinds.outlived || kind === kinds.undone) tally.dismissals += 1;
    if (kind !== kinds.created) continue;
    if (seenAt !== null && seenAt < (tally.firstAt ?? Number.POSITIVE_INFINITY)) tally.firstAt = seenAt;
    if (opened === 0) tally.muted += 1;
    else tally.created += 1;
    if (opened === 1 && place !== null && place > (tally.newest ?? -1n)) tally.newest = place;
  }
  return tallies;
}

function changesByGroup(changes: readonly QueuedChange[]): Map<number, QueuedChange[]> {
  const byGroup = new Map<number, QueuedChange[]>();
  for (const change of changes) {
    if (change.groupKey === null || change.kind === kinds.repeated) continue;
    const ofGroup = byGroup.get(change.groupKey);
    if (ofGroup === undefined) byGroup.set(change.groupKey, [change]);
    else ofGroup.push(change);
  }
  return byGroup;
}

/** @param changes of one group */
function orderedChanges(changes: readonly QueuedChange[], pairs: CountedPairs): OrderedChange[] {
  const dismissed = new Map<number, number>();
  return changes.map((change) => {
    const before = dismissed.get(change.agentKey) ?? pairs.dismissedBefore(change);
    dismissed.set(change.agentKey, before + change.dismissed);
    const isOpened = change.kind === kinds.created && change.opened === 1;
    return {
      kind: change.kind,
      opened: change.opened,
      isCurrent: pairs.isCurrent(change),
      isCreatedCurrent: isOpened && pairs.hasConfiguration(change),
      // Only a new error can have come back.
      hadDismissed: before > 0 && change.opened === 1 && pairs.hasDismissed(change),
      at: change.seenAt,
    };
  });
}

function findID(statements: SqliteStatements, place: bigint): string | null {
  const id = statements.get(selectIDSql, place)?.id;
  return typeof id === 'string' ? id : null;
}

const selectUngroupedSql = `
  select changes.key as change_key, projects.id as project_id, error, config_id, ${timeAtPlaceSql} as created_at
  from agent_error_changes as changes
  cross join agent_error_rows using (place)
  cross join id_keys as projects on projects.key = project_key
  where changes.key <= ?1 and changes.kind = ${kinds.ungrouped} and error_group is null
  order by changes.key`;

const selectIDSql = `select ${idAtPlaceSql} as id from agent_error_rows where place = ?1`;

const selectGroupSql = `
  select id, project_id, counted_at, dismissed_at, partly_dismissed_at, regressed_at, regressed_before, first_seen_at, current_errors
  from agent_error_groups where key = ?1`;

/** When and with which configuration a group was first seen, of which an earlier error was stored than all before. */
const updateFirstSql = `
  update agent_error_groups set first_seen_at = first.created_at, first_config_id = first.config_id
  from (
    select ${timeAtPlaceSql} as created_at, ${idOfBytesSql('config_id')} as config_id
    from agent_error_rows where error_group = ?1 order by place limit 1
  ) as first
  where key = ?1 and first.created_at < first_seen_at`;

const updateGroupSql = `
  update agent_error_groups
  set current_errors = current_errors + ?2, superseded_errors = superseded_errors + ?3,
    dismissed_errors = dismissed_errors + ?4, current_agents = current_agents + ?5,
    superseded_agents = superseded_agents + ?6, open_agents = open_agents + ?7,
    dismissed_agents = dismissed_agents + ?8, agents = agents + ?9, occurrences = occurrences + ?10,
    last_seen_at = max(last_seen_at, ?11), dismissed_at = ?12, regressed_at = ?13,
    counted_at = coalesce(counted_at, ?14), partly_dismissed_at = ?15, regressed_before = ?16
  where key = ?1`;
