import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readProjectToken as readIDs } from '@muster/contract';
import type { ServerKeyPair } from '@muster/http/connections/create-http-server';
import type { HttpLimits } from '@muster/http/connections/http-limits';
import { createNewRequestID } from '@muster/http/requests/request-id';
import { v7 } from 'uuid';
import { FleetAnswers } from './fleets/fleet-answers.ts';
import { FleetCache } from './fleets/fleet-cache.ts';
import { Polls } from './fleets/polls.ts';
import { Backoff } from './forwarding/backoff.ts';
import { CentreClient } from './forwarding/centre-client.ts';
import { CentreFailure } from './forwarding/centre-failure.ts';
import { chooseProxy } from './forwarding/choose-proxy.ts';
import { createCentreAgent } from './forwarding/create-centre-agent.ts';
import { CredentialSync } from './forwarding/credential-sync.ts';
import { FleetSync } from './forwarding/fleet-sync.ts';
import { defaultForwardingLimits, Forwarder, type ForwardingLimits } from './forwarding/forwarder.ts';
import { Membership } from './forwarding/membership.ts';
import { Pause } from './forwarding/pause.ts';
import { SiteLimits } from './limits/site-limits.ts';
import { Intake } from './listening/intake.ts';
import { RegistrationProofs } from './listening/registration-proofs.ts';
import { SignsOfLife } from './listening/signs-of-life.ts';
import { createSiteHandler } from './listening/site-handler.ts';
import { SiteMetrics } from './listening/site-metrics.ts';
import { SiteServer } from './listening/site-server.ts';
import type { SiteLog } from './site-log.ts';
import { Spool } from './spool/spool.ts';
import { defaultSpoolBounds, type SpoolBounds } from './spool/spool-bounds.ts';
import { openSpoolFolder } from './spool/spool-files.ts';
import { enterProject, otherProject } from './state/enter-project.ts';
import { lockFolder } from './state/folder-lock.ts';
import { IdentityFile } from './state/identity-file.ts';
import { ProgressFile } from './state/progress-file.ts';
import { SiteAgents } from './state/site-agents.ts';
import { codeOf, StateError } from './state/state-error.ts';
import { tellSpoolEvents } from './tell-spool-events.ts';
import { CredentialList } from './verdicts/credential-list.ts';
import { EndedAgents } from './verdicts/ended-agents.ts';
import { Verdicts } from './verdicts/verdicts.ts';

export interface CoreInstanceOptions {
  /** Of the centre. */
  readonly url: URL;
  /** Where the centre was before, if the project has moved. */
  readonly movedFrom?: URL | undefined;
  readonly stateDirectory: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly name: string | undefined;
  readonly version: string;
  readonly readProjectToken: () => Promise<string | undefined>;
  readonly authorities?: string | undefined;
  /** Of public keys, as `sha256//BASE64`: the certificate of the centre must have one of them. None: any. */
  readonly pins?: readonly string[];
  readonly tls?: ServerKeyPair | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly log: SiteLog;
  /** That of the machine, which may be set while this runs. */
  readonly clock?: () => number;
  /** Milliseconds since an arbitrary moment; never steps back. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
  readonly bounds?: Partial<SpoolBounds>;
  readonly forwarding?: Partial<ForwardingLimits>;
  readonly httpLimits?: HttpLimits;
}

export interface RunningCoreInstance {
  readonly port: number;
  /** Resolves when it cannot go on, with what a person has to change. */
  readonly failed: Promise<StateError>;
  /** Answers what has arrived, and ends. What waits stays in the spool; signs of life that were not sent yet are forgotten, and the next ones say more. */
  stop(): Promise<void>;
}

/** While the centre is reached, a site accepts a revoked token for at most this time. While it is away, until it is reached again. */
export const credentialsIntervalMilliseconds = 15_000;
const tendIntervalMilliseconds = 60_000;
/** An agent waits at most this long for the centre to judge its credential; then the centre counts as away. */
const askingMilliseconds = 3_000;

