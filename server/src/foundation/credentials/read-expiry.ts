import { parseTimestamp } from '../clock.ts';
import { invalidBody } from '../refusal.ts';

/**
 * Parses the `expiresAt` of a body: undefined if absent, null for never, otherwise milliseconds.
 *
 * @throws Refusal invalid_body
 */
export function readExpiry(text: string | null | undefined, now: number): number | null | undefined {
  if (text === undefined || text === null) return text;
  const expiresAt = parseTimestamp(text);
  if (expiresAt === undefined) {
    throw invalidBody([
      { path: '/expiresAt', message: 'must be an ISO 8601 time with its zone, such as 2027-01-31T00:00:00Z' },
    ]);
  }
  if (expiresAt <= now) throw invalidBody([{ path: '/expiresAt', message: 'must be in the future' }]);
  return expiresAt;
}
