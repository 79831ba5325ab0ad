import { isUtf8 } from 'node:buffer';
import { bodyLimitBytes } from '@muster/contract';
import { invalidBody, Refusal } from '../../refusal.ts';
import { holdsMoreValues } from './count-json-values.ts';
import { findJsonFault } from './json-fault.ts';

/** In a large body: a hundred fields for each of a thousand reports. Parsed within a tenth of a second. */
const maxValues = 100_000;

/**
 * Reads a body. Undefined for an empty one: some clients name the media type of a body that they do not send.
 * A byte order mark is passed over, as RFC 8259 section 8.1 allows: tools on Windows write it.
 *
 * @throws Refusal invalid_json, which tells the place and never quotes the body: it may hold a secret; invalid_body
 *   for a large one that would take long to parse.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new Refusal('invalid_json', { detail: 'The body is not valid UTF-8.' });
  if (body.length > bodyLimitBytes && holdsMoreValues(body, maxValues)) {
    throw invalidBody([{ path: '', message: `holds more than ${maxValues} values` }]);
  }
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
