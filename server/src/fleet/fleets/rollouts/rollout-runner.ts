import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { lockFleet } from '../fleet-store.ts';
import { type RolloutProgress, readEvidence } from './evidence-store.ts';
import { judgeStage } from './judge-stage.ts';
import type { RolloutChange, RolloutChanges } from './rollout-changes.ts';
import { changeRollout, listOpenRollouts, type RolloutRow } from './rollout-store.ts';
import { describePause, describeStop } from './rollout-verdict.ts';
import type { StageEvidence } from './stage-evidence.ts';

interface RolloutRunnerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly changes: Pick<RolloutChanges, 'apply'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  readonly catchUp: () => Promise<unknown>;
  readonly onChange: (fleetID: string) => void;
}

const intervalMilliseconds = 500;
/** Of the time, at most a third is spent on looking: in a fleet of a hundred thousand agents, one look takes 0.3 s. */
const pauseFactor = 2;
/** A stage that nobody looked at for longer gets this time again. */
const gapMilliseconds = 30_000;
const lookMilliseconds = 10_000;
/** Agents that have not gone back after this time are counted as pending. */
const revertMilliseconds = 15 * 60_000;
const system = { kind: 'system', name: 'rollouts' } as const;

/**
 * Takes rollouts on, or stops them. Everything that it decides by is in rows, and each decision is one transaction that fails if the rollout has changed
 * since: after a kill it goes on from there, and of two replicas one decides.
 */
export class RolloutRunner {
  readonly #options: RolloutRunnerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: RolloutRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule();
  }

  /** Looks at each rollout that is under way. One run at a time. */
  async run(): Promise<void> {
    await this.#running?.catch(() => undefined);
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
    clearTimeout(this.#timer);
  }

  async #runOnce(): Promise<void> {
    const { database, catchUp, closing } = this.#options;
    const open = await listOpenRollouts(database.read);
    if (open.length > 0) await catchUp();
    for (const row of open) if (!closing.aborted) await this.#look(row);
  }

  async #look(row: RolloutRow): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock();
    const { evidence, progress } = await readEvidence(database.read, database.engine, row, now);
    const gap = now - row.looked_at;
    if (row.state === 'running' && gap > gapMilliseconds) {
      await this.#note(row, { looked_at: now, unseen_ms: row.unseen_ms + gap });
      return;
    }
    const change = row.state === 'reverting' ? followRevert(row, progress, now) : decide(row, evidence);
    if (change !== undefined) await this.#apply(row, change);
    else if (gap > lookMilliseconds) await this.#note(row, { looked_at: now });
  }

  async #apply(row: RolloutRow, change: RolloutChange): Promise<void> {
    const { database, changes, onChange } = this.#options;
    const isDone = await database.write.transaction().execute(async (trx) => {
      const fleet = await lockFleet(trx, database.engine, row.fleet_id);
      // Of a deleted fleet nobody gets anything any more.
      return fleet !== undefined && changes.apply(trx, system, row, change);
    });
    if (isDone) onChange(row.fleet_id);
  }

  async #note(row: RolloutRow, change: { looked_at: number; unseen_ms?: number }): Promise<void> {
    await changeRollout(this.#options.database.write, row, change);
  }

  #schedule(pauseMilliseconds = intervalMilliseconds): void {
    const { closing, onFailure, monotonic } = this.#options;
    this.#timer = setTimeout(() => {
      const startedAt = monotonic();
      this.run()
        .then(() => {
          this.#hasFailed = false;
        })
        .catch((error: unknown) => {
          // Reported once, not at each look until the database is back.
          if (!this.#hasFailed && !closing.aborted) onFailure(error);
          this.#hasFailed = true;
        })
        .finally(() => {
          const took = monotonic() - startedAt;
          if (!closing.aborted) this.#schedule(Math.max(intervalMilliseconds, pauseFactor * took));
        });
    }, pauseMilliseconds).unref();
  }
}

function decide(row: RolloutRow, evidence: StageEvidence): RolloutChange | undefined {
  const verdict = judgeStage(evidence);
  switch (verdict.kind) {
    case 'stop':
      return { kind: 'stop', verdict: describeStop(verdict.reason), isReverted: row.on_failure === 'revert' };
    case 'hold':
      return row.held_until === verdict.until ? undefined : { kind: 'hold', until: verdict.until };
    case 'pass':
      return { kind: 'promote', verdict: null };
    case 'pass_with_pending':
      return { kind: 'promote', verdict: { rule: 'pending', agents: verdict.pending } };
    case 'pause':
      return { kind: 'pause', verdict: describePause(verdict) };
    case 'wait':
      return row.held_until === null ? undefined : { kind: 'hold', until: null };
  }
}

function followRevert(
  { stage_started_at: since }: RolloutRow,
  { ahead }: RolloutProgress,
  now: number,
): RolloutChange | undefined {
  return ahead === 0 || now - since > revertMilliseconds ? { kind: 'reverted', pending: ahead } : undefined;
}
