import { actions, allRoutes, grants, type Permission, resources } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { describeGrant } from '../permissions/describe-grant.ts';
import type { Audience } from '../permissions/offered-permissions.ts';
import { permissionsTexts } from './permissions.ts';

const permissions = actions.flatMap((action) =>
  resources.map((resource): Permission => `${action}:${resource}`),
);

const asked = (routes: typeof allRoutes) =>
  new Set(routes.flatMap(({ permission, furtherPermission }) => [permission, furtherPermission]));
const byRoutes = asked(allRoutes);
const byRoutesOfTokens = asked(allRoutes.filter(({ credentials }) => credentials.includes('project')));

const described = (audience: Audience, text: string) =>
  permissions.filter((permission) => describeGrant(permission, audience) === text);

describe('the texts of permissions', () => {
  it.each(['token', 'person'] as const)('say something of every grant that a %s can have', (audience) => {
    expect(grants.filter((grant) => !/^[A-Z].+\.$/.test(describeGrant(grant, audience)))).toEqual([]);
    expect(describeGrant('*:token', audience)).toBe('Everything about tokens, also what is added later.');
  });

  it.each(['token', 'person'] as const)(
    'say that a permission of a %s has no effect exactly if no operation asks for it',
    (audience) => {
      const unused = permissions.filter((permission) => !byRoutes.has(permission));
      expect(unused).toContain('create:own_token');
      expect(described(audience, permissionsTexts.noUse)).toEqual(unused);
    },
  );

  it('say who needs a permission that has no effect for the other', () => {
    expect(described('token', permissionsTexts.ofPeople)).toEqual(
      permissions.filter((permission) => byRoutes.has(permission) && !byRoutesOfTokens.has(permission)),
    );
    expect(described('person', permissionsTexts.ofTokens)).toEqual(['update:own_token']);
  });
});
