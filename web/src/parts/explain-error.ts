import { MusterConnectionError, MusterError } from '@muster/client';
import { partsTexts } from '../texts/parts.ts';

interface ErrorExplanation {
  readonly text: string;
  /** Also in the log of the service. */
  readonly requestID: string | undefined;
}

/**
 * What a person is told of a failed request.
 *
 * @param labels of the fields that were filled in, by their names in the API
 */
export function explainError(
  error: unknown,
  labels: Readonly<Record<string, string>> = {},
): ErrorExplanation {
  if (error instanceof MusterError) {
    const text = error.problem.detail.replace(/'\/(\w+)[^']*'/g, (written, name) => labels[name] ?? written);
    return { text, requestID: error.requestID };
  }
  if (error instanceof MusterConnectionError) return { text: partsTexts.noConnection, requestID: undefined };
  return { text: partsTexts.ownFault, requestID: undefined };
}
