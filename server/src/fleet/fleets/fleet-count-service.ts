import { type FleetsStatus, type FleetVersionCounts, maxFleetVersionCounts } from '@muster/contract';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { ProjectService } from '../projects/project-service.ts';
import type { FleetAgents } from './fleet-agents.ts';
import { countAgents, countStatus, countVersions, type FleetCounts } from './fleet-counts-store.ts';
import type { FleetRow } from './fleet-store.ts';

interface FleetCountServiceOptions {
  readonly database: Database;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly agents: Pick<FleetAgents, 'flush'>;
  /** Brings the status of each agent up to date. */
  readonly countChanges: () => Promise<unknown>;
}

/** How many agents of a fleet there are, and how many run what they are to run. */
export class FleetCountService {
  readonly #options: FleetCountServiceOptions;

  constructor(options: FleetCountServiceOptions) {
    this.#options = options;
  }

  async countAgents(
    projectID: string,
    fleetIDs: readonly string[],
  ): Promise<ReadonlyMap<string, FleetCounts>> {
    if (fleetIDs.length === 0) return new Map();
    await this.#options.countChanges();
    return countAgents(this.#options.database, projectID, fleetIDs);
  }

  /** @throws Refusal not_found */
  async countOfProject(principal: Principal, projectID: string): Promise<FleetsStatus> {
    await this.#options.projects.requireProject(principal, projectID);
    return this.#count(projectID);
  }

  /** @param fleet one that the caller may see */
  countOfFleet({ id, project_id: projectID }: FleetRow): Promise<FleetsStatus> {
    return this.#count(projectID, id);
  }

  /** Who runs what. @throws Refusal not_found */
  async countVersions(
    principal: Principal,
    projectID: string,
    fleetID: string | undefined,
  ): Promise<FleetVersionCounts> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    await this.#catchUp();
    const limit = maxFleetVersionCounts;
    const counts = await countVersions(database.read, database.engine, { projectID, fleetID, limit });
    return { counts: counts.map((count) => ({ ...count, isDrifted: count.isDrifted === 1 })) };
  }

  async #count(projectID: string, fleetID?: string): Promise<FleetsStatus> {
    const { database } = this.#options;
    await this.#catchUp();
    return countStatus(database.read, database.engine, projectID, fleetID);
  }

  async #catchUp(): Promise<void> {
    await this.#options.agents.flush();
    await this.#options.countChanges();
  }
}
