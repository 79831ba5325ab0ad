import { DismissalRunner } from '../../errors/dismissals/dismissal-runner.ts';
import { insertDismissal } from '../../errors/dismissals/dismissal-store.ts';
import type { ErrorGroupStage, StageReplica } from './error-group-stage.ts';

/** Dismissals on a stage, in portions of two errors and turns of four. */
export class DismissalStage {
  readonly stage: ErrorGroupStage;
  readonly failures: unknown[] = [];
  /** What runners told of agents. */
  readonly told: string[] = [];

  constructor(stage: ErrorGroupStage) {
    this.stage = stage;
  }

  /** A process that does the work of dismissals. */
  async startRunner(replica: StageReplica = this.stage.first): Promise<DismissalRunner> {
    const { clock, newID } = this.stage;
    const runner = new DismissalRunner({
      database: replica.database,
      clock: clock.now,
      newID,
      closing: new AbortController().signal,
      onFailure: (error) => this.failures.push(error),
      onChanged: (agentID, change) => this.told.push(`${agentID} ${change}`),
      onRecovery: () => undefined,
      portionErrors: 2,
      portionsPerTurn: 2,
    });
    await runner.start();
    return runner;
  }

  /** Stores a dismissal that `runner` is about to work on. */
  async request(projectID: string, filter: object, runner: DismissalRunner): Promise<string> {
    const { clock, newID, first } = this.stage;
    const id = newID();
    await insertDismissal(
      first.database.write,
      {
        id,
        projectID,
        reason: 'seen',
        filter: JSON.stringify(filter),
        boundID: id,
        requestedAt: clock.now(),
        requestedBy: { kind: 'user', id: projectID },
      },
      runner.lease(),
    );
    return id;
  }
}
