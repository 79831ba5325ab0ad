/** Why the state folder cannot be used, in a sentence for the person who starts the core instance. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
