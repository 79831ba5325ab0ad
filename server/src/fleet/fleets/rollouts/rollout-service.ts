import {
  type BeginStage,
  defaultRolloutStages,
  type Rollout,
  type RolloutEvidence,
  type RolloutStageRule,
  type RolloutState,
  type StartRollout,
} from '@muster/contract';
import { redactKnownSecrets } from '@muster/redaction';
import type { Kysely } from 'kysely';
import { type Clock, type NewID, toTimestamp } from '../../../foundation/clock.ts';
import { actorOf, hasPartIn, nameOf, type Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { noteEvent } from '../../../foundation/database/note-event.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../../foundation/list-page.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { JoinedRuns } from '../../../foundation/scheduling/joined-runs.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import type { ProjectService } from '../../projects/project-service.ts';
import { requireFleet } from '../fleet-access.ts';
import type { FleetPublications } from '../fleet-publications.ts';
import { type FleetRow, lockFleet } from '../fleet-store.ts';
import { type FleetVersionRow, findVersion } from '../fleet-version-store.ts';
import { noteFleetChange } from '../publication-store.ts';
import { requireGoodVersion } from '../require-good-version.ts';
import { requireValues } from '../values/require-values.ts';
import { describeEvidence } from './describe-evidence.ts';
import { type RolloutProgress, readEvidence, readProgress } from './evidence-store.ts';
import { freezeOf, frozen } from './freeze-service.ts';
import { listUpdatedAgents } from './new-cause-store.ts';
import { type PlannedAgent, type PlannedStage, planStages, type StageRule } from './plan-stages.ts';
import type { RolloutChange } from './rollout-change.ts';
import type { RolloutChanges } from './rollout-changes.ts';
import { type StoredStage, stagesOf } from './rollout-stages.ts';
import * as store from './rollout-store.ts';

interface RolloutServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly projects: Pick<ProjectService, 'requireProject' | 'lock'>;
  readonly audit: Pick<AuditService, 'record'>;
  readonly publications: FleetPublications;
  readonly changes: RolloutChanges;
  /** Writes what agents have shown, and brings the status of each up to date. */
  readonly catchUp: () => Promise<unknown>;
  /** Called in the same turn of the event loop in which a change of a fleet was committed. */
  readonly onChange: (fleetID: string) => void;
}

export interface DescribedRollout {
  readonly row: store.RolloutRow;
  /** What agents show now. Absent: what is kept of it. */
  readonly evidence?: RolloutEvidence;
  readonly progress: RolloutProgress;
}

/** Which states an action is for, and what becomes of the rollout. */
type Action = 'pause' | 'approve' | 'resume' | 'stop' | 'revert' | 'promote';

const statesOf: Readonly<Record<Action, readonly RolloutState[]>> = {
  pause: ['running', 'waiting'],
  approve: ['waiting'],
  resume: ['paused'],
  stop: ['running', 'waiting', 'paused'],
  revert: ['running', 'waiting', 'paused', 'stopped'],
  promote: ['running', 'waiting', 'paused'],
};

const shownNames = 10;

/** What people do with rollouts. */
export class RolloutService {
  readonly #options: RolloutServiceOptions;
  /** By id. Many people may watch the same rollout, and what its agents show is much to read. */
  readonly #finds = new Map<string, JoinedRuns<DescribedRollout>>();

