import type { ServerResponse } from 'node:http';
import { UntoldRefusal } from '../../refusal.ts';
import { FairSlots } from '../../scheduling/fair-slots.ts';

interface ListTurnsOptions {
  /** Called for each request that is refused since too many wait. */
  readonly onRefused: (caller: string) => void;
}

/** Few, since each has a thousand rows to turn into text while nothing else is answered. */
const slots = {
  count: 4,
  maxPerCaller: 2,
  maxWaiting: 200,
  maxWaitingPerCaller: 40,
  maxWaitMilliseconds: 5_000,
} as const;
/** Of answers that clients have not taken yet: two or three pages of the largest kind for one of them. */
const maxUnsentBytes = { ofOne: 16 * 1024 * 1024, ofAll: 64 * 1024 * 1024 };
const retryAfterSeconds = 2;

/**
 * Lets lists and metrics through a few at a time, by turns of their callers: whoever asks for a thousand of them at once
 * waits for its own, and neither another caller nor a health check waits for them.
 */
export class ListTurns {
  readonly #options: ListTurnsOptions;
  readonly #slots = new FairSlots(slots);
  readonly #unsentBytes = new Map<string, number>();
  #allUnsentBytes = 0;

  constructor(options: ListTurnsOptions) {
    this.#options = options;
  }

  /**
   * Does the work of a list when its turn has come.
   *
   * @param caller whose turn it is.
   * @param hangUp when it is aborted, the caller waits no more.
   * @throws Refusal overloaded, where too many wait or the caller takes no answers.
   */
  async run<Result>(caller: string, hangUp: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const giveBack = this.#takesAnswers(caller) ? await this.#slots.take(caller, hangUp) : 'none';
    if (giveBack === 'none') {
      this.#options.onRefused(caller);
      throw new UntoldRefusal('overloaded', {
        detail:
          'Too many lists are being read. Wait for the seconds in Retry-After, and request one page after the other.',
        retryAfterSeconds,
      });
    }
    try {
      return await work();
    } finally {
      // Once the answer is written, and after what else has come meanwhile, such as a health check.
      setImmediate(giveBack);
    }
  }

  /** To be called for each answer: until the client has taken it, it counts. */
  noteAnswer(caller: string, bytes: number, response: ServerResponse): void {
    this.#addUnsent(caller, bytes);
    response.once('close', () => this.#addUnsent(caller, -bytes));
  }

  #takesAnswers(caller: string): boolean {
    const ofCaller = this.#unsentBytes.get(caller) ?? 0;
    return ofCaller < maxUnsentBytes.ofOne && this.#allUnsentBytes < maxUnsentBytes.ofAll;
  }

  #addUnsent(caller: string, bytes: number): void {
    this.#allUnsentBytes += bytes;
    const ofCaller = (this.#unsentBytes.get(caller) ?? 0) + bytes;
    if (ofCaller === 0) this.#unsentBytes.delete(caller);
    else this.#unsentBytes.set(caller, ofCaller);
  }
}
