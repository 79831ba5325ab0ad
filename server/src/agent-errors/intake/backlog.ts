import { OverloadRefusals } from '../../overload-refusals.ts';
import type { Refusal } from '../../refusal.ts';
import type { Report } from '../report.ts';

export interface BacklogLimits {
  /** Most reports that wait. */
  readonly reports: number;
  /** Most characters of their texts. */
  readonly characters: number;
  /** How long the last of them is expected to wait, in milliseconds. */
  readonly milliseconds: number;
}

/** A request that waits holds some 25 KB beside its texts; a client gives up after ten seconds or so. */
export const defaultBacklogLimits: BacklogLimits = {
  reports: 10_000,
  characters: 8_000_000,
  milliseconds: 1_000,
};

/** What a report is taken to cost before that was measured, in milliseconds. */
const assumedCost = 0.25;
/** So many in one commit, and what the commit itself costs counts for little. */
const tellingReports = 100;
/** How much the latest commit counts for what is expected of the next. */
const weight = 0.4;

/**
 * What waits for its commit, bounded in number, in size and in time: who would wait for long is told at once to come
 * back. So those who are let in are answered in time, and nobody gives up and sends again what is worked on still.
 */
export class Backlog {
  readonly #limits: BacklogLimits;
  readonly #refusals = new OverloadRefusals();
  #reports = 0;
  #characters = 0;
  /** Milliseconds for each report. */
  #cost = assumedCost;

  constructor(limits: BacklogLimits) {
    this.#limits = limits;
  }

  get reports(): number {
    return this.#reports;
  }

  /** Undefined where there is room. There always is while nothing waits: it will not get better than that. */
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

  /** Learns what a report costs under load; a small commit says only what it costs at most. */
  noteCommit(reports: number, milliseconds: number): void {
    const cost = milliseconds / reports;
    if (reports >= tellingReports || cost < this.#cost) this.#cost += (cost - this.#cost) * weight;
  }
}

function charactersOf(reports: readonly Report[]): number {
  return reports.reduce((sum, { error }) => sum + error.length, 0);
}
