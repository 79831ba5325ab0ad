import type { AuditEntry } from '@muster/client';
import { type AuditAction, auditActions } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { toldEntriesOfAgents } from '../testing/told-entries-of-agents.ts';
import { toldEntriesOfPeople } from '../testing/told-entries-of-people.ts';
import { id, other } from '../testing/told-entry.ts';
import { describeEntry } from './describe-entry.ts';
import { entrySentences } from './entry-sentences.ts';

function told(action: AuditAction, values: Partial<AuditEntry> = {}): string {
  return describeEntry({
    id,
    sequence: 1,
    projectID: id,
    createdAt: '2026-01-01T00:00:00.000Z',
    action,
    actor: { kind: 'user', id, name: 'Ada', credentialID: null },
    address: null,
    requestID: null,
    target: { kind: 'token', id: other, name: 'ci' },
    before: null,
    after: null,
    previousDigest: '0'.repeat(64),
    digest: '1'.repeat(64),
    ...values,
  });
}

const sentences = [...toldEntriesOfPeople, ...toldEntriesOfAgents];

describe('the sentence of an entry of the audit log', () => {
  it('is tried for every action of the contract', () => {
    expect([...new Set(sentences.map(([, action]) => action))].toSorted()).toEqual(
      [...auditActions].toSorted(),
    );
    expect(Object.keys(entrySentences).toSorted()).toEqual([...auditActions].toSorted());
  });

  it.each(sentences)('says: %s', (sentence, action, values) => {
    expect(told(action, values)).toBe(sentence);
    expect(sentence).not.toContain(id);
  });

  it.each(auditActions)(
    'is whole for %s without a name, without values and with values of other kinds',
    (action) => {
      for (const values of [
        {},
        { target: { kind: 'token', id: null, name: null } as const },
        {
          before: { name: 1, role: [], fields: 'x', filter: 'x' },
          after: { name: null, permissions: 'x', agentsCount: '3', filter: null, freezeWindows: [1] },
        },
      ])
        expect(told(action, values)).not.toMatch(/undefined|null|\[object|NaN| {2}/);
    },
  );

  it('names an action that this version does not know', () => {
    expect(told('token.melted' as AuditAction)).toBe(
      // of a newer service
      "Ada did something that this version does not know: 'token.melted'",
    );
  });
});
