import { formatToken, routes } from '@muster/contract';
import { InvalidAttempts } from '@muster/http/limits/invalid-attempts';
import { expect, it } from 'vitest';
import type { CredentialFreshness } from '../../credentials/credential-freshness.ts';
import type { Principal } from '../../credentials/principal.ts';
import { Admitter } from './admitter.ts';
import type { CredentialKeepers } from './authenticate.ts';

const principal: Principal = {
  kind: 'project',
  tokenID: 'id',
  name: 'name',
  projectID: 'project',
  grants: [],
  expiresAt: null,
};

/** A look-up may not see a change that happens while it runs. */
it('uses the generation number from before the check of a credential, not from after it', async () => {
  let answer: (found: Principal) => void = () => undefined;
  const keeper: CredentialKeepers['access'] = {
    authenticate: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    recall: () => undefined,
    recallRefusal: () => undefined,
  };
  let generation = 1;
  const freshness: CredentialFreshness = {
    get generation() {
      return generation;
    },
    confirm: () => undefined,
  };
  const attempts = new InvalidAttempts({
    perMinute: 0,
    clock: () => 0,
    onAttempt: () => undefined,
    onLimited: () => undefined,
  });
  const session = { ...keeper, cookieName: 'session', noteUse: () => undefined };
  const keepers = { access: keeper, project: keeper, agent: keeper, core_instance: keeper, session };
  const admitter = new Admitter(keepers, freshness, attempts);
  const headers = { authorization: `Bearer ${formatToken('access', new Uint8Array(32))}` };
  const sender = { ip: '127.0.0.1' } as Parameters<Admitter['identify']>[3]; // no other part of it is used
  const caller = admitter.identify(routes.getMe.credentials, headers, true, sender);
  generation = 2;
  answer(principal);
  expect(await caller).toEqual({ principal, generation: 1 });
});
