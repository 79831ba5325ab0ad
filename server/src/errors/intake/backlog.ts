import type { Refusal } from '../../foundation/refusal.ts';
import { OverloadRefusals } from '../../foundation/scheduling/overload-refusals.ts';
import type { Report } from '../report.ts';

export interface BacklogLimits {
  /** Maximum number of waiting reports. */
  readonly reports: number;
  /** Maximum total length of their texts, in characters. */
  readonly characters: number;
  /** Maximum expected wait of the last one, in milliseconds. */
  readonly milliseconds: number;
}

/** A waiting request takes about 25 KB besides its texts. Clients give up after about ten seconds. */
export const defaultBacklogLimits: BacklogLimits = {
  reports: 10_000,
  characters: 8_000_000,
  milliseconds: 1_000,
};

/** Assumed cost of a report before the first measurement, in milliseconds. */
const assumedCost = 0.25;
/** Number of reports in a commit above which the overhead of the commit is negligible. */
const tellingReports = 100;
/** Weight of the latest commit in the moving average. */
const weight = 0.4;

/**
 * Counts the reports that wait for their commit, and limits their number, size and expected wait. A report that would wait too long is refused at
 * once with a time to retry, so that accepted reports are answered before their clients give up and send them again.
 */
export class Backlog {
  readonly #limits: BacklogLimits;
  readonly #refusals = new OverloadRefusals();
  #reports = 0;
  #characters = 0;
  /** Milliseconds per report. */
  #cost = assumedCost;

  constructor(limits: BacklogLimits) {
    this.#limits = limits;
  }

  get reports(): number {
    return this.#reports;
  }

  /** Undefined if there is room. There is always room while nothing waits, because waiting would not help. */
  refuse(reports: number): Refusal | undefined {
    const waiting = this.#reports + reports;
    const hasRoom =
      this.#reports === 0 ||
      (waiting <= this.#limits.reports &&
        waiting * this.#cost <= this.#limits.milliseconds &&
        this.#characters <= this.#limits.characters);
    return hasRoom ? undefined : this.nextRefusal();
  }

  nextRefusal(): Refusal {
    return this.#refusals.next();
  }

  add(reports: readonly Report[]): void {
    this.#reports += reports.length;
    this.#characters += charactersOf(reports);
  }

  remove(reports: readonly Report[]): void {
    this.#reports -= reports.length;
    this.#characters -= charactersOf(reports);
  }

  /** Updates the cost of a report under load. A small commit only gives an upper bound. */
  noteCommit(reports: number, milliseconds: number): void {
    const cost = milliseconds / reports;
    if (reports >= tellingReports || cost < this.#cost) this.#cost += (cost - this.#cost) * weight;
  }
}

function charactersOf(reports: readonly Report[]): number {
  return reports.reduce((sum, { error }) => sum + error.length, 0);
}
