import { formatToken, maxItemAgeDays, type RegisterAgent } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { CacheFigures } from '../../foundation/cache-figures.ts';
import { type Clock, idAfter, isUuidv7, type NewID, timeOfID } from '../../foundation/clock.ts';
import type { AgentPrincipal, ProjectTokenPrincipal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { isDatabaseFailure } from '../../foundation/database/database-failures.ts';
import type { FleetTransactions } from '../../foundation/database/fleet-transactions.ts';
import { refuseMoving } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import { type RandomBytes, Secret, type TokenDigest } from '../../foundation/secret.ts';
import type { RegistrationMode } from '../../foundation/settings/setting-types.ts';
import { WriteBehind } from '../../foundation/write-behind.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import { type FleetRoll, type FleetSeat, seated } from '../fleet-roll.ts';
import type { UsageService } from '../usage/usage-service.ts';
import { describeRegistration, isGiven, newAgentRow } from './agent-description.ts';
import { type AgentAfterChange, updateAgent } from './agent-store.ts';
import type { DescriptionLimits, LeftOut, ReadConfig } from './description-limits.ts';
import { keepConfig } from './keep-config.ts';
import { describedNow, isOutdated, type Passage } from './liveness/signs-of-agent.ts';
import type { SignsOfLife } from './liveness/signs-of-life.ts';
import { recordUpdate } from './record-update.ts';
import * as store from './registration-store.ts';

interface RegistrationServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record' | 'recordLater'>;
  readonly randomBytes: RandomBytes;
  readonly transactions: FleetTransactions;
  readonly descriptions: DescriptionLimits;
  readonly roll: FleetRoll;
  readonly signs: SignsOfLife;
  readonly usage: Pick<UsageService, 'registerWithin'>;
  /** Whether registering a known machine again needs a proof or a release. */
  readonly mode: RegistrationMode;
  /** Called in the same turn of the event loop in which an agent was registered. */
  readonly onChange: (agentID: string) => void;
  /** Called in the same turn of the event loop in which agent tokens have ended or were used for the first time. */
  readonly onTokensChanged: (digests: readonly string[]) => void;
  readonly onFailure: (error: unknown) => void;
}

/** The origin of a registration. */
export interface Registrant {
  /** Undefined if unknown. */
  readonly address: string | undefined;
  /** Of an agent token that was sent beside the project token as proof of identity; not checked yet. */
  readonly proof: TokenDigest | undefined;
}

export interface RegisteredAgentRow {
  readonly row: AgentAfterChange;
  readonly secret: Secret;
  readonly leftOut: readonly LeftOut[];
}

/** The identity that a site gave an agent which registered there. */
export interface SiteIdentity {
  readonly agentID: string;
  readonly tokenDigest: TokenDigest;
  /** Of the token that the agent sent to prove what it is. */
  readonly proof: TokenDigest | undefined;
  /** The agent of which the id is another id. */
  readonly aliasOf: string | undefined;
}

/** Number of unused tokens that are kept per agent, so that a lost answer does not lock an agent out. */
const keptUnusedTokens = 10;
const maxRememberedMachines = 200_000;
const reportersIntervalMilliseconds = 15_000;
/** Attempts when other callers register the same machine for the first time concurrently. */
const maxAttempts = 5;

export interface RememberedMachine {
  readonly agentID: string;
  /** The project token with which the machine last reported. */
  tokenID: string;
}

/**
 * The identity of agents: registrations, the tokens that they create, and agents that report by machine id. For what a registration may change and
 * when earlier tokens end, see docs/decisions/0018-registering-again.md.
 */
export class RegistrationService {
  readonly #options: RegistrationServiceOptions;
  /** A Map, because every report by machine id reads it: a look-up takes 23 ns here, and 210 ns in an lru-cache of 100,000. */
  readonly #machines = new Map<string, RememberedMachine>();
  readonly #machineCounts = { hits: 0, misses: 0 };
  readonly #reporters: WriteBehind<string>;
  /** By the digest of the token. */
  readonly #firstUses = new Map<string, Promise<void>>();

