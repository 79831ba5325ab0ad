import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { buildOpenApiDocument, type OpenApiDocument } from '@muster/contract';
import type { HttpLimits } from '@muster/http/connections/http-limits';
import { InvalidAttempts } from '@muster/http/limits/invalid-attempts';
import { createNewRequestID, requestIDOf } from '@muster/http/requests/request-id';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { createReportShortcut } from '../errors/reporting/report-shortcut.ts';
import { createPollShortcut } from '../fleet/fleets/poll-shortcut.ts';
import { noteFleetChange } from '../fleet/fleets/publication-store.ts';
import { lookMilliseconds } from '../fleet/fleets/rollouts/rollout-store.ts';
import { ProjectService } from '../fleet/projects/project-service.ts';
import { readFleetFigures } from '../fleet/summary/fleet-figures-service.ts';
import { type Clock, createNewID, createSteadyClock, type MonotonicClock } from '../foundation/clock.ts';
import { createCredentialFreshness } from '../foundation/credentials/credential-freshness.ts';
import type { Database } from '../foundation/database/database.ts';
import { isDatabaseFailure } from '../foundation/database/database-failures.ts';
import { listsOf } from '../foundation/database/lists.ts';
import type { Standby } from '../foundation/database/standby.ts';
import { PrerenderedProblems } from '../foundation/http/answers/prerendered-problems.ts';
import { Admitter } from '../foundation/http/authentication/admitter.ts';
import { createReadAddress } from '../foundation/http/authentication/create-read-address.ts';
import { tellFirstUses } from '../foundation/http/authentication/first-uses.ts';
import { createHttpApp } from '../foundation/http/create-http-app.ts';
import { logRequests } from '../foundation/http/log-requests.ts';
import { logsEveryAnswer } from '../foundation/http/logs-every-answer.ts';
import { collectCoreInstanceMetrics } from '../foundation/http/metrics/core-instance-metrics.ts';
import { collectFleetMetrics } from '../foundation/http/metrics/fleet-metrics.ts';
import { ServiceMetrics } from '../foundation/http/metrics/service-metrics.ts';
import { collectStandbyMetrics } from '../foundation/http/metrics/standby-metrics.ts';
import { RouteMounter, routerPath } from '../foundation/http/mount-route.ts';
import { ListTurns } from '../foundation/http/overload/list-turns.ts';
import { OverloadAnswers } from '../foundation/http/overload/overload-answers.ts';
import { RefusalLog } from '../foundation/http/refusal-log.ts';
import { createSchemaCompilers, type SchemaCompilers } from '../foundation/http/schema-compilers.ts';
import { mountServiceRoutes } from '../foundation/http/service-routes.ts';
import { SummedWarning } from '../foundation/http/summed-warning.ts';
import { noteAnswers } from '../foundation/http/telemetry/note-answers.ts';
import type { Telemetry } from '../foundation/http/telemetry/telemetry.ts';
import type { KeyPairFiles } from '../foundation/http/tls/key-pair-files.ts';
import { ownUrl } from '../foundation/own-url.ts';
import { Background } from '../foundation/scheduling/background.ts';
import type { RandomBytes } from '../foundation/secret.ts';
import type { Config } from '../foundation/settings/config.ts';
import { mountReferencePage } from '../pages/reference-page/reference-page.ts';
import { applyProvisionFile } from '../people/provisioning/apply-provision-file.ts';
import type { ReadProvisionFile } from '../people/provisioning/provision-file.ts';
import { TokenService } from '../people/tokens/token-service.ts';
import { takeAdministratorToken } from '../people/users/take-administrator-token.ts';
import { AuditService } from '../record/audit/audit-service.ts';
import { DeniedRequests } from '../record/audit/denied-requests.ts';
import { EventService } from '../record/events/event-service.ts';
import type { RunBackup } from '../upkeep/backups/backup-service.ts';
import type { AppParts } from './composition/app-parts.ts';
import { type AlertOptions, createAlerts } from './composition/create-alerts.ts';
import { createCoreInstances } from './composition/create-core-instances.ts';
import { createErrors, type Errors } from './composition/create-errors.ts';
import { createFleet } from './composition/create-fleet.ts';
import { createFleets } from './composition/create-fleets.ts';
import { createLeaks } from './composition/create-leaks.ts';
import { createMoves } from './composition/create-moves.ts';
import { createPeople } from './composition/create-people.ts';
import { createProvisioning } from './composition/create-provisioning.ts';
import { createSecretBox } from './composition/create-secret-box.ts';
import { createStandby } from './composition/create-standby.ts';
import { createBackups, createUpkeep, describeBackups } from './composition/create-upkeep.ts';
import { mountRoutes } from './composition/mount-routes.ts';
import { type FirstStart, makeFirstStart } from './start/first-start.ts';

