import { maxListedConfigurations } from '@muster/contract';
import type { Clock } from '../../foundation/clock.ts';
import { describePrincipal, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Searches, SearchTurn } from '../../foundation/database/searches.ts';
import { type HistoryQuery, readHistoryRange } from '../../foundation/history-range.ts';
import type { ProjectService } from '../projects/project-service.ts';
import {
  countProjectHistory,
  listRolledOutConfigurations,
  type ProjectHistoryRow,
  type RolledOutConfiguration,
} from './project-history-store.ts';

interface ProjectHistoryOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly searches: Searches;
  readonly counter: {
    /** Groups the errors that were stored before the call. */
    catchUp(projectID: string): Promise<unknown>;
    countedIn(source: Pick<SearchTurn, 'db' | 'standby'>, projectID: string): Promise<unknown>;
  };
}

interface ProjectHistoryOfRange {
  /** Oldest first. */
  readonly rows: readonly ProjectHistoryRow[];
  readonly configurations: readonly RolledOutConfiguration[];
  /** Of all configurations, also of those that are not listed. */
  readonly configurationsCount: number;
}

/** What happened in a project over time. It is counted from what is stored, so nothing is written for it while agents report. */
export class ProjectHistoryService {
  readonly #options: ProjectHistoryOptions;

  constructor(options: ProjectHistoryOptions) {
    this.#options = options;
  }

  /**
   * @param hangUp aborted when the client has hung up
   * @throws Refusal not_found, invalid_query_parameter, overloaded, database_unavailable
   */
  async read(
    principal: Principal,
    projectID: string,
    query: HistoryQuery,
    hangUp: AbortSignal,
  ): Promise<ProjectHistoryOfRange> {
    const { clock, counter, database, projects, searches } = this.#options;
    const range = { ...readHistoryRange(query, clock()), projectID };
    await projects.requireProject(principal, projectID);
    await counter.catchUp(projectID);
    return searches.run(
      describePrincipal(principal),
      hangUp,
      async (turn) => {
        await counter.countedIn(turn, projectID);
        const rows = await countProjectHistory(turn, database.engine, range);
        const { configurations, count } = await listRolledOutConfigurations(
          turn,
          range,
          maxListedConfigurations,
        );
        return { rows, configurations, configurationsCount: count };
      },
      principal,
    );
  }
}
