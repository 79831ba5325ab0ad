import { grantsOfRole } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { parseOidcRoles } from './oidc-roles.ts';

const one = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
const other = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2e';

describe('parseOidcRoles', () => {
  it('reads administrators, and roles and permissions by project', () => {
    const roles = {
      'platform, admins': 'administrator',
      'CN=telemetry,OU=teams': { [one.toUpperCase()]: 'operator', [other]: ['read:*', 'update:agent_error'] },
      everybody: { '*': 'viewer' },
      nobody: {},
    };
    expect(parseOidcRoles(JSON.stringify(roles))).toEqual(
      new Map([
        ['platform, admins', { isAdministrator: true, everyProject: [], projects: new Map() }],
        [
          'CN=telemetry,OU=teams',
          {
            isAdministrator: false,
            everyProject: [],
            projects: new Map([
              [one, grantsOfRole('operator')],
              [other, ['read:*', 'update:agent_error']],
            ]),
          },
        ],
        ['everybody', { isAdministrator: false, everyProject: ['read:*'], projects: new Map() }],
        ['nobody', { isAdministrator: false, everyProject: [], projects: new Map() }],
      ]),
    );
  });

  it.each([
    [
      'admins=administrator',
      'It is not a JSON object such as {"platform-admins":"administrator","telemetry":{"*":"viewer"}}.',
    ],
    ['[]', 'It is not a JSON object such as {"platform-admins":"administrator","telemetry":{"*":"viewer"}}.'],
    [
      '{"a":"admin"}',
      '"a" must have "administrator", or an object from ids of projects to roles, such as {"*":"viewer"}.',
    ],
    [
      '{"a":{"*":"viewr"}}',
      `"a", "*": a role is one of owner, operator, viewer, or a list of at most 64 permissions. Did you mean 'viewer'?`,
    ],
    [
      '{"a":{"default":"viewer"}}',
      '"a", "default": a project is given by its id, or as * for every project.',
    ],
    ['{"a":{"*":["read:agnt"]}}', `"a", "*": 'read:agnt' is not a permission: did you mean 'read:agent'?`],
    [
      '{"a":{"*":null}}',
      '"a", "*": a role is one of owner, operator, viewer, or a list of at most 64 permissions.',
    ],
  ])('explains what is wrong with %s', (text, fault) => {
    expect(parseOidcRoles(text)).toEqual([fault]);
  });

  it('names all faults together', () => {
    expect(parseOidcRoles('{"a":1,"b":{"x":"viewer","*":2}}')).toHaveLength(3);
  });
});
