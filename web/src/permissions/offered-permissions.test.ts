import { allRoutes, type Grant } from '@muster/contract';
import { expect, it } from 'vitest';
import { type Audience, offeredPermissions } from './offered-permissions.ts';

const wildcards: readonly Grant[] = ['*', 'create:*', 'delete:*', 'read:*', 'update:*'];

const offered = (audience: Audience) =>
  offeredPermissions(audience).flatMap(({ grants }) => grants.map(({ grant }) => grant));

const asked = (routes: typeof allRoutes) => [
  ...new Set(
    routes
      .flatMap(({ permission, furtherPermission }) => [permission, furtherPermission])
      // Which is the same as *.
      .filter((permission) => permission !== undefined && permission !== '*:*'),
  ),
];

it('offers people every permission that a route asks for, but that of tokens to rotate themselves', () => {
  const ofPeople = asked(allRoutes).filter((permission) => permission !== 'update:own_token');
  expect(offered('person').toSorted()).toEqual([...ofPeople, ...wildcards].toSorted());
});

it('offers tokens what the routes ask for that tokens can call', () => {
  const ofTokens = asked(allRoutes.filter(({ credentials }) => credentials.includes('project')));
  expect(offered('token').toSorted()).toEqual([...ofTokens, ...wildcards].toSorted());
});
