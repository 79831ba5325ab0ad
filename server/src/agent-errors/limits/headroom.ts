import type { Report } from '../report.ts';
import type { NewErrorLimits } from './new-error-limits.ts';

/** How many errors an agent had when the database counted them. */
export interface AgentCounts {
  readonly openCount: number;
  /** Within the last minute. */
  readonly newCount: number;
}

interface Allowance {
  left: number;
  /** Milliseconds. */
  readonly until: number;
}

/**
 * Replicas do not know of one another. Each takes this share of what the limit leaves, so that together they exceed a
 * limit by no more than an eighth of it for each further replica; one alone never exceeds it.
 */
const share = 1 / 8;
/** Dismissals and other replicas change the counts. */
const allowedMilliseconds = 5_000;
const maxAgents = 20_000;

/**
 * How many new errors an agent may certainly store before the database has to count its errors again. Counting for
 * each report reads up to as many rows as the limit allows.
 *
 * Nothing has to be forgotten when an error is dismissed: the limit leaves more then than is known here.
 */
export class Headroom {
  readonly #limits: NewErrorLimits;
  /** In the order in which they were learned. */
  readonly #allowances = new Map<string, Allowance>();

  constructor(limits: NewErrorLimits) {
    this.#limits = limits;
  }

  /** True where so many new errors of one agent are within its limits, whatever else is stored. They count from now on. */
  take(agentID: string, reports: readonly Report[]): boolean {
    if (!this.#isLimited) return true;
    const allowance = this.#allowances.get(agentID);
    const now = latestOf(reports);
    if (allowance === undefined || allowance.left < reports.length || allowance.until < now) return false;
    allowance.left -= reports.length;
    return true;
  }

  /**
   * @param counts before any of the reports was stored
   * @param stored how many of them were stored as new errors
   */
  learn(agentID: string, reports: readonly Report[], counts: AgentCounts, stored: number): void {
    if (!this.#isLimited) return;
    const { openPerAgent, newPerAgentPerMinute } = this.#limits;
    const left = Math.min(
      openPerAgent === 0 ? Number.POSITIVE_INFINITY : openPerAgent - counts.openCount - stored,
      newPerAgentPerMinute === 0 ? Number.POSITIVE_INFINITY : newPerAgentPerMinute - counts.newCount - stored,
    );
    this.#allowances.delete(agentID);
    const allowed = Math.floor(left * share);
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
