import { createLruCache } from '@muster/http/lru-cache';
import type { CacheFigures } from '../../foundation/cache-figures.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { LimitName } from '../report.ts';
import type { NewErrorLimits } from './new-error-limits.ts';
import { findLimitState, type LimitState } from './reached-limit-store.ts';
import { RepeatableDigests } from './repeatable-digests.ts';

export interface LimitedAgent {
  readonly agentID: string;
  readonly projectID: string;
}

interface ReachedLimitsOptions {
  readonly clock: Clock;
  /** Queries the database. @param maxDigests maximum number of open errors that are needed. */
  readonly look: (agent: LimitedAgent, now: number, maxDigests: number) => Promise<LimitState>;
  /** How long a result is used, in milliseconds. Infinity if only this process changes the data. */
  readonly ttlMilliseconds: number;
  readonly maxBytes?: number;
}

interface ReachedLimit {
  readonly projectID: string;
  /** Milliseconds. The limit applies from `from` to `until`, without `until` itself. */
  readonly from: number;
  readonly until: number;
  /** Undefined: memory cannot decide, and another query would not help. */
  readonly refuses: { readonly limit: LimitName; readonly repeatableDigests: RepeatableDigests } | undefined;
  usedAt: number;
}

/** Ten times the default limit. */
const maxDigests = 10_000;
const maxBytes = 8_000_000;
const bytesBesideDigests = 400;
const bytesPerDigest = 4;
/** An agent that did not report for this long may be evicted. */
const idleMilliseconds = 60_000;
/** Agents that are refused less often than this are not remembered, because a query costs more than their reports. */
const maxPauseMilliseconds = 60_000;
const maxRefusedAgents = 10_000;
const maxLooks = 2;
/**
 * Other replicas may commit, after the query, transactions that began before the limit was reached. After this time they have ended, unless the database hangs.
 */
const settlingMilliseconds = 250;

/** How long a result is used if other replicas store and dismiss too: no longer than any `Retry-After`. */
const sharedTtlMilliseconds = 1_000;

export function createReachedLimits(database: Database, limits: NewErrorLimits, clock: Clock): ReachedLimits {
  return new ReachedLimits({
    clock,
    look: (agent, now, limit) => findLimitState(database, limits, agent, now, limit),
    ttlMilliseconds: database.engine === 'sqlite' ? Number.POSITIVE_INFINITY : sharedTtlMilliseconds,
  });
}

/**
 * Remembers limits on new errors that are reached. Further reports are refused from memory, so that an agent whose reports are all different costs
 * the database nothing. If nothing is remembered, the database decides.
 *
 * A report that repeats an open error is not a new error and must be accepted, so the open errors are remembered with the limit. While the limit
 * applies, nothing new is stored for the agent, so open errors only become fewer, unless one is reopened. Only a site stores despite a limit by time: a repeat
 * of such an error is refused here until the limit ends.
 *
 * Every change that may end a limit or open an error (dismissal, reopening, another configuration, deletion) must call `forget` in the same turn of
 * the event loop in which it learns of the commit. Changes by other processes take effect after `ttlMilliseconds`, which is no longer than any
 * `Retry-After`.
 */
export class ReachedLimits {
  readonly #options: ReachedLimitsOptions;
  readonly #maxBytes: number;
  /** In the order of their last use. Not an lru-cache, because active entries must not be evicted. */
  readonly #agents = new Map<string, ReachedLimit>();
  readonly #counts = { hits: 0, misses: 0 };
  #bytes = 0;
  /** Of agents of which nothing is remembered: when they were last refused. */
  readonly #refusedAt = createLruCache<string, number>(maxRefusedAgents);
  /** Looks under way whose outcome is still wanted. */
  readonly #looks = new Map<string, symbol>();
  #looksUnderWay = 0;

  constructor(options: ReachedLimitsOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? maxBytes;
  }

  /** In bytes. */
  get figures(): CacheFigures {
    return { size: this.#bytes, limit: this.#maxBytes, ...this.#counts };
  }

  /** The limit that refuses these texts, if it is remembered. */
  find(agent: LimitedAgent, texts: readonly string[]): LimitName | undefined {
    const found = this.#find(agent, texts);
    this.#counts[found === undefined ? 'misses' : 'hits'] += 1;
    return found;
  }

  #find({ agentID, projectID }: LimitedAgent, texts: readonly string[]): LimitName | undefined {
    const reached = this.#agents.get(agentID);
    if (reached === undefined || reached.projectID !== projectID) return undefined;
    const now = this.#options.clock();
    if (!holds(reached, now)) {
      this.#remove(agentID, reached);
      return undefined;
    }
    const { refuses } = reached;
    if (refuses === undefined || texts.every((text) => refuses.repeatableDigests.mayHave(text)))
      return undefined;
    reached.usedAt = now;
    this.#agents.delete(agentID);
    this.#agents.set(agentID, reached);
    return refuses.limit;
  }

