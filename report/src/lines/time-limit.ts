import { createContext, Script } from 'node:vm';

export interface TimeLimitOptions {
  readonly milliseconds: number;
  /** Called when work has been ended because it took too long. */
  readonly onExceeded: () => void;
}

/**
 * Ends work that takes too long, even in the middle of a regular expression: some regular expressions of users would
 * take centuries for some lines. Costs about 70 microseconds per run.
 */
export class TimeLimit {
  readonly #options: TimeLimitOptions;
  readonly #script = new Script('run()');
  readonly #sandbox = createContext({ run: () => false });

  constructor(options: TimeLimitOptions) {
    this.#options = options;
  }

  /** Returns the result of `work`, or true if it was ended. */
  run(work: () => boolean): boolean {
    this.#sandbox.run = work;
    try {
      return this.#script.runInContext(this.#sandbox, { timeout: this.#options.milliseconds }) === true;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      this.#options.onExceeded();
      return true;
    }
  }
}

function isTimeout(error: unknown): boolean {
  // An Error of the other context, and so not an instance of this one's.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
