import type { Grant } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.ts';
import {
  type AgentPrincipal,
  actorOf,
  agentGrants,
  authorize,
  hasPartIn,
  type Principal,
  type ProjectTokenPrincipal,
  projectOf,
  requireProjectToken,
  type UserPrincipal,
  userGrants,
} from './principal.ts';

const user: UserPrincipal = {
  kind: 'access',
  userID: 'user-1',
  name: 'Ada',
  accessTokenID: undefined,
  isProvided: false,
  grants: userGrants,
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

function refusalOf(act: () => void): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('authorize', () => {
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

describe('the projects that a principal can access', () => {
  it('are all projects for a user', () => {
    expect(projectOf(user)).toBeUndefined();
    expect(hasPartIn(user, 'project-2')).toBe(true);
  });

  it.each([token, agent])('is only its own project for a $kind token', (principal) => {
    expect(projectOf(principal)).toBe('project-1');
    expect(hasPartIn(principal, 'project-1')).toBe(true);
    expect(hasPartIn(principal, 'project-2')).toBe(false);
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