/** Starts a core instance. It answers agents as soon as this resolves, also while the centre is away. @throws StateError (as a rejection) */
export async function startCoreInstance(options: CoreInstanceOptions): Promise<RunningCoreInstance> {
  const { url, log, clock = Date.now, random = Math.random, env, stateDirectory, version } = options;
  const { monotonic = () => performance.now() } = options;
  await makeFolder(stateDirectory);
  const lock = await explainFolder(stateDirectory, lockFolder(stateDirectory));
  try {
    return await startLocked();
  } catch (error) {
    await lock.release();
    throw error;
  }

  async function startLocked(): Promise<RunningCoreInstance> {
    const startedAt = clock();
    const monotonicAtStart = monotonic();
    // It goes on evenly when the clock of the machine is set: the centre corrects the times of all that waits by how far this one is off when it is sent.
    const steadyClock = () => Math.round(startedAt + monotonic() - monotonicAtStart);
    const identity = await explainFolder(
      stateDirectory,
      IdentityFile.open(stateDirectory, url.href, options.movedFrom?.href),
    );
    const progress = await ProgressFile.open(stateDirectory, (path) =>
      log.error(`${path} is damaged: what waits in the spool is sent from its start, and some of it again.`),
    );
    const spool = await Spool.open({
      files: await openSpoolFolder(join(stateDirectory, 'spool')),
      bounds: { ...defaultSpoolBounds, ...options.bounds },
      clock: steadyClock,
      monotonic,
      tell: tellSpoolEvents(log),
      acknowledged: progress.progress.acknowledged,
      pinned: progress.progress.sentUpTo ?? undefined,
      losses: progress.progress,
    });
    // One that cannot be read is told when it is needed.
    const givenToken = await options.readProjectToken().catch(() => undefined);
    const projectID = identity.membership?.projectID ?? projectOf(givenToken);
    if (projectID !== undefined) {
      const isEmpty = spool.figures.oldestAt === null;
      await explainFolder(stateDirectory, enterProject(stateDirectory, progress, projectID, isEmpty));
    }
    const agents = await SiteAgents.open(stateDirectory);
    const list = await CredentialList.open(stateDirectory, agents);
    const isEncrypted = options.tls !== undefined;
    const fleets = await FleetCache.open(stateDirectory, isEncrypted);

    const proxy = chooseProxy(url, env);
    const agent = createCentreAgent({
      url,
      authorities: options.authorities,
      pins: options.pins ?? [],
      proxy,
    });
    const client = new CentreClient({ url, agent, proxy, userAgent: `muster-core-instance/${version}` });
    const { name } = options;
    let isProjectTold = false;
    const membership: Membership = new Membership({
      client,
      identity,
      async readProjectToken() {
        const token = await options.readProjectToken();
        const given = projectOf(token);
        const own = progress.progress.projectID;
        if (given === undefined || own === null || given === own) return token;
        const error = otherProject(stateDirectory, own, given);
        if (identity.membership !== undefined && !isProjectTold) log.error(error.message);
        isProjectTold = true;
        throw error;
      },
      name,
      version,
      url: url.href,
      log,
    });
    const sync = new CredentialSync({
      list,
      ask: async (cursor) => client.listCredentials(membership.token, cursor, ending.signal),
      log,
      monotonic,
      wait: (milliseconds) => pauses[2].wait(milliseconds),
    });
    const fleetSync = new FleetSync({
      cache: fleets,
      ask: async (cursor) => client.listFleets(membership.token, cursor, ending.signal),
      askContent: async (key) => client.getFleetContent(membership.token, key, isEncrypted, ending.signal),
      isEnding: () => ending.signal.aborted,
      log,
      monotonic,
      wait: (milliseconds) => pauses[3].wait(milliseconds),
    });
    let fleetGeneration: number | undefined;
    const limits = new SiteLimits({ read: () => list.limits, monotonic, log });
    const ended = new EndedAgents({
      isDeleted: (agentID) => list.isDeletedAgent(agentID),
      canonicalID: (agentID) => agents.canonicalID(agentID),
      monotonic,
    });
    const signs = new SignsOfLife();
    const polls = new Polls();
    const proofs = new RegistrationProofs();
    const newID = () => v7({ msecs: steadyClock() });
    const forwarder = new Forwarder({
      send: async (batch) => client.send(membership.token, batch, ending.signal),
      spool,
      progress,
      signs,
      polls,
      proofs,
      agents,
      ended,
      log,
      clock: steadyClock,
      monotonic,
      random,
      newID,
      limits: { ...defaultForwardingLimits, ...options.forwarding },
      describe: () => ({ version, startedAt }),
      onCursor: (cursor) => {
        if (cursor !== list.cursor) void sync.refresh();
      },
      onFleetGeneration: (generation) => {
        if (generation !== fleetGeneration) void fleetSync.refresh();
        fleetGeneration = generation;
      },
      credential: membership,
    });

    const ending = new AbortController();
    const pauses = [new Pause(), new Pause(), new Pause(), new Pause()] as const;
    let isStopping = false;
    const newRequestID = createNewRequestID(randomBytes);
    const metrics: SiteMetrics = new SiteMetrics(() => ({
      spool: spool.figures,
      isSpoolWritable: spool.isWritable,
      connections: server.connectionsCount,
      refusedItems: progress.progress.refusedCount,
      isServiceReached: forwarder.isCentreReached,
      lastContactAt:
        forwarder.lastContactAt === null ? null : forwarder.lastContactAt + clock() - steadyClock(),
      now: steadyClock(),
    }));
    const verdicts = new Verdicts({
      list,
      agents,
      limits,
      clock,
      monotonic,
      refresh: () => within(askingMilliseconds, sync.refresh()),
    });
    const server: SiteServer = new SiteServer({
      handler: createSiteHandler({
        verdicts,
        intake: new Intake({
          spool,
          agents,
          signs,
          proofs,
          polls,
          verdicts,
          limits,
          ended,
          clock: steadyClock,
          monotonic,
          newID,
          randomBytes,
        }),
        fleets: new FleetAnswers({
          cache: fleets,
          polls,
          clock: steadyClock,
          randomBytes,
          projectID: () => identity.membership?.projectID,
          refresh: () => within(askingMilliseconds, fleetSync.refresh()),
        }),
        isEncrypted,
        metrics,
        version,
        url: url.href,
        newRequestID,
        isReady: () => list.isKnown,
        isDeleted: () => forwarder.isDeleted,
        isStopping: () => isStopping,
        onFailure: (error, requestID) => log.error('A request failed.', { err: error, requestID }),
      }),
      newRequestID,
      ...(options.httpLimits === undefined ? {} : { limits: options.httpLimits }),
      tls: options.tls,
      onFull: () => log.warn('A connection was refused: this core instance has reached its maximum.'),
    });
    const port = await explainListening(options, server.listen(options.host, options.port));

    let fail: (error: StateError) => void = () => undefined;
    const failed = new Promise<StateError>((resolve) => {
      fail = resolve;
    });
    const joined = joinAtLast(membership, pauses[0], { log, random, isStopping: () => isStopping });
    const forwarding = joined
      .then(async () => {
        await sync.refresh();
        while (!isStopping) await pauses[0].wait(await forwarder.step());
      })
      .catch((error: unknown) => fail(toStateError(error)));
    const syncing = joined
      .then(async () => {
        await fleetSync.refresh();
        while (!isStopping) {
          await pauses[1].wait(credentialsIntervalMilliseconds);
          if (!isStopping) await Promise.all([sync.refresh(), fleetSync.refresh()]);
        }
      })
      .catch(() => undefined);
    const tending = setInterval(() => void spool.tend(), tendIntervalMilliseconds);

    return {
      port,
      failed,
      async stop() {
        isStopping = true;
        clearInterval(tending);
        await server.close();
        for (const pause of pauses) pause.endAll();
        ending.abort();
        // One that was under way writes to the folder until it ends.
        await Promise.all([forwarding, syncing, fleetSync.refresh()]);
        await spool.close();
        agent.destroy();
        await lock.release();
      },
    };
  }
}

