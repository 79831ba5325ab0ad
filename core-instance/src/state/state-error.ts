interface StateErrorOptions extends ErrorOptions {
  readonly refusal?: 'unauthorized' | 'forbidden';
}

/** Why a core instance cannot run, in a sentence for the person who starts it. */
export class StateError extends Error {
  override readonly name = 'StateError';
  /** What the centre refused. Another try will not be answered otherwise. */
  readonly refusal: 'unauthorized' | 'forbidden' | undefined;

  constructor(message: string, options: StateErrorOptions = {}) {
    super(message, options);
    this.refusal = options.refusal;
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
