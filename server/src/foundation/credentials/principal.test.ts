import { agentGrants, type Grant, grantsOfRole, type Permission, type Route, routes } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.ts';
import {
  type AgentPrincipal,
  actorOf,
  authorizeRoute,
  hasPartIn,
  outsiderNote,
  type Principal,
  type ProjectTokenPrincipal,
  projectOf,
  projectsWith,
  requireProjectToken,
  type UserAccess,
  type UserPrincipal,
} from './principal.ts';

const user: UserPrincipal = {
  kind: 'access',
  userID: 'user-1',
  name: 'Ada',
  accessTokenID: undefined,
  isProvided: false,
  access: { installation: ['*'], everyProject: ['*'], projects: new Map() },
  isNarrowed: false,
  needs: undefined,
  expiresAt: null,
};
const token: ProjectTokenPrincipal = {
  kind: 'project',
  tokenID: 'token-1',
  name: 'ci',
  projectID: 'project-1',
  grants: ['read:*'],
  expiresAt: null,
};
const agent: AgentPrincipal = {
  kind: 'agent',
  agentID: 'agent-1',
  projectID: 'project-1',
  grants: agentGrants,
  expiresAt: null,
};

function withGrants(...grants: Grant[]): Principal {
  return { ...token, grants };
}

/** A user with roles in projects. */
function member(projects: Readonly<Record<string, readonly Grant[]>>, more: Partial<UserAccess> = {}) {
  const access = { installation: [], everyProject: [], projects: new Map(Object.entries(projects)), ...more };
  return { ...user, access };
}

/** Authorizes a request of a route that needs this permission. */
function authorize(principal: Principal, permission: Permission, scope?: Route['scope']): Principal {
  const { scope: _, ...route } = routes.getAgent as Route; // any route
  return authorizeRoute(principal, { ...route, permission, ...(scope && { scope }) });
}

function refusalOf(act: () => void): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('authorizeRoute', () => {
  it('allows what is granted, by name or by a wildcard', () => {
    for (const grant of ['read:agent', 'read:*', '*:agent', '*:*', '*'] as const) {
      authorize(withGrants('create:token', grant), 'read:agent');
    }
    authorize(user, 'delete:audit_log');
  });

  it('refuses everything else, and names the missing permission and the granted ones', () => {
    const refusal = refusalOf(() => authorize(withGrants('create:*', '*:token'), 'read:agent'));
    expect(refusal.code).toBe('permission_denied');
    expect(refusal.detail).toBe(
      "This needs the permission 'read:agent', and this credential has only 'create:*', '*:token'. Use a token that has it, or add it to this one.",
    );
  });

  it('says that nothing is granted', () => {
    expect(refusalOf(() => authorize(withGrants(), 'read:agent')).detail).toContain('no permission at all');
  });

  it('grants an agent what it needs to manage itself, and nothing else', () => {
    for (const permission of ['create:agent_error', 'update:agent', 'read:fleet'] as const) {
      authorize(agent, permission);
    }
    for (const permission of [
      'create:agent',
      'read:agent',
      'delete:agent',
      'read:agent_error',
      'read:token',
    ] as const) {
      expect(refusalOf(() => authorize(agent, permission)).code).toBe('permission_denied');
    }
  });
});

