import type { MonotonicClock } from '../../foundation/clock.ts';
import { type NewErrorLimits, shareOfCause } from './new-error-limits.ts';

/** The counts of an agent's errors in the database. */
export interface AgentCounts {
  readonly openCount: number;
  /** Within the last minute. */
  readonly newCount: number;
  /** The same of the cause with the most of them. */
  readonly openOfCause: number;
  readonly newOfCause: number;
}

interface Allowance {
  left: number;
  /** Milliseconds, by a clock that only goes on. */
  readonly until: number;
}

/**
 * Replicas do not know of each other, nor do the two headrooms of a replica: one is for reports of agents, the other for what sites pass on. Each uses this
 * share of the remaining room, so that together they exceed a limit by at most an eighth of it per further one. A single one never exceeds it.
 */
const share = 1 / 8;
/** The room of a cause is smaller: together, they exceed it by at most half of it per further one. */
const shareOfRoomOfCause = 1 / 2;
/** Dismissals and other replicas change the counts. */
const allowedMilliseconds = 5_000;
const maxAgents = 20_000;

/**
 * The number of new errors that an agent may certainly store before the database must count its errors again. A count for each report would read as
 * many rows as the limit allows.
 *
 * A dismissal needs no update, because it only increases the real headroom.
 */
export class Headroom {
  readonly #limits: NewErrorLimits;
  readonly #monotonic: MonotonicClock;
  /** In the order of their counts. */
  readonly #allowances = new Map<string, Allowance>();

  /** @param monotonic the times of reports are no clock: a site passes on what is days old */
  constructor(limits: NewErrorLimits, monotonic: MonotonicClock) {
    this.#limits = limits;
    this.#monotonic = monotonic;
  }

  /** True if so many new errors of one agent are certainly within its limits. They are then counted. */
  take(agentID: string, reports: number): boolean {
    if (!this.#isLimited) return true;
    const allowance = this.#allowances.get(agentID);
    if (allowance === undefined || allowance.left < reports || allowance.until < this.#monotonic())
      return false;
    allowance.left -= reports;
    return true;
  }

  /**
   * @param counts the counts before any of the reports was stored
   * @param stored the number of reports that were stored as new errors
   */
  learn(agentID: string, counts: AgentCounts, stored: number): void {
    if (!this.#isLimited) return;
    const { openPerAgent, newPerAgentPerMinute } = this.#limits;
    const room = (limit: number, count: number): number =>
      limit === 0 ? Number.POSITIVE_INFINITY : limit - count - stored;
    const left = Math.min(room(openPerAgent, counts.openCount), room(newPerAgentPerMinute, counts.newCount));
    const leftOfCause = Math.min(
      room(shareOfCause(openPerAgent), counts.openOfCause),
      room(shareOfCause(newPerAgentPerMinute), counts.newOfCause),
    );
    this.#allowances.delete(agentID);
    const allowed = Math.floor(Math.min(left * share, leftOfCause * shareOfRoomOfCause));
    if (allowed < 1) return;
    for (const oldest of this.#allowances.keys()) {
      if (this.#allowances.size < maxAgents) break;
      this.#allowances.delete(oldest);
    }
    this.#allowances.set(agentID, { left: allowed, until: this.#monotonic() + allowedMilliseconds });
  }

  get #isLimited(): boolean {
    return this.#limits.openPerAgent > 0 || this.#limits.newPerAgentPerMinute > 0;
  }
}
