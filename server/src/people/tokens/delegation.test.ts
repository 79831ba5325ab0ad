import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let projectID: string;

beforeAll(async () => {
  app = await startTestApp();
});

beforeAll(async () => {
  projectID = (await app.createProject()).id;
});

afterAll(() => app.close());

interface Made {
  readonly id: string;
  readonly token: string;
}

/** Creates a token as an operator. */
async function issue(permissions: readonly string[], expiresAt: string | null = null): Promise<Token> {
  const { body } = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { access: app.admin },
    body: { name: 'issued', permissions, expiresAt },
  });
  return body;
}

/** Tries to create a token with a project token. */
async function create(maker: Made, body: object = {}) {
  return app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { project: maker.token },
    body: { name: 'made', permissions: [], ...body },
  });
}

async function update(by: Made | 'operator', { id }: Made, body: object) {
  return app.request<Token>('PATCH', `/v1/project_tokens/${id}`, {
    as: by === 'operator' ? { access: app.admin } : { project: by.token },
    body,
  });
}

async function shown({ id }: Made): Promise<Token> {
  const { body } = await app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
  return body;
}

function inSeconds(seconds: number): string {
  return new Date(app.clock.now() + seconds * 1_000).toISOString();
}

function surplus(...grants: string[]) {
  const named = grants.map((grant) => `'${grant}'`).join(', ');
  return problemBody(
    'permissions_exceed_own',
    `Your token does not have ${named}, so it cannot grant that. Leave it out or use an access token.`,
  );
}

function outliving(limit: string) {
  return problemBody(
    'expiry_exceeds_own',
    `The token may be valid until ${limit} at the latest, because the token on which it depends expires then.`,
    [{ path: '/expiresAt', message: `must be ${limit} or earlier` }],
  );
}

const operator = ['create:*', 'read:*', 'update:*', 'delete:*'];

