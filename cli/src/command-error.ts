import type { Failure } from './exit-codes.ts';

/** A failure that the user can fix: it has an exit code, a message and advice. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly failure: Failure;
  /** The advice, as whole lines; a command to run has its own line. */
  readonly mend: string | undefined;

  /** @param message what happened and why, in one sentence; may contain control characters from other people's names */
  constructor(failure: Failure, message: string, mend?: string) {
    super(message);
    this.failure = failure;
    this.mend = mend;
  }
}
