import { maxListedVersions } from '@muster/contract';
import type { Clock } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { ProjectService } from '../projects/project-service.ts';
import {
  countNewGroups,
  listVersions,
  type ProjectCounts,
  readProjectCounts,
  type VersionCount,
} from './summary-store.ts';

interface SummaryServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly coreInstances: { readFigures(projectID: string): Promise<SiteFigures> };
  /** Notes the agents whose status has changed by time alone, and returns up to when, in milliseconds. */
  readonly noteSilentAgents: () => Promise<number>;
  /** Counts what was committed before the call, and returns up to when everything is counted, in milliseconds. */
  readonly countChanges: (projectID: string) => Promise<{ readonly countedAt: number }>;
}

/** How many core instances are in each state, and what waits at them or was lost there. */
interface SiteFigures {
  readonly waiting: number;
  readonly running: number;
  readonly unreachable: number;
  readonly spooledCount: number;
  readonly lostCount: number;
  readonly maxLagSeconds: number;
}

export interface Summary extends ProjectCounts {
  /** Milliseconds: everything before it is counted. */
  readonly countedAt: number;
  /** Those with the most agents, the largest first. */
  readonly versions: readonly VersionCount[];
  readonly coreInstances: SiteFigures;
  readonly newGroups: { readonly ofHour: number; readonly ofDay: number };
}

const hourMilliseconds = 3_600_000;

/** Counts of a whole project. Requests that arrive together share one. */
export class SummaryService {
  readonly #options: SummaryServiceOptions;
  readonly #waiting = new Map<string, Promise<Summary>>();
  #counting: Promise<unknown> = Promise.resolve();

  constructor(options: SummaryServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found */
  async summarize(principal: Principal, projectID: string): Promise<Summary> {
    await this.#options.projects.requireProject(principal, projectID);
    // One that is under way may have begun before the changes that this caller knows of.
    const waiting = this.#waiting.get(projectID) ?? this.#countNext(projectID);
    this.#waiting.set(projectID, waiting);
    return waiting;
  }

  #countNext(projectID: string): Promise<Summary> {
    const counted = this.#counting.then(() => {
      this.#waiting.delete(projectID);
      return this.#count(projectID);
    });
    this.#counting = counted.catch(() => undefined);
    return counted;
  }

  async #count(projectID: string): Promise<Summary> {
    const { database, clock, coreInstances, noteSilentAgents, countChanges } = this.#options;
    const notedAt = await noteSilentAgents();
    const { countedAt } = await countChanges(projectID);
    const now = clock();
    const [counts, versions, newGroups, ofSites] = await Promise.all([
      readProjectCounts(database.read, projectID),
      listVersions(database.read, projectID, maxListedVersions),
      countNewGroups(database.read, projectID, {
        hourAgo: now - hourMilliseconds,
        dayAgo: now - 24 * hourMilliseconds,
      }),
      coreInstances.readFigures(projectID),
    ]);
    return {
      ...counts,
      versions,
      newGroups,
      coreInstances: ofSites,
      countedAt: Math.min(notedAt, countedAt),
    };
  }
}
