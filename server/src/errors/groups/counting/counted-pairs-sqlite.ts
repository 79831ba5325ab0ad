import type { SqliteRow } from '../../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import {
  addPairChange,
  changePair,
  type GroupCounts,
  errorChangeKinds as kinds,
  noGroupCounts,
  type PairState,
  sizeOf,
} from './error-changes.ts';
import type { QueuedChange } from './queued-changes-sqlite.ts';

/** The changes of a portion to the pairs of a group and an agent, and so to the groups. */
export class CountedPairs {
  readonly #statements: SqliteStatements;
  /** The changes to the counts of each group. */
  readonly counts = new Map<number, GroupCounts>();
  /** Pairs that change, as they were before the portion, by group and agent. */
  readonly #before = new Map<number, Map<number, PairState>>();

  constructor(statements: SqliteStatements) {
    this.#statements = statements;
  }

  /** Counts changes, and marks the open errors of earlier configurations that they show as superseded. */
  apply(changes: readonly QueuedChange[], now: number): void {
    // In the order of their keys, so that rows of the same page are written together.
    for (const [groupKey, ofGroup] of inOrder(collectPairs(changes))) {
      for (const [agentKey, { byEpoch, isDoubtful }] of inOrder(ofGroup)) {
        const ofPair = [...byEpoch.values()];
        const before = this.#read(groupKey, agentKey);
        if (before !== undefined)
          getOrMake(this.#before, groupKey, () => new Map<number, PairState>()).set(agentKey, before);
        const after = changePair(before, ofPair, isDoubtful ? this.#epochOf(agentKey) : 0);
        // One that was dismissed and reopened within the portion has no mark either.
        if (ofPair.some(({ epoch, opened }) => (opened > 0 || isDoubtful) && epoch < after.epoch)) {
          this.#statements.run(markSupersededOfGroupSql, agentKey, after.epoch, now, groupKey);
        }
        this.#write(groupKey, agentKey, before, after);
      }
    }
  }

  /**
   * Marks and counts the open errors of an agent's earlier configurations as superseded.
   *
   * @param epoch the one in the queue. The agent may have a later one by now, and errors of the epochs between them may not be
   * counted yet: once marked, they would be counted as current, and never be found here again.
   */
  supersede(agentKey: number, epoch: number, now: number): void {
    const groups = this.#statements.all(selectSupersededGroupsSql, agentKey, epoch);
    if (groups.length === 0) return;
    this.#statements.run(markSupersededSql, agentKey, epoch, now);
    for (const { error_group: group } of groups) {
      if (group === null || group === undefined) continue;
      const groupKey = Number(group);
      const before = this.#read(groupKey, agentKey);
      if (before === undefined || before.epoch >= epoch) continue;
      this.#write(groupKey, agentKey, before, changePair(before, [], epoch));
    }
  }

  /** Whether nothing was counted before the portion that shows the agent of a change with a later configuration than that of the error. */
  isCurrent(change: QueuedChange): boolean {
    return change.epoch >= (this.#pairBefore(change)?.epoch ?? 0);
  }

  /** Whether the agent of a change has the configuration of the error by now. */
  hasConfiguration({ agentKey, epoch }: QueuedChange): boolean {
    return this.#epochOf(agentKey) === epoch;
  }

  /** How many dismissed errors the agent of a change had in its group before the portion. */
  dismissedBefore(change: QueuedChange): number {
    return this.#pairBefore(change)?.dismissed ?? 0;
  }

  /** Whether the agent of a change has an error of its group that a person or a token had dismissed by then, and not the service. */
  hasDismissed({ groupKey, agentKey, seenAt }: QueuedChange): boolean {
    return this.#statements.get(selectDismissedSql, agentKey, groupKey, seenAt) !== undefined;
  }

  #pairBefore({ groupKey, agentKey }: QueuedChange): PairState | undefined {
    return groupKey === null ? undefined : this.#before.get(groupKey)?.get(agentKey);
  }

  #read(groupKey: number, agentKey: number): PairState | undefined {
    const row = this.#statements.get(selectPairSql, groupKey, agentKey);
    return row && pairOf(row);
  }

  #write(groupKey: number, agentKey: number, before: PairState | undefined, after: PairState): void {
    if (sizeOf(after) > 0) {
      const { epoch, current, superseded, dismissed } = after;
      this.#statements.run(
        before === undefined ? insertPairSql : updatePairSql,
        groupKey,
        agentKey,
        epoch,
        current,
        superseded,
        dismissed,
      );
    } else if (before !== undefined) {
      this.#statements.run(deletePairSql, groupKey, agentKey);
    }
    if ((before?.current ?? 0) > 0 !== after.current > 0) {
      // The status of the agent may have changed.
      this.#statements.run(insertAgentSql, groupKey, agentKey);
    }
    const counts = this.counts.get(groupKey) ?? noGroupCounts();
    this.counts.set(groupKey, counts);
    addPairChange(counts, before, after);
  }

  /** 0 if the agent no longer exists. */
  #epochOf(agentKey: number): number {
    return Number(this.#statements.get(selectEpochSql, agentKey)?.epoch ?? 0);
  }
}