  /** Records that the database refused a report of the agent. After a second refusal, the limit is queried and remembered. */
  noteRefusal(agent: LimitedAgent): void {
    const { agentID } = agent;
    if (this.#agents.has(agentID) || this.#looks.has(agentID)) return;
    const now = this.#options.clock();
    const isRepeated = this.#wasRefused(agentID, now);
    if (!isRepeated || this.#looksUnderWay >= maxLooks || !this.#hasRoom(now)) return;
    this.#refusedAt.delete(agentID);
    void this.#look(agent, now);
  }

  forget(agentID: string): void {
    this.#looks.delete(agentID);
    const reached = this.#agents.get(agentID);
    if (reached !== undefined) this.#remove(agentID, reached);
  }

  forgetAll(): void {
    this.#looks.clear();
    this.#agents.clear();
    this.#bytes = 0;
  }

  #wasRefused(agentID: string, now: number): boolean {
    const before = this.#refusedAt.get(agentID);
    this.#refusedAt.set(agentID, now);
    return (
      before !== undefined && now - before < Math.min(this.#options.ttlMilliseconds, maxPauseMilliseconds)
    );
  }

  async #look(agent: LimitedAgent, now: number): Promise<void> {
    const { agentID } = agent;
    const look = Symbol(agentID);
    this.#looks.set(agentID, look);
    this.#looksUnderWay += 1;
    try {
      const state = await this.#options.look(agent, now, maxDigests);
      if (this.#looks.get(agentID) === look) this.#keep(agent, now, state);
    } catch {
      // The next report gets the failure of the database.
    } finally {
      this.#looksUnderWay -= 1;
      if (this.#looks.get(agentID) === look) this.#looks.delete(agentID);
    }
  }

  #keep({ agentID, projectID }: LimitedAgent, from: number, state: LimitState): void {
    const reached = this.#reachedOf(state, from);
    if (reached === undefined) return;
    const kept = { ...reached, projectID, from, usedAt: from };
    this.#agents.set(agentID, kept);
    this.#bytes += bytesOf(kept);
  }

  #reachedOf(state: LimitState, from: number): Pick<ReachedLimit, 'until' | 'refuses'> | undefined {
    const limit = limitOf(state);
    if (limit === undefined) return undefined;
    const { ttlMilliseconds } = this.#options;
    const until = Math.min(limit.until, from + ttlMilliseconds);
    const settledAt = (state.newestAt ?? 0) + settlingMilliseconds;
    if (ttlMilliseconds !== Number.POSITIVE_INFINITY && settledAt > from) {
      return { until: Math.min(until, settledAt), refuses: undefined };
    }
    if (state.repeatableDigests === undefined) return { until, refuses: undefined };
    return {
      until,
      refuses: { limit: limit.name, repeatableDigests: new RepeatableDigests(state.repeatableDigests) },
    };
  }

  /** Evicts idle entries. Active ones stay; if there are too many, the database decides about other agents. */
  #hasRoom(now: number): boolean {
    for (const [agentID, reached] of this.#agents) {
      if (this.#bytes < this.#maxBytes) break;
      if (holds(reached, now) && now - reached.usedAt < idleMilliseconds) break;
      this.#remove(agentID, reached);
    }
    return this.#bytes < this.#maxBytes;
  }

  #remove(agentID: string, reached: ReachedLimit): void {
    this.#agents.delete(agentID);
    this.#bytes -= bytesOf(reached);
  }
}

/** False after the clock was set back, because the age is then unknown. */
function holds({ from, until }: ReachedLimit, now: number): boolean {
  return now >= from && now < until;
}

/** Checks the limits in the same order as the database. */
function limitOf({
  hasMaxOpen,
  agentFullUntil,
  projectFullUntil,
}: LimitState): { readonly name: LimitName; readonly until: number } | undefined {
  if (hasMaxOpen) return { name: 'openPerAgent', until: Number.POSITIVE_INFINITY };
  if (agentFullUntil !== undefined) return { name: 'newPerAgentPerMinute', until: agentFullUntil };
  if (projectFullUntil !== undefined) return { name: 'newPerProjectPerSecond', until: projectFullUntil };
  return undefined;
}

function bytesOf({ refuses }: ReachedLimit): number {
  return bytesBesideDigests + bytesPerDigest * (refuses?.repeatableDigests.size ?? 0);
}
