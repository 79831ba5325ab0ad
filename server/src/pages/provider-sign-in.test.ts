import type { Me, Session } from '@muster/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../foundation/secret.ts';
import type { Config } from '../foundation/settings/config.ts';
import { parseOidcRoles } from '../foundation/settings/oidc-roles.ts';
import {
  type SignInProvider,
  startSignInProvider,
  testRedirectUri,
} from '../testing/receivers/sign-in-provider.ts';
import { TestBrowser } from '../testing/receivers/test-browser.ts';
import { type Replicas, startReplicas } from '../testing/start-replicas.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';

const origin = 'http://muster.test';
const secureRedirectUri = 'https://muster.test/sign_in/callback';
const minute = 60_000;

let provider: SignInProvider;
let replicas: Replicas;
let app: TestApp;
let browser: TestBrowser;

beforeAll(async () => {
  provider = await startSignInProvider([testRedirectUri, secureRedirectUri]);
  replicas = await startReplicas({ config: configOf() });
  app = replicas.one;
});

afterAll(async () => {
  await replicas?.close();
  await provider?.close();
});

beforeEach(() => {
  browser = new TestBrowser(app, origin);
  Object.assign(provider, {
    person: { sub: 'ada', name: 'Ada' },
    isUp: true,
    isCancelled: false,
    brokenPath: undefined,
    hasTokenHash: false,
    toldInToken: {},
    otherAccessToken: undefined,
  });
  // The configuration of the provider is read again.
  app.clock.advance(11 * minute);
});

function configOf(changes: Partial<Config> = {}): Partial<Config> {
  const roles = parseOidcRoles('{"platform":"administrator","telemetry":{"*":"viewer"}}');
  if (!(roles instanceof Map)) throw new Error('these roles are valid');
  return {
    publicUrl: origin,
    oidc: { issuer: provider.issuer, audience: 'muster' },
    oidcClient: {
      id: provider.clientID,
      secret: new Secret(provider.clientSecret),
      scopes: 'openid profile email',
    },
    oidcRoles: roles,
    ...changes,
  };
}

/** Where the provider is asked to sign somebody in. */
async function begin(one = browser, path = '/sign_in/provider'): Promise<string> {
  const { status, location = '' } = await one.open(path);
  expect(status).toBe(303);
  return location;
}

/** The path to which the browser returns from the provider. */
async function visit(url: string): Promise<string> {
  const returned = new URL(await provider.visit(url));
  expect(returned.origin + returned.pathname).toBe(testRedirectUri);
  return returned.pathname + returned.search;
}

async function signIn(one = browser) {
  return one.open(await visit(await begin(one)));
}

const cookiesOf = (one: TestBrowser) =>
  [...one.cookies].filter(([name]) => name.startsWith('muster_provider'));

async function refuses(answer: Promise<{ status: number; text: string }>, status: number, title: string) {
  const { status: found, text } = await answer;
  expect([found, text]).toEqual([status, expect.stringContaining(`<h1>${title}</h1>`)]);
}

