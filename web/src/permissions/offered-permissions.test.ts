import { allRoutes } from '@muster/contract';
import { expect, it } from 'vitest';
import { offeredPermissions } from './offered-permissions.ts';

it('offers every permission that a route asks for, but that of tokens to rotate themselves', () => {
  const offered = offeredPermissions().flatMap(({ permissions }) =>
    permissions.map(({ permission }) => permission),
  );
  const asked = allRoutes.flatMap(({ permission, furtherPermission }) => [permission, furtherPermission]);
  expect(offered.toSorted()).toEqual(
    [...new Set(asked)].filter((one) => one !== undefined && one !== 'update:own_token').toSorted(),
  );
});
