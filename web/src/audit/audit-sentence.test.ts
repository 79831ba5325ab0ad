import type { AuditEntry } from '@muster/client';
import { expect, it } from 'vitest';
import { auditSentenceText } from './audit-sentence.tsx';

const id = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';

const entry: AuditEntry = {
  id,
  sequence: 1,
  projectID: id,
  createdAt: '2026-01-01T00:00:00.000Z',
  action: 'token.revoked',
  actor: { kind: 'user', id, name: 'Anna Berg', credentialID: null },
  address: null,
  requestID: null,
  target: { kind: 'token', id: null, name: 'ci' },
  before: null,
  after: { reason: 'found in public' },
  previousDigest: '0'.repeat(64),
  digest: '1'.repeat(64),
};

it.each<[string, Partial<AuditEntry>]>([
  ['Anna Berg revoked the token ci (reason: “found in public”)', {}],
  [
    'Anna Berg stopped the rollout of version 3 of the fleet ci: 1 of 2 agents with the version reports a cause that the others do not',
    { action: 'rollout.stopped', after: { version: 3, rule: 'new_cause', agents: 1, of: 2, groupID: id } },
  ],
])('says “%s”', (text, values) => expect(auditSentenceText({ ...entry, ...values })).toBe(text));

it('says a time in the time zone of the browser', () => {
  const after = { expiresAt: '2027-01-01T12:00:00.000Z' };
  expect(auditSentenceText({ ...entry, action: 'sign_in_link.created', after })).toMatch(
    /^Anna Berg created a sign-in link for ci, valid until Jan [12], 2027, \d\d:\d\d$/,
  );
});
