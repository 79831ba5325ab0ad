import { AgentErrorService } from '../../errors/agent-error-service.ts';
import { DismissalRunner } from '../../errors/dismissals/dismissal-runner.ts';
import { DismissalService } from '../../errors/dismissals/dismissal-service.ts';
import { createCountingEngine } from '../../errors/groups/counting/create-counting-engine.ts';
import { ErrorGroupCounter } from '../../errors/groups/counting/error-group-counter.ts';
import { ErrorGroupService } from '../../errors/groups/error-group-service.ts';
import { MuteEnds } from '../../errors/groups/mutes/mute-ends.ts';
import { Intake } from '../../errors/intake/intake.ts';
import { createReportStore, maxBatchesInFlight } from '../../errors/intake/report-store.ts';
import { createReachedLimits } from '../../errors/limits/reached-limits.ts';
import { KnownOpenErrors } from '../../errors/open-errors/known-open-errors.ts';
import { ReportService } from '../../errors/reporting/report-service.ts';
import {
  followAgentsOnPostgres,
  partitionsWithChangedAgents,
} from '../../fleet/agents/states/follow-agents-store-postgres.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { createSearches } from '../../foundation/database/searches.ts';
import { collectCountingMetrics } from '../../foundation/http/metrics/counting-metrics.ts';
import { SummedWarning } from '../../foundation/http/summed-warning.ts';
import { systemRandomBytes } from '../../foundation/secret.ts';
import { ActorNameService } from '../../people/actors/actor-name-service.ts';
import type { UserService } from '../../people/users/user-service.ts';
import { noteEventsOnPostgres, partitionsWithEvents } from '../../record/events/event-note-store-postgres.ts';
import type { EventService } from '../../record/events/event-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Fleet } from './create-fleet.ts';

interface ErrorLinks {
  readonly projects: ProjectService;
  readonly fleet: Pick<Fleet, 'agents' | 'listening' | 'servedSecrets' | 'usage'>;
  readonly events: EventService;
  readonly users: UserService;
  readonly groupIntervalMilliseconds: number | undefined;
}

export type Errors = ReturnType<typeof createErrors>;

/** Agent errors: their way in, their groups, and their dismissals. */
export function createErrors(
  parts: AppParts,
  { projects, fleet, events, users, groupIntervalMilliseconds }: ErrorLinks,
) {
  const { config, database, logger, metrics, steadyClock } = parts;
  const { agents, listening, usage } = fleet;
  const limits = {
    openPerAgent: config.maxOpenErrorsPerAgent,
    newPerAgentPerMinute: config.newErrorsPerAgentPerMinute,
    newPerProjectPerSecond: config.newErrorsPerProjectPerSecond,
    storedBytesPerProject: config.maxStoredBytesPerProject,
  };
  // Only if no other process can dismiss an error without this process knowing.
  // Its secret is in no answer. Drawn from `randomBytes`, it would make ids and tokens differ between the engines.
  const knownOpen =
    database.engine === 'sqlite' ? new KnownOpenErrors({ randomBytes: systemRandomBytes }) : undefined;
  const storeReports = createReportStore(database, limits, parts.monotonic);
  const intake = new Intake({
    store: knownOpen?.learnFrom(storeReports) ?? storeReports,
    maxBatchesInFlight: maxBatchesInFlight(database, limits),
    ...(database.engine === 'sqlite' && {
      lastCommitMilliseconds: () => database.sqlite.writer.commitMilliseconds,
    }),
  });
  metrics.observeWaitingReports(() => intake.waitingReports);
  const limitWarning = new SummedWarning(
    logger,
    'reports were refused with 429: agents or projects exceed their limit on new errors; agentID is one of them',
  );
  const tokenLimitWarning = new SummedWarning(logger, 'project tokens exceed their reportsPerSecond (429)');
  const reachedLimits = createReachedLimits(database, limits, steadyClock);
  const searches = createSearches(database, undefined, parts.lists);
  const counter = new ErrorGroupCounter({
    ...parts,
    engine: createCountingEngine(database, {
      async onCounted(trx, counted, moment) {
        const moreAgentsIn = await followAgentsOnPostgres(trx, moment);
        const noted = await noteEventsOnPostgres(trx, counted, moment);
        const moreIn = [...moreAgentsIn, ...(noted.moreIn ?? [])];
        return { ...noted, hasMore: moreIn.length > 0, moreIn };
      },
      partitionsToNote: async (postgres) => [
        ...(await partitionsWithEvents(postgres)),
        ...(await partitionsWithChangedAgents(postgres)),
      ],
    }),
    heardSince: () => listening.since,
    onNoted(written) {
      metrics.countEvents(written);
      events.wake();
    },
    intervalMilliseconds: groupIntervalMilliseconds,
  });
  collectCountingMetrics(metrics.registry, counter);
  const reports = new ReportService({
    ...parts,
    intake,
    usage,
    knownOpen,
    limits,
    reachedLimits,
    agents,
    secrets: fleet.servedSecrets,
    reportCounts: metrics.reports,
    onLimited: (agentID) => limitWarning.note({ agentID }),
    onLimitedToken: (tokenID) => tokenLimitWarning.note({ tokenID }),
  });
  const agentErrors = new AgentErrorService({
    ...parts,
    searches,
    countChanges: (projectID) => counter.catchUp(projectID),
    reports,
    agents,
    projects,
  });
  const { standby } = parts;
  const dismissalRunner = new DismissalRunner({
    ...parts,
    onPortion: standby && (() => standby.noteChange()),
    onChanged: (agentID) => reports.forgetAgent(agentID),
    onRecovery: (agentID) => agents.noteRecovery(agentID),
  });
  const dismissals = new DismissalService({
    ...parts,
    projects,
    counter,
    runner: dismissalRunner,
    searches,
    secrets: fleet.servedSecrets,
  });
  const actors = new ActorNameService(parts);
  const errorGroups = new ErrorGroupService({
    ...parts,
    counter,
    projects,
    agents,
    actors,
    users,
    searches,
  });
  const muteEnds = new MuteEnds({ ...parts, countChanges: () => counter.catchUp() });
  return {
    actors,
    agentErrors,
    dismissals,
    dismissalRunner,
    counter,
    errorGroups,
    knownOpen,
    muteEnds,
    reachedLimits,
    reports,
    searches,
  };
}
