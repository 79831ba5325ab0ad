import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { minSilenceMilliseconds } from '../liveness/agent-status.ts';
import type { Listening } from '../liveness/listening.ts';
import type { SignsOfLife } from '../liveness/signs-of-life.ts';
import { findDueChanges, listDueChanges, noteAgents } from './silence-store.ts';

interface SilenceWatchOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly listening: Pick<Listening, 'since'>;
  readonly signs: Pick<SignsOfLife, 'flush'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

/** While agents fall silent all the time, the signs of life are not read more often than this. */
const minPauseMilliseconds = 500;
/** Whatever a sign of life changes, the next change by time alone is later than this, minus what writing it takes. */
const maxPauseMilliseconds = minSilenceMilliseconds - 10_000;
/** Clocks of replicas may differ by this. */
const overlapMilliseconds = 5_000;
const maxNotedAgents = 2_000;

/**
 * Finds the agents whose status changes by time alone: those that have been silent for too long, and those whose crash loop is over.
 *
 * It knows when the next change is due, so that the signs of life of a healthy fleet are read about once a minute.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #lookedAt = 0;
  #nextAt = 0;
  #looking: Promise<void> | undefined;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  /** Returns up to when all agents whose status has changed by time alone are noted, in milliseconds. */
  async look(): Promise<number> {
    const calledAt = this.#options.clock();
    if (this.#looking === undefined) {
      if (calledAt >= this.#lookedAt && calledAt < this.#nextAt) return calledAt;
      if (Math.abs(calledAt - this.#lookedAt) < minPauseMilliseconds) return this.#lookedAt;
      this.#looking = this.#lookNow(calledAt).finally(() => {
        this.#looking = undefined;
      });
    }
    await this.#looking;
    return this.#lookedAt;
  }

  async close(): Promise<void> {
    // Its failure was told to the caller that waited for it.
    await this.#looking?.catch(() => undefined);
  }

  async #lookNow(now: number): Promise<void> {
    const { database, listening, signs, closing } = this.#options;
    if (closing.aborted) return;
    const moment = { now, heardSince: listening.since };
    const loopsAfter = this.#lookedAt - overlapMilliseconds;
    const { isDue, next } = await findDueChanges(database, moment, loopsAfter);
    let nextAt = Math.min(next ?? Number.POSITIVE_INFINITY, now + maxPauseMilliseconds);
    if (isDue) {
      // What was heard of agents in the last seconds decides too.
      await signs.flush();
      const changes = await listDueChanges(database, moment, loopsAfter, maxNotedAgents);
      await noteAgents(database, changes.due);
      if (changes.due.length > 0) nextAt = now + minPauseMilliseconds;
      else nextAt = Math.min(nextAt, changes.next ?? Number.POSITIVE_INFINITY);
      if (changes.due.length === maxNotedAgents) {
        this.#nextAt = now;
        return;
      }
    }
    this.#lookedAt = now;
    this.#nextAt = nextAt;
  }
}
