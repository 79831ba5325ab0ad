import { buildOpenApiDocument } from '@muster/contract';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { mountAgentErrorRoutes } from './agent-errors/agent-error-routes.ts';
import { AgentErrorService } from './agent-errors/agent-error-service.ts';
import { mountDismissalRoutes } from './agent-errors/dismissals/dismissal-routes.ts';
import { DismissalRunner } from './agent-errors/dismissals/dismissal-runner.ts';
import { DismissalService } from './agent-errors/dismissals/dismissal-service.ts';
import { ErrorGroupFolder } from './agent-errors/groups/error-group-folder.ts';
import { mountErrorGroupRoutes } from './agent-errors/groups/reading/error-group-routes.ts';
import { ErrorGroupService } from './agent-errors/groups/reading/error-group-service.ts';
import { Intake } from './agent-errors/intake/intake.ts';
import { createReportStore, maxBatchesInFlight } from './agent-errors/intake/report-store.ts';
import { createReachedLimits } from './agent-errors/limits/reached-limits.ts';
import { KnownOpenErrors } from './agent-errors/open-errors/known-open-errors.ts';
import { createReportShortcut } from './agent-errors/report-shortcut.ts';
import { mountAgentRoutes } from './agents/agent-routes.ts';
import { AgentService } from './agents/agent-service.ts';
import { mountConfigDiffRoutes } from './agents/config-diff/config-diff-routes.ts';
import { ConfigDiffService } from './agents/config-diff/config-diff-service.ts';
import { AgentDeletion } from './agents/deletion/agent-deletion.ts';
import { mountAgentDeletionRoutes } from './agents/deletion/agent-deletion-routes.ts';
import { DescriptionLimits } from './agents/description-limits.ts';
import { AgentForgetting } from './agents/forgetting/agent-forgetting.ts';
import { mountHeartbeatRoutes } from './agents/liveness/heartbeat-routes.ts';
import { HeartbeatService } from './agents/liveness/heartbeat-service.ts';
import { Listening } from './agents/liveness/listening.ts';
import { SignsOfLife } from './agents/liveness/signs-of-life.ts';
import { RegistrationService } from './agents/registration-service.ts';
import { followAgentsOnPostgres, hasChangedAgents } from './agents/states/follow-agents-store-postgres.ts';
import { SilenceWatch } from './agents/states/silence-watch.ts';
import { type Clock, createNewID, createSteadyClock, type MonotonicClock } from './clock.ts';
import type { Config } from './config.ts';
import { createProject } from './create-project.ts';
import { createCredentialFreshness } from './credentials/credential-freshness.ts';
import type { Database } from './database/database.ts';
import { isDatabaseFailure } from './database/database-failures.ts';
import { createFleetTransactions } from './database/fleet-transactions.ts';
import { removeSuperseded } from './database/migrate.ts';
import { createSearches } from './database/searches.ts';
import { hasEventsToNote, noteEventsOnPostgres } from './events/event-note-store-postgres.ts';
import { mountEventRoutes } from './events/event-routes.ts';
import { EventService } from './events/event-service.ts';
import { type FirstStart, makeFirstStart } from './first-start.ts';
import { PrerenderedProblems } from './http/answers/prerendered-problems.ts';
import { Admitter } from './http/authentication/admitter.ts';
import { createReadAddress } from './http/authentication/create-read-address.ts';
import { tellFirstUses } from './http/authentication/first-uses.ts';
import { InvalidAttempts } from './http/authentication/invalid-attempts.ts';
import { createHttpApp } from './http/create-http-app.ts';
import type { HttpLimits } from './http/http-limits.ts';
import { logRequests } from './http/log-requests.ts';
import { logsEveryAnswer } from './http/logs-every-answer.ts';
import { collectFleetMetrics } from './http/metrics/fleet-metrics.ts';
import { ServiceMetrics } from './http/metrics/service-metrics.ts';
import { RouteMounter, routerPath } from './http/mount-route.ts';
import { ListTurns } from './http/overload/list-turns.ts';
import { OverloadAnswers } from './http/overload/overload-answers.ts';
import { RefusalLog } from './http/refusal-log.ts';
import { createNewRequestID, requestIDOf } from './http/requests/request-id.ts';
import { BodyValidators } from './http/requests/validate-body.ts';
import { mountServiceRoutes } from './http/service-routes.ts';
import { SummedWarning } from './http/summed-warning.ts';
import { InvitationService } from './members/invitation-service.ts';
import { deleteEndedInvitations } from './members/invitation-store.ts';
import { mountMemberRoutes } from './members/member-routes.ts';
import { MemberService } from './members/member-service.ts';
import { mountProjectRoutes } from './projects/project-routes.ts';
import { ProjectService } from './projects/project-service.ts';
import { mountReferencePage } from './reference-page/reference-page.ts';
import { RetentionService } from './retention/retention-service.ts';
import { RotationService } from './rotations/rotation-service.ts';
import { type RandomBytes, systemRandomBytes } from './secret.ts';
import { readFleetFigures } from './summary/fleet-figures-service.ts';
import { mountSummaryRoutes } from './summary/summary-routes.ts';
import { SummaryService } from './summary/summary-service.ts';
import { CreatedTokenService } from './tokens/created-token-service.ts';
import { mountTokenRoutes } from './tokens/token-routes.ts';
import { TokenService } from './tokens/token-service.ts';
import { UsageService } from './usage/usage-service.ts';
import { AccessTokenService } from './users/access-token-service.ts';
import { createOidcCheck } from './users/oidc-credential.ts';
import { mountUserRoutes } from './users/user-routes.ts';
import { UserService } from './users/user-service.ts';

