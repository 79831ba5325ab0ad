import type { AuditEntry, Me, SignInLink } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../foundation/clock.ts';
import { eventually } from '../../testing/eventually.ts';
import { TestBrowser } from '../../testing/receivers/test-browser.ts';
import { readStored } from '../../testing/rows/read-stored.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import type { TestApp } from '../../testing/start-test-app.ts';

const day = 24 * 3_600_000;
const url = 'https://user:pass-word@git.example/fleet/cookies.txt';
const source = 'https://--redacted--@git.example/fleet/cookies.txt';

let replicas: Replicas;
let app: TestApp;

async function report(...tokens: readonly string[]): Promise<void> {
  const { status, text } = await app.request('POST', '/v1/token_leaks', {
    body: tokens.map((token) => ({ token, url })),
  });
  expect([status, text]).toEqual([200, `{"received":${tokens.length}}`]);
}

async function signIn(): Promise<TestBrowser> {
  const browser = new TestBrowser(app);
  await browser.signIn(replicas.admin);
  return browser;
}

async function createLink(): Promise<string> {
  const { body } = await app.request<SignInLink>('POST', '/v1/sign_in_links', {
    as: { access: replicas.admin },
  });
  return new URL(body.url).pathname.replace('/sign_in/link/', '');
}

/** What each replica answers to the browser. */
async function codesOf(browser: TestBrowser): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const replica of replicas.all) {
    browser.app = replica;
    const { status, body } = await browser.call<{ code?: string }>('GET', '/v1/me');
    answers.push(body.code ?? status);
  }
  browser.app = app;
  return answers;
}

/** Opens a link on the other replica, without confirming. */
async function openLink(secret: string): Promise<TestBrowser> {
  const browser = new TestBrowser(replicas.other);
  await browser.open(`/sign_in/link/${secret}`);
  expect((await browser.open('/sign_in/link')).status).toBe(200);
  return browser;
}

const everywhere = (answer: unknown) => replicas.all.map(() => answer);

/** Kinds and messages of leaks that were dealt with, as logged. */
function handledLeaks(): unknown[] {
  return app.logs
    .filter((line) => line.includes('reported as found in public'))
    .map((line) => JSON.parse(line))
    .map(({ kind, msg }) => [kind, msg]);
}

const ended = (kind: string) => [kind, 'a credential was reported as found in public, and is ended'];

/** Entries of the audit log about leaks, in their order. */
async function recordedLeaks(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const action of ['session.leaked', 'sign_in_link.leaked']) {
    const { status, body } = await app.request<AuditEntry[]>('GET', `/v1/audit_log?action=${action}`, {
      as: { access: replicas.admin },
    });
    expect(status).toBe(200);
    entries.push(...body);
  }
  return entries.sort((one, other) => one.sequence - other.sequence);
}

describe.each(['revoke', 'report'] as const)('POST /v1/token_leaks with MUSTER_LEAKED_TOKENS=%s', (mode) => {
  beforeEach(async () => {
    replicas = await startReplicas({ config: { leakedTokens: mode } });
    app = replicas.one;
  });
  afterEach(() => replicas.close());

  it('ends a session on every replica, and no other of the same token', async () => {
    const [leaked, other] = [await signIn(), await signIn()];
    expect(await codesOf(leaked)).toEqual(everywhere(200));
    await report(leaked.session ?? '');
    await eventually(async () => expect(await codesOf(leaked)).toEqual(everywhere('revoked_credential')));
    expect(await codesOf(other)).toEqual(everywhere(200));
  });

  it('ends a sign-in link that was not used', async () => {
    const [leaked, other] = [await createLink(), await createLink()];
    const [browser, ofOther] = [await openLink(leaked), await openLink(other)];
    await report(leaked);
    await eventually(() => expect(handledLeaks()).toEqual([ended('sign_in_link')]));
    const refused = await browser.submit('/sign_in/link');
    expect([refused.status, browser.session]).toEqual([410, undefined]);
    expect(refused.text).toContain('This link was already used');
    expect((await ofOther.submit('/sign_in/link')).status).toBe(303);
  });

  it('deals with each value once, and with none that had ended', async () => {
    const browser = await signIn();
    const { session = '' } = browser;
    const [used, open] = [await createLink(), await createLink()];
    await (await openLink(used)).submit('/sign_in/link');
    const signedOut = await signIn();
    const { session: earlier = '' } = signedOut;
    await signedOut.submit('/sign_out');
    const values = [session, used, open, earlier, `${session.slice(0, -1)}x`];
    await report(...values);
    await report(...values);
    await eventually(() => expect(handledLeaks()).toEqual([ended('session'), ended('sign_in_link')]));
    const expiring = [(await signIn()).session ?? '', await createLink()];
    replicas.clock.advance(8 * day);
    await report(...expiring);
    // A later one, so that the reports before it are known to be dealt with.
    const last = await createLink();
    await report(last);
    await eventually(() => expect(handledLeaks()).toHaveLength(3));
    expect(await recordedLeaks()).toHaveLength(3);
  });

  it('records both in the audit log, without their secrets', async () => {
    const { session = '' } = await signIn();
    const link = await createLink();
    await report(session, link);
    await eventually(() => expect(handledLeaks()).toHaveLength(2));
    const { body: me } = await app.request<Me>('GET', '/v1/me', { as: { access: replicas.admin } });
    const entries = await recordedLeaks();
    expect(entries).toEqual(
      [
        { action: 'session.leaked', target: { kind: 'session', id: expect.any(String), name: null } },
        {
          action: 'sign_in_link.leaked',
          target: { kind: 'sign_in_link', id: expect.any(String), name: 'administrator' },
        },
      ].map((expected) => ({
        ...expected,
        id: expect.any(String),
        sequence: expect.any(Number),
        projectID: null,
        createdAt: toTimestamp(replicas.clock.now()),
        actor: { kind: 'system', id: null, name: 'report of a leak', credentialID: null },
        address: '127.0.0.1',
        requestID: expect.any(String),
        before: null,
        after: { revoked: true, source, userID: me.id },
        previousDigest: expect.any(String),
        digest: expect.any(String),
      })),
    );
    for (const text of [...app.logs, JSON.stringify(entries), await readStored(app.dataDirectory)])
      for (const secret of [session, link, 'pass-word']) expect(text.includes(secret)).toBe(false);
  });
});
