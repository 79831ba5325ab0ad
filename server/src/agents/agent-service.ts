import { hash } from 'node:crypto';
import {
  type AgentStatus,
  formatToken,
  isWellFormedToken,
  type RegisterAgent,
  type UpdateAgent,
} from '@muster/contract';
import { redactArguments, redactValues } from '@muster/redaction';
import type { Kysely } from 'kysely';
import type { Clock, MonotonicClock, NewID } from '../clock.ts';
import { type ChoosePace, CredentialCache } from '../credentials/credential-cache.ts';
import type { StoredCredential } from '../credentials/credential-look-ups.ts';
import {
  type AgentPrincipal,
  agentGrants,
  hasPartIn,
  type Principal,
  type ProjectTokenPrincipal,
} from '../credentials/principal.ts';
import { type CrowdTransactions, createCrowdTransactions } from '../database/crowd-transactions.ts';
import type { Database } from '../database/database.ts';
import { deleteInPortions } from '../database/delete-in-portions.ts';
import type { Tables } from '../database/tables.ts';
import type { Page, PageOf } from '../page.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { Refusal } from '../refusal.ts';
import { type RandomBytes, Secret } from '../secret.ts';
import type { UsageService } from '../usage/usage-service.ts';
import { WriteBehind } from '../write-behind.ts';
import * as lists from './agent-list-store.ts';
import * as store from './agent-store.ts';
import { ConfigRedactor } from './config-redactor.ts';
import { countMetricSamples } from './decode-metrics.ts';
import { fitMetadata } from './fit-metadata.ts';

/** What an agent has sent and the service has not stored, since a limit is reached. */
export type LeftOut = 'metadata' | 'rawConfig';

interface AgentServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly usage: Pick<UsageService, 'registerWithin' | 'isNearlyFull' | 'addConfig'>;
  readonly maxMetadataBytes: number;
  /** Called when something that an agent has sent was left out. */
  readonly onLeftOut: (what: LeftOut, projectID: string) => void;
  /** Called in the turn in which a change of an agent's configuration or its deletion was committed. */
  readonly onChange: (agentID: string) => void;
  /** Called before the deletion of an agent is answered, to remove what else is kept of it. */
  readonly onDelete: (agentID: string) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export interface RegisteredAgentRow {
  readonly row: store.AgentAfterChange;
  readonly secret: Secret;
  readonly leftOut: readonly LeftOut[];
}

/** What an agent says of itself, as far as it is stored. */
interface TakenDescription<Input> {
  readonly input: Input;
  readonly config: ReadConfig | undefined;
  /** Beside the configuration, of which that is known when it turns out to be another one. */
  readonly leftOut: readonly LeftOut[];
}

interface ReadConfig extends store.SentConfig {
  /** Without its secrets, or what stands for it. */
  readonly stored: string;
  readonly isLeftOut: boolean;
}

const leftOutConfig =
  '# Not stored: this project has nearly as many bytes as MUSTER_MAX_STORED_BYTES_PER_PROJECT allows.\n';
/** Enough to tell where an agent runs. */
const metadataBytesWhenNearlyFull = 1_024;
/** The newest token and the one before it: an answer that got lost must not lock an agent out. */
const keptTokens = 2;
/** Where an agent may register at another replica: how long a token that was replaced there is good here. */
const sharedBelievedMilliseconds = 60_000;
const keptConfigs = 100;
const mostRememberedMachines = 200_000;
const lastSeenIntervalMilliseconds = 15_000;

