import { createLruCache } from '@muster/http/lru-cache';
import type { CacheFigures } from '../../foundation/cache-figures.ts';
import type { Clock } from '../../foundation/clock.ts';

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
  /** Machines with registrations under way. */
  readonly machines: Map<string, RegisteringMachine>;
  /** Number of those that may still become a new agent. */
  pending: number;
  /** New agents that this process has registered. */
  registered: number;
}

interface RegisteringMachine {
  registrations: number;
  /** False once one of the registrations has created the agent, so that it is in the count. */
  isPending: boolean;
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
  readonly #counted = createLruCache<string, Counted>(maxProjects);
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
  async begin(
    projectID: string,
    machineID: string,
    isKnown: () => Promise<boolean>,
  ): Promise<Registered | undefined> {
    let counted = await this.#read(projectID);
    if (this.#hasNoRoom(counted, machineID)) {
      if (await isKnown()) return () => undefined;
      // Some agents may have been deleted since the count.
      counted = await this.#read(projectID);
      if (this.#hasNoRoom(counted, machineID)) return undefined;
    }
    return join(counted, machineID);
  }

  /** Registrations of one machine create at most one agent, so they take one place together. */
  #hasNoRoom(counted: Counted, machineID: string): boolean {
    return !counted.machines.has(machineID) && counted.count + counted.pending >= this.#options.limit;
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
    const counted = this.#counted.get(projectID) ?? {
      count: 0,
      countedAt,
      machines: new Map(),
      pending: 0,
      registered: 0,
    };
    // The count may lack agents that were registered while it ran.
    counted.count = found + counted.registered - registeredBefore;
    counted.countedAt = countedAt;
    this.#counted.set(projectID, counted);
    return counted;
  }
}

function join(counted: Counted, machineID: string): Registered {
  const machine = counted.machines.get(machineID) ?? { registrations: 0, isPending: true };
  if (machine.registrations === 0) {
    counted.machines.set(machineID, machine);
    counted.pending += 1;
  }
  machine.registrations += 1;
  const endPending = (): void => {
    if (machine.isPending) counted.pending -= 1;
    machine.isPending = false;
  };
  return (isNew) => {
    machine.registrations -= 1;
    if (machine.registrations === 0) {
      counted.machines.delete(machineID);
      endPending();
    }
    if (!isNew) return;
    endPending();
    counted.count += 1;
    counted.registered += 1;
  };
}
