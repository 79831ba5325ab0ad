import type { Principal, ProjectTokenPrincipal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { LookUps } from '../../../foundation/scheduling/look-ups.ts';
import { agentNotFound, hasPartInAgent } from '../agent-access.ts';
import { type AgentIdentity, listAgentIdentities } from '../agent-store.ts';
import type { RegistrationService } from '../registration-service.ts';
import type { Passage } from './signs-of-agent.ts';
import type { Heartbeat, SignsOfLife } from './signs-of-life.ts';

interface HeartbeatServiceOptions {
  readonly database: Database;
  readonly signs: SignsOfLife;
  readonly registrations: Pick<RegistrationService, 'findOrRegister' | 'recallMachine' | 'noteReporter'>;
}

/** Accepts heartbeats. A fleet sends thousands per second, so heartbeats share the look-ups of their agents. */
export class HeartbeatService {
  readonly #options: HeartbeatServiceOptions;
  readonly #agents: LookUps<string, AgentIdentity>;

  constructor(options: HeartbeatServiceOptions) {
    this.#options = options;
    this.#agents = new LookUps({
      find: async (ids) => {
        const rows = await listAgentIdentities(options.database, ids);
        return new Map(rows.map((row) => [row.id, row]));
      },
      maxConcurrent: 2,
      pauseMilliseconds: 0,
    });
  }

  /**
   * Records that an agent is alive or has ended. Resolves when an end is durable.
   *
   * @throws Refusal not_found, agent_deleted, overloaded, database_unavailable
   */
  async beat(principal: Principal, agentID: string, heartbeat: Heartbeat): Promise<void> {
    const row = await this.#agents.find(agentID);
    if (row === undefined || !hasPartInAgent(principal, row)) throw agentNotFound(agentID);
    if (row.deleted_at !== null) throw new Refusal('agent_deleted');
    await this.beatOfKnown(row.id, heartbeat);
  }

  /** The same for an agent that the caller has looked up. If it was deleted since, nothing is stored. */
  async beatOfKnown(agentID: string, heartbeat: Heartbeat, passage?: Passage): Promise<void> {
    const { signs } = this.#options;
    if (heartbeat.status === 'stopped') await signs.noteStop(agentID, heartbeat, passage);
    else signs.noteBeat(agentID, heartbeat.heartbeatSeconds, passage);
  }

  /** The same for the agent of a project with a machine id. An unknown machine is registered. */
  async beatOfMachine(
    principal: ProjectTokenPrincipal,
    machineID: string,
    name: string,
    heartbeat: Heartbeat,
    passage?: Passage,
  ): Promise<void> {
    const { registrations } = this.#options;
    const known = registrations.recallMachine(principal.projectID, machineID);
    if (known !== undefined) registrations.noteReporter(known, principal.tokenID);
    const row = known === undefined ? undefined : await this.#agents.find(known.agentID);
    const isThere = row !== undefined && row.deleted_at === null;
    const agentID = isThere
      ? row.id
      : await registrations.findOrRegister(principal, machineID, name, passage);
    await this.beatOfKnown(agentID, heartbeat, passage);
  }
}
