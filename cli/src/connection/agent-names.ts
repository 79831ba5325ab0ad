import { largestPageSize } from '@muster/contract';
import type { Connection } from './connect.ts';

/** Maximum number of agents to request one by one, because each answer contains a whole configuration. */
const maxSingleRequests = 20;

/**
 * Names of agents, for people who read a list of errors. If the credential may not read agents, their ids are used as
 * names.
 */
export class AgentNames {
  readonly #connection: Connection;
  readonly #projectID: string;
  readonly #names = new Map<string, string>();
  #asked = 0;
  #isListed = false;
  #mayRead = true;

  constructor(connection: Connection, projectID: string) {
    this.#connection = connection;
    this.#projectID = projectID;
  }

  of(agentID: string): string {
    return this.#names.get(agentID) ?? agentID;
  }

  /** Looks up the names of these agents. */
  async learn(agentIDs: Iterable<string>): Promise<void> {
    const unknown = new Set([...agentIDs].filter((id) => !this.#names.has(id)));
    if (unknown.size === 0 || !this.#mayRead) return;
    try {
      if (!this.#isListed) await this.#list();
      for (const id of unknown) {
        if (this.#names.has(id) || this.#asked >= maxSingleRequests) continue;
        this.#asked += 1;
        await this.#ask(id);
      }
    } catch {
      // Names are optional: the errors are shown without them.
      this.#mayRead = false;
    }
  }

  async #list(): Promise<void> {
    const { listAgents } = await import('@muster/client');
    const query = { projectID: this.#projectID, last: largestPageSize };
    const { items } = await listAgents(this.#connection.client, query).first();
    for (const { id, name } of items) this.#names.set(id, name);
    this.#isListed = true;
  }

  async #ask(agentID: string): Promise<void> {
    const { getAgent, MusterError } = await import('@muster/client');
    try {
      const { name } = await getAgent(this.#connection.client, { agentID });
      this.#names.set(agentID, name);
    } catch (error) {
      // The agent was deleted in the meantime.
      if (!(error instanceof MusterError && (error.status === 404 || error.status === 410))) throw error;
    }
  }
}
