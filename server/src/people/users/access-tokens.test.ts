import { type AccessToken, isWellFormedToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

function nowText(): string {
  return new Date(app.clock.now()).toISOString();
}

function inSeconds(seconds: number): string {
  return new Date(app.clock.now() + seconds * 1_000).toISOString();
}

async function create(body: unknown, token = app.admin) {
  return app.request<AccessToken>('POST', '/v1/access_tokens', { as: { access: token }, body });
}

async function list(query = '', token = app.admin) {
  return app.request<AccessToken[]>('GET', `/v1/access_tokens${query}`, { as: { access: token } });
}

async function revoke(id: string, token = app.admin) {
  return app.request('DELETE', `/v1/access_tokens/${id}`, { as: { access: token } });
}

async function use(token: string) {
  return app.request('GET', '/v1/me', { as: { access: token } });
}

async function find(id: string): Promise<AccessToken | undefined> {
  return (await list('?last=1000')).body.find((token) => token.id === id);
}

describe('POST /v1/access_tokens', () => {
  describe('201', () => {
    it('returns the whole token, with its value and nothing else', async () => {
      const { status, headers, body } = await create({ name: 'laptop' });
      expect(status).toBe(201);
      expect(headers['cache-control']).toBe('no-store');
      expect(body).toEqual({
        id: expect.stringMatching(uuidv7),
        token: expect.any(String),
        name: 'laptop',
        createdAt: nowText(),
        expiresAt: null,
        lastUsedAt: null,
        permissions: null,
        projects: null,
        leakedAt: null,
        leakSource: null,
        createdWith: expect.stringMatching(uuidv7),
      });
      expect(isWellFormedToken('access', body.token)).toBe(true);
    });

    it('returns a value that works at once, and until it expires', async () => {
      const { body } = await create({ name: 'laptop', expiresAt: inSeconds(60) });
      expect(body.expiresAt).toBe(inSeconds(60));
      expect((await use(body.token)).status).toBe(200);
      app.clock.advance(59_999);
      expect((await use(body.token)).status).toBe(200);
      app.clock.advance(1);
      const refused = await use(body.token);
      expect(refused.status).toBe(401);
      expect(refused.body).toEqual(problemBody('expired_credential'));
    });

    it('expires with the token that created it if no expiry is given', async () => {
      const { body: maker } = await create({ name: 'maker', expiresAt: inSeconds(60) });
      expect((await create({ name: 'made' }, maker.token)).body.expiresAt).toBe(maker.expiresAt);
      expect((await create({ name: 'made', expiresAt: inSeconds(59) }, maker.token)).body.expiresAt).toBe(
        inSeconds(59),
      );
    });
  });

  describe('403', () => {
    it('refuses an expiry after that of the creating token', async () => {
      const limit = inSeconds(60);
      const { body: maker } = await create({ name: 'maker', expiresAt: limit });
      for (const expiresAt of [inSeconds(60.001), null]) {
        const answer = await create({ name: 'made', expiresAt }, maker.token);
        expect(answer.status).toBe(403);
        expect(answer.body).toEqual(
          problemBody(
            'expiry_exceeds_own',
            `The token may be valid until ${limit} at the latest, because the credential that creates it expires then.`,
            [{ path: '/expiresAt', message: `must be ${limit} or earlier` }],
          ),
        );
      }
    });
  });

  describe('422', () => {
    it.each([
      [{}, '/name', 'is missing'],
      [{ name: '' }, '/name', 'must not be empty'],
      [{ name: '🚀'.repeat(129) }, '/name', 'must have at most 128 characters'],
      [{ name: 'a\0' }, '/name', 'contains NUL (U+0000); remove it'],
      [{ name: '\ud800' }, '/name', 'contains half of a surrogate pair; send whole characters'],
      [{ name: 'x', permission: [] }, '/permission', "is unknown; did you mean 'permissions'?"],
      [{ name: 'x', projects: [] }, '/projects', 'must not be empty'],
      [{ name: 'x', expiresat: null }, '/expiresat', "is unknown; did you mean 'expiresAt'?"],
      [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt', 'must be in the future'],
      [
        { name: 'x', expiresAt: '2027-06-31T00:00:00Z' },
        '/expiresAt',
        'must be an ISO 8601 time with its zone, such as 2027-01-31T00:00:00Z',
      ],
    ])('refuses %j', async (body, path, message) => {
      const answer = await create(body);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(
        problemBody('invalid_body', `'${path}' ${message}${message.endsWith('?') ? '' : '.'}`, [
          { path, message },
        ]),
      );
    });

    it('accepts a name of 128 characters outside the basic plane', async () => {
      expect((await create({ name: '🚀'.repeat(128) })).status).toBe(201);
    });
  });
});

describe('GET /v1/access_tokens', () => {
  describe('200', () => {
    it('returns each token as it was created, with a masked value, newest first', async () => {
      const { body: one } = await create({ name: 'one' });
      const { body: other } = await create({ name: 'other' });
      const { status, body, text } = await list('?last=2');
      expect(status).toBe(200);
      expect(body).toEqual([
        { ...other, token: `mst_u_…${other.token.slice(-4)}` },
        { ...one, token: `mst_u_…${one.token.slice(-4)}` },
      ]);
      expect(text).not.toContain(one.token.slice('mst_u_'.length, -4));
    });

    it("includes the installation's own token, of which it shows only the last characters", async () => {
      const tokens = (await list('?last=1000')).body;
      expect(tokens.at(-1)).toMatchObject({ name: 'administrator', token: `mst_u_…${app.admin.slice(-4)}` });
    });

    it('shows at once when a token was last used', async () => {
      const { body } = await create({ name: 'laptop' });
      expect((await find(body.id))?.lastUsedAt).toBeNull();
      app.clock.advance(1_000);
      await use(body.token);
      expect((await find(body.id))?.lastUsedAt).toBe(nowText());
    });

    it('shows expired tokens, but no revoked ones', async () => {
      const { body: expired } = await create({ name: 'expired', expiresAt: inSeconds(1) });
      const { body: revoked } = await create({ name: 'revoked' });
      app.clock.advance(1_000);
      await revoke(revoked.id);
      expect(await find(expired.id)).toBeDefined();
      expect(await find(revoked.id)).toBeUndefined();
    });

    it('pages through all of them', async () => {
      const { body: all } = await list('?last=1000');
      const found: AccessToken[] = [];
      let next: string | undefined = '?last=2';
      while (next !== undefined) {
        const page: Awaited<ReturnType<typeof list>> = await list(next);
        found.push(...page.body);
        next = /^<\/v1\/access_tokens(\?[^>]+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1];
      }
      expect(all.length).toBeGreaterThan(2);
      expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    });
  });

  describe('400', () => {
    it.each([
      ['?last=1001', 'invalid_query_parameter'],
      ['?name=x', 'unknown_query_parameter'],
      ['?before=x', 'invalid_cursor'],
    ])('refuses %s', async (query, code) => {
      const answer = await list(query);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code });
    });
  });
});

