import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../cache-figures.ts';
import type { Clock } from '../clock.ts';

interface AgentCountsOptions {
  readonly clock: Clock;
  /** Most agents of one project. */
  readonly limit: number;
  /** Asks the database how many agents a project has; it need not tell more than the limit. */
  readonly count: (projectID: string) => Promise<number>;
}

interface Counted {
  count: number;
  countedAt: number;
  /** Registrations under way, of which each may be of a new agent. */
  pending: number;
  /** New agents that this process has registered. */
  registered: number;
}

/** To be called once a registration has ended, with whether it made a new agent. */
type Registered = (isNew: boolean) => void;

/** How long a count is believed, in milliseconds: other replicas register too. Shorter when the limit is close. */
const ttlMilliseconds = { far: 10_000, close: 1_000 };
const closeShare = 0.9;
/** As many projects are remembered; others are counted anew. */
const maxProjects = 10_000;

/**
 * How many agents each project has, so that a registration need not count them. Exact in one process; what other
 * replicas register is seen within a second near the limit, so that a project may exceed it by as much.
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

  /** How full the fullest project is, as far as projects were counted; 1 is full. */
  get fullest(): number {
    let largest = 0;
    for (const { count } of this.#counted.values()) largest = Math.max(largest, count);
    return largest / this.#options.limit;
  }

  /**
   * Lets a registration begin; undefined where the project has no room for a new agent.
   *
   * @param isKnown whether the agent exists already, which always has room. Asked where the limit is reached.
   */
  async begin(projectID: string, isKnown: () => Promise<boolean>): Promise<Registered | undefined> {
    let counted = await this.#read(projectID);
    if (counted.count + counted.pending >= this.#options.limit) {
      if (await isKnown()) return () => undefined;
      // Some may have been deleted since.
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
    // Agents that were registered meanwhile may be missing in what was found.
    counted.count = found + counted.registered - registeredBefore;
    counted.countedAt = countedAt;
    this.#counted.set(projectID, counted);
    return counted;
  }
}