export interface AppOptions {
  readonly config: Config;
  /** An open database with up-to-date tables. The app closes it. */
  readonly database: Database;
  readonly logger: FastifyBaseLogger;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly randomBytes: RandomBytes;
  readonly version: string;
  /** Absent: the limits of a real service. */
  readonly httpLimits?: HttpLimits | undefined;
  /** How often the errors of groups are counted. Absent: four times a second. 0: only when somebody reads counts. */
  readonly groupIntervalMilliseconds?: number | undefined;
  /** How often it looks for dismissals that another process has left. Absent: every 5 s. 0: never. */
  readonly dismissalIntervalMilliseconds?: number | undefined;
  /** How often events of other replicas are looked for. Absent: four times a second. */
  readonly eventPollMilliseconds?: number | undefined;
}

export interface App {
  readonly http: FastifyInstance;
  /** What this start created, if it is the first one. */
  readonly firstStart: FirstStart | undefined;
  /** Resolves when what was due for removal at the start is removed. Requests do not wait for it. */
  readonly cleanedUp: Promise<void>;
  /** From now on, readiness fails and each connection is closed after its answer. Requests are still answered. */
  stopAccepting(): void;
  /** Writes what is still in memory, then closes the database. Call it when no request is under way. */
  close(): Promise<void>;
}

