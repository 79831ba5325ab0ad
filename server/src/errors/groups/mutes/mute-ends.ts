import { type Clock, toTimestamp } from '../../../foundation/clock.ts';
import { noteCredentialChange } from '../../../foundation/credentials/credential-freshness.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { forEachApart } from '../../../foundation/scheduling/for-each-apart.ts';
import { JoinedRuns } from '../../../foundation/scheduling/joined-runs.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import { unmuteGroup } from './group-mute-store.ts';
import { type DueMute, hasEndingMutes, listDueMutes } from './mute-ends-store.ts';

interface MuteEndsOptions {
  readonly database: Database;
  readonly audit: Pick<AuditService, 'record'>;
  readonly clock: Clock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** Counts the agents of errors that were stored before the call. */
  readonly countChanges: () => Promise<unknown>;
}

const portion = 100;

const reasons: Readonly<Record<DueMute['why'], string>> = {
  configuration: 'an agent still has it with another configuration',
  agents: 'it is on as many agents as the mute allowed',
};

/** Ends mutes whose condition has come about: the next report opens the group again. */
export class MuteEnds {
  readonly #options: MuteEndsOptions;
  readonly #runs = new JoinedRuns(() => this.#endDue());

  constructor(options: MuteEndsOptions) {
    this.#options = options;
  }

  /** Resolves when those that are due have ended, at most a portion of them. */
  run(): Promise<void> {
    return this.#runs.run();
  }

  close(): Promise<void> {
    return this.#runs.end();
  }

  async #endDue(): Promise<void> {
    const { database, clock, closing, countChanges } = this.#options;
    if (!(await hasEndingMutes(database.read, clock()))) return;
    await countChanges();
    const due = await listDueMutes(database.read, database.engine, { now: clock(), limit: portion });
    await forEachApart(due, closing, (mute) => this.#end(mute));
  }

  async #end({ id, projectID, pattern, until, mutedAt, reason, why }: DueMute): Promise<void> {
    const { database, audit } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      // Another replica may have ended it, and somebody may have muted it again.
      if (!(await unmuteGroup(trx, id, mutedAt))) return;
      await audit.record(
        trx,
        { kind: 'system', name: reasons[why] },
        {
          projectID,
          action: 'agent_error_group.unmuted',
          target: { kind: 'agent_error_group', id, name: pattern },
          before: { mutedUntil: toTimestamp(until), reason },
        },
      );
      await noteCredentialChange(trx);
    });
  }
}