  constructor(options: RolloutServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found, rollout_impossible, fleet_version_bad */
  async start(principal: Principal, fleetID: string, input: StartRollout) {
    const { database, newID, catchUp, onChange } = this.#options;
    const fleet = await requireFleet(database.read, principal, fleetID);
    const version = await findVersion(database.read, input.versionID.toLowerCase());
    if (version === undefined || version.fleet_id !== fleetID) {
      throw new Refusal('not_found', { detail: `The fleet ${fleetID} has no version ${input.versionID}.` });
    }
    const current =
      fleet.current_version_id === null
        ? undefined
        : await findVersion(database.read, fleet.current_version_id);
    await catchUp();
    const id = newID();
    const agents = await store.listPlannedAgents(database.read, fleet.project_id, fleetID);
    // They ask for files as if they still had the version before, so that they get none with new files before all of them do. A site cannot count to how many
    // it has given the version.
    const isLast = ({ isShared, site }: PlannedAgent) =>
      isShared && (site !== undefined || version.files !== current?.files);
    const rules = (input.stages ?? defaultRolloutStages).map(toRule);
    const stages = planStages(
      id,
      rules,
      agents.filter((agent) => !isLast(agent)),
      agents.filter(isLast),
    );
    if (input.dryRun !== true) {
      await database.write
        .transaction()
        .execute((trx) =>
          this.#insert(trx, principal, { id, input, version, projectID: fleet.project_id, stages }),
        );
      onChange(fleetID);
    }
    const shown = new Set(stages.flatMap(({ agentIDs }) => agentIDs.slice(0, shownNames)));
    const nameOfAgent = new Map(
      agents.flatMap(({ agentID, name }) => (shown.has(agentID) ? [[agentID, name]] : [])),
    );
    return {
      id: input.dryRun === true ? null : id,
      stages: stages.map(({ agentsCount, agentIDs, alive, soakSeconds }) => ({
        agentsCount,
        aliveCount: alive,
        soakSeconds,
        names: agentIDs.slice(0, shownNames).map((agentID) => nameOfAgent.get(agentID) ?? ''),
      })),
    };
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string): Promise<DescribedRollout> {
    await this.#require(principal, id);
    const finds = this.#finds.get(id) ?? new JoinedRuns(() => this.#find(id));
    this.#finds.set(id, finds);
    try {
      return await finds.run();
    } finally {
      if (finds.isIdle) this.#finds.delete(id);
    }
  }

  async #find(id: string): Promise<DescribedRollout> {
    const { database, catchUp } = this.#options;
    await catchUp();
    const row = await store.findRollout(database.read, id);
    if (row === undefined) throw notFound(id);
    return row.ended_at === null && row.evidence === null
      ? { row, ...(await this.#look(row)) }
      : this.#describe(row);
  }

  async list(
    principal: Principal,
    filter: store.RolloutFilter,
    page: Page,
  ): Promise<PageOf<DescribedRollout>> {
    const { database, projects, catchUp } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    await catchUp();
    const { rows, hasNext } = toPage(await store.listRollouts(database.read, filter, page), page);
    const described: DescribedRollout[] = [];
    // One after the other: each reads all agents of its fleet, and agents that report need connections too.
    for (const row of rows) described.push(await this.#describe(row));
    return { rows: described, hasNext };
  }

  /** @throws Refusal not_found */
  async listAgents(principal: Principal, id: string, page: Page) {
    const row = await this.#require(principal, id);
    await this.#options.catchUp();
    return { row, page: toPage(await store.listRolloutAgents(this.#options.database.read, row, page), page) };
  }

  /** @throws Refusal not_found, rollout_ended */
  async act(principal: Principal, id: string, action: Action, input: BeginStage): Promise<DescribedRollout> {
    const { database, clock, projects, changes, catchUp, onChange } = this.#options;
    const { despiteFreeze = false } = input;
    const found = await this.#require(principal, id);
    const reason = redactKnownSecrets(input.reason);
    // A decision does not fail because what is kept with it cannot be read: a slow database is when a stop is needed most.
    const evidence = mayEnd(action) ? await this.#lookAt(found).catch(() => undefined) : undefined;
    const isDone = await database.write.transaction().execute(async (trx) => {
      const { row, fleet } = await this.#lock(trx, found);
      if (!statesOf[action].some((state) => state === row.state)) throw hasEnded(row, action);
      if (input.stage !== undefined && input.stage !== row.stage + 1) throw isInOtherStage(row, input.stage);
      if (action === 'approve' && row.held_until !== null) throw isHeld(row);
      if (action === 'revert') await requireInForce(trx, row, fleet);
      const project = beginsStage(row, action) ? await projects.lock(trx, row.project_id) : undefined;
      const freeze = project && freezeOf(project, clock());
      if (freeze !== undefined && row.despite_freeze === 0 && !despiteFreeze) throw frozen(freeze);
      const verdict = { rule: 'person', reason, ...(freeze && { freeze: freeze.name }) } as const;
      const { kind, id: actorID } = actorOf(principal);
      const approvedBy = { kind, id: actorID, name: nameOf(principal) };
      return changes.apply(
        trx,
        principal,
        row,
        action === 'approve'
          ? { kind: 'approve', verdict, approval: { approvedBy, approvedAt: toTimestamp(clock()), reason } }
          : changeOf(action, verdict),
        evidence,
      );
    });
    // What was not looked at for a while was noted meanwhile.
    if (!isDone) return this.act(principal, id, action, input);
    onChange(found.fleet_id);
    // It is done, also if what is shown of it is not the newest.
    await catchUp().catch(() => undefined);
    return this.#describe(await this.#require(principal, id));
  }

  async #insert(
    trx: Kysely<Tables>,
    principal: Principal,
    {
      id,
      input,
      version,
      projectID,
      stages,
    }: {
      readonly id: string;
      readonly input: StartRollout;
      readonly version: FleetVersionRow;
      readonly projectID: string;
      readonly stages: readonly PlannedStage[];
    },
  ): Promise<void> {
    const { database, clock, audit, publications } = this.#options;
    const fleet = await lockFleet(trx, database.engine, version.fleet_id);
    if (fleet === undefined) throw new Refusal('not_found');
    await requireValues(trx, version);
    requirePossible(fleet.current_version_id, version, stages);
    await requireGoodVersion(trx, version, input.despiteBad);
    const now = clock();
    const project = await this.#options.projects.lock(trx, projectID);
    const freeze = project && freezeOf(project, now);
    if (freeze !== undefined && input.despiteFreeze !== true) throw frozen(freeze);
    await store.supersedeRollouts(trx, fleet.id, now);
    const to = await publications.publish(trx, { projectID, fleetID: fleet.id, versionID: version.id, now });
    const { kind, id: actorID } = actorOf(principal);
    const reason = redactKnownSecrets(input.reason);
    await store.insertRollout(trx, {
      id,
      project_id: projectID,
      fleet_id: fleet.id,
      from_version_id: fleet.current_version_id ?? version.id,
      to_version_id: version.id,
      to_seconds: to.seconds,
      back_seconds: null,
      stages: JSON.stringify(stages.map(toStored)),
      on_failure: input.onFailure ?? 'revert',
      approval: input.approval ?? 'none',
      approvals: '[]',
      max_per_minute: input.maxPerMinute ?? null,
      despite_freeze: input.despiteFreeze === true ? 1 : 0,
      reason,
      state: 'running',
      verdict: null,
      evidence: null,
      history: '[]',
      stage: 0,
      stage_started_at: now,
      stage_agents: stages[0]?.alive ?? 0,
      unseen_ms: 0,
      looked_at: now,
      held_until: null,
      held_ms: 0,
      shared_given: 0,
      revision: 1,
      started_at: now,
      started_by_kind: kind,
      started_by_id: actorID,
      started_by_name: nameOf(principal),
      ended_at: null,
    });
    await store.insertRolloutAgents(
      trx,
      (input.maxPerMinute === undefined ? stages.slice(0, -1) : stages).flatMap(
        ({ agentIDs, positions }, stage) =>
          agentIDs.map((agentID, index) => ({
            rollout_id: id,
            agent_id: agentID,
            stage,
            position: positions[index] ?? index,
          })),
      ),
    );
    const data = { rolloutID: id, fleetID: fleet.id, name: fleet.name, version: version.number };
    await noteEvent(trx, projectID, { type: 'rollout.started', ...data });
    await audit.record(trx, principal, {
      projectID,
      action: 'rollout.started',
      target: { kind: 'fleet', id: fleet.id, name: fleet.name },
      after: {
        rolloutID: id,
        version: version.number,
        reason,
        stagesCount: stages.length,
        ...(freeze && { freeze: freeze.name }),
      },
    });
    await noteFleetChange(trx);
  }

  async #lookAt(row: store.RolloutRow): Promise<RolloutEvidence> {
    return (await this.#look(row)).evidence;
  }

  async #look(row: store.RolloutRow) {
    const { read, engine } = this.#options.database;
    const now = this.#options.clock();
    const { evidence, progress } = await readEvidence(read, engine, row, now);
    return {
      progress,
      evidence: describeEvidence(evidence, await listUpdatedAgents(read, engine, row, now)),
    };
  }

  async #describe(row: store.RolloutRow): Promise<DescribedRollout> {
    const { database, clock } = this.#options;
    return { row, progress: await readProgress(database.read, row, clock()) };
  }

  async #require(principal: Principal, id: string): Promise<store.RolloutRow> {
    const row = await store.findRollout(this.#options.database.read, id);
    if (row === undefined || !hasPartIn(principal, row.project_id)) throw notFound(id);
    return row;
  }

  async #lock(trx: Kysely<Tables>, { id, fleet_id: fleetID }: store.RolloutRow) {
    const fleet = await lockFleet(trx, this.#options.database.engine, fleetID);
    if (fleet === undefined) throw notFound(id);
    const row = await store.findRollout(trx, id);
    if (row === undefined) throw notFound(id);
    return { row, fleet };
  }
}

/** Whether the rollout may have ended afterwards, so that what its agents showed is kept. */
function mayEnd(action: Action): boolean {
  return action === 'stop' || action === 'revert' || action === 'promote';
}

/** What a freeze of the project forbids. */
function beginsStage(row: store.RolloutRow, action: Action): boolean {
  if (action === 'promote' || action === 'approve') return row.stage + 1 < stagesOf(row).length;
  return action === 'resume';
}

function changeOf(
  action: Exclude<Action, 'approve'>,
  verdict: NonNullable<Rollout['verdict']>,
): RolloutChange {
  if (action === 'pause') return { kind: 'pause', verdict };
  if (action === 'resume') return { kind: 'resume', verdict };
  if (action === 'stop') return { kind: 'stop', verdict, isReverted: false };
  if (action === 'revert') return { kind: 'stop', verdict, isReverted: true };
  return { kind: 'promote', verdict };
}

function toRule({
  agents,
  soakSeconds,
}: RolloutStageRule | (typeof defaultRolloutStages)[number]): StageRule {
  if (typeof agents === 'number') return { agents: { count: agents }, soakSeconds };
  if (typeof agents === 'string') return { agents: { percent: Number.parseFloat(agents) }, soakSeconds };
  return { agents, soakSeconds };
}

function toStored({ agentsCount, sharedCount, soakSeconds }: PlannedStage): StoredStage {
  return { agentsCount, sharedCount, soakSeconds };
}

/** @throws Refusal rollout_impossible */
function requirePossible(
  currentID: string | null,
  version: Pick<FleetVersionRow, 'id' | 'number' | 'fleet_id'>,
  stages: readonly PlannedStage[],
): void {
  const reason =
    currentID === null
      ? `The fleet serves nothing yet. Give it its first configuration: muster fleet update ${version.fleet_id} --config FILE`
      : currentID === version.id
        ? `Version ${version.number} is the one that the fleet serves to all of its agents.`
        : stages.length === 0
          ? `No agent could get it before all others: the fleet has none yet, or they ask with its id (fleet_id), and its files change or a core instance answers them. Give it to all at once: muster fleet update ${version.fleet_id} --config FILE --all-at-once`
          : undefined;
  if (reason !== undefined) throw new Refusal('rollout_impossible', { detail: reason });
}

function hasEnded({ id, state }: store.RolloutRow, action: Action): Refusal {
  return new Refusal('rollout_ended', {
    detail: `The rollout ${id} is ${state}, so that you cannot ${action} it. That is possible while it is ${statesOf[action].join(' or ')}.`,
  });
}

/**
 * Agents get what the newest rollout says, and nothing earlier than what the fleet serves to everybody.
 *
 * @throws Refusal rollout_ended
 */
async function requireInForce(trx: Kysely<Tables>, row: store.RolloutRow, fleet: FleetRow): Promise<void> {
  if ((fleet.current_seconds ?? 0) >= row.to_seconds) {
    throw new Refusal('rollout_ended', {
      detail: `The rollout ${row.id} is ${row.state}, and another version was given to all agents of the fleet since then, so that there is nothing to revert. To give them version ${row.from_number} again: muster fleet update ${fleet.id} --serve-version ${row.from_number} --all-at-once`,
    });
  }
  const newest = await store.findNewestRollout(trx, fleet.id);
  if (newest !== undefined && newest.id !== row.id) {
    throw new Refusal('rollout_ended', {
      detail: `The rollout ${row.id} is ${row.state}, and the newer rollout ${newest.id} says which version agents get. Revert that one: the agents that still have version ${row.to_number} then go back too.`,
    });
  }
}

function isInOtherStage(row: store.RolloutRow, seen: number): Refusal {
  const stages = stagesOf(row).length;
  return new Refusal('rollout_ended', {
    detail: `The rollout ${row.id} is in stage ${row.stage + 1} of ${stages}, and not in stage ${seen} as when you saw it, so that nothing was done. Look at it again before you decide: muster rollout get ${row.id}`,
  });
}

function isHeld({ id }: store.RolloutRow): Refusal {
  return new Refusal('rollout_ended', {
    detail: `The rollout ${id} is held, because its agents may have got worse. Approve it when that is settled, which is within a minute.`,
  });
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', { detail: `There is no rollout ${id} that this credential can see.` });
}