describe('DELETE /v1/access_tokens/{accessTokenID}', () => {
  describe('204', () => {
    it('refuses the token in every request that starts after the answer', async () => {
      const { body } = await create({ name: 'laptop' });
      expect((await use(body.token)).status).toBe(200);
      const { status, text } = await revoke(body.id);
      expect([status, text]).toEqual([204, '']);
      const refused = await use(body.token);
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toContain('Bearer realm="muster"');
      expect(refused.body).toEqual(problemBody('revoked_credential'));
    });

    it('revokes the token even while requests with it are under way', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { body } = await create({ name: 'laptop' });
        const under = Array.from({ length: 4 }, () => use(body.token));
        expect((await revoke(body.id)).status).toBe(204);
        expect((await use(body.token)).status).toBe(401);
        await Promise.all(under);
        expect((await use(body.token)).status).toBe(401);
      }
    });

    it('can be done with the token itself, and does not affect others', async () => {
      const { body } = await create({ name: 'laptop' });
      expect((await revoke(body.id, body.token)).status).toBe(204);
      expect((await use(body.token)).status).toBe(401);
      expect((await use(app.admin)).status).toBe(200);
    });

    it('gives the same answer when it is repeated', async () => {
      const { body } = await create({ name: 'laptop' });
      expect((await revoke(body.id)).status).toBe(204);
      expect((await revoke(body.id)).status).toBe(204);
    });
  });

  describe('400', () => {
    it('refuses an invalid id', async () => {
      const answer = await revoke('laptop');
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        code: 'invalid_path_parameter',
        fields: [{ path: 'accessTokenID' }],
      });
    });
  });

  describe('404', () => {
    it('refuses a token that does not exist', async () => {
      const answer = await revoke(missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problemBody('not_found', `You have no access token ${missingID}.`));
    });

    it('refuses the id of a project token, which remains valid', async () => {
      const project = await app.createProject();
      const { id, token } = await app.createToken(project.id, []);
      expect((await revoke(id)).status).toBe(404);
      expect((await app.request('GET', '/v1/me', { as: { project: token } })).status).toBe(200);
    });
  });
});

describe('a user who creates access tokens one after the other', () => {
  it('is held to a pace, whatever becomes of them', async () => {
    app.clock.advance(60_000);
    for (let times = 0; times < 60; times += 1) {
      const { status, body } = await create({ name: 'one of many' });
      expect(status).toBe(201);
      await app.request('DELETE', `/v1/access_tokens/${body.id}`, { as: { access: app.admin } });
    }
    app.clock.advance(20_000);
    const refused = await create({ name: 'one too many' });
    expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
      429,
      '40',
      problemBody('too_many_new_credentials'),
    ]);
    app.clock.advance(40_000);
    expect((await create({ name: 'in time' })).status).toBe(201);
  });
});

describe('a user with 1,000 valid access tokens', () => {
  it('creates no more', async () => {
    const { body: first } = await create({ name: 'first' });
    await changeRows(
      app.dataDirectory,
      `insert into access_tokens (id, user_id, name, digest, last_four, is_initial, created_at, secret_number)
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 1000)
      select ${testEngine === 'postgres' ? 'gen_random_uuid()' : 'lower(hex(randomblob(16)))'}, user_id, name,
        digest || number, last_four, 0, created_at, 1
      from access_tokens, numbers where id = '${first.id}'`,
    );
    const refused = await create({ name: 'one too many' });
    expect([refused.status, refused.body]).toEqual([409, problemBody('too_many_access_tokens')]);
  });
});
