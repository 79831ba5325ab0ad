import { hash } from 'node:crypto';
import { foldError } from '@muster/faults';
import { TwoGenerations } from '../intake/two-generations.ts';

/** What the errors with the same cause in one project have in common. */
export interface ErrorGroupIdentity {
  /** Follows from the project and the pattern: it is the same on every replica, for ever. */
  readonly id: string;
  readonly pattern: string;
}

/** A text has up to 1,024 characters, and a bad rollout brings few different ones. */
const maxTextsOfGeneration = 2_000;

/** Finds the groups of texts. Remembers those that come again and again: the pattern of a text takes microseconds. */
export class ErrorGroupIdentities {
  readonly #known = new TwoGenerations<string, ErrorGroupIdentity>(maxTextsOfGeneration);

  of(projectID: string, text: string): ErrorGroupIdentity {
    const key = projectID + text;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const pattern = foldError(text);
    const group = { id: groupIDOf(projectID, pattern), pattern };
    this.#known.set(key, group);
    return group;
  }
}

/** A UUIDv8 (RFC 9562) of the SHA-256 of both. The id of a project has a fixed length. */
export function groupIDOf(projectID: string, pattern: string): string {
  const digest = hash('sha256', projectID + pattern);
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
