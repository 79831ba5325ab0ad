import type { RolloutEvidence } from '@muster/contract';
import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { forEachApart } from '../../../foundation/scheduling/for-each-apart.ts';
import { JoinedRuns } from '../../../foundation/scheduling/joined-runs.ts';
import type { ProjectService } from '../../projects/project-service.ts';
import { lockFleet } from '../fleet-store.ts';
import { describeEvidence } from './describe-evidence.ts';
import { readEvidence, readProgress } from './evidence-store.ts';
import { freezeOf } from './freeze-service.ts';
import { judgeStage } from './judge-stage.ts';
import { listUpdatedAgents } from './new-cause-store.ts';
import type { RolloutChange } from './rollout-change.ts';
import type { RolloutChanges } from './rollout-changes.ts';
import { stagesOf } from './rollout-stages.ts';
import {
  findRollout,
  listOpenRollouts,
  noteLooks,
  type RolloutRow,
  unseenMilliseconds,
} from './rollout-store.ts';
import { describeFreeze, describePause, describeStop, readVerdict } from './rollout-verdict.ts';
import type { StageEvidence } from './stage-evidence.ts';

interface RolloutRunnerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly projects: Pick<ProjectService, 'lock'>;
  readonly changes: Pick<RolloutChanges, 'apply'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly catchUp: () => Promise<unknown>;
  /** Counts every error of a project that was stored before the call, or rejects. */
  readonly countWholly: (projectID: string) => Promise<void>;
  readonly onChange: (fleetID: string) => void;
}

/** Agents that have not gone back after this time are counted as pending. */
const revertMilliseconds = 15 * 60_000;
const system = { kind: 'system', name: 'rollouts' } as const;

/**
 * Takes each rollout to its next stage, or stops it. Everything that it decides by is in rows, and each decision is one transaction that fails if the rollout
 * has changed since: after a kill it goes on from there, and of two replicas one decides.
 */
export class RolloutRunner {
  readonly #options: RolloutRunnerOptions;
  readonly #looks = new JoinedRuns(() => this.#lookAtAll());
  /** Rollouts whose last look has failed: nobody watches them. */
  readonly #unseen = new Set<string>();

  constructor(options: RolloutRunnerOptions) {
    this.#options = options;
  }

  /** Looks at each rollout that is under way. One run at a time. */
  run(): Promise<void> {
    return this.#looks.run();
  }

  /** Notes that rollouts are watched. It is called beside looks as well, since a look can take longer than what counts as not looking. */
  note(): Promise<void> {
    return noteLooks(this.#options.database.write, this.#options.clock(), [...this.#unseen]);
  }

  async #lookAtAll(): Promise<void> {
    const { database, catchUp, closing } = this.#options;
    await this.note();
    const open = await listOpenRollouts(database.read);
    for (const id of this.#unseen) if (!open.some((row) => row.id === id)) this.#unseen.delete(id);
    if (open.length === 0) return;
    const uncounted = await catchUp().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    await forEachApart(open, closing, async (row) => {
      try {
        await this.#look(row, uncounted === undefined);
        if (uncounted !== undefined) throw uncounted.error;
        this.#unseen.delete(row.id);
      } catch (error) {
        this.#unseen.add(row.id);
        throw error;
      }
    });
  }

  /** @param isCounted false: failures may be missing, so that they can stop the rollout, but their absence says nothing */
  async #look(row: RolloutRow, isCounted: boolean): Promise<void> {
    const { database, clock, countWholly } = this.#options;
    const now = clock();
    if (row.state === 'reverting') {
      // What it was judged by is read no more, since that reads much more of a large fleet.
      const { ahead } = await readProgress(database.read, row, now);
      const change = followRevert(row, ahead, now);
      if (change !== undefined) await this.#apply(row, change);
      return;
    }
    let { evidence } = await readEvidence(database.read, database.engine, row, now);
    let change = decide(row, evidence, now);
    if (change?.kind === 'promote' && isCounted) {
      // What lets the stage pass may have come with errors that are not counted yet, such as from a site that was not heard for long.
      await countWholly(row.project_id);
      const { observed } = evidence.stage;
      ({ evidence } = await readEvidence(database.read, database.engine, row, now));
      const stage = { ...evidence.stage, observed: Math.min(observed, evidence.stage.observed) };
      evidence = { ...evidence, stage };
      change = decide(row, evidence, now);
    }
    if (change === undefined || !(isCounted || change.kind === 'stop')) return;
    // They are only shown, and a stop does not fail because of them.
    const agents = await listUpdatedAgents(database.read, database.engine, row, now).catch(() => []);
    await this.#apply(row, change, describeEvidence(evidence, agents));
  }

  async #apply(row: RolloutRow, change: RolloutChange, shown?: RolloutEvidence): Promise<void> {
    const { database, clock, projects, changes, onChange } = this.#options;
    const isDone = await database.write.transaction().execute(async (trx) => {
      const fleet = await lockFleet(trx, database.engine, row.fleet_id);
      const current = await findRollout(trx, row.id);
      // A process that stood still since it read the rollout decides nothing by what it has read.
      if (current === undefined || unseenMilliseconds(current, clock()) > row.unseen_ms) return false;
      // Of a deleted fleet nobody gets anything any more.
      if (fleet === undefined) return false;
      if (change.kind === 'promote' && !isInLastStage(row) && row.despite_freeze === 0) {
        // Its freeze windows may have changed, or one has begun.
        const project = await projects.lock(trx, row.project_id);
        if (project === undefined || freezeOf(project, clock()) !== undefined) return false;
      }
      return changes.apply(trx, system, row, change, shown);
    });
    if (isDone) onChange(row.fleet_id);
  }
}

function decide(row: RolloutRow, evidence: StageEvidence, now: number): RolloutChange | undefined {
  const verdict = judgeStage(evidence);
  switch (verdict.kind) {
    case 'stop':
      return { kind: 'stop', verdict: describeStop(verdict.reason), isReverted: row.on_failure === 'revert' };
    case 'hold':
      return row.held_until === verdict.until ? undefined : { kind: 'hold', until: verdict.until };
  }
  const freeze = row.despite_freeze === 0 ? freezeOf(row, now) : undefined;
  const isToWait =
    row.state === 'waiting' && (readVerdict(row.verdict)?.rule === 'approval' || freeze !== undefined);
  // What waits for somebody, or for the end of a freeze, is still watched, and begins nothing by itself.
  if (isToWait || verdict.kind === 'wait')
    return row.held_until === null ? undefined : { kind: 'hold', until: null };
  switch (verdict.kind) {
    case 'pass':
      if (evidence.stage.isLast) return { kind: 'promote', verdict: null };
      if (row.approval === 'each_stage')
        return { kind: 'wait', verdict: { rule: 'approval', stage: row.stage + 2 } };
      return freeze === undefined
        ? { kind: 'promote', verdict: null }
        : { kind: 'wait', verdict: describeFreeze(freeze, row.stage + 2) };
    case 'pass_with_pending':
      return { kind: 'promote', verdict: { rule: 'pending', agents: verdict.pending } };
    case 'pause':
      return { kind: 'pause', verdict: describePause(verdict) };
  }
}

function isInLastStage(row: RolloutRow): boolean {
  return row.stage + 1 >= stagesOf(row).length;
}

function followRevert(
  { stage_started_at: since }: RolloutRow,
  ahead: number,
  now: number,
): RolloutChange | undefined {
  return ahead === 0 || now - since > revertMilliseconds ? { kind: 'reverted', pending: ahead } : undefined;
}
