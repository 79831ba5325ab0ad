import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../../cache-figures.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import { StandingDigests } from '../open-errors/standing-digests.ts';
import type { LimitName } from '../report.ts';
import type { NewErrorLimits } from './new-error-limits.ts';
import { findLimitState, type LimitState } from './reached-limit-store.ts';

export interface LimitedAgent {
  readonly agentID: string;
  readonly projectID: string;
}

interface ReachedLimitsOptions {
  readonly clock: Clock;
  /** Asks the database. @param maxStanding more errors that stand need not be told. */
  readonly look: (agent: LimitedAgent, now: number, maxStanding: number) => Promise<LimitState>;
  /** How long a look is believed, in milliseconds. Infinity: only this process changes what it has seen. */
  readonly ttlMilliseconds: number;
  readonly maxBytes?: number;
}

interface ReachedLimit {
  readonly projectID: string;
  /** Milliseconds; refuses from then on, and until then without that moment. */
  readonly from: number;
  readonly until: number;
  /** Undefined: that cannot be told from memory, and a further look would not help. */
  readonly refuses: { readonly limit: LimitName; readonly standing: StandingDigests } | undefined;
  usedAt: number;
}

/** What the default limit allows, tenfold. */
const maxStanding = 10_000;
const maxBytes = 8_000_000;
const bytesBesideDigests = 400;
const bytesPerDigest = 4;
/** Who was not heard of for so long makes room for others. */
const idleMilliseconds = 60_000;
/** Of agents that are refused now and then nothing is remembered: a look costs more than their reports. */
const maxPauseMilliseconds = 60_000;
const maxRefusedAgents = 10_000;
const maxLooks = 2;
/**
 * Where others store too, what they began before the limit was reached may be committed after a look. That is over
 * by then, give or take a database that hangs.
 */
const settlingMilliseconds = 250;

/** How long a look is believed where other replicas store and dismiss too: no longer than any `Retry-After`. */
const sharedTtlMilliseconds = 1_000;

export function createReachedLimits(database: Database, limits: NewErrorLimits, clock: Clock): ReachedLimits {
  return new ReachedLimits({
    clock,
    look: (agent, now, most) => findLimitState(database, limits, agent, now, most),
    ttlMilliseconds: database.engine === 'sqlite' ? Number.POSITIVE_INFINITY : sharedTtlMilliseconds,
  });
}

/**
 * Limits on new errors that are known to be reached: what is beyond them is refused from here, and an agent that
 * makes each report distinct costs the database nothing. What is not here is unknown, and the database decides.
 *
 * A report of what stands open is no new error and must get through. So the errors that stand are remembered with the
 * limit. While it holds nothing is stored of the agent, so that they only become fewer, but for one that is reopened.
 *
 * Whatever may end a limit or let an error stand (dismissal, reopening, another configuration, deletion) has to call
 * `forget` in the turn in which it learns of the commit. What other processes do shows when `ttlMilliseconds` have
 * passed, which is no longer than any `Retry-After`.
 */
export class ReachedLimits {
  readonly #options: ReachedLimitsOptions;
  readonly #maxBytes: number;
  /** In the order of their last use. No lru-cache: those that are in use do not make room for others. */
  readonly #agents = new Map<string, ReachedLimit>();
  readonly #counts = { hits: 0, misses: 0 };
  #bytes = 0;
  /** Of agents of which nothing is remembered: when they were last refused. */
  readonly #refusedAt = new LRUCache<string, number>({ max: maxRefusedAgents });
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

  /** The limit that refuses these texts, where that is known. */
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
    if (refuses === undefined || texts.every((text) => refuses.standing.mayHave(text))) return undefined;
    reached.usedAt = now;
    this.#agents.delete(agentID);
    this.#agents.set(agentID, reached);
    return refuses.limit;
  }

  /** Learns that the database has refused a report of the agent, and remembers more if it does so again. */
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
      const state = await this.#options.look(agent, now, maxStanding);
      if (this.#looks.get(agentID) === look) this.#keep(agent, now, state);
    } catch {
      // Of a database that fails, whoever reports next is told.
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
    if (state.standing === undefined) return { until, refuses: undefined };
    return { until, refuses: { limit: limit.name, standing: new StandingDigests(state.standing) } };
  }

  /** Those that are in use stay: where there are too many of them, the database decides about the others. */
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

/** A clock that was put back says nothing of how long ago something was. */
function holds({ from, until }: ReachedLimit, now: number): boolean {
  return now >= from && now < until;
}

/** In the order in which the database looks at them. */
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
  return bytesBesideDigests + bytesPerDigest * (refuses?.standing.size ?? 0);
}
