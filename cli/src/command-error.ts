import type { Failure } from './exit-codes.ts';

/** A failure that a person can mend: it has the exit code and the words for them. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly failure: Failure;
  /** What to do, as whole lines; a command to run stands on a line of its own. */
  readonly mend: string | undefined;

  /** @param message what happened and why, in one sentence; what others have named in it may be hostile */
  constructor(failure: Failure, message: string, mend?: string) {
    super(message);
    this.failure = failure;
    this.mend = mend;
  }
}