interface ChangedPair {
  readonly byEpoch: Map<number, { epoch: number; opened: number; dismissed: number }>;
  /**
   * An error is created with the current epoch of its agent. An error that is reopened or moved to another group may have
   * an earlier epoch.
   */
  isDoubtful: boolean;
}

function collectPairs(changes: readonly QueuedChange[]): Map<number, Map<number, ChangedPair>> {
  const groups = new Map<number, Map<number, ChangedPair>>();
  for (const { kind, groupKey, agentKey, epoch, opened, dismissed } of changes) {
    if (groupKey === null || kind === kinds.repeated || kind === kinds.outlived || kind === kinds.undone)
      continue;
    const ofGroup = getOrMake(groups, groupKey, () => new Map<number, ChangedPair>());
    const pair = getOrMake(ofGroup, agentKey, () => ({ byEpoch: new Map(), isDoubtful: false }));
    if (kind === kinds.reopened || kind === kinds.moved) pair.isDoubtful = true;
    const sums = getOrMake(pair.byEpoch, epoch, () => ({ epoch, opened: 0, dismissed: 0 }));
    sums.opened += opened;
    sums.dismissed += dismissed;
  }
  return groups;
}

function getOrMake<Value>(map: Map<number, Value>, key: number, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function inOrder<Value>(map: ReadonlyMap<number, Value>): [number, Value][] {
  return [...map].sort(([one], [other]) => one - other);
}

function pairOf(row: SqliteRow): PairState {
  return {
    epoch: Number(row.epoch),
    current: Number(row.current_errors),
    superseded: Number(row.superseded_errors),
    dismissed: Number(row.dismissed_errors),
  };
}

const selectPairSql = `
  select epoch, current_errors, superseded_errors, dismissed_errors
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

const insertAgentSql = `
  insert into agent_changes (project_id, agent_id)
  select error_groups.project_id, agent.id
  from id_keys as agent cross join agent_error_groups as error_groups
  where error_groups.key = ?1 and agent.key = ?2`;

const selectEpochSql = `
  select agents.epoch from id_keys cross join agents on agents.id = id_keys.id where id_keys.key = ?1`;

const isSupersededSql = `
  agent_key = ?1 and epoch < ?2 and dismissed_at is null and superseded_at is null`;

const selectDismissedSql = `
  select 1 as found from agent_error_rows indexed by agent_error_rows_dismissed
  where agent_key = ?1 and dismissed_at is not null and error_group = ?2 and dismissed_by_kind <> 'system' and dismissed_at <= ?3
  limit 1`;

const selectSupersededGroupsSql = `
  select distinct error_group from agent_error_rows indexed by agent_error_rows_open where ${isSupersededSql}`;

const markSupersededSql = `
  update agent_error_rows indexed by agent_error_rows_open set superseded_at = ?3 where ${isSupersededSql}`;

const markSupersededOfGroupSql = `${markSupersededSql} and error_group = ?4`;
