import type { Report } from '../report.ts';
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
  /** Milliseconds. */
  readonly until: number;
}

/**
 * Replicas do not know of each other. Each uses this share of the remaining room, so that together they exceed a limit by at most an eighth of it per
 * further replica. A single replica never exceeds it.
 */
const share = 1 / 8;
/** The room of a cause is smaller: together, replicas exceed it by at most half of it per further replica. */
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
  /** In the order of their counts. */
  readonly #allowances = new Map<string, Allowance>();

  constructor(limits: NewErrorLimits) {
    this.#limits = limits;
  }

  /** True if these new errors of one agent are certainly within its limits. They are then counted. */
  take(agentID: string, reports: readonly Report[]): boolean {
    if (!this.#isLimited) return true;
    const allowance = this.#allowances.get(agentID);
    const now = latestOf(reports);
    if (allowance === undefined || allowance.left < reports.length || allowance.until < now) return false;
    allowance.left -= reports.length;
    return true;
  }

  /**
   * @param counts the counts before any of the reports was stored
   * @param stored the number of reports that were stored as new errors
   */
  learn(agentID: string, reports: readonly Report[], counts: AgentCounts, stored: number): void {
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
    this.#allowances.set(agentID, { left: allowed, until: latestOf(reports) + allowedMilliseconds });
  }

  get #isLimited(): boolean {
    return this.#limits.openPerAgent > 0 || this.#limits.newPerAgentPerMinute > 0;
  }
}

function latestOf(reports: readonly Report[]): number {
  return reports.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0);
}