  constructor(options: RegistrationServiceOptions) {
    this.#options = options;
    this.#reporters = new WriteBehind({
      merge: (_, later) => later,
      write: (portion) => store.updateReportedWith(options.database, portion),
      onFailure: options.onFailure,
      isOutage: isDatabaseFailure,
      intervalMilliseconds: reportersIntervalMilliseconds,
    });
  }

  /**
   * Registers an agent. Idempotent by machine id, also for concurrent registrations.
   *
   * @throws Refusal machine_registered
   */
  async register(
    principal: ProjectTokenPrincipal,
    given: RegisterAgent,
    registrant: Registrant,
  ): Promise<RegisteredAgentRow> {
    const { newID, randomBytes } = this.#options;
    const secret = new Secret(formatToken('agent', randomBytes(32)));
    const identity = { newAgentID: newID(), digest: secret.digest() };
    return { ...(await this.#register(principal, given, registrant, identity)), secret };
  }

  /**
   * The same for an agent that registered at a site, which gave it an id and a token. The id becomes that of the agent if its machine is new and the
   * id is as new as it says; otherwise, the agent has another one. Repeating it changes nothing. If the agent has described itself since, it only gets
   * the token.
   *
   * @throws Refusal machine_registered, invalid_body, too_many_agents
   */
  async registerOfSite(
    principal: ProjectTokenPrincipal,
    given: RegisterAgent,
    identity: SiteIdentity,
    passage: Passage,
  ): Promise<AgentAfterChange> {
    const { database, clock, newID } = this.#options;
    const { agentID, tokenDigest, aliasOf } = identity;
    const holder = await store.findHolder(database.read, agentID);
    const known = await store.findMachine(database.read, principal.projectID, given.machineID);
    if (holder?.project_id === principal.projectID && holder.deleted_at !== null)
      throw new Refusal('agent_deleted');
    if (holder !== undefined && holder.id !== known?.id) throw takenID();
    if (aliasOf !== undefined && aliasOf !== known?.id) throw takenID();
    if (known === undefined) await this.#requireUndeleted(principal.projectID, given.machineID, passage);
    const isFitting = holder === undefined && isNewID(agentID, clock());
    const { row } = await this.#register(
      principal,
      given,
      { address: undefined, proof: identity.proof },
      { newAgentID: isFitting ? agentID : newID(), digest: tokenDigest, passage },
    );
    // The agent may have called here before its site could say that it knows it.
    this.#options.onTokensChanged([tokenDigest]);
    return row;
  }

  async #register(
    principal: ProjectTokenPrincipal,
    given: RegisterAgent,
    registrant: Registrant,
    identity: NewIdentity,
  ) {
    const { descriptions, roll, onChange, onTokensChanged } = this.#options;
    const { projectID } = principal;
    const { newAgentID } = identity;
    const seat = isGiven(given.fleetID) ? await roll.read(projectID, given.fleetID) : undefined;
    const taken = await descriptions.take(projectID, seated(given, seat));
    const { input, config } = taken;
    const parts = { input, config, registrant, seat, ...identity };
    const { row, isOld, ended } = await this.#registerWithin(projectID, input.machineID, newAgentID, () =>
      this.#registerOnce(principal, parts),
    );
    onChange(row.id);
    onTokensChanged(ended);
    if (seat !== undefined && !isOld) roll.noted(seat, row.id);
    await this.#noteSigns(row, isOld ? { ...parts, input: { ...input, heartbeatSeconds: null } } : parts);
    return { row, leftOut: descriptions.noteStored(projectID, row, taken) };
  }

  /** The agent with a machine id; undefined if there is none. */
  async findOfMachine(projectID: string, machineID: string): Promise<string | undefined> {
    return (await store.findMachine(this.#options.database.read, projectID, machineID))?.id;
  }

  /**
   * Finds the project's agent with the machine id, or creates it. An existing agent keeps its description and its tokens: a report by machine id does
   * not change its identity.
   *
   * @throws Refusal overloaded if the machine id is that with which an agent asks for the configuration of its fleet, and it has not registered with it
   * yet: it does within seconds. Of a site, whose registrations come in order, not_found
   * @throws Refusal agent_deleted if a site passes on what happened before the agent was deleted
   */
  async findOrRegister(
    principal: ProjectTokenPrincipal,
    machineID: string,
    name: string,
    passage?: Passage,
  ): Promise<string> {
    const { database, clock, newID, transactions, onChange } = this.#options;
    const { projectID, tokenID } = principal;
    const seated = await this.#options.roll.findAgent(projectID, machineID);
    if (seated !== undefined) {
      const { agentID } = seated;
      if (agentID === undefined) throw notRegistered(passage !== undefined);
      this.#remember(projectID, machineID, { agentID, tokenID });
      this.#reporters.add(agentID, tokenID);
      return agentID;
    }
    const known = await store.findMachine(database.read, projectID, machineID);
    if (known !== undefined) {
      if (known.reported_with !== tokenID) this.#reporters.add(known.id, tokenID);
      this.#remember(projectID, machineID, { agentID: known.id, tokenID });
      return known.id;
    }
    await this.#requireUndeleted(projectID, machineID, passage);
    const row = newAgentRow({ name, machineID }, principal, newID(), passage?.at ?? clock());
    const ensure = async (trx: Kysely<Tables>) => {
      await refuseMoving(trx, projectID);
      return { row: { id: await store.ensureAgent(trx, { ...row, reported_with: tokenID }) } };
    };
    const { row: registered } = await this.#registerWithin(projectID, machineID, row.id, () =>
      transactions.run(machineKey(projectID, machineID), ensure),
    );
    const { id } = registered;
    if (id !== row.id) this.#reporters.add(id, tokenID);
    onChange(id);
    this.#remember(projectID, machineID, { agentID: id, tokenID });
    return id;
  }

  /** What is remembered of a machine id. Its agent may have been deleted since the look-up. */
  recallMachine(projectID: string, machineID: string): RememberedMachine | undefined {
    const known = this.#machines.get(machineKey(projectID, machineID));
    this.#machineCounts[known === undefined ? 'misses' : 'hits'] += 1;
    return known;
  }

  /** Notes which token a machine reports with. Call it only for a caller that may do so. */
  noteReporter(machine: RememberedMachine, tokenID: string): void {
    if (machine.tokenID === tokenID) return;
    machine.tokenID = tokenID;
    this.#reporters.add(machine.agentID, tokenID);
  }

  /** Figures of the remembered machine ids. */
  get machineFigures(): CacheFigures {
    return { size: this.#machines.size, limit: maxRememberedMachines, ...this.#machineCounts };
  }

  /** Resolves when the token of each agent's last report is stored. */
  async flushReporters(): Promise<void> {
    await this.#reporters.flush();
  }

  /**
   * Ends an agent's older tokens when a new one was used for the first time. Called when a request with the new token was answered successfully and
   * the answer was sent, which shows that the agent has it. A failure changes nothing, and the next use tries again.
   */
  noteFirstUse({ agentID, unusedToken: digest }: AgentPrincipal): void {
    if (digest === undefined || this.#firstUses.has(digest)) return;
    this.#firstUses.set(
      digest,
      this.#endOlderTokens(agentID, digest)
        .catch(this.#options.onFailure)
        .finally(() => this.#firstUses.delete(digest)),
    );
  }

  /** Called when any agent may have been deleted. */
  forgetMachines(): void {
    this.#machines.clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.#firstUses.values());
    await this.#reporters.close();
  }

  async #noteSigns(
    { id, config_id }: AgentAfterChange,
    { input, config, passage }: RegistrationParts,
  ): Promise<void> {
    const { signs } = this.#options;
    signs.noteSeen(id, passage);
    if (config !== undefined && config_id === config.id) signs.noteRecovery(id);
    if (isGiven(input.heartbeatSeconds)) await signs.notePromise(id, input.heartbeatSeconds);
  }

  async #endOlderTokens(agentID: string, digest: string): Promise<void> {
    const { database, clock, transactions, onTokensChanged } = this.#options;
    const ended = await transactions.run(agentID, (trx) =>
      store.endOlderAgentTokens(trx, database.engine, agentID, digest, clock()),
    );
    onTokensChanged([digest, ...ended]);
  }

  /** @throws Refusal too_many_agents */
  #registerWithin<Result extends { readonly row: { readonly id: string } }>(
    projectID: string,
    machineID: string,
    newAgentID: string,
    register: () => Promise<Result>,
  ): Promise<Result> {
    const { database, usage } = this.#options;
    const isKnown = async () => (await store.findMachine(database.read, projectID, machineID)) !== undefined;
    return usage.registerWithin(projectID, machineID, isKnown, register, ({ row }) => row.id === newAgentID);
  }

  async #registerOnce(principal: ProjectTokenPrincipal, parts: RegistrationParts): Promise<Registered> {
    const key = machineKey(principal.projectID, parts.input.machineID);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const registered = await this.#options.transactions.run(key, (trx) =>
        this.#tryRegister(trx, principal, parts),
      );
      if (registered !== undefined) return registered;
    }
    throw new Error('other callers kept registering the same machine');
  }

  /** Undefined if another caller registered the machine for the first time meanwhile, so that the checks must be repeated. */
  async #tryRegister(
    trx: Kysely<Tables>,
    principal: ProjectTokenPrincipal,
    { input, digest, registrant, newAgentID, passage, ...described }: RegistrationParts,
  ): Promise<Registered | undefined> {
    const { database, clock, newID, audit, roll } = this.#options;
    const { projectID } = principal;
    const now = passage?.at ?? clock();
    await refuseMoving(trx, projectID);
    const known = await store.lockMachine(trx, database.engine, projectID, input.machineID);
    const stored = known === undefined ? [] : await store.listAgentTokens(trx, known.id);
    // Tokens that were revoked with their project token prove nothing, and must not be valid again because the agent is registered with another one.
    const tokens = stored.filter(({ is_ended }) => is_ended === 0);
    const revoked = stored.filter(({ is_ended }) => is_ended === 1).map(({ digest }) => digest);
    const isProven = proves(registrant, tokens);
    const isRepeated = stored.some((token) => token.digest === digest);
    const needsRelease = tokens.length > 0 && !isProven && !isRepeated;
    if (needsRelease) this.#requireRelease(known);
    const isOld = passage !== undefined && known !== undefined && isOutdated(passage, known, clock());
    const { config, seat } = isOld ? { config: undefined, seat: undefined } : described;
    const row =
      known === undefined
        ? await store.insertAgent(trx, {
            ...newAgentRow(input, principal, newAgentID, now),
            config_id: config?.id ?? null,
            config_digest: config?.digest ?? null,
            ...describedNow(passage, undefined, clock()),
          })
        : await updateAgent(
            trx,
            known.id,
            {
              ...(isOld
                ? {}
                : {
                    ...describeRegistration(input),
                    registered_with: principal.tokenID,
                    last_seen_at: now,
                    ...describedNow(passage, known, clock()),
                  }),
              updated_at: passage === undefined ? now : Math.max(now, known.updated_at),
              ...(isOld && !needsRelease ? {} : { released_at: null }),
              ...(tokens.length === 0 || isProven
                ? {}
                : { reregistered_at: now, reregistered_from: registrant.address ?? null }),
            },
            config,
          );
    if (row === undefined) return undefined;
    await keepConfig(trx, row, config, now);
    if (seat !== undefined) {
      const isNewConfig = config !== undefined && row.config_id === config.id;
      const rawConfig = input.rawConfig ?? undefined;
      const isNew = known === undefined;
      await roll.note(trx, { id: row.id, projectID, rawConfig, isNewConfig, isNew, now }, seat);
    }
    if (known !== undefined && config !== undefined && row.config_id === config.id) {
      await recordUpdate(trx, audit, principal, {
        agent: { id: row.id, projectID, name: row.name },
        fields: Object.keys(input),
        configID: config.id,
      });
    }
    if (isRepeated) return { row, isOld, ended: [] };
    if (passage !== undefined && (await store.isKnownDigest(trx, digest))) throw takenDigest();
    const unused = tokens.filter(({ used_at }) => used_at === null);
    const surplus = unused.slice(keptUnusedTokens - 1).map(({ digest }) => digest);
    const ended = [
      ...(await store.deleteAgentTokens(trx, row.id, revoked)),
      ...(await store.deleteUnusedAgentTokens(trx, row.id, surplus)),
    ];
    await store.insertAgentToken(trx, {
      agent_id: row.id,
      digest,
      created_at: now,
      created_with: principal.tokenID,
      sequence: sequenceAfter(stored[0]?.sequence, newID()),
      // Its use would end no older token, because it is the first.
      used_at: tokens.length === 0 ? now : null,
    });
    return { row, isOld, ended };
  }

  /** What a site passes on late does not bring back what somebody has deleted since. @throws Refusal agent_deleted */
  async #requireUndeleted(projectID: string, machineID: string, passage: Passage | undefined): Promise<void> {
    if (passage === undefined) return;
    const { read } = this.#options.database;
    if (await store.wasDeletedSince(read, projectID, machineID, passage.at))
      throw new Refusal('agent_deleted');
  }

  /** @throws Refusal machine_registered */
  #requireRelease(known: store.KnownMachine | undefined): void {
    if (this.#options.mode === 'open' || known?.released_at !== null) return;
    throw new Refusal('machine_registered', {
      detail:
        "An agent is already registered for this machine id, and this installation allows only one registration per machine (MUSTER_REGISTRATION=once). Send the agent's own token as X-Agent-Token together with the project token, or ask an operator to run: muster agent release NAME",
    });
  }

  #remember(projectID: string, machineID: string, machine: RememberedMachine): void {
    if (this.#machines.size >= maxRememberedMachines) this.#machines.clear();
    this.#machines.set(machineKey(projectID, machineID), machine);
  }
}