export interface AppOptions {
  readonly config: Config;
  /** An open database with up-to-date tables. The app closes it. */
  readonly database: Database;
  readonly logger: FastifyBaseLogger;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly randomBytes: RandomBytes;
  readonly version: string;
  /** What MUSTER_PROVISION_FILE contains. Absent: there is none. */
  readonly provisionFile?: ReadProvisionFile | undefined;
  /** Absent: the limits of a real service. */
  readonly httpLimits?: HttpLimits | undefined;
  /** Absent: no traces and metrics are sent. */
  readonly startTelemetry?: (registry: Registry) => Promise<Telemetry | undefined>;
  /** Absent: new ones. Several apps in one process can share them. */
  readonly schemaCompilers?: SchemaCompilers | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: KeyPairFiles | undefined;
  /**
   * Absent: true. False: groups are counted, and the audit log is written, only when they are read; nothing looks by itself for agents and sites that have
   * fallen silent, for mutes that end, or for a new token of the administrator.
   */
  readonly runsInBackground?: boolean | undefined;
  /** How often the errors of groups are counted in the background. Absent: four times a second. */
  readonly groupIntervalMilliseconds?: number | undefined;
  /** How often events of other replicas are looked for. Absent: four times a second. */
  readonly eventPollMilliseconds?: number | undefined;
  /** Writes a backup in a process of its own. Absent: the service makes none by itself. */
  readonly runBackup?: RunBackup | undefined;
  readonly alerts?: AlertOptions | undefined;
  /** The folder of the built dashboard. Absent: the service has none. */
  readonly dashboardDirectory?: string | undefined;
}

export interface App {
  readonly http: FastifyInstance;
  /** What this start created, if it is the first one. */
  readonly firstStart: FirstStart | undefined;
  /** Resolves when what was due for removal at the start is removed. Requests do not wait for it. */
  readonly cleanedUp: Promise<void>;
  /** From now on, readiness fails and each connection is closed after its answer. Requests are still answered. */
  stopAccepting(): void;
  /** Sends due alerts once. It also happens every second by itself. */
  runAlerts(): Promise<void>;
  /** Ends mutes whose condition has come about. It does so by itself every few seconds. */
  endMutes(): Promise<void>;
  /** Gives projects back that were frozen to be moved by a command that has gone away. It does so by itself every few seconds. */
  endFreezes(): Promise<void>;
  /** Looks at the rollouts that are under way once. It does so by itself twice a second. */
  runRollouts(): Promise<void>;
  /** Looks how far the standby is that lists are read from. It does so by itself every second. */
  lookAtStandby(): Promise<void>;
  /** Writes what is still in memory, then closes the database. Call it when no request is under way. */
  close(): Promise<void>;
}

/** The composition root: it creates and connects all stores, services and routes. If it fails, it leaves only the database open. */
export async function buildApp(options: AppOptions): Promise<App> {
  const standby = await createStandby(options);
  return composeApp(options, standby).catch(async (error: unknown) => {
    await standby?.close();
    throw error;
  });
}