describe('sign-in through the identity provider', () => {
  it('is offered on the sign-in page, with the host of the provider', async () => {
    const { text } = await browser.open('/sign_in?return_to=/docs%23getMe');
    const { host } = new URL(provider.issuer);
    expect(text).toContain(
      `<a class="button" href="sign_in/provider?return_to=%2Fdocs%23getMe">Continue with ${host}</a>`,
    );
  });

  it('asks with a code, PKCE, a state and a nonce, new ones each time', async () => {
    const urls = [new URL(await begin()), new URL(await begin())];
    for (const url of urls) {
      expect(Object.fromEntries(url.searchParams)).toEqual({
        client_id: 'muster-web',
        redirect_uri: testRedirectUri,
        response_type: 'code',
        scope: 'openid profile email',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      });
    }
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(urls.map((url) => url.searchParams.get(name))).size).toBe(2);
  });

  it('creates the user, who sees nothing until somebody lets them in', async () => {
    provider.person = { sub: 'newcomer', name: 'Newcomer' };
    const { status, location } = await signIn();
    expect([status, location]).toEqual([303, '../']);
    expect(cookiesOf(browser)).toEqual([]);
    const { body } = await browser.call<Me>('GET', '/v1/me');
    expect(body).toMatchObject({
      name: 'Newcomer',
      permissions: [],
      installationPermissions: [],
      projects: [],
    });
    expect(body.note).toContain('You have access to no project yet.');
    expect((await browser.call('GET', '/v1/users')).status).toBe(403);
  });

  it('gives the roles of the claim, also if only the userinfo endpoint tells them', async () => {
    provider.person = { sub: 'grace', name: 'Grace', groups: ['platform', 'other'] };
    await signIn();
    const { body } = await browser.call<Me>('GET', '/v1/me');
    expect(body).toMatchObject({ name: 'Grace', installationPermissions: ['*'] });
    provider.person = { sub: 'grace', name: 'Grace', groups: ['telemetry'] };
    app.clock.advance(minute);
    const other = new TestBrowser(app, origin);
    await signIn(other);
    const { body: narrowed } = await browser.call<Me>('GET', '/v1/me');
    expect(narrowed).toMatchObject({ permissions: ['read:*'], installationPermissions: [] });
  });

  it('asks the userinfo endpoint unless the ID token tells name and roles', async () => {
    const permissionsOf = async () => (await browser.call<Me>('GET', '/v1/me')).body.installationPermissions;
    provider.person = { sub: 'grace', name: 'Grace', groups: ['platform'] };
    provider.toldInToken = { name: 'Grace' };
    await signIn();
    expect(await permissionsOf()).toEqual(['*']);
    provider.toldInToken = { name: 'Grace', groups: [] };
    app.clock.advance(minute);
    await signIn();
    expect(await permissionsOf()).toEqual([]);
    provider.brokenPath = '/me';
    app.clock.advance(minute);
    await signIn();
    expect(await permissionsOf()).toEqual([]);
  });

  it('begins on one replica and ends on another', async () => {
    const url = await begin();
    browser.app = replicas.other;
    expect((await browser.open(await visit(url))).status).toBe(303);
    browser.app = app;
    expect((await browser.call('GET', '/v1/me')).status).toBe(200);
  });

  it('works in several tabs at the same time, each of which returns to its own place', async () => {
    const [first, second] = [
      await begin(browser, '/sign_in/provider?return_to=/docs'),
      await begin(browser, '/sign_in/provider?return_to=/projects'),
    ];
    const answers = [await browser.open(await visit(second)), await browser.open(await visit(first))];
    expect(answers.map(({ location }) => location)).toEqual(['../projects', '../docs']);
  });

  it.each([
    ['a long path', `/docs?q=${'x'.repeat(1_400)}`, `../docs?q=${'x'.repeat(1_400)}`],
    ['a path that is longer than it looks', `/${'€'.repeat(305)}`, '../'],
    ['a path that is too long', `/${'x'.repeat(1_500)}`, '../'],
  ])(
    'keeps little in a browser, however often a link of another site begins one with %s',
    async (_, returnTo, end) => {
      const path = `/sign_in/provider?return_to=${encodeURIComponent(returnTo)}`;
      let url = '';
      for (let times = 0; times < 12; times += 1) url = await begin(browser, path);
      expect(cookiesOf(browser).map(([name]) => name)).toEqual(['muster_provider']);
      expect(browser.cookieHeader().length).toBeLessThan(3_100);
      expect((await browser.open(await visit(url))).location).toBe(end);
    },
  );

  it('lasts for as long as an access token of such a user', async () => {
    await signIn();
    const { body } = await browser.call<Session[]>('GET', '/v1/sessions');
    expect(body[0]).toMatchObject({
      method: 'identity_provider',
      accessTokenID: null,
      expiresAt: new Date(app.clock.now() + 24 * 60 * minute).toISOString(),
    });
  });

  it('works for a public client, and over HTTPS with cookies that only this host can set', async () => {
    const config = configOf({
      publicUrl: 'https://muster.test',
      oidcClient: { id: 'muster-public', secret: undefined, scopes: 'openid profile' },
    });
    const own = await startTestApp({ config });
    try {
      const secure = new TestBrowser(own, 'https://muster.test');
      const planted = `mst_s_${'0'.repeat(49)}`;
      secure.cookies.set('muster_session', planted);
      const returned = new URL(await provider.visit(await begin(secure)));
      expect((await secure.open(returned.pathname + returned.search)).status).toBe(303);
      expect(secure.cookies.get('muster_session')).toBe(planted);
      expect(secure.setCookies.at(-1)).toMatch(
        /^__Host-muster_session=mst_s_\w{49}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect((await secure.call('GET', '/v1/me')).status).toBe(200);
      secure.cookies.delete('__Host-muster_session');
      expect((await secure.call('GET', '/v1/me')).body).toMatchObject({ code: 'missing_credential' });
    } finally {
      await own.close();
    }
  });
});

