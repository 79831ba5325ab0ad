import type { AccessToken } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds, takesAllRounds } from '../../../../../test/rounds.ts';
import { eventually } from '../../../testing/eventually.ts';
import { TestBrowser } from '../../../testing/receivers/test-browser.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestApp } from '../../../testing/start-test-app.ts';
import { testEngine } from '../../../testing/test-database.ts';

/** A run takes several times as long on PostgreSQL, where what is broken on one replica is found in the first runs. */
const runs = rounds(testEngine === 'sqlite' ? 120 : 30);

const never = Number.POSITIVE_INFINITY;
const minute = 60_000;
const hour = 60 * minute;
const idle = 12 * hour;
const longest = 7 * 24 * hour;

interface TokenModel {
  readonly id: string;
  readonly expiresAt: number;
  isRevoked: boolean;
}

interface ValueModel {
  readonly token: TokenModel;
  readonly text: string;
  endsAt: number;
}

interface SessionModel {
  readonly value: ValueModel;
  readonly secret: string;
  readonly expiresAt: number;
  lastUsedAt: number;
  isRevoked: boolean;
}

const step = fc.record({
  kind: fc.constantFrom(
    ...(['create', 'sign in', 'sign in', 'sign in', 'use', 'use', 'use', 'use'] as const),
    ...([
      'wait',
      'wait',
      'wait',
      'rotate',
      'revoke token',
      'sign out',
      'report session',
      'report value',
    ] as const),
  ),
  target: fc.nat(),
  // Whole minutes, because a use is noted once a minute.
  wait: fc.constantFrom(1, 5, 60, 5 * 60, 11 * 60, 12 * 60, 30 * 60),
  graceMinutes: fc.constantFrom(0, 5, 13 * 60),
  expiresAfterHours: fc.constantFrom(undefined, 1, 20),
});

