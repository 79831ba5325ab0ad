import { type AccessToken, formatSignInSecret, type Me, type SignInLink } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestToken } from '../../../foundation/secret.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { TestBrowser } from '../../../testing/receivers/test-browser.ts';
import { readStored } from '../../../testing/rows/read-stored.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestApp } from '../../../testing/start-test-app.ts';

const minute = 60_000;

let replicas: Replicas;
let app: TestApp;

beforeAll(async () => {
  replicas = await startReplicas({ config: { invalidCredentialsPerAddressPerMinute: 30 } });
  app = replicas.one;
});

afterAll(() => replicas.close());

async function createLink(access = replicas.admin): Promise<string> {
  const { status, body } = await app.request<SignInLink>('POST', '/v1/sign_in_links', { as: { access } });
  expect(status).toBe(201);
  return new URL(body.url).pathname;
}

async function createToken(body: object = { name: 'laptop' }): Promise<AccessToken> {
  const answer = await app.request<AccessToken>('POST', '/v1/access_tokens', {
    as: { access: replicas.admin },
    body,
  });
  return answer.body;
}

async function openAndConfirm(path: string, browser = new TestBrowser(app)) {
  await browser.open(path);
  const page = await browser.open('/sign_in/link');
  const confirmed = await browser.submit('/sign_in/link');
  return { browser, page, confirmed };
}

