import { Refusal } from '../refusal.ts';

/** Parses plain text in UTF-8, without a byte order mark. @throws Refusal bad_request */
export function parseText(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal('bad_request', { detail: 'The body is not valid UTF-8.' });
  }
}
