import { allRoutes, grants } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { describeGrant } from '../tokens/describe-grant.ts';
import { permissionTexts } from './permissions.ts';

describe('the texts of permissions', () => {
  it('name exactly what project tokens can use', () => {
    const used = allRoutes
      .filter(({ credentials }) => credentials.includes('project'))
      .flatMap(({ permission, furtherPermission }) => [permission, furtherPermission])
      .filter((permission) => permission !== undefined);
    expect(Object.keys(permissionTexts).sort()).toEqual([...new Set(used)].sort());
  });

  it('say something of every grant that a token can have', () => {
    expect(grants.filter((grant) => !/^[A-Z].+\.$/.test(describeGrant(grant)))).toEqual([]);
    expect(describeGrant('*:token')).toBe('Everything about tokens, also what is added later.');
    expect(describeGrant('delete:agent_error')).toBe('Allows nothing yet.');
  });
});
