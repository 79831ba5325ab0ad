import { invalidParameter } from '@muster/http/requests/parse-query';
import { parseTimestamp } from '../../clock.ts';

/** A time in a query, in milliseconds. @throws Refusal invalid_query_parameter */
export function readTimeParameter(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseTimestamp(text);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidParameter(name, 'must be an ISO 8601 time with its zone, such as 2026-01-31T00:00:00Z');
}