describe('a sign-in through the identity provider that goes wrong', () => {
  const cannotBeFinished = 'This sign-in cannot be finished';

  it('signs nobody in when the answer is replayed, here or in another browser', async () => {
    const path = await visit(await begin());
    const copy = new Map(browser.cookies);
    expect((await browser.open(path)).status).toBe(303);
    const session = browser.session;
    // Whoever is signed in goes on.
    expect((await browser.open(path)).location).toBe('../');
    expect(browser.session).toBe(session);
    await refuses(new TestBrowser(app, origin).open(path), 400, cannotBeFinished);
    const thief = new TestBrowser(replicas.other, origin);
    for (const [name, value] of copy) thief.cookies.set(name, value);
    await refuses(thief.open(path), 400, 'The identity provider gave no valid answer');
    expect(thief.session).toBeUndefined();
  });

  it('signs nobody in with the answer that somebody else got: login CSRF', async () => {
    const attacker = new TestBrowser(app, origin);
    const path = await visit(await begin(attacker));
    await begin();
    await refuses(browser.open(path), 400, cannotBeFinished);
    expect(browser.session).toBeUndefined();
  });

  it.each([
    ['a state of another tab', (query: URLSearchParams, other: string) => query.set('state', other)],
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['a changed state', (query: URLSearchParams) => query.set('state', `${query.get('state')}x`)],
    ['two states', (query: URLSearchParams, other: string) => query.append('state', other)],
  ])('signs nobody in with %s', async (_, change) => {
    const other = new URL(await begin()).searchParams.get('state') ?? '';
    const [path, query = ''] = (await visit(await begin())).split('?');
    const changed = new URLSearchParams(query);
    change(changed, other);
    const { status } = await browser.open(`${path}?${changed}`);
    expect(status).toBe(400);
    expect(browser.session).toBeUndefined();
  });

  it('signs nobody in with a code of another sign-in of the same browser, whose PKCE and nonce differ', async () => {
    const first = new URLSearchParams((await visit(await begin())).split('?')[1]);
    const second = new URLSearchParams((await visit(await begin())).split('?')[1]);
    second.set('code', first.get('code') ?? '');
    await refuses(
      browser.open(`/sign_in/callback?${second}`),
      400,
      'The identity provider gave no valid answer',
    );
    expect(browser.session).toBeUndefined();
  });

  it('signs nobody in with an access token that was not made with the ID token', async () => {
    provider.hasTokenHash = true;
    expect((await signIn(new TestBrowser(app, origin))).status).toBe(303);
    provider.otherAccessToken = 'an-access-token-of-somebody-else';
    await refuses(
      browser.open(await visit(await begin())),
      400,
      'The identity provider gave no valid answer',
    );
    expect(browser.session).toBeUndefined();
    const logs = replicas.all.flatMap(({ logs: lines }) => lines);
    expect(logs.filter((line) => line.includes('"code":"AT_HASH_MISMATCH"'))).toHaveLength(1);
  });

  it('signs nobody in after ten minutes', async () => {
    const path = await visit(await begin());
    app.clock.advance(10 * minute + 1);
    await refuses(browser.open(path), 400, cannotBeFinished);
  });

  it('says that the person cancelled, or is not allowed', async () => {
    provider.isCancelled = true;
    await refuses(browser.open(await visit(await begin())), 403, 'The identity provider did not sign you in');
    expect(cookiesOf(browser)).toEqual([]);
  });

  it('says that the provider does not answer, at the beginning and at the end, and works when it does again', async () => {
    provider.isUp = false;
    const down = await browser.open('/sign_in/provider');
    expect([down.status, down.headers['retry-after']]).toEqual([503, '10']);
    expect(down.text).toContain('or sign in with an access token');
    provider.isUp = true;
    const url = await begin();
    const path = await visit(url);
    provider.brokenPath = '/token';
    await refuses(browser.open(path), 503, 'Identity provider unavailable');
    provider.brokenPath = '/me';
    await refuses(browser.open(await visit(await begin())), 503, 'Identity provider unavailable');
    provider.brokenPath = undefined;
    expect((await signIn()).status).toBe(303);
  });

  it('names the settings to an administrator if the provider does not accept the client', async () => {
    const config = configOf();
    const oidcClient = { id: provider.clientID, secret: new Secret('another'), scopes: 'openid' };
    const own = await startTestApp({ config: { ...config, oidcClient } });
    try {
      const other = new TestBrowser(own, origin);
      const answer = await other.open(await visit(await begin(other)));
      expect(answer.status).toBe(502);
      expect(answer.text).toContain('MUSTER_OIDC_CLIENT_SECRET');
    } finally {
      await own.close();
    }
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    'javascript:alert(1)',
    '/..//evil.example/',
  ])('never leads to another site afterwards: return_to=%s', async (returnTo) => {
    const path = `/sign_in/provider?return_to=${encodeURIComponent(returnTo)}`;
    const { location = '' } = await browser.open(await visit(await begin(browser, path)));
    expect(new URL(location, testRedirectUri).origin).toBe(origin);
  });

  it('leaves no secret in the log', () => {
    const log = replicas.all.flatMap(({ logs }) => logs).join('');
    expect(log).toContain('somebody could not sign in through the identity provider');
    expect(log).not.toMatch(/mst_s_\w{9}|eyJ|code=|verifier/);
    expect(log).not.toContain(provider.clientSecret);
  });
});

describe('the page of invitations', () => {
  it('leads to the identity provider first, and creates no user', async () => {
    const project = await app.createProject();
    const path = `/v1/projects/${project.id}/invitations`;
    const sent = { as: { access: app.admin }, body: { role: 'viewer' } };
    const { code } = (await app.request<{ code: string }>('POST', path, sent)).body;
    const { text } = await browser.open('/invitation');
    expect(text).toContain('href="sign_in/provider?return_to=%2Finvitation"');
    expect(text).not.toContain('<form');
    const refused = await browser.submit('/invitation', { form: { code, name: 'Eve' } });
    expect([refused.status, browser.session]).toEqual([403, undefined]);
  });
});
