import type { CreateFleet, Fleet, UpdateFleet } from '@muster/client';

/** What stands in the fields of a fleet. */
export interface FleetInput {
  readonly name: string;
  readonly tags: string;
  readonly minimumVersion: string;
  readonly isReporting: boolean;
}

export const emptyFleet: FleetInput = { name: '', tags: '', minimumVersion: '', isReporting: true };

export function inputOf({ name, tags, minFluentBitVersion, reporting }: FleetFields): FleetInput {
  return {
    name,
    tags: tags.join(', '),
    minimumVersion: minFluentBitVersion,
    isReporting: reporting === 'on',
  };
}

type FleetFields = Pick<Fleet, 'name' | 'tags' | 'minFluentBitVersion' | 'reporting'>;

/** As the service takes it. Undefined: it has no name that agents could write. */
export function bodyOf(input: FleetInput): (CreateFleet & UpdateFleet) | undefined {
  if (!namePattern.test(input.name)) return undefined;
  const tags = input.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    name: input.name,
    tags: [...new Set(tags)],
    minFluentBitVersion: input.minimumVersion.trim(),
    reporting: input.isReporting ? 'on' : 'off',
  };
}

const namePattern = /^[A-Za-z0-9._~-]{1,32}$/;
