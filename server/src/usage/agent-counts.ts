import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../cache-figures.ts';
import type { Clock } from '../clock.ts';

interface AgentCountsOptions {
  readonly clock: Clock;
  /** Maximum number of agents of one project. */
  readonly limit: number;
  /** Counts a project's agents in the database. It may stop at the limit. */
  readonly count: (projectID: string) => Promise<number>;
}

interface Counted {
  count: number;
  countedAt: number;
  /** Registrations under way. Each may be of a new agent. */
  pending: number;
  /** New agents that this process has registered. */
  registered: number;
}

/** Call it once when the registration has ended. `isNew`: whether it created an agent. */
type Registered = (isNew: boolean) => void;

/** How long a count is used, in milliseconds, because other replicas register agents too. Shorter close to the limit. */
const ttlMilliseconds = { far: 10_000, close: 1_000 };
const closeShare = 0.9;
/** Number of projects that are remembered; others are counted again. */
const maxProjects = 10_000;

/**
 * The number of agents of each project, so that a registration need not count them. Exact in one process. Registrations of other replicas are seen
 * within a second close to the limit, so a project may exceed the limit by what they register in that second.
 */
export class AgentCounts {
  readonly #options: AgentCountsOptions;
  readonly #counted = new LRUCache<string, Counted>({ max: maxProjects });
  readonly #counts = { hits: 0, misses: 0 };
  /** One for each project: registrations that arrive together wait for the same count. */
  readonly #underWay = new Map<string, Promise<Counted>>();

  constructor(options: AgentCountsOptions) {
    this.#options = options;
  }

  get figures(): CacheFigures {
    return { size: this.#counted.size, limit: maxProjects, ...this.#counts };
  }

  /** The highest ratio of agents to the limit among the counted projects; 1 is full. */
  get fullest(): number {
    let largest = 0;
    for (const { count } of this.#counted.values()) largest = Math.max(largest, count);
    return largest / this.#options.limit;
  }

  /**
   * Begins a registration; undefined if the project has no room for a new agent.
   *
   * @param isKnown whether the agent exists already; such an agent is always accepted. Called only if the limit is reached.
   */
  async begin(projectID: string, isKnown: () => Promise<boolean>): Promise<Registered | undefined> {
    let counted = await this.#read(projectID);
    if (counted.count + counted.pending >= this.#options.limit) {
      if (await isKnown()) return () => undefined;
      // Some agents may have been deleted since the count.
      counted = await this.#read(projectID);
      if (counted.count + counted.pending >= this.#options.limit) return undefined;
    }
    counted.pending += 1;
    return (isNew) => {
      counted.pending -= 1;
      if (!isNew) return;
      counted.count += 1;
      counted.registered += 1;
    };
  }

  async #read(projectID: string): Promise<Counted> {
    const { clock, limit } = this.#options;
    const known = this.#counted.get(projectID);
    const isClose = known !== undefined && known.count + known.pending >= closeShare * limit;
    const believed = isClose ? ttlMilliseconds.close : ttlMilliseconds.far;
    if (known !== undefined && Math.abs(clock() - known.countedAt) < believed) {
      this.#counts.hits += 1;
      return known;
    }
    this.#counts.misses += 1;
    const underWay = this.#underWay.get(projectID) ?? this.#count(projectID);
    this.#underWay.set(projectID, underWay);
    try {
      return await underWay;
    } finally {
      this.#underWay.delete(projectID);
    }
  }

  async #count(projectID: string): Promise<Counted> {
    const { clock, count } = this.#options;
    const countedAt = clock();
    const registeredBefore = this.#counted.get(projectID)?.registered ?? 0;
    const found = await count(projectID);
    const counted = this.#counted.get(projectID) ?? { count: 0, countedAt, pending: 0, registered: 0 };
    // The count may lack agents that were registered while it ran.
    counted.count = found + counted.registered - registeredBefore;
    counted.countedAt = countedAt;
    this.#counted.set(projectID, counted);
    return counted;
  }
}
