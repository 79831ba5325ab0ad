import { randomBytes } from 'node:crypto';

/** The beginning of new texts; a number makes each of them unique. */
export function createNewTextPrefix(): string {
  return `[output:es:es.0] HTTP status=401 URI=/_bulk, response of request ${randomBytes(4).toString('hex')}-`;
}

/** Texts that a fleet repeats: as real agents send them, distinguished by a number. */
export function repeatedTexts(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `[output:es:es.${index}] could not pack/validate JSON response, HTTP status=401 URI=/_bulk`,
  );
}