async function composeApp(options: AppOptions, standby: Standby | undefined): Promise<App> {
  const { config, database, clock, monotonic, randomBytes, logger, version, tls } = options;
  const { runsInBackground = true } = options;
  const steadyClock = createSteadyClock(clock, monotonic);
  const newID = createNewID(steadyClock, randomBytes);
  const closing = new AbortController();
  // Of each of its partitions, the counter of groups can wait for a slot at the same time: no leak.
  setMaxListeners(0, closing.signal);
  const onFailure = (error: unknown) =>
    logger.error({ err: error }, 'a background task failed and will be tried again');

  const metrics = new ServiceMetrics();
  metrics.describeBuild(version, database.engine);
  if (tls !== undefined) metrics.observeCertificate(() => tls.current.expiresAt);
  const parts: AppParts = {
    config,
    database,
    lists: standby ?? listsOf(database),
    standby,
    logger,
    clock,
    monotonic,
    steadyClock,
    newID,
    randomBytes,
    metrics,
    audit: new AuditService({ database, clock, newID }),
    closing: closing.signal,
    onFailure,
  };

  const { audit } = parts;
  const denied = new DeniedRequests(parts);
  const people = createPeople(parts);
  const { rotations, sessionCredentials, signInLinks, users } = people;
  const projects = new ProjectService({ ...parts, noteFleetChange });
  const box = createSecretBox(parts);
  const fleet = createFleet(parts, {
    projects,
    box,
    onAgentChanged: (agentID) => reports.forgetAgent(agentID),
    onAgentsDeleted: (agentIDs) => agentErrors.purgeAgents(agentIDs),
  });
  const { agents, listening, registrations, signs, silence, usage } = fleet;
  const tokens = new TokenService({
    ...parts,
    rotations,
    onAgentsEnded: () => agents.credentials.forgetAll(),
    projects,
    findGrants: (...asked) => users.findGrants(...asked),
    registrations,
    providedTokenDays: config.oidcProjectTokenDays,
  });
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
    beforeSending: standby && (() => standby.noteEvents()),
  });
  collectFleetMetrics({
    ...metrics,
    read: () => readFleetFigures(parts),
    checkDatabase: () => database.check(),
    showsProjects: config.metricsToken !== undefined,
  });
  metrics.observeEventListeners(() => events.listeners);
  const errors: Errors = createErrors(parts, {
    projects,
    fleet,
    events,
    users,
    groupIntervalMilliseconds: runsInBackground ? options.groupIntervalMilliseconds : 0,
  });
  const { agentErrors, counter, dismissalRunner, knownOpen, muteEnds, reachedLimits, reports } = errors;
  const fleets = createFleets(parts, {
    box,
    projects,
    fleet,
    counter,
  });
  const alerts = await createAlerts(parts, {
    projects,
    box,
    findUrl: () => ownUrl(http.server, config),
    options: options.alerts,
  });
  const coreInstances = createCoreInstances(parts, { projects, tokens, fleet, fleets, errors });
  if (standby !== undefined) collectStandbyMetrics(metrics.registry, standby);
  collectCoreInstanceMetrics(metrics.registry, () => coreInstances.coreInstances.readFigures());
  const leaks = createLeaks(parts, { people, fleet, tokens, coreInstances });
  const { auditLog, forgetting, retention } = createUpkeep(parts, {
    people,
    fleet,
    errors,
    events,
    tokens,
    projects,
    denied,
    alerts,
    leaks,
    coreInstances,
    fleets,
  });

  const backups = createBackups(parts, options.runBackup);
  const firstStart = await makeFirstStart({
    ...parts,
    users,
    projects,
    tokens,
    signInLinks,
    dataDirectory: config.dataDirectory,
    adminToken: config.adminToken,
    isProvisioned: options.provisionFile !== undefined,
  });
  const provisioning = createProvisioning(parts, { people, projects, tokens, fleets });
  if (options.provisionFile !== undefined)
    await applyProvisionFile(options.provisionFile, provisioning, logger);

  const credentials = {
    access: users.credentials,
    project: tokens.credentials,
    agent: agents.credentials,
    core_instance: coreInstances.credentials.cache,
  };
  const credentialCaches = [
    ...Object.entries(credentials).map(([kind, cache]) => [`${kind}_credentials`, cache] as const),
    ['sessions', sessionCredentials.cache] as const,
  ];
  const forgetCredentials = () => {
    for (const [, cache] of credentialCaches) cache.forgetAll();
    // A change of the secrets of fleets advances the same number.
    fleet.servedSecrets.forgetAll();
  };
  /** Forgets what is remembered until it changes. */
  const forgetEverything = () => {
    forgetCredentials();
    registrations.forgetMachines();
    knownOpen?.forgetAll();
    reachedLimits.forgetAll();
    fleets.forgetAll();
  };
  // Code that makes a change forgets the old state, but not if the change is reported as failed. On a shared
  // database, other replicas make changes too, and the generation number or a TTL ends what is remembered.
  if (database.engine === 'sqlite') database.sqlite.writer.onOutcomeUnknown = forgetEverything;
  const moves = createMoves(parts, { box, version, errors, fleet, tokens, onChanged: forgetEverything });
  const freshness = createCredentialFreshness(
    database,
    { credentials: forgetCredentials, fleets: fleets.forgetAll },
    standby,
  );
  const takeToken = () =>
    takeAdministratorToken({
      dataDirectory: config.dataDirectory,
      async setToken(secret) {
        const by = { kind: 'system', name: 'muster admin reset-token' } as const;
        await database.write.transaction().execute((trx) => users.setAdministratorToken(trx, secret, by));
        forgetCredentials();
      },
      onReset: () => logger.warn("the administrator's token was replaced: muster admin reset-token"),
    });
  const attempts = new InvalidAttempts({
    perMinute: config.invalidCredentialsPerAddressPerMinute,
    clock: monotonic,
    onAttempt: (outcome) => metrics.countInvalidCredential(outcome),
    onLimited: (limited) => logger.warn(limited, 'too many invalid credentials from one address'),
  });
  const publicOrigin = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin;
  const admitter = new Admitter(
    { ...credentials, session: sessionCredentials },
    freshness,
    attempts,
    publicOrigin,
  );
  metrics.observeCaches({
    ...Object.fromEntries(credentialCaches.map(([name, cache]) => [name, () => cache.figures])),
    ...Object.fromEntries(
      credentialCaches.map(([name, cache]) => [`refused_${name}`, () => cache.refusedFigures]),
    ),
    machines: () => registrations.machineFigures,
    ...(knownOpen && { known_open_errors: () => knownOpen.figures }),
    reached_limits: () => reachedLimits.figures,
    addresses: () => attempts.figures,
    leak_reporters: () => leaks.reporters.figures,
    agent_counts: () => usage.countFigures,
  });
  const { validators, buildSerializer } = options.schemaCompilers ?? createSchemaCompilers();
  const telemetry = await options.startTelemetry?.(metrics.registry);
  const newRequestID = createNewRequestID(randomBytes);

  let isStopping = false;
  let document: OpenApiDocument | undefined;
  const readDocument = () => (document ??= buildOpenApiDocument(version));
  const refusals = new RefusalLog(logger);
  const http = createHttpApp({
    logger,
    refusals,
    trustProxy: config.trustProxy,
    newRequestID,
    isDatabaseFailure,
    isStopping: () => isStopping,
    buildSerializer,
    limits: options.httpLimits,
    tls,
    onFailedHandshake: () => metrics.countFailedHandshake(),
    observeConnections: (count) => metrics.observeConnections(count),
    createShortcut(connections) {
      const common = {
        admitter,
        connections,
        telemetry,
        readAddress: createReadAddress(config.trustProxy),
        requestIDOf: (headers: IncomingHttpHeaders) => requestIDOf(headers, newRequestID),
        // If every answer is logged, the framework does it.
        isOpen: () => !isStopping && !logsEveryAnswer(logger.level),
        observerOf: (method: string, path: string, status: number) =>
          metrics.answerObserver(method, routerPath(path), status),
      };
      const forReports = createReportShortcut({
        ...common,
        reports,
        registrations,
        validators,
        overload: new OverloadAnswers(logger),
        limited: new PrerenderedProblems(),
      });
      return createPollShortcut({
        ...common,
        ...fleets,
        isShared: database.engine === 'postgres',
        forReports,
      });
    },
  });
  logRequests(http, refusals);
  tellFirstUses(http, (agent) => registrations.noteFirstUse(agent));
  metrics.observe(http);
  if (telemetry !== undefined) noteAnswers(http, telemetry);
  const listWarning = new SummedWarning(
    logger,
    'lists were refused with 503: a caller has too many concurrent list requests; caller is one of them',
  );
  const listTurns = new ListTurns({ onRefused: (caller) => listWarning.note({ caller }) });
  const mounter = new RouteMounter(http, {
    admitter,
    validators,
    listTurns,
    onDenied: (request) => denied.note(request),
    onChanged: standby && (() => standby.noteChange()),
    explainMissing: moves.explainMissing,
  });
  mountRoutes(mounter, parts, {
    people,
    projects,
    tokens,
    fleet,
    fleets,
    errors,
    events,
    alerts,
    retention,
    leaks,
    coreInstances,
    auditLog,
    http,
    admitter,
    validators,
    dashboardDirectory: options.dashboardDirectory,
    provisioning,
    moves,
    readBackups: () => backups && describeBackups(backups, config.backupEvery),
  });
  mountServiceRoutes(mounter, {
    version,
    engine: database.engine,
    metrics,
    metricsToken: config.metricsToken,
    readDocument,
    checkDatabase: () => database.check(),
    isStopping: () => isStopping,
  });
  mountReferencePage(http, readDocument);
  const cleanedUp = retention.run();
  await forgetting.noteListening();
  await listening.renew();
  await dismissalRunner.start();
  counter.start();
  const background = new Background(parts);
  if (runsInBackground) {
    background.every(3_600_000, () => retention.run());
    background.every(60_000, () => forgetting.noteListening());
    background.every(60_000, () => denied.flush());
    background.every(5_000, () => dismissalRunner.look());
    background.every(5_000, () => muteEnds.run());
    background.every(5_000, () => moves.departures.thawDue());
    background.every(1_000, () => silence.look());
    background.every(1_000, () => coreInstances.watch.look());
    background.every(1_000, () => audit.settleDue());
    background.every(1_000, () => alerts.run());
    if (standby !== undefined) background.every(1_000, () => standby.look());
    if (backups !== undefined) background.every(60_000, () => backups.look());
    // Replicas tell one another that they listen, and do not have the file of the administrator's token.
    if (database.engine === 'postgres') background.every(10_000, () => listening.renew());
    else background.every(500, takeToken);
    // In a large fleet a look takes long: of the time, at most a third is spent on looking.
    background.every(500, () => fleets.rolloutRunner.run(), 1);
    background.every(lookMilliseconds, () => fleets.rolloutRunner.note());
    void dismissalRunner.look();
    void backups?.look();
  }
  await http.ready();

  return {
    http,
    firstStart,
    cleanedUp,
    stopAccepting() {
      isStopping = true;
    },
    runAlerts: () => alerts.run(),
    endMutes: () => muteEnds.run(),
    endFreezes: () => moves.departures.thawDue(),
    runRollouts: () => fleets.rolloutRunner.run(),
    lookAtStandby: async () => standby?.look(),
    async close() {
      // Who takes requests first, then who works in the background, then who writes what is still in memory, and last the database.
      closing.abort();
      await http.close();
      await backups?.close();
      await background.end();
      await telemetry?.close();
      await usage.close();
      await denied.close();
      await retention.close();
      await leaks.leaks.close();
      await silence.close();
      await fleet.fleetAgents.close();
      await coreInstances.watch.close();
      await muteEnds.close();
      await counter.close();
      await dismissalRunner.close();
      await events.close();
      await reports.close();
      await registrations.close();
      await signs.close();
      await listening.close();
      await tokens.close();
      await users.close();
      await sessionCredentials.close();
      await standby?.close();
      await database.close();
    },
  };
}
