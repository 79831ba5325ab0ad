import type { AuditEntry } from '@muster/client';
import { type AuditAction, auditActions } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { auditSentences } from '../texts/audit-sentences.ts';
import { entrySentence } from './entry-sentence.ts';
import { textOf } from './sentence.ts';

const id = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';

function entryOf(action: AuditAction, values: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id,
    sequence: 1,
    projectID: id,
    createdAt: '2026-01-01T00:00:00.000Z',
    action,
    actor: { kind: 'user', id, name: 'Anna Berg', credentialID: null },
    address: null,
    requestID: null,
    target: { kind: 'token', id, name: 'ci' },
    before: null,
    after: null,
    previousDigest: '0'.repeat(64),
    digest: '1'.repeat(64),
    ...values,
  };
}

const told = (action: AuditAction, values: Partial<AuditEntry> = {}) =>
  textOf(auditSentences[action](entryOf(action, values)));

describe('the sentences of the audit log', () => {
  it('tell of every action of the contract, and of no other', () => {
    expect(Object.keys(auditSentences).toSorted()).toEqual([...auditActions].toSorted());
  });

  it.each(auditActions)(
    'tell of %s without a name, without values and with values of other kinds',
    (action) => {
      const nameless = { kind: 'token', id: null, name: null } as const;
      for (const values of [
        {},
        { target: nameless },
        {
          before: { name: 1, role: [], fields: 'x' },
          after: { name: null, permissions: 'x', agentsCount: '3' },
        },
      ]) {
        const text = told(action, values);
        expect(text).toMatch(/^[a-z]+ ?.*[^ ,:]$/);
        expect(text).not.toMatch(/undefined|null|\[object|NaN| {2}/);
      }
    },
  );

  it.each<[string, AuditAction, Partial<AuditEntry>]>([
    [
      'revoked the token ci and 2 tokens created with it, and the agents that registered with it: “found in public”',
      'token.revoked',
      { after: { reason: 'found in public', revokeAgents: true, tokensCount: 3 } },
    ],
    [
      'revoked the token ci',
      'token.revoked',
      { after: { reason: null, revokeAgents: false, tokensCount: 1 } },
    ],
    [
      'created the token ci with create:agent and read:fleet, until Jan 1, 2027',
      'token.created',
      { after: { permissions: ['create:agent', 'read:fleet'], expiresAt: '2027-01-01T12:00:00.000Z' } },
    ],
    [
      'changed the name and the expiry of the token ci',
      'token.updated',
      { before: { name: 'a', expiresAt: null }, after: { name: 'b', expiresAt: '2027-01-01T00:00:00.000Z' } },
    ],
    [
      'rotated the token ci; the earlier value ends within 1 day',
      'token.rotated',
      { after: { graceSeconds: 86_400 } },
    ],
    [
      'changed the role of Ada from viewer to operator',
      'member.updated',
      {
        target: { kind: 'member', id, name: 'Ada' },
        before: { role: 'viewer', permissions: ['read:*'] },
        after: { role: 'operator', permissions: ['read:*'] },
      },
    ],
    [
      'changed the role of Ada from read:agent and read:token to owner',
      'member.updated',
      {
        target: { kind: 'member', id, name: 'Ada' },
        before: { role: 'custom', permissions: ['read:agent', 'read:token'] },
        after: { role: 'owner', permissions: ['*'] },
      },
    ],
    [
      'made Ada an owner',
      'member.added',
      { target: { kind: 'member', id, name: 'Ada' }, after: { role: 'owner', permissions: ['*'] } },
    ],
    [
      'invited ada@example.com as viewer',
      'invitation.created',
      {
        target: { kind: 'invitation', id, name: null },
        after: { role: 'viewer', permissions: ['read:*'], email: 'ada@example.com' },
      },
    ],
    [
      'changed the configuration of 1,155 agents',
      'agent.configuration_changed',
      { target: { kind: 'agent', id: null, name: null }, after: { agentsCount: 1_155, agentIDs: [] } },
    ],
    [
      'was denied the operation deleteProject 12 times',
      'request.denied',
      {
        target: { kind: 'route', id: 'deleteProject', name: null },
        after: { count: 12, code: 'permission_denied' },
      },
    ],
  ])('say “%s”', (text, action, values) => expect(told(action, values)).toBe(text));

  const agent = { kind: 'agent', id, name: null, credentialID: null } as const;
  const token = { kind: 'project_token', id, name: 'ci', credentialID: null } as const;
  const fleet = { kind: 'agent', id: null, name: null } as const;
  it.each<[string, AuditAction, Partial<AuditEntry>]>([
    [
      '13 agents changed their configuration',
      'agent.configuration_changed',
      { actor: { ...agent, id: null }, target: fleet, after: { agentsCount: 13, agentIDs: [] } },
    ],
    [
      'Several tokens changed the configuration of 13 agents',
      'agent.configuration_changed',
      {
        actor: { ...token, id: null, name: null },
        target: fleet,
        after: { agentsCount: 13, agentIDs: [] },
      },
    ],
    [
      'The agent web-1 changed its configuration',
      'agent.configuration_changed',
      { actor: agent, target: { kind: 'agent', id, name: 'web-1' } },
    ],
    [
      'The token ci rotated itself; the earlier value ended at once',
      'token.rotated',
      { actor: token, after: { graceSeconds: 0 } },
    ],
    [
      'The token ci used its new value for the first time, which ended the earlier ones',
      'token.earlier_values_ended',
      { actor: token },
    ],
    [
      'Anna Berg left the project, and revoked 2 tokens that they knew',
      'member.removed',
      { target: { kind: 'member', id, name: 'Anna Berg' }, after: { revokedTokensCount: 2 } },
    ],
    [
      'Anna Berg became an owner',
      'member.added',
      { target: { kind: 'member', id, name: 'Anna Berg' }, after: { role: 'owner', permissions: ['*'] } },
    ],
    [
      'The service deleted 2 agents',
      'agents.deleted',
      { actor: { ...agent, kind: 'system', id: null }, after: { agentsCount: 2 } },
    ],
  ])('say “%s”, with who did it', (text, action, values) =>
    expect(textOf(entrySentence(entryOf(action, values)))).toBe(text),
  );
});
