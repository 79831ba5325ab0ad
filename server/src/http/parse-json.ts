import { isUtf8 } from 'node:buffer';
import { Refusal } from '../refusal.ts';
import { findJsonFault } from './json-fault.ts';

/**
 * Reads a body. Undefined for an empty one: some clients name the media type of a body that they do not send.
 * A byte order mark is passed over, as RFC 8259 section 8.1 allows: tools on Windows write it.
 *
 * @throws Refusal invalid_json, which tells the place and never quotes the body: it may hold a secret.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new Refusal('invalid_json', { detail: 'The body is not valid UTF-8.' });
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