describe('POST /v1/sign_in_links', () => {
  it('answers a link at the address of the request, and when it ends', async () => {
    const { status, body } = await app.request<SignInLink>('POST', '/v1/sign_in_links', {
      as: { access: replicas.admin },
      headers: { host: 'muster.example.com:7400' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      url: expect.stringMatching(
        /^http:\/\/muster\.example\.com:7400\/sign_in\/link\/mst_l_[0-9A-Za-z]{49}$/,
      ),
      expiresAt: new Date(app.clock.now() + 10 * minute).toISOString(),
    });
  });

  it('refuses a session, which could otherwise copy itself to another browser', async () => {
    const { browser } = await openAndConfirm(await createLink());
    const { status, body } = await browser.call('POST', '/v1/sign_in_links');
    expect(status).toBe(403);
    expect(body).toEqual(
      problemBody(
        'credential_kind_not_accepted',
        'This takes an access token of this installation (mst_u_…).',
      ),
    );
  });
});

describe('the sign-in links of a user', () => {
  const create = (one = app) =>
    one.request<SignInLink>('POST', '/v1/sign_in_links', { as: { access: replicas.admin } });
  const refusal = (retryAfter: string) => [429, retryAfter, problemBody('too_many_new_credentials')];
  const toRefusal = ({ status, headers, body }: Awaited<ReturnType<typeof create>>) => [
    status,
    headers['retry-after'],
    body,
  ];

  it('are made at a pace on all replicas together, and at most 50 are valid', async () => {
    // Earlier ones have expired.
    app.clock.advance(60 * minute);
    const createMany = async (count: number) => {
      const statuses = new Set<number>();
      for (let times = 0; times < count; times += 1) {
        const { status } = await create(times % 2 === 0 ? app : replicas.other);
        statuses.add(status);
      }
      return [...statuses];
    };
    expect(await createMany(20)).toEqual([201]);
    app.clock.advance(minute / 2);
    expect(toRefusal(await create(replicas.other))).toEqual(refusal('30'));
    app.clock.advance(minute / 2);
    expect(await createMany(20)).toEqual([201]);
    app.clock.advance(minute);
    expect(await createMany(9)).toEqual([201]);
    const { body } = await create();
    expect(toRefusal(await create())).toEqual(refusal('480'));
    // One that was used counts no longer.
    await openAndConfirm(new URL(body.url).pathname);
    expect(await createMany(1)).toEqual([201]);
    app.clock.advance(60 * minute);
  });
});

describe('a sign-in link', () => {
  it('signs a browser in as the user of the access token, on another replica too', async () => {
    const browser = new TestBrowser(app);
    const first = await browser.open(await createLink());
    expect([first.status, first.location]).toEqual([303, '../link']);
    browser.app = replicas.other;
    const page = await browser.open('/sign_in/link');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Sign in as <bdi>administrator</bdi>?');
    const { status, location } = await browser.submit('/sign_in/link');
    expect([status, location]).toEqual([303, '../']);
    browser.app = app;
    const { body } = await browser.call<Me>('GET', '/v1/me');
    expect(body).toEqual({
      kind: 'access',
      id: expect.any(String),
      name: 'administrator',
      permissions: ['*'],
      projectID: null,
      expiresAt: new Date(app.clock.now() + 12 * 60 * minute).toISOString(),
      installationPermissions: ['*'],
      projects: [],
      sessionID: expect.any(String),
    });
  });

  it('is not used up by being opened, as by a program that shows previews of links', async () => {
    const path = await createLink();
    for (let times = 0; times < 3; times += 1) {
      const preview = new TestBrowser(app);
      await preview.open(path);
      expect((await preview.open('/sign_in/link')).status).toBe(200);
    }
    expect((await openAndConfirm(path)).confirmed.status).toBe(303);
  });

  it.each([
    ['is cut off', (path: string) => path.slice(0, -1)],
    ['has a typing error', (path: string) => `${path.slice(0, -1)}_`],
    ['is nothing like one', () => `/sign_in/link/${encodeURIComponent('€'.repeat(30))}`],
  ])('that %s sets nothing, and does not replace a link that was opened before', async (_, change) => {
    const browser = new TestBrowser(app);
    await browser.open(await createLink());
    const before = browser.cookieHeader();
    const { status, text } = await browser.open(change(await createLink()));
    expect([status, text]).toEqual([404, expect.stringContaining('<h1>This link is not complete</h1>')]);
    expect(text).toContain('href="../../sign_in/style.css"');
    expect([browser.setCookies.length, browser.cookieHeader()]).toEqual([1, before]);
  });

  it('leaves the address at once: its secret is in no page, in no address and in no Referer', async () => {
    const path = await createLink();
    const secret = path.slice(path.lastIndexOf('/') + 1);
    const browser = new TestBrowser(app);
    const first = await browser.open(path);
    expect(first.headers['referrer-policy']).toBe('no-referrer');
    expect(first.headers['cache-control']).toBe('no-store');
    expect(first.location).not.toContain(secret);
    const page = await browser.open('/sign_in/link');
    expect(page.text).not.toContain(secret);
    expect(browser.setCookies).toEqual([
      `muster_sign_in_link=${secret}; Max-Age=600; Path=/; HttpOnly; SameSite=Lax`,
    ]);
    await browser.submit('/sign_in/link');
    expect([...browser.cookies.keys()]).toEqual(['muster_session']);
    expect(replicas.all.flatMap(({ logs }) => logs).join('')).not.toContain(secret);
  });

  it('is stored as a digest, like the session, and what happened to both is in the audit log', async () => {
    const path = await createLink();
    const { browser } = await openAndConfirm(path);
    const { session = '' } = browser;
    await browser.submit('/sign_out');
    const stored = await readStored(app.dataDirectory);
    for (const action of ['sign_in_link.created', 'session.created', 'session.revoked'])
      expect(stored).toContain(action);
    const { text: metrics } = await app.request('GET', '/metrics');
    for (const secret of [session, path.slice(path.lastIndexOf('/') + 1)]) {
      expect(stored).toContain(digestToken(secret));
      for (const text of [stored, metrics, ...replicas.all.flatMap(({ logs }) => logs)])
        expect(text.includes(secret)).toBe(false);
    }
  });

  it('works once, also for two browsers that confirm at the same time', async () => {
    const path = await createLink();
    const browsers = [new TestBrowser(app), new TestBrowser(replicas.other)];
    for (const browser of browsers) {
      await browser.open(path);
      await browser.open('/sign_in/link');
    }
    const answers = await Promise.all(browsers.map((browser) => browser.submit('/sign_in/link')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410]);
    const { page } = await openAndConfirm(path);
    expect(page.status).toBe(410);
    expect(page.text).toContain('This link was already used');
  });

  it('ends after ten minutes', async () => {
    const path = await createLink();
    app.clock.advance(10 * minute - 1);
    const browser = new TestBrowser(app);
    await browser.open(path);
    expect((await browser.open('/sign_in/link')).status).toBe(200);
    app.clock.advance(1);
    const late = await browser.submit('/sign_in/link');
    expect(late.status).toBe(410);
    expect(late.text).toContain('This link has expired');
    expect(browser.session).toBeUndefined();
  });

  it.each([
    [
      'was revoked',
      (id: string) => app.request('DELETE', `/v1/access_tokens/${id}`, { as: { access: replicas.admin } }),
    ],
    [
      'was rotated without a grace',
      (id: string) =>
        app.request('POST', `/v1/access_tokens/${id}/rotate`, {
          as: { access: replicas.admin },
          body: { graceSeconds: 0 },
        }),
    ],
  ])('does not work if the access token that created it %s', async (_, end) => {
    const token = await createToken();
    const path = await createLink(token.token);
    await end(token.id);
    const { page, browser } = await openAndConfirm(path);
    expect(page.status).toBe(410);
    expect(page.text).toContain('This link no longer works');
    expect(browser.session).toBeUndefined();
  });

  it('gives no more than the access token that created it', async () => {
    const token = await createToken({ name: 'reader', permissions: ['read:*'] });
    const { browser } = await openAndConfirm(await createLink(token.token));
    expect((await browser.call('GET', '/v1/projects')).status).toBe(200);
    expect((await browser.call('POST', '/v1/projects', { body: { name: 'x' } })).status).toBe(403);
  });

  it.each(['nonsense', `mst_l_${'0'.repeat(49)}`])(
    'that is not one (%s) is refused with what to do',
    async (text) => {
      const { page, confirmed } = await openAndConfirm(`/sign_in/link/${text}`);
      expect(page.status).toBe(404);
      expect(page.text).toContain('muster login --web');
      expect(confirmed.status).toBe(404);
    },
  );

  it('is confirmed by a page of this service alone: another site signs nobody in', async () => {
    const path = await createLink();
    const browser = new TestBrowser(app);
    await browser.open(path);
    await browser.open('/sign_in/link');
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: browser.origin, 'sec-fetch-site': 'same-site' },
    ]) {
      const answer = await browser.submit('/sign_in/link', { headers });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('Request from another site');
    }
    expect(browser.session).toBeUndefined();
    expect((await browser.submit('/sign_in/link')).status).toBe(303);
  });

  it('signs in only whom the confirmed page has named, whatever another site has opened since', async () => {
    const browser = new TestBrowser(app);
    await browser.open(await createLink((await createToken()).token));
    await browser.open('/sign_in/link');
    const planted = await createLink();
    await browser.open(planted);
    const { status, location } = await browser.submit('/sign_in/link');
    expect([status, location, browser.session]).toEqual([303, './link', undefined]);
    // Asked again, with the name, and not used up.
    expect((await browser.open('/sign_in/link')).text).toContain('Sign in as <bdi>administrator</bdi>?');
    expect((await browser.submit('/sign_in/link')).location).toBe('../');
    expect(browser.session).toBeDefined();
  });

  it('is counted like an invalid credential if there is none like it, and a valid one is never limited', async () => {
    const path = await createLink();
    app.clock.advance(minute);
    const statuses: number[] = [];
    for (let times = 0; times < 32; times += 1) {
      const guessing = new TestBrowser(app);
      await guessing.open(`/sign_in/link/${formatSignInSecret('signInLink', Buffer.alloc(32, times))}`);
      const { status } =
        times % 2 === 0 ? await guessing.open('/sign_in/link') : await guessing.submit('/sign_in/link');
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array<number>(30).fill(404), 429, 429]);
    expect((await openAndConfirm(path)).confirmed.status).toBe(303);
    app.clock.advance(minute);
  });
});
