import { randomBytes } from 'node:crypto';

/** What texts that were never sent before begin with; a number makes each of them its own. */
export function createNewTextPrefix(): string {
  return `[output:es:es.0] HTTP status=401 URI=/_bulk, response of request ${randomBytes(4).toString('hex')}-`;
}

/** What a fleet repeats: texts as agents really send them, told apart by a number. */
export function standingTexts(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `[output:es:es.${index}] could not pack/validate JSON response, HTTP status=401 URI=/_bulk`,
  );
}
