import { MusterConnectionError, MusterError } from '@muster/client';
import { partsTexts } from '../texts/parts.ts';

interface ErrorExplanation {
  readonly text: string;
  /** Also in the log of the service. */
  readonly requestID: string | undefined;
}

/** What a person is told of a failed request. */
export function explainError(error: unknown): ErrorExplanation {
  if (error instanceof MusterError) return { text: error.problem.detail, requestID: error.requestID };
  if (error instanceof MusterConnectionError) return { text: partsTexts.noConnection, requestID: undefined };
  return { text: partsTexts.ownFault, requestID: undefined };
}
