import { MusterConnectionError, MusterError } from '@muster/client';

/** Ends the demo with a message that says what happened and what to do. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** Whether Muster did not do what the demo asked for, and the message says why. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof DemoError || error instanceof MusterError || error instanceof MusterConnectionError;
}