describe('a token that is created with a project token', () => {
  it.each([
    [['create:token'], []],
    [['create:token'], ['create:token']],
    [['create:*'], ['create:token', 'create:webhook', 'create:*']],
    [['*:token'], ['create:token', 'delete:token', '*:token']],
    [['*'], ['*', '*:*', 'read:*', '*:fleet', 'update:member']],
    [['*:*'], ['*']],
    [operator, ['*', '*:*', '*:agent', 'read:audit_log']],
    [['create:token', 'read:token', 'update:token', 'delete:token'], ['*:token']],
    [['create:*', 'read:agent', 'update:*', 'delete:agent'], ['*:agent']],
  ])('%j may grant %j', async (held, wanted) => {
    const { status, body } = await create(await issue(held), { permissions: wanted });
    expect(status).toBe(201);
    expect(body.permissions).toEqual(wanted);
  });

  it.each([
    [['create:token'], ['read:token', 'create:token', 'create:agent'], ['read:token', 'create:agent']],
    [['create:token'], ['create:*'], ['create:*']],
    [['create:token'], ['*:token'], ['*:token']],
    [['create:*'], ['*'], ['*']],
    [['*:token'], ['*:*', 'create:*'], ['*:*', 'create:*']],
    [
      ['create:*', 'read:*', 'update:*'],
      ['*', '*:agent', 'read:*'],
      ['*', '*:agent'],
    ],
    // `read:*` covers resources that are added later; a list of today's resources does not.
    [
      [
        'create:token',
        'read:project',
        'read:token',
        'read:agent',
        'read:agent_error',
        'read:fleet',
        'read:webhook',
        'read:member',
        'read:audit_log',
      ],
      ['read:*'],
      ['read:*'],
    ],
  ])('%j may not grant %j: 403 names %j', async (held, wanted, named) => {
    const maker = await issue(held);
    const answer = await create(maker, { permissions: wanted });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(surplus(...named));
  });

  it.each([undefined, null])('is refused if its maker lacks the default permissions (%j)', async (absent) => {
    const maker = await issue(['create:token', 'create:agent', 'update:agent']);
    const answer = await create(maker, { permissions: absent });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(surplus('create:agent_error', 'read:fleet'));
  });

  it('is limited by what its maker holds now, not by what it held earlier', async () => {
    const maker = await issue(['create:token', 'read:agent']);
    expect((await create(maker, { permissions: ['read:agent'] })).status).toBe(201);
    await update('operator', maker, { permissions: ['create:token'] });
    expect((await create(maker, { permissions: ['read:agent'] })).status).toBe(403);
  });

  it('can only be created in the project of its maker', async () => {
    const other = await app.createProject();
    const maker = await issue(['*']);
    const answer = await app.request('POST', `/v1/projects/${other.id}/tokens`, {
      as: { project: maker.token },
      body: { name: 'made', permissions: [] },
    });
    expect(answer.status).toBe(404);
  });

  describe('expires no later than its maker', () => {
    it('at the same time if no expiry is given', async () => {
      const maker = await issue(['create:token'], inSeconds(60));
      expect((await create(maker)).body.expiresAt).toBe(maker.expiresAt);
    });

    it('at the given time if it is earlier or equal', async () => {
      const maker = await issue(['create:token'], inSeconds(60));
      expect((await create(maker, { expiresAt: inSeconds(59) })).body.expiresAt).toBe(inSeconds(59));
      expect((await create(maker, { expiresAt: inSeconds(60) })).body.expiresAt).toBe(inSeconds(60));
    });

    it('never, if its maker never expires', async () => {
      const maker = await issue(['create:token']);
      expect((await create(maker)).body.expiresAt).toBeNull();
      expect((await create(maker, { expiresAt: null })).body.expiresAt).toBeNull();
      expect((await create(maker, { expiresAt: inSeconds(5) })).body.expiresAt).toBe(inSeconds(5));
    });

    it('and is refused with a later expiry, by a millisecond or without end', async () => {
      const limit = inSeconds(60);
      const maker = await issue(['create:token'], limit);
      for (const expiresAt of [inSeconds(60.001), null]) {
        const answer = await create(maker, { expiresAt });
        expect(answer.status).toBe(403);
        expect(answer.body).toEqual(outliving(limit));
      }
    });

    it('also when an operator changes it', async () => {
      const limit = inSeconds(60);
      const maker = await issue(['create:token'], limit);
      const { body: child } = await create(maker);
      const answer = await update('operator', child, { expiresAt: inSeconds(61) });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(outliving(limit));
    });
  });

  describe("follows a change of its maker's expiry", () => {
    async function family() {
      const maker = await issue(['create:token', 'update:token', 'read:project'], inSeconds(60));
      const { body: child } = await create(maker, { permissions: ['create:token', 'read:project'] });
      const { body: grandchild } = await create(child, { permissions: ['read:project'] });
      const { body: shortLived } = await create(child, { expiresAt: inSeconds(10) });
      return { maker, child, grandchild, shortLived };
    }

    it('to an earlier one, in every generation', async () => {
      const { maker, child, grandchild, shortLived } = await family();
      const end = inSeconds(30);
      await update('operator', maker, { expiresAt: end });
      expect((await shown(child)).expiresAt).toBe(end);
      expect((await shown(grandchild)).expiresAt).toBe(end);
      expect((await shown(shortLived)).expiresAt).toBe(inSeconds(10));
    });

    it('also if the token is already in use', async () => {
      const { maker, grandchild } = await family();
      const use = () =>
        app.request('GET', `/v1/projects/${projectID}`, { as: { project: grandchild.token } });
      expect((await use()).status).toBe(200);
      await update('operator', maker, { expiresAt: inSeconds(5) });
      expect((await use()).status).toBe(200);
      app.clock.advance(5_000);
      expect((await use()).body).toEqual(problemBody('expired_credential'));
    });

    it('also if the maker shortens its own life', async () => {
      const { maker, grandchild } = await family();
      expect((await update(maker, maker, { expiresAt: inSeconds(20) })).status).toBe(200);
      expect((await shown(grandchild)).expiresAt).toBe(inSeconds(20));
    });

    it('from never', async () => {
      const maker = await issue(['create:token']);
      const { body: child } = await create(maker);
      await update('operator', maker, { expiresAt: inSeconds(30) });
      expect((await shown(child)).expiresAt).toBe(inSeconds(30));
    });

    it('but not to a later one', async () => {
      const { maker, child } = await family();
      const before = (await shown(child)).expiresAt;
      await update('operator', maker, { expiresAt: inSeconds(600) });
      expect((await shown(child)).expiresAt).toBe(before);
    });
  });

  describe('is revoked with its maker', () => {
    it('in every generation, and no other token is', async () => {
      const root = await issue(['create:token', 'read:project']);
      const permissions = ['create:token', 'read:project'];
      const { body: child } = await create(root, { permissions });
      const { body: sibling } = await create(root, { permissions });
      const { body: grandchild } = await create(child, { permissions });
      const { body: descendant } = await create(grandchild, { permissions });
      const use = async ({ token }: Made) =>
        (await app.request('GET', `/v1/projects/${projectID}`, { as: { project: token } })).status;
      for (const token of [root, child, sibling, grandchild, descendant]) expect(await use(token)).toBe(200);
      await app.request('DELETE', `/v1/project_tokens/${child.id}`, { as: { access: app.admin } });
      for (const token of [child, grandchild, descendant]) expect(await use(token)).toBe(401);
      for (const token of [root, sibling]) expect(await use(token)).toBe(200);
      expect((await shown(descendant)).status).toBe('revoked');
    });

    it('also if its maker has already expired', async () => {
      const maker = await issue(['create:token', 'read:project'], inSeconds(5));
      const { body: child } = await create(maker);
      app.clock.advance(5_000);
      await app.request('DELETE', `/v1/project_tokens/${maker.id}`, { as: { access: app.admin } });
      expect((await shown(child)).status).toBe('revoked');
    });
  });
});
