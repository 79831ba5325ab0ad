import { hash } from 'node:crypto';
import { agentGrants } from '@muster/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestToken, type TokenDigest } from '../secret.ts';
import { KnownAgents } from './known-agents.ts';
import { type KnownCredential, KnownPrincipals } from './known-credentials.ts';
import type { AgentPrincipal } from './principal.ts';

function idOf(name: string): string {
  const hex = hash('sha256', name);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

function known(number: number, isUsed = true): KnownCredential & { readonly principal: AgentPrincipal } {
  return {
    principal: {
      kind: 'agent',
      agentID: idOf(`agent ${number}`),
      projectID: idOf(`project ${number % 3}`),
      grants: agentGrants,
      expiresAt: null,
      unusedToken: isUsed ? undefined : digestToken(`token ${number}`),
    },
    readAt: number / 3 + 2 ** 40,
  };
}

describe('KnownAgents', () => {
  const operation = fc.record({
    kind: fc.constantFrom('set', 'set', 'set', 'delete', 'delete oldest', 'delete project'),
    number: fc.nat(30),
    isUsed: fc.boolean(),
  });

  it('knows what a Map of objects knows, after any changes', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 150 }), (operations) => {
        const agents = new KnownAgents();
        const model = new KnownPrincipals();
        for (const { kind, number, isUsed } of operations) {
          const digest = digestToken(`token ${number}`);
          for (const one of [agents, model]) {
            if (kind === 'set') one.delete(digest);
            if (kind === 'set') one.set(digest, known(number, isUsed));
            else if (kind === 'delete') one.delete(digest);
            else if (kind === 'delete oldest') one.deleteOldest();
            else
              one.deleteWhere((principal) => {
                return (
                  principal.kind === 'agent' && principal.projectID === known(number).principal.projectID
                );
              });
          }
          expect(agents.size).toBe(model.size);
        }
        for (let number = 0; number <= 30; number += 1) {
          const digest = digestToken(`token ${number}`);
          expect(agents.get(digest)).toEqual(model.get(digest));
        }
      }),
    );
  });

  it('takes no other digest for one that it knows, whichever of its 64 digits differs', () => {
    const agents = new KnownAgents();
    const digest = digestToken('token 1');
    agents.set(digest, known(1));
    for (let digit = 0; digit < digest.length; digit += 1) {
      const other = digest[digit] === '0' ? '1' : '0';
      const forged = `${digest.slice(0, digit)}${other}${digest.slice(digit + 1)}` as TokenDigest; // of no token
      expect(agents.get(forged)).toBeUndefined();
    }
    for (const text of ['', digest.slice(1), `${digest}0`, digest.toUpperCase(), 'x'.repeat(64)]) {
      expect(agents.get(text as TokenDigest)).toBeUndefined(); // no digests
    }
    expect(agents.get(digest)).toEqual(known(1));
  });

  it('names the digest of a token that was not used yet, also to who asks which ones to delete', () => {
    const agents = new KnownAgents();
    agents.set(digestToken('token 1'), known(1, false));
    const seen: unknown[] = [];
    agents.deleteWhere((principal) => {
      seen.push(principal);
      return false;
    });
    expect(seen).toEqual([known(1, false).principal]);
  });

  it('forgets everything before it holds agents of more projects than it may', () => {
    const agents = new KnownAgents(2);
    for (const number of [0, 1, 3]) agents.set(digestToken(`token ${number}`), known(number));
    expect(agents.size).toBe(3);
    agents.set(digestToken('token 2'), known(2));
    expect(agents.size).toBe(1);
    expect(agents.get(digestToken('token 2'))).toEqual(known(2));
    agents.clear();
    expect([agents.size, agents.get(digestToken('token 2'))]).toEqual([0, undefined]);
  });

  it('knows no principals of other kinds', () => {
    const agents = new KnownAgents();
    const { projectID } = known(1).principal;
    agents.set(digestToken('token'), {
      principal: { kind: 'project', tokenID: projectID, name: 'ci', projectID, grants: [], expiresAt: null },
      readAt: 1,
    });
    expect(agents.size).toBe(0);
  });
});
