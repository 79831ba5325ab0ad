import type { AgentErrorService } from '../../errors/agent-error-service.ts';
import type { DismissalService } from '../../errors/dismissals/dismissal-service.ts';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { RotationService } from '../../people/rotations/rotation-service.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import type { AuditLogService } from '../../record/audit-log/audit-log-service.ts';
import type { EventService } from '../../record/events/event-service.ts';

interface RetentionOptions {
  readonly agentErrors: Pick<
    AgentErrorService,
    'dismissSuperseded' | 'purgeDismissed' | 'purgeDeletedProjects'
  >;
  readonly dismissals: Pick<DismissalService, 'purge'>;
  /** Deals with credentials that were reported as found in public to a process that was then killed. */
  readonly handleLeaks: () => Promise<void>;
  /** Deletes the agents that were not heard for too long. */
  readonly forgetAgents: () => Promise<void>;
  readonly agents: Pick<AgentService, 'purgeDeleted'>;
  readonly errorGroups: {
    groupAll(): Promise<void>;
    /** @param before milliseconds */
    removeEmpty(before: number): Promise<void>;
  };
  readonly auditLog: Pick<AuditLogService, 'purge'>;
  /** Removes core instances of deleted projects, and what sites have been told long ago. */
  readonly purgeCoreInstances: () => Promise<void>;
  /** Removes fleets of deleted projects, and who got what in rollouts that ended before a time, in milliseconds. */
  readonly purgeFleets: (before: number) => Promise<void>;
  readonly events: Pick<EventService, 'purge'>;
  readonly rotations: Pick<RotationService, 'purge'>;
  readonly tokens: Pick<TokenService, 'purge'>;
  /** Removes invitations that ended before a time, in milliseconds. */
  readonly purgeInvitations: (before: number) => Promise<void>;
  /** Removes sessions and sign-in links that ended before a time, in milliseconds. */
  readonly purgeSessions: (before: number) => Promise<void>;
  /** Removes messages of alerts that are kept for long enough. */
  readonly purgeAlerts: () => Promise<void>;
  /** Whether rows of a project are being compared with those of another installation. */
  readonly isMoveUnderWay: () => Promise<boolean>;
  readonly clock: Clock;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** Number of days for which dismissed errors are kept; at least 1. */
  readonly retentionDays: number;
  /** Number of days after which errors of earlier configurations are dismissed; 0: never. */
  readonly dismissSupersededDays: number;
  readonly onFailure: (error: unknown) => void;
}

const dayMilliseconds = 86_400_000;

/** Removes expired and deleted data, but nothing while a project moves: the move would find other rows than it has copied. */
export class RetentionService {
  readonly #options: RetentionOptions;
  #run: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Resolves when all due rows are removed, removal has failed, or the service closes. */
  run(): Promise<void> {
    this.#run = this.#run.then(() => this.#removeDue());
    return this.#run;
  }

  async close(): Promise<void> {
    await this.#run;
  }

  /** The other steps run even if one fails. When the service closes, each of the rest removes one portion. */
  async #removeDue(): Promise<void> {
    const { closing, onFailure, handleLeaks, isMoveUnderWay } = this.#options;
    if (closing.aborted) return;
    for (const step of [handleLeaks, ...this.#steps()]) {
      try {
        // Most steps know only ages, not projects. What is due now is still due when the project has moved.
        if (step !== handleLeaks && (await isMoveUnderWay())) return;
        await step();
      } catch (error) {
        onFailure(error);
        // The database may be out of reach, and the service would wait for it in every step.
        if (closing.aborted) return;
      }
    }
  }

  #steps(): readonly (() => Promise<void>)[] {
    const { agentErrors, dismissals, agents, errorGroups, events, rotations, tokens, auditLog } =
      this.#options;
    const { forgetAgents, purgeInvitations, purgeSessions, purgeAlerts, purgeCoreInstances } = this.#options;
    const { purgeFleets } = this.#options;
    const { clock, retentionDays, dismissSupersededDays } = this.#options;
    const daysAgo = (days: number) => clock() - days * dayMilliseconds;
    const before = () => daysAgo(retentionDays);
    return [
      forgetAgents,
      () => agentErrors.purgeDeletedProjects(),
      () => agents.purgeDeleted(),
      async () => {
        if (dismissSupersededDays > 0) await agentErrors.dismissSuperseded(daysAgo(dismissSupersededDays));
      },
      () => agentErrors.purgeDismissed(before()),
      () => dismissals.purge(before()),
      async () => {
        await errorGroups.groupAll();
        await errorGroups.removeEmpty(before());
      },
      () => events.purge(),
      () => rotations.purge(before()),
      () => tokens.purge(before()),
      () => purgeInvitations(before()),
      () => purgeSessions(before()),
      purgeAlerts,
      purgeCoreInstances,
      () => purgeFleets(before()),
      () => auditLog.purge(),
    ];
  }
}
