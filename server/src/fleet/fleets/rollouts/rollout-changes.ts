import type { RolloutEvidence } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock } from '../../../foundation/clock.ts';
import { noteEvent } from '../../../foundation/database/note-event.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { AuditActor, AuditService } from '../../../record/audit/audit-service.ts';
import type { FleetPublications } from '../fleet-publications.ts';
import { noteFleetChange } from '../publication-store.ts';
import { settlingMilliseconds } from './judge-stage.ts';
import type { RolloutChange, StoredVerdict } from './rollout-change.ts';
import { withStep } from './rollout-history.ts';
import { approvalsOf, stagesOf } from './rollout-stages.ts';
import { changeRollout, countAlive, type RolloutRow } from './rollout-store.ts';

interface RolloutChangesOptions {
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record'>;
  readonly publications: FleetPublications;
}

/** What is written to the row, and what is told of it. Absent: a change that nobody has to be told of. */
interface Step {
  readonly change: Parameters<typeof changeRollout>[2];
  readonly action?: `rollout.${'paused' | 'waiting' | 'approved' | 'resumed' | 'stopped' | 'reverted' | 'promoted' | 'completed'}`;
  readonly verdict?: StoredVerdict | null;
}

/** Changes rollouts, each in one transaction with all that belongs to it. */
export class RolloutChanges {
  readonly #options: RolloutChangesOptions;

  constructor(options: RolloutChangesOptions) {
    this.#options = options;
  }

  /**
   * Inside a transaction of the caller, who has locked the fleet. False, and nothing is written, if the rollout was changed since `row` was read.
   *
   * @param evidence what agents show: it is kept as it stands when the rollout ends
   */
  async apply(
    trx: Kysely<Tables>,
    actor: AuditActor,
    row: RolloutRow,
    change: RolloutChange,
    evidence?: RolloutEvidence,
  ): Promise<boolean> {
    const now = this.#options.clock();
    const { change: columns, action, verdict } = await this.#stepOf(trx, row, change, now);
    const kept = {
      history: withStep(row, actor, change, now),
      ...(evidence !== undefined && row.evidence === null && endsLook(columns.state)
        ? { evidence: JSON.stringify(evidence) }
        : {}),
    };
    if (!(await changeRollout(trx, row, { ...columns, ...kept }))) return false;
    if (action !== undefined) await this.#tell(trx, actor, row, action, verdict ?? null);
    await noteFleetChange(trx);
    return true;
  }

  async #stepOf(trx: Kysely<Tables>, row: RolloutRow, change: RolloutChange, now: number): Promise<Step> {
    switch (change.kind) {
      case 'hold':
        return { change: { held_until: change.until, held_ms: row.held_ms + heldFor(row, now) } };
      case 'pause':
        return {
          change: { state: 'paused', held_until: null, verdict: JSON.stringify(change.verdict) },
          action: 'rollout.paused',
          verdict: change.verdict,
        };
      case 'wait':
        return {
          change: { state: 'waiting', held_until: null, verdict: JSON.stringify(change.verdict) },
          action: 'rollout.waiting',
          verdict: change.verdict,
        };
      case 'approve':
        return this.#approve(trx, row, change, now);
      case 'resume':
        return {
          change: { state: 'running', verdict: null, ...(await this.#beginning(trx, row, row.stage, now)) },
          action: 'rollout.resumed',
          verdict: change.verdict,
        };
      case 'stop':
        return this.#stop(trx, row, change, now);
      case 'promote':
        return this.#promote(trx, row, change.verdict, now);
      case 'reverted':
        return { change: { state: 'reverted', ended_at: now }, action: 'rollout.reverted' };
    }
  }

  async #stop(
    trx: Kysely<Tables>,
    row: RolloutRow,
    { verdict, isReverted }: Extract<RolloutChange, { kind: 'stop' }>,
    now: number,
  ): Promise<Step> {
    const { project_id: projectID, fleet_id: fleetID, from_version_id: versionID } = row;
    const back = isReverted
      ? await this.#options.publications.publish(trx, { projectID, fleetID, versionID, now })
      : undefined;
    return {
      change: {
        state: back === undefined ? 'stopped' : 'reverting',
        // What stopped it by itself stays the reason.
        verdict: row.state === 'stopped' ? row.verdict : JSON.stringify(verdict),
        held_until: null,
        back_seconds: back?.seconds ?? null,
        stage_started_at: now,
        ended_at: back === undefined ? now : null,
      },
      action: 'rollout.stopped',
      verdict,
    };
  }

  async #approve(
    trx: Kysely<Tables>,
    row: RolloutRow,
    { approval, verdict }: Extract<RolloutChange, { kind: 'approve' }>,
    now: number,
  ): Promise<Step> {
    const approvals = [...approvalsOf(row), { stage: row.stage + 2, ...approval }];
    const { change } = await this.#promote(trx, row, null, now);
    return {
      change: { ...change, approvals: JSON.stringify(approvals) },
      action: 'rollout.approved',
      verdict,
    };
  }

  async #promote(
    trx: Kysely<Tables>,
    row: RolloutRow,
    verdict: StoredVerdict | null,
    now: number,
  ): Promise<Step> {
    const stages = stagesOf(row);
    const byPerson = verdict?.rule === 'person';
    if (row.stage + 1 < stages.length) {
      return {
        change: { state: 'running', verdict: null, ...(await this.#beginning(trx, row, row.stage + 1, now)) },
        ...(byPerson && { action: 'rollout.promoted' }),
        verdict,
      };
    }
    const { fleet_id: fleetID, to_version_id: versionID, to_seconds: seconds } = row;
    await this.#options.publications.makeCurrent(
      trx,
      { fleetID, versionID, seconds, publishedAt: row.started_at },
      now,
    );
    return {
      change: {
        state: 'completed',
        held_until: null,
        ended_at: now,
        verdict: verdict === null ? null : JSON.stringify(verdict),
      },
      action: 'rollout.completed',
      verdict,
    };
  }

  async #beginning(trx: Kysely<Tables>, row: RolloutRow, stage: number, now: number) {
    return {
      stage,
      stage_started_at: now,
      stage_agents: await countAlive(trx, row, stage),
      unseen_ms: 0,
      looked_at: now,
      held_until: null,
      held_ms: 0,
    };
  }

  async #tell(
    trx: Kysely<Tables>,
    actor: AuditActor,
    row: RolloutRow,
    action: NonNullable<Step['action']>,
    verdict: StoredVerdict | null,
  ): Promise<void> {
    const { id, project_id: projectID, fleet_id: fleetID, fleet_name: name, to_number: version } = row;
    await noteEvent(trx, projectID, {
      type: action,
      rolloutID: id,
      fleetID,
      name,
      version,
      ...(verdict !== null && { rule: verdict.rule }),
    });
    await this.#options.audit.record(trx, actor, {
      projectID,
      action,
      target: { kind: 'fleet', id: fleetID, name },
      before: { state: row.state, stage: row.stage + 1 },
      after: { rolloutID: id, version, ...(verdict !== null && { ...verdict }) },
    });
  }
}

/** A hold begins with what it is held for; counted from there, it is never too short. */
function heldFor({ held_until: heldUntil }: RolloutRow, now: number): number {
  return heldUntil === null ? 0 : Math.max(now - (heldUntil - settlingMilliseconds), 0);
}

/** Nothing that agents show afterwards belongs to the version. */
function endsLook(state: unknown): boolean {
  return state === 'stopped' || state === 'reverting' || state === 'completed';
}
