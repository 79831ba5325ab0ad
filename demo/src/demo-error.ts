/** Ends the demo with a message that says what happened and what to do. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
