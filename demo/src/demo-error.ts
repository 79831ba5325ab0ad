/** Ends the demo with a message that says what happened and what to do. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
