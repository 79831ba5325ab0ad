import { isUtf8 } from 'node:buffer';
import { bodyLimitBytes } from '@muster/contract';
import { invalidBody, Refusal } from '../refusal.ts';
import { holdsMoreValues } from './count-json-values.ts';
import { findJsonFault } from './json-fault.ts';

/** Limit for a large body: 100 fields for each of 1,000 reports, which are parsed within 0.1 s. */
const maxValues = 100_000;

/**
 * Parses a body. Returns undefined for an empty one, because some clients send a Content-Type without a body. Ignores a byte order mark, as RFC 8259
 * section 8.1 allows: tools on Windows write it.
 *
 * @throws Refusal invalid_json, which names the position and never quotes the body, because it may contain a secret; invalid_body for a large one
 * that would take long to parse.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new Refusal('invalid_json', { detail: 'The body is not valid UTF-8.' });
  if (holdsTooManyValues(body)) throw tooManyValues();
  const text = body.toString().replace(/^\ufeff/, '');
  try {
    return JSON.parse(text);
  } catch {
    const position = findJsonFault(text);
    throw new Refusal('invalid_json', {
      detail:
        position === text.length
          ? `The body is not valid JSON: it ends too early, at position ${position}.`
          : `The body is not valid JSON at position ${position}.`,
    });
  }
}

/** True for a large body that would take long to parse. */
export function holdsTooManyValues(body: Uint8Array): boolean {
  return body.length > bodyLimitBytes && holdsMoreValues(body, maxValues);
}

export function tooManyValues(): Refusal {
  return invalidBody([{ path: '', message: `contains more than ${maxValues} values` }]);
}