describe('authorizeRoute, of a user', () => {
  it('refuses a permission that the user has in no project, before the project is looked up', () => {
    const viewer = member({ one: grantsOfRole('viewer') });
    expect(refusalOf(() => authorize(viewer, 'delete:agent')).detail).toBe(
      "This needs the permission 'delete:agent' in the project, which only owners, operators and administrators have, and this credential has only 'read:*'. Ask an owner of the project for a role that has it, or use an access token that is not narrowed.",
    );
    const both = member({ one: ['read:*'], two: ['read:agent'] });
    expect(refusalOf(() => authorize(both, 'delete:agent')).detail).toBe(
      "This needs the permission 'delete:agent' in the project, which only owners, operators and administrators have, and this credential has it in none of your projects. Ask an owner of the project for a role that has it, or use an access token that is not narrowed.",
    );
  });

  it('says whose permission it is, and the role of the user instead of all that it grants', () => {
    const operator = member({ one: grantsOfRole('operator') });
    expect(refusalOf(() => authorize(operator, 'update:member')).detail).toBe(
      "This needs the permission 'update:member' in the project, which only owners and administrators have, and this credential has only those of an operator. Ask an owner of the project for a role that has it, or use an access token that is not narrowed.",
    );
    const six = ['agent', 'token', 'fleet', 'webhook', 'agent_error', 'project'] as const;
    const narrowed = member({ one: six.map((resource) => `read:${resource}` as const) });
    expect(refusalOf(() => authorize(narrowed, 'delete:agent')).detail).toContain(
      'this credential has only 6 others.',
    );
  });

  it('names all that a route needs, and not only the one of them that is missing and reads as if it were a mistake', () => {
    const operator = member({ one: grantsOfRole('operator') });
    const needs = "This needs the permissions 'read:audit_log' and 'update:member'";
    expect(refusalOf(() => authorizeRoute(operator, routes.listAuditEntries as Route)).detail).toBe(
      `${needs} in the project, which only owners and administrators have, and this credential has only those of an operator. Ask an owner of the project for a role that has them, or use an access token that is not narrowed.`,
    );
    expect(
      refusalOf(() => authorizeRoute(withGrants('read:*'), routes.listAuditEntries as Route)).detail,
    ).toBe(
      `${needs}, and this credential has only 'read:*'. Use a token that has them, or add them to this one.`,
    );
    expect(
      refusalOf(() => authorizeRoute(operator, routes.listInstallationAuditEntries as Route)).detail,
    ).toBe(
      `${needs} on the installation, which only its administrators have, with an access token that is not narrowed to projects.`,
    );
  });

  it('tells a user without any access how to get in', () => {
    expect(refusalOf(() => authorize(member({}), 'read:agent')).detail).toBe(outsiderNote);
  });

  it('asks for a permission on the installation itself: the owner of every project does not have it', () => {
    authorize(user, 'create:project', 'installation');
    const owner = member({ one: ['*'] }, { everyProject: ['*'] });
    expect(refusalOf(() => authorize(owner, 'create:project', 'installation')).code).toBe(
      'permission_denied',
    );
  });

  it('refuses nobody a list of what is visible', () => {
    authorize(member({}), 'read:project', 'visible');
  });
});

describe('hasPartIn', () => {
  it.each([token, agent])('is true only of its own project for a $kind token', (principal) => {
    expect(projectOf(principal)).toBe('project-1');
    expect(hasPartIn(principal, 'project-1')).toBe(true);
    expect(hasPartIn(principal, 'project-2')).toBe(false);
  });

  it('is true of every project for an administrator', () => {
    expect(hasPartIn(authorize(user, 'delete:project'), 'project-2')).toBe(true);
  });

  it('is true of the projects of a member, whose role must permit the route there', () => {
    const caller = authorize(member({ one: ['read:*'], two: ['*'], three: [] }), 'delete:agent');
    expect(hasPartIn(caller, 'two')).toBe(true);
    expect(hasPartIn(caller, 'other')).toBe(false);
    for (const id of ['one', 'three']) {
      expect(refusalOf(() => hasPartIn(caller, id)).code).toBe('permission_denied');
    }
  });

  it('adds what a user may do in every project', () => {
    const caller = authorize(member({ one: ['delete:agent'] }, { everyProject: ['read:*'] }), 'delete:agent');
    expect(hasPartIn(caller, 'one')).toBe(true);
    expect(refusalOf(() => hasPartIn(caller, 'other')).code).toBe('permission_denied');
  });

  it('fails for a user whose request was not authorized', () => {
    expect(() => hasPartIn(user, 'one')).toThrow('was not authorized');
  });
});

describe('projectsWith', () => {
  it('names the projects in which a principal has a permission', () => {
    expect(projectsWith(user, 'read:project')).toBeUndefined();
    expect(projectsWith(token, 'read:project')).toEqual(['project-1']);
    expect(projectsWith(member({ one: ['read:*'], two: ['read:agent'] }), 'read:project')).toEqual(['one']);
    expect(projectsWith(member({ one: [] }, { everyProject: ['read:*'] }), 'read:project')).toBeUndefined();
  });
});

describe('requireProjectToken', () => {
  it('takes a project token and refuses every other kind', () => {
    expect(requireProjectToken(token)).toBe(token);
    for (const other of [user, agent]) {
      expect(refusalOf(() => requireProjectToken(other)).code).toBe('credential_kind_not_accepted');
    }
  });
});

describe('actorOf', () => {
  it('names the caller: a user, a token or an agent', () => {
    expect([user, token, agent].map(actorOf)).toEqual([
      { kind: 'user', id: 'user-1' },
      { kind: 'project_token', id: 'token-1' },
      { kind: 'agent', id: 'agent-1' },
    ]);
  });
});
