import type { AccessToken, CreatedInvitation, Me, Session, SignedUp } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { TestBrowser } from '../../../testing/receivers/test-browser.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestApp, TestProject } from '../../../testing/start-test-app.ts';

const hour = 3_600_000;
const day = 24 * hour;

let replicas: Replicas;
let app: TestApp;
let admin: string;
let project: TestProject;

beforeAll(async () => {
  replicas = await startReplicas();
  app = replicas.other; // whose administrator's token is valid
  admin = replicas.admin;
  project = await app.createProject('edge');
});

afterAll(() => replicas.close());

async function createToken(body: object = { name: 'laptop' }, access = admin): Promise<AccessToken> {
  return (await app.request<AccessToken>('POST', '/v1/access_tokens', { as: { access }, body })).body;
}

async function signIn(token = admin): Promise<TestBrowser> {
  const browser = new TestBrowser(app);
  await browser.signIn(token);
  return browser;
}

/** A member of a project, who is signed in. */
async function addMember(role = 'viewer') {
  const as = { access: admin };
  const { body: invitation } = await app.request<CreatedInvitation>(
    'POST',
    `/v1/projects/${project.id}/invitations`,
    { as, body: { role } },
  );
  const { body } = await app.request<SignedUp>('POST', '/v1/invitations/sign_up', {
    body: { code: invitation.code, name: 'Ada' },
  });
  return { userID: body.userID, token: body.token, browser: await signIn(body.token) };
}

/** What each replica answers to the browser. */
async function codesOf(browser: TestBrowser, url = '/v1/me'): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const replica of replicas.all) {
    browser.app = replica;
    const { status, body } = await browser.call<{ code?: string }>('GET', url);
    answers.push(body.code ?? status);
  }
  browser.app = app;
  return answers;
}

const everywhere = (answer: unknown) => replicas.all.map(() => answer);

