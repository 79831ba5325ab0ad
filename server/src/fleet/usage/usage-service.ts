import { setTimeout } from 'node:timers/promises';
import type { CacheFigures } from '../../foundation/cache-figures.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { type Refusal, UntoldRefusal } from '../../foundation/refusal.ts';
import { AgentCounts } from './agent-counts.ts';
import { StoredBytes } from './stored-bytes.ts';
import * as store from './usage-store.ts';

/** Limits of one project; 0 means none. */
export interface UsageLimits {
  readonly agents: number;
  readonly storedBytes: number;
}

interface UsageServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: UsageLimits;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Called for each agent that is refused. */
  readonly onRefusedAgent: (projectID: string) => void;
}

/** A project's usage and its limits. */
export interface ProjectUsage {
  readonly agents: number;
  /** Null if there is no limit, and until the first walk through the database has ended. */
  readonly storedBytes: number | null;
  readonly limits: UsageLimits;
}

/** Above this share of the limit, configurations and large metadata are left out, so that errors have room. */
const reservedShare = 0.9;
const retryAfterSeconds = 60;
/** Minimum pause before a walk. It is longer after a long walk, so that walks take at most 2 % of the time. */
const walkIntervalMilliseconds = 60_000;
const firstWalkMilliseconds = 10_000;
const restPerWalk = 50;
/** After each statement of a walk, the pause is this many times its duration, so that others can use the database. */
const restPerPortion = 4;

/**
 * The usage of projects and its limits. No query runs when something is stored: agents are counted occasionally, and bytes by a walk through the
 * database in the background. In between, this process adds what it stores.
 */
export class UsageService {
  readonly #options: UsageServiceOptions;
  readonly #agentCounts: AgentCounts;
  readonly #bytes = new StoredBytes();
  #timer: NodeJS.Timeout | undefined;
  #walk: Promise<void> = Promise.resolve();

  constructor(options: UsageServiceOptions) {
    this.#options = options;
    const { database, clock, limits } = options;
    this.#agentCounts = new AgentCounts({
      clock,
      limit: limits.agents,
      count: (projectID) => store.countAgents(database.read, projectID, limits.agents),
    });
    if (limits.storedBytes > 0) this.#schedule(firstWalkMilliseconds);
  }

  /** Figures of the cache of agent counts. */
  get countFigures(): CacheFigures {
    return this.#agentCounts.figures;
  }

  /** For each limit, the highest ratio of usage to the limit among all projects; 1 is full. Without a limit: 0. */
  get fullest(): UsageLimits {
    const { agents, storedBytes } = this.#options.limits;
    return {
      agents: agents === 0 ? 0 : this.#agentCounts.fullest,
      storedBytes: storedBytes === 0 ? 0 : this.#bytes.largest / storedBytes,
    };
  }

  /**
   * Registers an agent if the project has room for it.
   *
   * @param isKnown whether the agent exists already; called only if the limit is reached.
   * @param register creates or updates the agent.
   * @param isNew whether `register` created the agent.
   * @throws Refusal too_many_agents
   */
  async registerWithin<Result>(
    projectID: string,
    machineID: string,
    isKnown: () => Promise<boolean>,
    register: () => Promise<Result>,
    isNew: (result: Result) => boolean,
  ): Promise<Result> {
    if (this.#options.limits.agents === 0) return register();
    const registered = await this.#agentCounts.begin(projectID, machineID, isKnown);
    if (registered === undefined) throw this.#tooManyAgents(projectID);
    let wasMade = false;
    try {
      const result = await register();
      wasMade = isNew(result);
      return result;
    } finally {
      registered(wasMade);
    }
  }

  /** True if a project has no room for further errors. */
  isFull(projectID: string): boolean {
    return this.#exceeds(projectID, this.#options.limits.storedBytes);
  }

  /** True if the remaining room is reserved for errors. */
  isNearlyFull(projectID: string): boolean {
    return this.#exceeds(projectID, reservedShare * this.#options.limits.storedBytes);
  }

  /** Counts an error that was stored. */
  addError(projectID: string, text: string): void {
    this.#add(projectID, text, store.bytesOfError);
  }

  /** Counts a configuration that was stored. */
  addConfig(projectID: string, text: string): void {
    this.#add(projectID, text, store.bytesOfConfig);
  }

  async usageOf(projectID: string): Promise<ProjectUsage> {
    const { database, limits } = this.#options;
    return {
      agents: await store.countAgents(database.read, projectID, undefined),
      storedBytes: this.#bytes.measuredOf(projectID) ?? null,
      limits,
    };
  }

  /** Measures the stored bytes of all projects, in portions. */
  measure(): Promise<void> {
    this.#walk = this.#walk.then(() => this.#measureAll());
    return this.#walk;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#walk;
  }

  #add(projectID: string, text: string, bytesOf: (textBytes: number) => number): void {
    if (this.#options.limits.storedBytes > 0) this.#bytes.add(projectID, bytesOf(Buffer.byteLength(text)));
  }

  #exceeds(projectID: string, limit: number): boolean {
    return limit > 0 && this.#bytes.of(projectID) >= limit;
  }

  #tooManyAgents(projectID: string): Refusal {
    this.#options.onRefusedAgent(projectID);
    return new UntoldRefusal('too_many_agents', {
      detail: `This project has ${this.#options.limits.agents} agents, which is the maximum. Delete agents that no longer exist, or raise MUSTER_MAX_AGENTS_PER_PROJECT. Registered agents are not affected.`,
      retryAfterSeconds,
    });
  }

  #schedule(milliseconds: number): void {
    this.#timer = globalThis
      .setTimeout(async () => {
        const startedAt = performance.now();
        await this.measure();
        const took = performance.now() - startedAt;
        if (!this.#options.closing.aborted)
          this.#schedule(Math.max(walkIntervalMilliseconds, restPerWalk * took));
      }, milliseconds)
      .unref();
  }

  async #measureAll(): Promise<void> {
    const { database, closing, onFailure } = this.#options;
    const seen = new Set<string>();
    try {
      for (let after: string | undefined; ; ) {
        const ids = await store.listProjectIDs(database.read, after);
        for (const id of ids) {
          if (closing.aborted) return;
          seen.add(id);
          await this.#measureProject(id);
        }
        after = ids.at(-1);
        if (after === undefined) break;
      }
      this.#bytes.keepOnly(seen);
    } catch (error) {
      onFailure(error);
    }
  }

  async #measureProject(projectID: string): Promise<void> {
    const { database, closing } = this.#options;
    this.#bytes.beginWalk(projectID);
    let bytes = 0;
    const addUpErrors = database.engine === 'sqlite' ? store.addUpErrorRows : store.addUpErrors;
    for (const addUp of [store.addUpAgents, addUpErrors]) {
      for (let after: string | undefined; ; ) {
        const startedAt = performance.now();
        const portion = await addUp(database.read, projectID, after);
        bytes += portion.bytes;
        after = portion.next;
        if (after === undefined) break;
        if (closing.aborted) return;
        await rest(restPerPortion * (performance.now() - startedAt), closing);
      }
    }
    this.#bytes.endWalk(projectID, bytes);
  }
}

/** Does not keep the process alive, and ends when the service closes. */
async function rest(milliseconds: number, closing: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { ref: false, signal: closing }).catch(() => undefined);
}
