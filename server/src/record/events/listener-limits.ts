import { type Refusal, UntoldRefusal } from '../../foundation/refusal.ts';

/** Maximum numbers of open streams of this process. 0: no limit. */
export interface ListenerLimits {
  readonly ofAll: number;
  readonly ofProject: number;
  readonly ofCredential: number;
}

const retryAfterSeconds = 30;

/** Counts the open streams, and refuses those that exceed a limit. */
export class ListenerCounts {
  readonly #limits: ListenerLimits;
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
  }

  get all(): number {
    return this.#all;
  }

  /**
   * Counts a stream. Returns a function that ends the count, and that may be called twice.
   *
   * @throws Refusal too_many_event_listeners, overloaded
   */
  take(projectID: string, caller: string): () => void {
    const { ofAll, ofProject, ofCredential } = this.#limits;
    if (isReached(this.#of(caller), ofCredential)) {
      throw tooMany(`This credential already has ${ofCredential} open event streams on this instance.`);
    }
    if (isReached(this.#of(projectID), ofProject)) {
      throw tooMany(`This project already has ${ofProject} open event streams on this instance.`);
    }
    if (isReached(this.#all, ofAll)) {
      throw new UntoldRefusal('overloaded', {
        detail: `This instance already has ${ofAll} open event streams. Try again later, or raise MUSTER_MAX_EVENT_LISTENERS.`,
        retryAfterSeconds,
      });
    }
    this.#add(projectID, caller, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(projectID, caller, -1);
      isTaken = false;
    };
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(projectID: string, caller: string, change: number): void {
    this.#all += change;
    for (const key of [projectID, caller]) {
      const count = this.#of(key) + change;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }
}

function isReached(count: number, limit: number): boolean {
  return limit > 0 && count >= limit;
}

function tooMany(what: string): Refusal {
  return new UntoldRefusal('too_many_event_listeners', {
    detail: `${what} Close streams that are no longer needed, or wait for the seconds in Retry-After.`,
    retryAfterSeconds,
  });
}