describe('the cookie of a session', () => {
  it('can be read by no script, is sent with no form of another site, and ends with the session', async () => {
    const { setCookies, session } = await signIn();
    expect(session).toMatch(/^mst_s_[0-9A-Za-z]{49}$/);
    expect(setCookies).toEqual([`muster_session=${session}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax`]);
  });

  it('is new with each sign-in, and replaces the one that the browser had: nobody can plant one', async () => {
    const browser = new TestBrowser(app);
    const planted = `mst_s_${'0'.repeat(49)}`;
    browser.cookies.set('muster_session', planted);
    await browser.signIn(admin);
    const first = browser.session;
    expect(first).not.toBe(planted);
    const copy = new TestBrowser(app);
    copy.cookies.set('muster_session', first ?? '');
    expect(await codesOf(copy)).toEqual(everywhere(200));
    await browser.signIn(admin);
    expect(browser.session).not.toBe(first);
    expect(await codesOf(copy)).toEqual(everywhere('revoked_credential'));
    expect(await codesOf(browser)).toEqual(everywhere(200));
  });

  it('is no bearer token, and a bearer token is no cookie', async () => {
    const { session = '' } = await signIn();
    const asBearer = await app.request('GET', '/v1/me', { as: { access: session } });
    expect(asBearer.body).toMatchObject({ code: 'invalid_credential' });
    const asCookie = await app.request('GET', '/v1/me', { headers: { cookie: `muster_session=${admin}` } });
    expect(asCookie.body).toMatchObject({ code: 'invalid_credential' });
  });

  it('does not count beside another credential, valid or not, of any kind', async () => {
    const browser = await signIn();
    for (const [name, value, code] of [
      ['authorization', 'Bearer nonsense', 'invalid_credential'],
      ['x-project-token', project.token, 'credential_kind_not_accepted'],
      ['x-agent-token', 'nonsense', 'credential_kind_not_accepted'],
    ] as const) {
      const { body } = await browser.call('GET', '/v1/access_tokens', { headers: { [name]: value } });
      expect(body).toMatchObject({ code });
    }
    const member = await addMember();
    const { body } = await browser.call<Me>('GET', '/v1/me', {
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect(body).toMatchObject({ id: member.userID });
    expect(body.sessionID).toBeUndefined();
  });

  it('does not count for what agents do', async () => {
    const browser = await signIn();
    const agent = await app.registerAgent(project);
    for (const [method, url, body] of [
      ['PATCH', `/v1/agents/${agent.id}`, { version: '1' }],
      ['POST', `/v1/agents/${agent.id}/heartbeat`, {}],
      ['POST', `/v1/agents/${agent.id}/errors`, { error: 'x' }],
      ['POST', '/v1/machines/m/errors', { error: 'x' }],
    ] as const) {
      const answer = await browser.call(method, url, { body });
      expect([url, answer.body]).toEqual([url, expect.objectContaining({ code: 'missing_credential' })]);
    }
  });
});

describe('a request that changes something, with a session', () => {
  const create = (browser: TestBrowser, headers: Record<string, string>) =>
    app.request('POST', `/v1/projects/${project.id}/tokens`, {
      body: { name: 'x', permissions: [] },
      headers: { cookie: browser.cookieHeader(), host: 'muster.example.com', ...headers },
    });

  it.each([
    ['its own origin', { origin: 'http://muster.example.com' }, 201],
    ['its own origin behind a proxy that ends TLS', { origin: 'https://muster.example.com' }, 201],
    [
      'its own origin, as browsers confirm',
      { origin: 'http://muster.example.com', 'sec-fetch-site': 'same-origin' },
      201,
    ],
    ['no origin', {}, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['a malformed origin', { origin: 'muster.example.com' }, 403],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['another port', { origin: 'http://muster.example.com:8080' }, 403],
    ['a sibling domain', { origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' }, 403],
    [
      'its own origin, which the browser denies',
      { origin: 'http://muster.example.com', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    [
      'its own origin, of which the browser knows only the same site',
      { origin: 'http://muster.example.com', 'sec-fetch-site': 'same-site' },
      403,
    ],
    [
      'its own origin, typed into the address bar',
      { origin: 'http://muster.example.com', 'sec-fetch-site': 'none' },
      403,
    ],
  ] as const)('from %s', async (_, headers, status) => {
    const answer = await create(await signIn(), headers);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toEqual(problemBody('cross_origin_request'));
  });
});

describe('the end of a session', () => {
  it('comes after twelve hours without a request, and not earlier', async () => {
    const browser = await signIn();
    for (let times = 0; times < 4; times += 1) {
      app.clock.advance(12 * hour - 1);
      expect(await codesOf(browser)).toEqual(everywhere(200));
    }
    app.clock.advance(12 * hour);
    const { status, body } = await browser.call('GET', '/v1/me');
    expect(status).toBe(401);
    expect(body).toEqual(
      problemBody(
        'expired_credential',
        'This session has ended: it has expired, or was not used for too long. Sign in again.',
      ),
    );
    expect(await codesOf(browser)).toEqual(everywhere('expired_credential'));
  });

  it('moves with a request at the last moment, also for a replica that remembers the session', async () => {
    const browser = await signIn();
    expect(await codesOf(browser)).toEqual(everywhere(200));
    app.clock.advance(12 * hour - 30_000);
    browser.app = replicas.one;
    await browser.call('GET', '/v1/me');
    // Written behind within seconds: here, by the list.
    await replicas.one.request('GET', '/v1/sessions', { as: { access: admin } });
    app.clock.advance(60_000);
    expect(await codesOf(browser)).toEqual(everywhere(200));
  });

  it('comes after seven days, however often it is used', async () => {
    const browser = await signIn();
    for (let times = 0; times < 15; times += 1) {
      app.clock.advance(11 * hour);
      expect(await codesOf(browser)).toEqual(everywhere(200));
    }
    app.clock.advance(7 * day - 15 * 11 * hour - 1);
    expect(await codesOf(browser)).toEqual(everywhere(200));
    app.clock.advance(1);
    expect(await codesOf(browser)).toEqual(everywhere('expired_credential'));
  });

  it('is not later than that of its access token', async () => {
    const expiresAt = new Date(app.clock.now() + hour).toISOString();
    const browser = await signIn((await createToken({ name: 'short', expiresAt })).token);
    const { body } = await browser.call<Me>('GET', '/v1/me');
    expect(body.expiresAt).toBe(expiresAt);
    // It is stored so: the token may be gone, and its session is listed until then.
    const { body: sessions } = await browser.call<Session[]>('GET', '/v1/sessions');
    expect(sessions.filter(({ current }) => current).map((one) => one.expiresAt)).toEqual([expiresAt]);
    app.clock.advance(hour);
    expect(await codesOf(browser)).toEqual(everywhere('expired_credential'));
  });

  it.each(['DELETE', 'POST'] as const)(
    'comes with the answer to a sign-out (%s), on every replica',
    async (method) => {
      const browser = await signIn();
      const copy = new TestBrowser(app);
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      expect(await codesOf(browser)).toEqual(everywhere(200));
      if (method === 'POST') {
        const { location } = await browser.submit('/sign_out');
        expect(location).toBe('./sign_in?signed_out');
        expect(browser.cookies.size).toBe(0);
      } else {
        const { status, headers } = await browser.call('DELETE', '/v1/sessions/self');
        expect(status).toBe(204);
        expect(headers['set-cookie']).toBe('muster_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
      }
      expect(await codesOf(copy)).toEqual(everywhere('revoked_credential'));
    },
  );

  it('comes with the revocation of the access token that created it, or of that one’s creator', async () => {
    const parent = await createToken();
    const child = await createToken({ name: 'child' }, parent.token);
    const browsers = [await signIn(parent.token), await signIn(child.token)];
    for (const browser of browsers) expect(await codesOf(browser)).toEqual(everywhere(200));
    await app.request('DELETE', `/v1/access_tokens/${parent.id}`, { as: { access: admin } });
    for (const browser of browsers) expect(await codesOf(browser)).toEqual(everywhere('revoked_credential'));
  });

  it('comes when the value of the access token ends that created it, and not with its rotation', async () => {
    const token = await createToken();
    const browser = await signIn(token.token);
    const { body } = await app.request<AccessToken>('POST', `/v1/access_tokens/${token.id}/rotate`, {
      as: { access: token.token },
      body: { graceSeconds: 600 },
    });
    const late = await signIn(token.token);
    const renewed = await signIn(body.token);
    expect(await codesOf(browser)).toEqual(everywhere(200));
    app.clock.advance(600_000);
    for (const one of [browser, late]) expect(await codesOf(one)).toEqual(everywhere('rotated_credential'));
    expect(await codesOf(renewed)).toEqual(everywhere(200));
  });

  it('comes when the new value of the access token is used, if the old one ends then', async () => {
    const token = await createToken();
    const browser = await signIn(token.token);
    const { body } = await app.request<AccessToken>('POST', `/v1/access_tokens/${token.id}/rotate`, {
      as: { access: token.token },
      body: {},
    });
    expect(await codesOf(browser)).toEqual(everywhere(200));
    await app.request('GET', '/v1/me', { as: { access: body.token } });
    expect(await codesOf(browser)).toEqual(everywhere('rotated_credential'));
  });

  it('of the access to a project comes with the removal of the member, on every replica', async () => {
    const { userID, browser } = await addMember('operator');
    const url = `/v1/projects/${project.id}`;
    expect(await codesOf(browser, url)).toEqual(everywhere(200));
    await app.request('PATCH', `${url}/members/${userID}`, {
      as: { access: admin },
      body: { role: 'viewer' },
    });
    const { status } = await browser.call('POST', `${url}/tokens`, { body: { name: 'x', permissions: [] } });
    expect(status).toBe(403);
    await app.request('DELETE', `${url}/members/${userID}`, { as: { access: admin } });
    expect(await codesOf(browser, url)).toEqual(everywhere('permission_denied'));
  });
});

describe('what is created in a session', () => {
  it('depends on the access token that created the session, and may outlive the session', async () => {
    const parent = await createToken();
    const browser = await signIn(parent.token);
    const { status, body } = await browser.call<AccessToken>('POST', '/v1/access_tokens', {
      body: { name: 'made in the browser' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ createdWith: parent.id, expiresAt: null });
    await browser.submit('/sign_out');
    const asChild = { as: { access: body.token } };
    expect((await app.request('GET', '/v1/me', asChild)).status).toBe(200);
    await app.request('DELETE', `/v1/access_tokens/${parent.id}`, { as: { access: admin } });
    expect((await app.request('GET', '/v1/me', asChild)).status).toBe(401);
  });

  it('is not a new value of the access token, which would outlive the one that created the session', async () => {
    const token = await createToken();
    const browser = await signIn(token.token);
    const { status, body } = await browser.call('POST', `/v1/access_tokens/${token.id}/rotate`, { body: {} });
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'credential_kind_not_accepted' });
    expect((await browser.call('GET', '/v1/access_tokens/self')).status).toBe(403);
  });
});

describe('GET /v1/sessions', () => {
  it('lists the browsers in which the caller is signed in, newest first, and marks the own one', async () => {
    const { userID, token } = await addMember();
    app.clock.advance(12 * hour);
    const old = await signIn(token);
    app.clock.advance(hour);
    const browser = new TestBrowser(app);
    await browser.submit('/sign_in', {
      form: { token },
      headers: { 'user-agent': `Firefox ${token} \u00e9` },
    });
    const { status, body } = await browser.call<Session[]>('GET', '/v1/sessions');
    expect(status).toBe(200);
    const common = {
      id: expect.any(String),
      userID,
      userName: 'Ada',
      method: 'access_token',
      accessTokenID: expect.any(String),
      address: '127.0.0.1',
    };
    const at = (milliseconds: number) => new Date(milliseconds).toISOString();
    const now = app.clock.now();
    expect(body).toEqual([
      {
        ...common,
        createdAt: at(now),
        lastUsedAt: at(now),
        expiresAt: at(now + 7 * day),
        userAgent: 'Firefox --redacted-- ?',
        current: true,
      },
      {
        ...common,
        createdAt: at(now - hour),
        lastUsedAt: at(now - hour),
        expiresAt: at(now - hour + 7 * day),
        userAgent: 'lightMyRequest',
        current: false,
      },
    ]);
    await old.submit('/sign_out');
    const { body: rest } = await browser.call<Session[]>('GET', '/v1/sessions');
    expect(rest.map(({ current }) => current)).toEqual([true]);
  });

  it('shows an administrator the sessions of any user, and nobody else', async () => {
    const { userID, token } = await addMember();
    const url = `/v1/sessions?user_id=${userID}`;
    const ofAdmin = await app.request<Session[]>('GET', url, { as: { access: admin } });
    expect(ofAdmin.body.map((one) => one.userID)).toEqual([userID]);
    const other = await addMember('owner');
    const refused = await app.request('GET', url, { as: { access: other.token } });
    expect(refused.body).toEqual(
      problemBody('not_found', `There is no user ${userID} that this credential can see.`),
    );
    expect((await app.request<Session[]>('GET', url, { as: { access: token } })).body).toHaveLength(1);
  });

  it('shows a narrowed access token only what was created with it', async () => {
    const { token } = await addMember();
    const narrowed = await createToken({ name: 'narrowed', permissions: ['read:project'] }, token);
    await signIn(narrowed.token);
    const list = async (access: string) =>
      (await app.request<Session[]>('GET', '/v1/sessions', { as: { access } })).body;
    expect(await list(token)).toHaveLength(2);
    expect((await list(narrowed.token)).map((one) => one.accessTokenID)).toEqual([narrowed.id]);
  });

  it('says when a session was last used, to the minute', async () => {
    const { browser } = await addMember();
    const minute = 60_000;
    const ages: number[] = [];
    for (let seconds = 0; seconds < 150; seconds += 30) {
      const { body } = await browser.call<Session[]>('GET', '/v1/sessions');
      ages.push(app.clock.now() - Date.parse(body[0]?.lastUsedAt ?? ''));
      app.clock.advance(30_000);
    }
    // A use is noted if the one before it was noted a minute ago.
    expect(ages).toEqual([0, minute / 2, 0, minute / 2, 0]);
  });
});

describe('DELETE /v1/sessions/{sessionID}', () => {
  const idOf = async (browser: TestBrowser) => (await browser.call<Me>('GET', '/v1/me')).body.sessionID;

  it('ends the session with the answer, on every replica', async () => {
    const { browser, token } = await addMember();
    expect(await codesOf(browser)).toEqual(everywhere(200));
    const url = `/v1/sessions/${await idOf(browser)}`;
    expect((await app.request('DELETE', url, { as: { access: token } })).status).toBe(204);
    expect(await codesOf(browser)).toEqual(everywhere('revoked_credential'));
    expect((await app.request('DELETE', url, { as: { access: token } })).status).toBe(204);
  });

  it('is for its user and for administrators: others learn nothing', async () => {
    const [one, other] = [await addMember(), await addMember('owner')];
    const id = await idOf(one.browser);
    const missing = '0192f0a0-0000-7000-8000-000000000000';
    for (const sessionID of [id, missing]) {
      const { status, body } = await app.request('DELETE', `/v1/sessions/${sessionID}`, {
        as: { access: other.token },
      });
      expect(status).toBe(404);
      expect(body).toEqual(
        problemBody('not_found', `There is no session ${sessionID} that this credential can see.`),
      );
    }
    const { status } = await app.request('DELETE', `/v1/sessions/${id}`, { as: { access: admin } });
    expect(status).toBe(204);
    expect(await codesOf(one.browser)).toEqual(everywhere('revoked_credential'));
  });

  it('is, for a narrowed access token, only for what was created with it', async () => {
    const { browser, token } = await addMember('owner');
    const narrowed = await createToken({ name: 'narrowed', projects: [project.id] }, token);
    const own = await signIn(narrowed.token);
    const end = async (of: TestBrowser) =>
      app.request('DELETE', `/v1/sessions/${await idOf(of)}`, { as: { access: narrowed.token } });
    const refused = await end(browser);
    expect(refused.body).toEqual(
      problemBody('not_found', `There is no session ${await idOf(browser)} that this credential can see.`),
    );
    expect(await codesOf(browser)).toEqual(everywhere(200));
    expect((await end(own)).status).toBe(204);
    expect(await codesOf(own)).toEqual(everywhere('revoked_credential'));
  });
});
