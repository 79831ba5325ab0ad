import {
  type Agent,
  agentGrants,
  isWellFormedToken,
  maxListedFleets,
  type OpenAgentError,
  type UpdateAgent,
} from '@muster/contract';
import { isAllowed } from '@muster/http/credentials/require-grant';
import { countMetricSamples } from '@muster/http/reports/decode-metrics';
import type { Clock, MonotonicClock, NewID } from '../../foundation/clock.ts';
import { CredentialCache } from '../../foundation/credentials/credential-cache.ts';
import { KnownAgents } from '../../foundation/credentials/known-agents.ts';
import { type AgentPrincipal, grantsIn, type Principal } from '../../foundation/credentials/principal.ts';
import type { StoredCredential } from '../../foundation/credentials/stored-credential.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import type { FleetTransactions } from '../../foundation/database/fleet-transactions.ts';
import type { Lists } from '../../foundation/database/lists.ts';
import { createFindMoving } from '../../foundation/database/moving-projects.ts';
import type { Page, PageOf } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import type { AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import { type DescribedSeat, type FleetRoll, seated } from '../fleet-roll.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { agentNotFound, hasPartInAgent } from './agent-access.ts';
import { describeChange, isGiven } from './agent-description.ts';
import { toAgentFleet } from './agent-fleet.ts';
import * as lists from './agent-list-store.ts';
import * as store from './agent-store.ts';
import type { AgentDeletion } from './deletion/agent-deletion.ts';
import type { DescriptionLimits, LeftOut } from './description-limits.ts';
import { keepConfig } from './keep-config.ts';
import type { Moment } from './liveness/agent-status.ts';
import type { Listening } from './liveness/listening.ts';
import { describedNow, isOutdated, type Passage } from './liveness/signs-of-agent.ts';
import type { SignsOfLife } from './liveness/signs-of-life.ts';
import { deleteSignsOfDeletedProjects } from './liveness/signs-store.ts';
import { findOldestOpenErrors } from './open-error-store.ts';
import { recordUpdate } from './record-update.ts';
import { deleteStatesOfDeletedProjects } from './states/state-purge-store.ts';
import { toOpenAgentError } from './to-open-agent-error.ts';

interface AgentServiceOptions {
  readonly database: Database;
  readonly lists: Lists;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record' | 'recordLater'>;
  readonly transactions: FleetTransactions;
  readonly descriptions: DescriptionLimits;
  readonly roll: FleetRoll;
  readonly signs: SignsOfLife;
  readonly listening: Pick<Listening, 'since'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly deletion: Pick<AgentDeletion, 'deleteAgents' | 'removeLeftovers'>;
  /** Called in the same turn of the event loop in which a change of an agent's configuration was committed. */
  readonly onChange: (agentID: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** An agent with what is known of it in its fleet. */
export interface AgentRowWithFleet extends lists.AgentRowWithStatus {
  readonly fleet: DescribedSeat | undefined;
}

/** What must be known of an agent to find it in its fleet. */
interface RowOfFleet {
  readonly id: string;
  readonly fleet_id: string | null;
}

/** How long this replica accepts a token that was replaced at another replica. */
const sharedBelievedMilliseconds = 60_000;

export class AgentService {
  readonly #options: AgentServiceOptions;
  readonly credentials: CredentialCache;

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.credentials = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      isWellFormed: (value) => isWellFormedToken('agent', value),
      find: (digests) => this.#findCredentials(digests),
      findMoving: createFindMoving(options.database, 'agent'),
      areAllRandom: true,
      known: new KnownAgents(),
      // Who recalls a token does not record its first use.
      mayRecall: (principal) => principal.kind !== 'agent' || principal.unusedToken === undefined,
      ttlMilliseconds: options.database.engine === 'sqlite' ? undefined : sharedBelievedMilliseconds,
    });
  }

  /** Records that the agent was seen. Written within seconds. */
  noteSeen(agentID: string, passage?: Passage): void {
    this.#options.signs.noteSeen(agentID, passage);
  }

  /** Records a request that a running agent sends regularly. */
  noteBeat(agentID: string, passage?: Passage): void {
    this.#options.signs.noteBeat(agentID, undefined, passage);
  }

  /** Notes that an error of the agent was dismissed. */
  noteRecovery(agentID: string): void {
    this.#options.signs.noteRecovery(agentID);
  }

  /** Writes signs of life that wait, so that lists tell when agents were last heard. */
  flushSigns(): Promise<void> {
    return this.#options.signs.flushFew();
  }

  async list(
    principal: Principal,
    filter: lists.AgentFilter,
    page: Page,
  ): Promise<PageOf<AgentRowWithFleet>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    await this.flushSigns();
    const { rows, hasNext } = await this.#options.lists.read(principal, ({ db }) =>
      lists.listAgents(db, database.engine, filter, page, this.moment()),
    );
    return { rows: await this.#withFleets(filter.projectID, rows), hasNext };
  }

  /** The oldest open error of each of these agents of a project; none if the caller may not read errors there. */
  async findOpenErrors(
    principal: Principal,
    projectID: string,
    agents: readonly { readonly id: string }[],
    groupID?: string,
  ): Promise<ReadonlyMap<string, OpenAgentError>> {
    if (!isAllowed(grantsIn(principal, projectID) ?? [], 'read:agent_error')) return new Map();
    const { read, engine } = this.#options.database;
    const ids = agents.map(({ id }) => id);
    const rows = await findOldestOpenErrors(read, engine, ids, groupID);
    return new Map(rows.map((row) => [row.agent_id, toOpenAgentError(row)]));
  }

  /** @throws Refusal not_found */
  async getReportedFleets(principal: Principal, projectID: string) {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    return lists.listReportedFleets(database.read, database.engine, projectID, maxListedFleets);
  }

  /**
   * Finds the project of an agent. An agent of somebody else is refused like a missing one.
   *
   * @throws Refusal not_found, agent_deleted
   */
  async requireAgent(principal: Principal, agentID: string): Promise<store.AgentIdentity> {
    const row = await store.findAgentIdentity(this.#options.database.read, agentID);
    if (row === undefined || !hasPartInAgent(principal, row)) throw agentNotFound(agentID);
    if (row.deleted_at !== null) throw new Refusal('agent_deleted');
    return row;
  }

  /**
   * The id that an agent's path means: its own, if it names the one that a site has given it. Agents keep that one when they call the service or another site.
   * Any other id stays as it is.
   */
  async ownID(principal: Principal, agentID: string): Promise<string> {
    if (principal.kind !== 'agent' || principal.agentID === agentID) return agentID;
    const canonical = await store.findCanonicalID(this.#options.database.read, principal.projectID, agentID);
    return canonical === principal.agentID ? canonical : agentID;
  }

  /**
   * The agent of an agent token.
   *
   * @throws Refusal agent_deleted; invalid_credential if its project was deleted after the token was checked
   */
  async requireSelf({ agentID }: AgentPrincipal): Promise<store.AgentIdentity> {
    const row = await store.findAgentIdentity(this.#options.database.read, agentID);
    if (row === undefined) throw new Refusal('invalid_credential');
    if (row.deleted_at !== null) throw new Refusal('agent_deleted');
    return row;
  }

  async get(principal: Principal, agentID: string) {
    await this.requireAgent(principal, agentID);
    await this.#options.signs.flushAgents([agentID]);
    const { read } = this.#options.database;
    const row = await lists.findAgent(read, this.#options.database.engine, agentID);
    if (row === undefined) throw agentNotFound(agentID);
    const config =
      row.config_id === null ? undefined : await store.findAgentConfig(read, agentID, row.config_id);
    const [withFleet] = await this.#withFleets(row.project_id, [row]);
    return { row: withFleet ?? { ...row, fleet: undefined }, rawConfig: config?.raw_config ?? null };
  }

  /** @param passage set if a core instance passed it on: it changes nothing if the agent has described itself since */
  async update(
    principal: Principal,
    agentID: string,
    given: UpdateAgent,
    passage?: Passage,
  ): Promise<readonly LeftOut[]> {
    const { database, clock, descriptions, transactions, audit, roll } = this.#options;
    const { project_id: projectID, name } = await this.requireAgent(principal, agentID);
    const isByAgent = principal.kind === 'agent' || passage !== undefined;
    const seat = isByAgent && isGiven(given.fleetID) ? await roll.read(projectID, given.fleetID) : undefined;
    if (!isByAgent && isGiven(given.fleetID)) await roll.requireStay(projectID, agentID, given.fleetID);
    const taken = await descriptions.take(projectID, seated(given, seat));
    const { input, config } = taken;
    const now = passage?.at ?? clock();
    const change = describeChange(input);
    const row = await transactions.run(agentID, async (trx) => {
      const stored = passage && (await store.lockAgent(trx, database.engine, agentID));
      if (passage !== undefined && stored !== undefined && isOutdated(passage, stored, clock()))
        return undefined;
      const times = {
        updated_at: Math.max(now, stored?.updated_at ?? 0),
        ...(isByAgent && { last_seen_at: now, ...describedNow(passage, stored, clock()) }),
      };
      const agent = await store.updateAgent(trx, agentID, { ...change, ...times }, config);
      if (agent === undefined) throw new Refusal('agent_deleted');
      await keepConfig(trx, agent, config, now);
      if (seat !== undefined) {
        const isNewConfig = config !== undefined && agent.config_id === config.id;
        const rawConfig = given.rawConfig ?? undefined;
        await roll.note(trx, { id: agentID, projectID, rawConfig, isNewConfig, isNew: false, now }, seat);
      }
      await recordUpdate(trx, audit, principal, {
        agent: { id: agentID, projectID, name },
        fields: Object.keys(given),
        configID: config !== undefined && agent.config_id === config.id ? config.id : undefined,
      });
      return agent;
    });
    if (row === undefined) return [];
    this.#options.onChange(agentID);
    if (seat !== undefined) roll.noted(seat, agentID);
    else if (isGiven(input.name) || isGiven(input.tags)) await roll.noteDescription(projectID, agentID);
    if (isByAgent) this.noteSeen(agentID, passage);
    if (config !== undefined && row.config_id === config.id) this.noteRecovery(agentID);
    if (isGiven(input.heartbeatSeconds))
      await this.#options.signs.notePromise(agentID, input.heartbeatSeconds);
    return descriptions.noteStored(projectID, row, taken);
  }

  /** Allows one registration of the agent's machine without its token. */
  async release(principal: Principal, agentID: string): Promise<void> {
    const { database, clock, audit } = this.#options;
    const agent = await this.requireAgent(principal, agentID);
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.releaseAgent(trx, agentID, clock()))) throw new Refusal('agent_deleted');
      await audit.record(trx, principal, changeOf('agent.released', agent));
    });
  }

  /** From now on the agent gets 410. Its row is kept for this answer. */
  async delete(principal: Principal, agentID: string): Promise<void> {
    const { audit, deletion } = this.#options;
    const agent = await this.requireAgent(principal, agentID);
    const count = await deletion.deleteAgents(agent.project_id, [agentID], {
      record: (trx) => audit.record(trx, principal, changeOf('agent.deleted', agent)),
    });
    if (count === 0) throw new Refusal('agent_deleted');
  }

  async listConfigs(
    principal: Principal,
    agentID: string,
    page: Page,
  ): Promise<PageOf<store.AgentConfigRow>> {
    await this.requireAgent(principal, agentID);
    return store.listAgentConfigs(this.#options.database.read, agentID, page);
  }

  /** Records metrics as a sign of life. Returns the number of samples. */
  async addMetrics(principal: Principal, agentID: string, body: Uint8Array): Promise<number> {
    await this.requireAgent(principal, agentID);
    const samples = countMetricSamples(body);
    this.#options.signs.noteBeat(agentID);
    return samples;
  }

  /** Removes what is left of deleted agents, and the configurations and signs of life of agents of deleted projects. */
  async purgeDeleted(): Promise<void> {
    const { database, closing, deletion } = this.#options;
    await deletion.removeLeftovers();
    await deleteInPortions(closing, (limit) => store.deleteConfigsOfDeletedProjects(database, limit));
    await deleteInPortions(closing, (limit) => deleteSignsOfDeletedProjects(database, limit));
    await deleteInPortions(closing, (limit) => deleteStatesOfDeletedProjects(database, limit));
  }

  /** Called when a project was deleted: the tokens of its agents are no longer valid. */
  forgetProject(projectID: string): void {
    this.credentials.forget((principal) => principal.kind === 'agent' && principal.projectID === projectID);
  }

  /** Called when agent tokens have ended, or were used for the first time. */
  forgetTokens(digests: readonly string[]): void {
    this.credentials.forgetDigests(digests);
  }

  /** What the status of an agent is judged by. */
  moment(): Moment {
    return { now: this.#options.clock(), heardSince: this.#options.listening.since };
  }

  async #withFleets(
    projectID: string,
    rows: readonly lists.AgentRowWithStatus[],
  ): Promise<AgentRowWithFleet[]> {
    const seats = await this.#findSeats(projectID, rows);
    return rows.map((row) => ({ ...row, fleet: seats.get(row.id) }));
  }

  /** How far agents are in their fleets. Absent: they are in none, or the caller may not read agents. */
  async findFleets(
    principal: Principal,
    projectID: string,
    rows: readonly (RowOfFleet & { readonly last_seen_at: number })[],
  ): Promise<ReadonlyMap<string, Agent['fleet']>> {
    if (!isAllowed(grantsIn(principal, projectID) ?? [], 'read:agent')) return new Map();
    const seats = await this.#findSeats(projectID, rows);
    return new Map(rows.map(({ id, last_seen_at }) => [id, toAgentFleet(seats.get(id), last_seen_at)]));
  }

  async #findSeats(
    projectID: string,
    rows: readonly RowOfFleet[],
  ): Promise<ReadonlyMap<string, DescribedSeat>> {
    const inFleets = rows.flatMap(({ id, fleet_id }) => (fleet_id === null ? [] : [id]));
    const seats = await this.#options.roll.describe(projectID, inFleets);
    // An agent that says now that it is in another fleet is no longer in this one.
    return new Map(
      rows.flatMap(({ id, fleet_id }) => {
        const seat = seats.get(id);
        return seat?.fleetID === fleet_id && seat !== undefined ? [[id, seat] as const] : [];
      }),
    );
  }

  async #findCredentials(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const rows = await store.listAgentsByTokenDigest(this.#options.database, digests);
    return new Map(
      rows.map((row) => {
        const principal: AgentPrincipal = {
          kind: 'agent',
          agentID: row.id,
          projectID: row.project_id,
          grants: agentGrants,
          expiresAt: null,
          // Read from a column of digests.
          unusedToken: row.used_at === null ? (row.digest as TokenDigest) : undefined,
        };
        return [row.digest, { principal, revoked: row.is_ended === 1 }];
      }),
    );
  }
}

function changeOf(
  action: AuditChange['action'],
  { id, name, project_id: projectID }: store.AgentIdentity,
): AuditChange {
  return { projectID, action, target: { kind: 'agent', id, name } };
}
