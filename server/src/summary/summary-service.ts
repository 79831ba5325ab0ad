import type { AgentService } from '../agents/agent-service.ts';
import type { Clock } from '../clock.ts';
import type { Principal } from '../credentials/principal.ts';
import type { Database } from '../database/database.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { countErrors, type ErrorCounts } from './summary-store.ts';

interface SummaryServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly agents: Pick<AgentService, 'countFleet'>;
  /** Counts what was committed before the call, and returns up to when everything is counted, in milliseconds. */
  readonly countGroups: () => Promise<{ readonly countedAt: number }>;
}

type FleetCounts = Awaited<ReturnType<AgentService['countFleet']>>;

export interface Summary extends FleetCounts, ErrorCounts {
  /** Milliseconds: everything before it is counted. */
  readonly countedAt: number;
}

const hourMilliseconds = 3_600_000;

/** Counts of a whole project. */
export class SummaryService {
  readonly #options: SummaryServiceOptions;

  constructor(options: SummaryServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found */
  async summarize(principal: Principal, projectID: string): Promise<Summary> {
    await this.#options.projects.requireProject(principal, projectID);
    return this.#count(projectID);
  }

  async #count(projectID: string): Promise<Summary> {
    const { database, clock, agents, countGroups } = this.#options;
    const { countedAt } = await countGroups();
    const now = clock();
    const errors = await countErrors(database.read, projectID, {
      hourAgo: now - hourMilliseconds,
      dayAgo: now - 24 * hourMilliseconds,
    });
    return { countedAt, ...errors, ...(await agents.countFleet(projectID)) };
  }
}