function projectOf(projectToken: string | undefined): string | undefined {
  return projectToken === undefined ? undefined : readIDs(projectToken)?.projectID;
}

/** False if the answer takes longer. */
async function within(milliseconds: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface JoinOptions {
  readonly log: SiteLog;
  readonly random: () => number;
  readonly isStopping: () => boolean;
}

/** Joins as soon as the centre can be reached. @throws StateError if a person has to change something (as a rejection) */
async function joinAtLast(
  membership: Membership,
  pause: Pause,
  { log, random, isStopping }: JoinOptions,
): Promise<void> {
  const backoff = new Backoff(random);
  let told: string | undefined;
  while (!membership.isJoined && !isStopping()) {
    try {
      await membership.join();
    } catch (error) {
      if (!(error instanceof CentreFailure)) throw error;
      if (told !== error.message) {
        log.warn(
          membership.isMoving
            ? `The new address does not accept this core instance yet: ${error.message}. It is tried again. Until then, what agents send is kept here. If the project is there already, the credential of this core instance has ended: put a project token with create:core_instance into the file of --token-file, or start it again with one.`
            : `Muster cannot be joined yet: ${error.message}. It is tried again; agents are answered with 503 until then.`,
        );
      }
      told = error.message;
      await pause.wait(backoff.next(error.retryAfterSeconds));
    }
  }
}

async function makeFolder(folder: string): Promise<void> {
  await explainFolder(folder, mkdir(folder, { recursive: true, mode: 0o700 }));
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'its user may not write there',
  EPERM: 'its user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'there is a file with this name',
};

async function explainFolder<Result>(folder: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof StateError) throw cause;
    const why = reasons[String(codeOf(cause))] ?? (cause instanceof Error ? cause.message : String(cause));
    throw new StateError(
      `The state folder ${folder} cannot be used: ${why}. Choose another with --state-directory, or make this one writable.`,
      { cause },
    );
  }
}

async function explainListening(
  { host, port }: CoreInstanceOptions,
  listening: Promise<number>,
): Promise<number> {
  try {
    return await listening;
  } catch (cause) {
    const why =
      codeOf(cause) === 'EADDRINUSE'
        ? 'another process listens there'
        : cause instanceof Error
          ? cause.message
          : String(cause);
    throw new StateError(
      `Agents cannot be served at ${host}:${port}: ${why}. Choose another address with --listen.`,
      { cause },
    );
  }
}

function toStateError(error: unknown): StateError {
  if (error instanceof StateError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StateError(`This core instance cannot go on: ${message}`, { cause: error });
}