export class AgentService {
  readonly #options: AgentServiceOptions;
  readonly #credentials: CredentialCache;
  readonly #lastSeen: WriteBehind<number>;
  readonly #transactions: CrowdTransactions;
  readonly #configRedactor = new ConfigRedactor();
  readonly #machines = new Map<string, string>();
  readonly #projectIDs = new Map<string, string>();

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.#transactions = createCrowdTransactions(options.database);
    this.#lastSeen = new WriteBehind({
      merge: Math.max,
      write: (portion) => store.updateLastSeen(options.database, portion),
      onFailure: options.onFailure,
      intervalMilliseconds: lastSeenIntervalMilliseconds,
    });
    this.#credentials = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      isWellFormed: (value) => isWellFormedToken('agent', value),
      find: (digests) => this.#findCredentials(digests),
      areAllRandom: true,
      believedMilliseconds: options.database.engine === 'sqlite' ? undefined : sharedBelievedMilliseconds,
    });
  }

  /** Whom an agent token stands for. @throws Refusal with a 401 code (also as a rejection) */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal> {
    return this.#credentials.check(value, choosePace);
  }

  recall(value: string): Principal | undefined {
    return this.#credentials.recall(value);
  }

  recallRefusal(value: string): Refusal | undefined {
    return this.#credentials.recallRefusal(value);
  }

  /** Notes a sign of life; written within seconds. */
  noteSeen(agentID: string): void {
    this.#lastSeen.add(agentID, this.#options.clock());
  }

  /** Idempotent by machine id, also for registrations that arrive at once. */
  async register(principal: ProjectTokenPrincipal, given: RegisterAgent): Promise<RegisteredAgentRow> {
    const { projectID } = principal;
    const { clock, newID, randomBytes } = this.#options;
    const taken = await this.#takeWithin(projectID, given);
    const { input, config } = taken;
    const secret = new Secret(formatToken('agent', randomBytes(32)));
    const now = clock();
    const id = newID();
    const { row, removed: endedTokens } = await this.#registerWithin(projectID, input.machineID, id, () =>
      this.#transactions.run(`${projectID} ${input.machineID}`, async (trx) => {
        const agent = await store.upsertAgent(
          trx,
          {
            ...describe(input),
            name: input.name,
            id,
            project_id: projectID,
            machine_id: input.machineID,
            registered_with: principal.tokenID,
            epoch: 1,
            config_id: config?.id ?? null,
            config_digest: config?.digest ?? null,
            created_at: now,
            updated_at: now,
            last_seen_at: now,
            deleted_at: null,
          },
          { flags: isGiven(input.flags), tags: isGiven(input.tags) },
        );
        await this.#keepConfig(trx, agent, config, now);
        // Before the new one is there: it stays, whatever the clocks of other replicas say.
        const removed = await store.deleteOldAgentTokens(trx, agent.id, keptTokens - 1);
        await store.insertAgentToken(trx, {
          agent_id: agent.id,
          digest: secret.digest(),
          created_at: now,
          sequence: newID(),
        });
        return { row: agent, removed };
      }),
    );
    this.#options.onChange(row.id);
    this.#credentials.forgetDigests(endedTokens);
    return { row, secret, leftOut: this.#noteStored(projectID, row, taken) };
  }

  /**
   * The project's agent with that machine id, registered on first sight. One that registers itself at the same
   * time keeps its description, and its tokens stay the newest.
   */
  async findOrRegister(principal: ProjectTokenPrincipal, machineID: string, name: string): Promise<string> {
    const { database, clock, newID } = this.#options;
    const known = await store.findAgentIDByMachine(database.read, principal.projectID, machineID);
    if (known !== undefined) {
      this.#rememberMachine(principal.projectID, machineID, known);
      return known;
    }
    const now = clock();
    const row = {
      ...describe({ name, machineID }),
      name,
      id: newID(),
      project_id: principal.projectID,
      machine_id: machineID,
      registered_with: principal.tokenID,
      epoch: 1,
      config_id: null,
      config_digest: null,
      created_at: now,
      updated_at: now,
      last_seen_at: now,
      deleted_at: null,
    };
    const register = async (trx: Kysely<Tables>) => ({ row: { id: await store.ensureAgent(trx, row) } });
    const { row: registered } = await this.#registerWithin(principal.projectID, machineID, row.id, () =>
      this.#transactions.run(`${principal.projectID} ${machineID}`, register),
    );
    const { id } = registered;
    this.#options.onChange(id);
    this.#rememberMachine(principal.projectID, machineID, id);
    return id;
  }

  /** The agent that a machine id had when it was last looked up; it may have been deleted since. */
  recallMachine(projectID: string, machineID: string): string | undefined {
    return this.#machines.get(`${projectID} ${machineID}`);
  }

  async list(
    principal: Principal,
    filter: lists.AgentFilter,
    page: Page,
  ): Promise<PageOf<lists.AgentRowWithStatus>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    return lists.listAgents(database.read, database.engine, filter, page);
  }

  /**
   * Whose an agent is. One of others answers as one that does not exist.
   *
   * @throws Refusal not_found, agent_deleted
   */
  async requireAgent(principal: Principal, agentID: string): Promise<store.AgentIdentity> {
    const row = await store.findAgentIdentity(this.#options.database.read, agentID);
    if (row === undefined || !hasPartInAgent(principal, row)) throw notFound(agentID);
    if (row.deleted_at !== null) throw new Refusal('agent_deleted');
    return row;
  }

  async get(principal: Principal, agentID: string) {
    await this.requireAgent(principal, agentID);
    await this.#lastSeen.flushKeys([agentID]);
    const { read } = this.#options.database;
    const row = await lists.findAgent(read, agentID);
    if (row === undefined) throw notFound(agentID);
    const config =
      row.config_id === null ? undefined : await store.findAgentConfig(read, agentID, row.config_id);
    return { row, rawConfig: config?.raw_config ?? null };
  }

  async update(principal: Principal, agentID: string, given: UpdateAgent): Promise<readonly LeftOut[]> {
    const { clock } = this.#options;
    const { project_id: projectID } = await this.requireAgent(principal, agentID);
    const taken = await this.#takeWithin(projectID, given);
    const { input, config } = taken;
    const now = clock();
    const change = {
      ...describeChange(input),
      updated_at: now,
      ...(principal.kind === 'agent' ? { last_seen_at: now } : {}),
    };
    const row = await this.#transactions.run(agentID, async (trx) => {
      const agent = await store.updateAgent(trx, agentID, change, config);
      if (agent === undefined) throw new Refusal('agent_deleted');
      await this.#keepConfig(trx, agent, config, now);
      return agent;
    });
    this.#options.onChange(agentID);
    // A credential that is held in memory carries the name.
    if (isGiven(input.name) && !(principal.kind === 'agent' && principal.name === input.name))
      this.#forget(agentID);
    return this.#noteStored(projectID, row, taken);
  }

  /** From here on the agent is answered 410. Its row stays to tell it so. */
  async delete(principal: Principal, agentID: string): Promise<void> {
    const { database, clock } = this.#options;
    await this.requireAgent(principal, agentID);
    if (!(await store.markAgentDeleted(database, agentID, clock()))) throw new Refusal('agent_deleted');
    this.#options.onChange(agentID);
    await store.deleteAgentConfigs(database, agentID);
    await this.#options.onDelete(agentID);
  }

  async listConfigs(
    principal: Principal,
    agentID: string,
    page: Page,
  ): Promise<PageOf<store.AgentConfigRow>> {
    await this.requireAgent(principal, agentID);
    return store.listAgentConfigs(this.#options.database.read, agentID, page);
  }

  /** Takes metrics as a sign of life; answers how many samples they hold. */
  async addMetrics(principal: Principal, agentID: string, body: Uint8Array): Promise<number> {
    await this.requireAgent(principal, agentID);
    const samples = countMetricSamples(body);
    this.noteSeen(agentID);
    return samples;
  }

  /** Removes the configurations of agents that were deleted, alone or with their project. */
  async purgeDeleted(): Promise<void> {
    const { database, closing } = this.#options;
    await deleteInPortions(closing, (most) => store.deleteConfigsOfDeletedAgents(database, most));
  }

  /** Called when a project was deleted: its agents are let in no more. */
  forgetProject(projectID: string): void {
    this.#credentials.forget((principal) => principal.kind === 'agent' && principal.projectID === projectID);
  }

  /** Called when others may have changed any credential. */
  forgetCredentials(): void {
    this.#credentials.forget(() => true);
  }

  /** Called when any agent may have been deleted. */
  forgetMachines(): void {
    this.#machines.clear();
  }

  async close(): Promise<void> {
    await this.#lastSeen.close();
  }

  #rememberMachine(projectID: string, machineID: string, agentID: string): void {
    if (this.#machines.size >= mostRememberedMachines) this.#machines.clear();
    this.#machines.set(`${projectID} ${machineID}`, agentID);
  }

  /** A hundred thousand agents have a handful of projects. */
  #share(projectID: string): string {
    const shared = this.#projectIDs.get(projectID);
    if (shared === undefined) this.#projectIDs.set(projectID, projectID);
    return shared ?? projectID;
  }

  #forget(agentID: string): void {
    this.#credentials.forget((principal) => principal.kind === 'agent' && principal.agentID === agentID);
  }

  /** Takes what an agent says of itself as far as the limits allow. Nothing is refused: that could mute it for good. */
  async #takeWithin<Input extends UpdateAgent>(
    projectID: string,
    given: Input,
  ): Promise<TakenDescription<Input>> {
    const { usage, maxMetadataBytes } = this.#options;
    const isNearlyFull = usage.isNearlyFull(projectID);
    const config = await this.#readConfig(given.rawConfig, isNearlyFull);
    if (!isGiven(given.metadata)) return { input: given, config, leftOut: [] };
    const maxBytes = isNearlyFull ? metadataBytesWhenNearlyFull : maxMetadataBytes;
    const { metadata, isCut } = fitMetadata(redactValues(given.metadata), maxBytes);
    return { input: { ...given, metadata }, config, leftOut: isCut ? ['metadata'] : [] };
  }

  /** Called when the change was committed; answers what of it was left out. */
  #noteStored(
    projectID: string,
    agent: store.AgentAfterChange,
    { config, leftOut }: TakenDescription<unknown>,
  ): readonly LeftOut[] {
    const { usage, onLeftOut } = this.#options;
    const isNewConfig = config !== undefined && agent.config_id === config.id;
    if (isNewConfig && !config.isLeftOut) usage.addConfig(projectID, config.stored);
    const all: readonly LeftOut[] = isNewConfig && config.isLeftOut ? [...leftOut, 'rawConfig'] : leftOut;
    for (const what of all) onLeftOut(what, projectID);
    return all;
  }

  #registerWithin<Row extends { readonly id: string }, Result extends { readonly row: Row }>(
    projectID: string,
    machineID: string,
    newAgentID: string,
    register: () => Promise<Result>,
  ): Promise<Result> {
    const { database, usage } = this.#options;
    const isKnown = async () =>
      (await store.findAgentIDByMachine(database.read, projectID, machineID)) !== undefined;
    return usage.registerWithin(projectID, isKnown, register, ({ row }) => row.id === newAgentID);
  }

  async #readConfig(
    rawConfig: string | null | undefined,
    isLeftOut: boolean,
  ): Promise<ReadConfig | undefined> {
    if (rawConfig === undefined || rawConfig === null) return undefined;
    const stored = isLeftOut ? leftOutConfig : await this.#configRedactor.redact(rawConfig);
    // Compared as sent, so that a rotated password is a change; stored without it.
    return {
      id: this.#options.newID(),
      digest: hash('sha256', rawConfig),
      stored,
      isLeftOut,
    };
  }

  /** Adds the configuration to the agent's history when the statement before has found it to be another one. */
  async #keepConfig(
    trx: Kysely<Tables>,
    agent: store.AgentAfterChange,
    config: ReadConfig | undefined,
    now: number,
  ): Promise<void> {
    if (config === undefined || agent.config_id !== config.id) return;
    await store.insertAgentConfig(trx, {
      agent_id: agent.id,
      id: config.id,
      epoch: agent.epoch,
      raw_config: config.stored,
      created_at: now,
    });
    await store.deleteOldAgentConfigs(trx, agent.id, agent.epoch - keptConfigs + 1);
  }

  async #findCredentials(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const rows = await store.listAgentsByTokenDigest(this.#options.database, digests);
    return new Map(
      rows.map((row) => {
        const principal: AgentPrincipal = {
          kind: 'agent',
          agentID: row.id,
          name: row.name,
          projectID: this.#share(row.project_id),
          grants: agentGrants,
          expiresAt: null,
        };
        return [row.digest, { principal, revoked: false }];
      }),
    );
  }
}

