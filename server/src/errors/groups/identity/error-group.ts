import { hash } from 'node:crypto';
import { foldErrorKnowing } from '@muster/faults';
import { TwoGenerations } from '../../../foundation/two-generations.ts';

/** The errors with the same cause in one project. */
export interface ErrorGroupIdentity {
  /** Derived from the project and the pattern, so that it is always the same on every replica. */
  readonly id: string;
  readonly pattern: string;
}

const maxGroupsOfGeneration = 10_000;

/**
 * Caches groups by project and pattern. A cache by text would not help: a text with a time or a number never repeats, and
 * computing the pattern takes no longer than a look-up.
 */
export class KnownGroups<Group> {
  readonly #known = new TwoGenerations<string, Group>(maxGroupsOfGeneration);

  /** @param make called for a group that is not in the cache */
  find(projectID: string, text: string, make: (group: ErrorGroupIdentity) => Group): Group {
    let known: Group | undefined;
    const pattern = foldErrorKnowing(text, (folded) => {
      known = this.#known.get(projectID + folded);
      return known !== undefined;
    });
    known ??= this.#known.get(projectID + pattern);
    if (known !== undefined) return known;
    const group = make({ id: groupIDOf(projectID, pattern), pattern });
    this.#known.set(projectID + pattern, group);
    return group;
  }

  forgetAll(): void {
    this.#known.clear();
  }
}

/** Finds the ids of groups. */
export class ErrorGroupIDs {
  readonly #known = new KnownGroups<string>();

  of(projectID: string, text: string): string {
    return this.#known.find(projectID, text, ({ id }) => id);
  }
}

/** A UUIDv8 (RFC 9562) of the SHA-256 of both. The id of a project has a fixed length. */
export function groupIDOf(projectID: string, pattern: string): string {
  const digest = hash('sha256', projectID + pattern);
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