/** The composition root: it creates and connects all stores, services and routes. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config, database, clock, monotonic, randomBytes, logger, version } = options;
  const steadyClock = createSteadyClock(clock, monotonic);
  const newID = createNewID(steadyClock, randomBytes);
  const closing = new AbortController();
  const onFailure = (error: unknown) =>
    logger.error({ err: error }, 'a background task failed and will be tried again');
  const parts = { database, clock, monotonic, newID, randomBytes, closing: closing.signal, onFailure };

  const providerWarning = new SummedWarning(
    logger,
    'tokens of the identity provider could not be checked and were refused with 503: see MUSTER_OIDC_ISSUER',
  );
  const oidc =
    config.oidc === undefined
      ? undefined
      : createOidcCheck({
          ...config.oidc,
          rolesClaim: config.oidcRolesClaim,
          ...parts,
          onUnavailable: (failure) => providerWarning.note(failure),
        });
  const rotations = new RotationService(parts);
  const users = new UserService({
    ...parts,
    rotations,
    oidc,
    oidcRoles: config.oidcRoles,
  });
  const accessTokens = new AccessTokenService({
    ...parts,
    rotations,
    users,
    providedTokenHours: config.oidcAccessTokenHours,
  });
  const projects = new ProjectService(parts);
  const metrics = new ServiceMetrics();
  const agentsWarning = new SummedWarning(
    logger,
    'agents were refused with 429: projects have reached MUSTER_MAX_AGENTS_PER_PROJECT; projectID is one of them',
  );
  const usage = new UsageService({
    ...parts,
    limits: { agents: config.maxAgentsPerProject, storedBytes: config.maxStoredBytesPerProject },
    onRefusedAgent: (projectID) => agentsWarning.note({ projectID }),
  });
  metrics.observeUsage(() => usage.fullest);
  const leftOutWarning = new SummedWarning(
    logger,
    'some data that agents sent was not stored, because limits are reached: see MUSTER_MAX_STORED_BYTES_PER_PROJECT and MUSTER_MAX_METADATA_BYTES_PER_AGENT; projectID is one of the projects',
  );
  const descriptions = new DescriptionLimits({
    newID,
    usage,
    maxMetadataBytes: config.maxMetadataBytesPerAgent,
    onLeftOut: (what, projectID) => {
      metrics.countLeftOut(what);
      leftOutWarning.note({ projectID, what });
    },
  });
  const transactions = createFleetTransactions(database);
  const listening = new Listening(parts);
  const signs = new SignsOfLife({ ...parts, listening });
  const silence = new SilenceWatch({
    ...parts,
    listening,
    signs,
    intervalMilliseconds: options.groupIntervalMilliseconds === 0 ? 0 : undefined,
  });
  const deletion = new AgentDeletion({
    ...parts,
    signs,
    listening,
    projects,
    onChange: (agentID) => agentErrors.forgetAgent(agentID),
    onDelete: (agentIDs) => agentErrors.purgeAgents(agentIDs),
  });
  const agents = new AgentService({
    ...parts,
    transactions,
    descriptions,
    signs,
    listening,
    projects,
    deletion,
    onChange: (agentID) => agentErrors.forgetAgent(agentID),
  });
  const registrations = new RegistrationService({
    ...parts,
    transactions,
    descriptions,
    signs,
    usage,
    mode: config.registration,
    onChange: (agentID) => agentErrors.forgetAgent(agentID),
    onTokensChanged: (digests) => agents.forgetTokens(digests),
  });
  const heartbeats = new HeartbeatService({ database, signs, registrations });
  const tokens = new TokenService({
    ...parts,
    rotations,
    onAgentsEnded: () => agents.forgetCredentials(),
    projects,
    findGrants: (...asked) => users.findGrants(...asked),
    registrations,
    providedTokenDays: config.oidcProjectTokenDays,
  });
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
  const storeReports = createReportStore(database, limits);
  const intake = new Intake({
    store: knownOpen?.learnFrom(storeReports) ?? storeReports,
    maxBatchesInFlight: maxBatchesInFlight(database, limits),
  });
  metrics.observeWaitingReports(() => intake.waitingReports);
  const limitWarning = new SummedWarning(
    logger,
    'reports were refused with 429: agents or projects exceed their limit on new errors; agentID is one of them',
  );
  const tokenLimitWarning = new SummedWarning(logger, 'project tokens exceed their reportsPerSecond (429)');
  const reachedLimits = createReachedLimits(database, limits, steadyClock);
  const searches = createSearches(database);
  const events = new EventService({
    ...parts,
    projects,
    limits: {
      ofAll: config.maxEventListeners,
      ofProject: config.maxEventListenersPerProject,
      ofCredential: config.maxEventListenersPerCredential,
    },
    hours: config.eventsHours,
    onEnd: (reason) => metrics.countEndedStream(reason),
    pollMilliseconds: options.eventPollMilliseconds,
  });
  collectFleetMetrics(metrics.registry, () => readFleetFigures(parts));
  metrics.observeEventListeners(() => events.listeners);
  const errorGroups = new ErrorGroupFolder({
    ...parts,
    ...(database.engine === 'postgres' && {
      async onFolded(trx, folded, moment) {
        const hasMore = await followAgentsOnPostgres(trx, moment);
        const noted = await noteEventsOnPostgres(trx, folded, moment.now);
        return { ...noted, hasMore: hasMore || noted.hasMore };
      },
      hasMoreToNote: async () => (await hasEventsToNote(database)) || hasChangedAgents(database.read),
    }),
    heardSince: () => listening.since,
    onNoted(written) {
      metrics.countEvents(written);
      events.wake();
    },
    intervalMilliseconds: options.groupIntervalMilliseconds,
  });
  const agentErrors: AgentErrorService = new AgentErrorService({
    ...parts,
    searches,
    countGroups: () => errorGroups.catchUp(),
    intake,
    usage,
    knownOpen,
    limits,
    reachedLimits,
    agents,
    projects,
    metrics,
    onLimited: (agentID) => limitWarning.note({ agentID }),
    onLimitedToken: (tokenID) => tokenLimitWarning.note({ tokenID }),
  });
  const dismissalRunner = new DismissalRunner({
    ...parts,
    intervalMilliseconds: options.dismissalIntervalMilliseconds,
    onChanged(agentID, change) {
      agentErrors.forgetAgent(agentID);
      if (change === 'dismissed') agents.noteRecovery(agentID);
    },
  });
  const dismissals = new DismissalService({
    ...parts,
    projects,
    errorGroups,
    runner: dismissalRunner,
  });
  const groups = new ErrorGroupService({ ...parts, folder: errorGroups, projects, searches });
  const forgetting = new AgentForgetting({
    ...parts,
    signs,
    deletion,
    days: config.forgetAgentsDays,
    onForgotten: (projectID, agentsCount) =>
      logger.info(
        { projectID, agentsCount },
        'deleted agents that were not heard: MUSTER_FORGET_AGENTS_DAYS',
      ),
  });
  const retention = new RetentionService({
    ...parts,
    forgetAgents: () => forgetting.forget(),
    agentErrors,
    dismissals,
    agents,
    events,
    rotations,
    tokens,
    purgeInvitations: (before) => deleteEndedInvitations(database, parts.closing, before),
    removeSuperseded: () => removeSuperseded(database),
    retentionDays: config.retentionDays,
    dismissSupersededDays: config.dismissSupersededDays,
    errorGroups,
  });

  const firstStart = await makeFirstStart({
    ...parts,
    users,
    projects,
    tokens,
    dataDirectory: config.dataDirectory,
    adminToken: config.adminToken,
  });

  const forgetCredentials = () => {
    for (const service of [users, tokens, agents]) service.forgetCredentials();
  };
  /** Forgets everything that was read from the database and is held in memory. */
  const forgetEverything = () => {
    forgetCredentials();
    registrations.forgetMachines();
    knownOpen?.forgetAll();
    reachedLimits.forgetAll();
  };
  // Code that makes a change forgets the old state, but not if the change is reported as failed. On a shared
  // database, other replicas make changes too, and the generation number or a TTL ends what is remembered.
  if (database.engine === 'sqlite') database.sqlite.writer.onOutcomeUnknown = forgetEverything;
  const freshness = createCredentialFreshness(database, forgetCredentials);
  const attempts = new InvalidAttempts({
    perMinute: config.invalidCredentialsPerAddressPerMinute,
    clock: monotonic,
    onAttempt: (outcome) => metrics.countInvalidCredential(outcome),
    onLimited: (limited) => logger.warn(limited, 'too many invalid credentials from one address'),
  });
  const admitter = new Admitter({ access: users, project: tokens, agent: agents }, freshness, attempts);
  metrics.observeCaches({
    access_credentials: () => users.credentialFigures.known,
    project_credentials: () => tokens.credentialFigures.known,
    agent_credentials: () => agents.credentialFigures.known,
    refused_access_credentials: () => users.credentialFigures.refused,
    refused_project_credentials: () => tokens.credentialFigures.refused,
    refused_agent_credentials: () => agents.credentialFigures.refused,
    machines: () => registrations.machineFigures,
    ...(knownOpen && { known_open_errors: () => knownOpen.figures }),
    reached_limits: () => reachedLimits.figures,
    addresses: () => attempts.figures,
    agent_counts: () => usage.countFigures,
  });
  const validators = new BodyValidators();
  const newRequestID = createNewRequestID(randomBytes);

  let isStopping = false;
  const document = buildOpenApiDocument(version);
  const refusals = new RefusalLog(logger);
  const http = createHttpApp({
    logger,
    refusals,
    trustProxy: config.trustProxy,
    newRequestID,
    isDatabaseFailure,
    isStopping: () => isStopping,
    limits: options.httpLimits,
    observeConnections: (count) => metrics.observeConnections(count),
    createShortcut: (connections) =>
      createReportShortcut({
        admitter,
        agentErrors,
        recallAgent: (...machine) => registrations.recallMachine(...machine),
        validators,
        readAddress: createReadAddress(config.trustProxy),
        requestIDOf: (headers) => requestIDOf(headers, newRequestID),
        // If every answer is logged, the framework does it.
        isOpen: () => !isStopping && !logsEveryAnswer(logger.level),
        connections,
        observerOf: (path, status) => metrics.answerObserver('POST', routerPath(path), status),
        overload: new OverloadAnswers(logger),
        limited: new PrerenderedProblems(),
      }),
  });
  logRequests(http, refusals);
  tellFirstUses(http, (agent) => registrations.noteFirstUse(agent));
  metrics.observe(http);
  const listWarning = new SummedWarning(
    logger,
    'lists were refused with 503: a caller has too many concurrent list requests; caller is one of them',
  );
  const listTurns = new ListTurns({ onRefused: (caller) => listWarning.note({ caller }) });
  const mounter = new RouteMounter(http, { admitter, validators, listTurns });
  mountTokenRoutes(mounter, tokens, clock);
  mountAgentErrorRoutes(mounter, agentErrors, registrations);
  mountDismissalRoutes(mounter, dismissals);
  mountErrorGroupRoutes(mounter, { errorGroups: groups, agentErrors, clock });
  mountAgentRoutes(mounter, agents, registrations);
  mountAgentDeletionRoutes(mounter, deletion);
  mountConfigDiffRoutes(mounter, new ConfigDiffService({ database, agents }));
  mountHeartbeatRoutes(mounter, heartbeats);
  mountEventRoutes(mounter, events);
  mountProjectRoutes(mounter, {
    projects,
    usage,
    create: (creator, name) => createProject({ database, projects, tokens }, name, creator),
    onDeleted(projectID) {
      tokens.forgetProject(projectID);
      agents.forgetProject(projectID);
      void retention.run();
    },
  });
  mountSummaryRoutes(
    mounter,
    new SummaryService({
      ...parts,
      projects,
      noteSilentAgents: () => silence.look(),
      countChanges: () => errorGroups.catchUp(),
    }),
  );
  mountUserRoutes(mounter, users, accessTokens, agents);
  const members = new MemberService({
    ...parts,
    projects,
    users,
    tokens,
    createdTokens: new CreatedTokenService(parts),
  });
  const hasIdentityProvider = config.oidc !== undefined;
  const invitations = new InvitationService({ ...parts, projects, users, members, hasIdentityProvider });
  mountMemberRoutes(mounter, members, invitations);
  mountServiceRoutes(mounter, {
    version,
    engine: database.engine,
    metrics,
    document,
    checkDatabase: () => database.check(),
    isStopping: () => isStopping,
  });
  mountReferencePage(http, document);
  const cleanedUp = retention.run();
  await forgetting.start();
  await listening.renew();
  errorGroups.start();
  silence.start();
  await dismissalRunner.start();
  await http.ready();

  return {
    http,
    firstStart,
    cleanedUp,
    stopAccepting() {
      isStopping = true;
    },
    async close() {
      closing.abort();
      await http.close();
      await usage.close();
      await retention.close();
      await forgetting.close();
      await silence.close();
      await errorGroups.close();
      await dismissalRunner.close();
      await events.close();
      await agentErrors.close();
      await registrations.close();
      await signs.close();
      await listening.close();
      await tokens.close();
      await users.close();
      await database.close();
    },
  };
}