describe('the life of sessions', () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await startReplicas({ logLevel: 'info' });
  });
  afterAll(() => replicas.close());

  function refusalOfValue({ token, endsAt }: ValueModel): string | undefined {
    const now = replicas.clock.now();
    if (token.isRevoked) return 'revoked_credential';
    if (endsAt <= now) return 'rotated_credential';
    return token.expiresAt <= now ? 'expired_credential' : undefined;
  }

  /** The code with which a session must be refused now; undefined: it must be accepted. */
  function refusalOf({ value, isRevoked, expiresAt, lastUsedAt }: SessionModel): string | undefined {
    const now = replicas.clock.now();
    if (isRevoked) return 'revoked_credential';
    const refusal = refusalOfValue(value);
    if (refusal !== undefined) return refusal;
    return Math.min(expiresAt, lastUsedAt + idle) <= now ? 'expired_credential' : undefined;
  }

  it('never lets one be used after its end, and never ends one before, on any replica', async () => {
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const admin = { access: replicas.admin };
    const { clock } = replicas;

    const codeOf = async (app: TestApp, { secret }: SessionModel) => {
      const browser = new TestBrowser(app);
      browser.cookies.set('muster_session', secret);
      const { status, body } = await browser.call<{ code?: string }>('GET', '/v1/me');
      return status === 200 ? undefined : body.code;
    };

    const check = async (app: TestApp, session: SessionModel) => {
      const expected = refusalOf(session);
      expect(await codeOf(app, session)).toBe(expected);
      count(expected ?? 'accepted');
      if (expected !== undefined) return;
      session.lastUsedAt = clock.now();
      // Writes what it knows of uses, which happens by itself a few seconds later.
      await app.request('GET', '/v1/sessions', { as: admin });
    };

    const checkValue = async (app: TestApp, { text, ...value }: ValueModel) => {
      const { status, body } = await app.request<{ code?: string }>('GET', '/v1/me', {
        as: { access: text },
      });
      expect(status === 200 ? undefined : body.code).toBe(refusalOfValue({ text, ...value }));
    };

    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      const values: ValueModel[] = [];
      const sessions: SessionModel[] = [];

      const create = async (app: TestApp, hours: number | undefined) => {
        const expiresAt = hours === undefined ? never : clock.now() + hours * hour;
        const { body } = await app.request<AccessToken>('POST', '/v1/access_tokens', {
          as: admin,
          body: {
            name: 'life',
            ...(hours === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
          },
        });
        const token = { id: body.id, expiresAt, isRevoked: false };
        values.push({ token, text: body.token, endsAt: never });
      };

      const signIn = async (app: TestApp, value: ValueModel) => {
        const browser = new TestBrowser(app);
        const { status } = await browser.submit('/sign_in', { form: { token: value.text } });
        expect([status, browser.session === undefined]).toEqual(
          refusalOfValue(value) === undefined ? [303, false] : [401, true],
        );
        if (browser.session === undefined) return;
        const now = clock.now();
        const expiresAt = Math.min(now + longest, value.token.expiresAt);
        sessions.push({ value, secret: browser.session, expiresAt, lastUsedAt: now, isRevoked: false });
      };

      const report = async (app: TestApp, found: string) => {
        clock.advance(minute); // within the limit of reports
        const { text } = await app.request('POST', '/v1/token_leaks', { body: [{ token: found }] });
        expect(text).toBe('{"received":1}');
      };

      await create(replicas.one, undefined);
      for (const [turn, { kind, target, wait, graceMinutes, expiresAfterHours }] of steps.entries()) {
        const [app, other] = turn % 2 === 0 ? [replicas.one, replicas.other] : [replicas.other, replicas.one];
        const value = values[target % values.length];
        const session = sessions[target % sessions.length];
        if (value === undefined) throw new Error('there is always a value');
        if (kind === 'wait') {
          clock.advance(wait * minute);
        } else if (kind === 'create') {
          await create(app, expiresAfterHours);
        } else if (kind === 'sign in' || session === undefined) {
          await signIn(app, value);
        } else if (kind === 'use') {
          await check(app, session);
        } else if (kind === 'rotate') {
          const { status, body } = await app.request<AccessToken>(
            'POST',
            `/v1/access_tokens/${value.token.id}/rotate`,
            { as: admin, body: { graceSeconds: graceMinutes * 60 } },
          );
          if (status !== 200) continue;
          const endsAt = clock.now() + graceMinutes * minute;
          for (const one of values) if (one.token === value.token) one.endsAt = Math.min(one.endsAt, endsAt);
          values.push({ token: value.token, text: body.token, endsAt: never });
          await checkValue(other, value);
        } else if (kind === 'revoke token') {
          await app.request('DELETE', `/v1/access_tokens/${value.token.id}`, { as: admin });
          value.token.isRevoked = true;
          await checkValue(other, value);
        } else if (kind === 'sign out') {
          const browser = new TestBrowser(app);
          browser.cookies.set('muster_session', session.secret);
          const { status } = await browser.call('DELETE', '/v1/sessions/self');
          const isOpen = refusalOf(session) === undefined;
          expect(status).toBe(isOpen ? 204 : 401);
          if (isOpen) session.isRevoked = true;
          await check(other, session);
        } else if (kind === 'report session') {
          await report(app, session.secret);
          if (session.expiresAt <= clock.now()) continue;
          session.isRevoked = true;
          await eventually(async () => expect(await codeOf(app, session)).toBe('revoked_credential'));
          await check(other, session);
        } else {
          await report(app, value.text);
          if (refusalOfValue(value) !== undefined) continue;
          if (value.endsAt === never) value.token.isRevoked = true;
          else value.endsAt = clock.now();
          await eventually(() => checkValue(app, value));
          await checkValue(other, value);
        }
        count(kind);
      }
      for (const session of sessions) for (const app of replicas.all) await check(app, session);
      for (const value of values) for (const app of replicas.all) await checkValue(app, value);
    });
    await fc.assert(property, { numRuns: runs, endOnFailure: true });
    // Some are rare.
    if (!takesAllRounds || testEngine !== 'sqlite') return;
    for (const outcome of [
      ...['accepted', 'revoked_credential', 'rotated_credential', 'expired_credential'],
      ...['rotate', 'revoke token', 'sign out', 'report session', 'report value'],
    ]) {
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
    }
  });
});