interface RegistrationParts extends NewIdentity {
  readonly input: RegisterAgent;
  readonly config: ReadConfig | undefined;
  readonly registrant: Registrant;
  /** Undefined: the agent says nothing of a fleet. */
  readonly seat: FleetSeat | undefined;
}

interface NewIdentity {
  /** The id of the agent if it is new. */
  readonly newAgentID: string;
  /** Of its token. */
  readonly digest: TokenDigest;
  /** Set if a core instance passed it on. */
  readonly passage?: Passage | undefined;
}

interface Registered {
  readonly row: AgentAfterChange;
  /** True if the agent has described itself since, so that its description stayed as it was. */
  readonly isOld: boolean;
  /** Digests of the tokens that have ended. */
  readonly ended: readonly string[];
}

const maxAheadMilliseconds = 300_000;

/** Lists are in the order of ids, so the time in an id must be about right. */
function isNewID(id: string, now: number): boolean {
  if (!isUuidv7(id)) return false;
  const time = timeOfID(id);
  return time <= now + maxAheadMilliseconds && time >= now - (maxItemAgeDays + 1) * 86_400_000;
}

function takenID(): Refusal {
  return invalidBody([{ path: '/agentID', message: 'is the id of another agent' }]);
}

function takenDigest(): Refusal {
  return invalidBody([{ path: '/tokenDigest', message: 'is that of a token of another agent' }]);
}

function machineKey(projectID: string, machineID: string): string {
  return `${projectID} ${machineID}`;
}

/** True if the caller sent one of the agent's own tokens, even an unused one. */
function proves({ proof }: Registrant, tokens: readonly { readonly digest: string }[]): boolean {
  return proof !== undefined && tokens.some(({ digest }) => digest === proof);
}

/** Returns an id after the newest token's, so that ids follow the order of creation even if the clocks of replicas differ. */
function sequenceAfter(newest: string | undefined, id: string): string {
  return newest === undefined || id > newest ? id : idAfter(newest);
}

function notRegistered(isOfSite: boolean): Refusal {
  if (isOfSite) {
    return new Refusal('not_found', {
      detail:
        'The agent reported before it had registered with the id by which it asks for its configuration.',
    });
  }
  return new Refusal('overloaded', {
    detail: 'The agent has not registered yet. Send the report again in some seconds.',
  });
}
