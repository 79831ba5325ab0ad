import { maxListedVersions } from '@muster/contract';
import type { Clock } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { ListSource, Lists } from '../../foundation/database/lists.ts';
import type { ProjectService } from '../projects/project-service.ts';
import {
  countNewGroups,
  listVersions,
  type ProjectCounts,
  readProjectCounts,
  type VersionCount,
} from './summary-store.ts';

interface SummaryServiceOptions {
  readonly lists: Lists;
  readonly clock: Clock;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly coreInstances: { readFigures(projectID: string): Promise<SiteFigures> };
  /** Notes the agents whose status has changed by time alone, and returns up to when, in milliseconds. */
  readonly noteSilentAgents: () => Promise<number>;
  readonly counter: {
    /** Counts what was committed before the call. */
    catchUp(projectID: string): Promise<unknown>;
    /** Up to when everything is counted in what is read, in milliseconds. */
    countedIn(source: ListSource, projectID: string): Promise<number>;
  };
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
    // One that is under way may have begun before the changes that this caller knows of. Those of users may be read elsewhere.
    const key = `${principal.kind} ${projectID}`;
    const waiting = this.#waiting.get(key) ?? this.#countNext(principal, projectID, key);
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #countNext(principal: Principal, projectID: string, key: string): Promise<Summary> {
    const counted = this.#counting.then(() => {
      this.#waiting.delete(key);
      return this.#count(principal, projectID);
    });
    this.#counting = counted.catch(() => undefined);
    return counted;
  }

  async #count(principal: Principal, projectID: string): Promise<Summary> {
    const { lists, clock, coreInstances, noteSilentAgents, counter } = this.#options;
    const notedAt = await noteSilentAgents();
    await counter.catchUp(projectID);
    const now = clock();
    const ofSites = coreInstances.readFigures(projectID);
    // Awaited behind the lists.
    ofSites.catch(() => undefined);
    const listed = await lists.read(principal, async (source) => {
      const { db } = source;
      const countedAt = await counter.countedIn(source, projectID);
      const [counts, versions, newGroups] = await Promise.all([
        readProjectCounts(db, projectID),
        listVersions(db, projectID, maxListedVersions),
        countNewGroups(db, projectID, {
          hourAgo: now - hourMilliseconds,
          dayAgo: now - 24 * hourMilliseconds,
        }),
      ]);
      return { ...counts, versions, newGroups, countedAt: Math.min(notedAt, countedAt) };
    });
    return { ...listed, coreInstances: await ofSites };
  }
}