export function statusOf(row: lists.AgentRowWithStatus): AgentStatus {
  return row.has_open_error === 1 ? 'unhealthy' : 'healthy';
}

function hasPartInAgent(principal: Principal, row: store.AgentIdentity): boolean {
  return principal.kind === 'agent' ? principal.agentID === row.id : hasPartIn(principal, row.project_id);
}

function notFound(agentID: string): Refusal {
  return new Refusal('not_found', { detail: `There is no agent ${agentID} that this credential can see.` });
}

/** The whole description at a registration: what is absent is unknown. */
function describe(input: RegisterAgent) {
  return {
    type: input.type ?? null,
    version: input.version ?? null,
    edition: input.edition ?? null,
    os: input.os ?? null,
    arch: input.arch ?? null,
    flags: JSON.stringify(redactArguments(input.flags ?? [])),
    metadata: writeMetadata(input.metadata ?? {}),
    tags: JSON.stringify(input.tags ?? []),
    fleet_id: input.fleetID ?? null,
  };
}

/** The part of the description that an update gives: what is absent or null stays. */
function describeChange(input: UpdateAgent): Partial<store.AgentDescription> {
  const { name, type, version, edition, os, arch, flags, metadata, tags, fleetID } = input;
  return {
    ...(isGiven(name) ? { name } : {}),
    ...(isGiven(type) ? { type } : {}),
    ...(isGiven(version) ? { version } : {}),
    ...(isGiven(edition) ? { edition } : {}),
    ...(isGiven(os) ? { os } : {}),
    ...(isGiven(arch) ? { arch } : {}),
    ...(isGiven(flags) ? { flags: JSON.stringify(redactArguments(flags)) } : {}),
    ...(isGiven(metadata) ? { metadata: writeMetadata(metadata) } : {}),
    ...(isGiven(tags) ? { tags: JSON.stringify(tags) } : {}),
    ...(isGiven(fleetID) ? { fleet_id: fleetID } : {}),
  };
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

function writeMetadata(metadata: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(redactValues(metadata));
}
