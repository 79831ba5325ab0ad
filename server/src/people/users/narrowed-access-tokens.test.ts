import type { AccessToken, Me, Project } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let one: TestProject;
let other: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  [one, other] = [await app.createProject('one'), await app.createProject('other')];
});

afterAll(() => app.close());

async function create(body: object, access = app.admin) {
  return app.request<AccessToken>('POST', '/v1/access_tokens', {
    as: { access },
    body: { name: 'narrowed', ...body },
  });
}

async function statusOf(access: string, url: string, method = 'GET', body?: object): Promise<number> {
  const answer = await app.request(method, url, { as: { access }, ...(body === undefined ? {} : { body }) });
  return answer.status;
}

describe('an access token that is narrowed', () => {
  it('to projects sees these alone, and nothing of the installation', async () => {
    const { status, body } = await create({ projects: [one.id.toUpperCase()] });
    expect([status, body.projects, body.permissions]).toEqual([201, [one.id], null]);
    const listed = await app.request<Project[]>('GET', '/v1/projects', { as: { access: body.token } });
    expect(listed.body.map(({ name }) => name)).toEqual(['one']);
    expect(await statusOf(body.token, `/v1/projects/${one.id}/tokens`)).toBe(200);
    expect(await statusOf(body.token, `/v1/projects/${other.id}/tokens`)).toBe(404);
    expect(await statusOf(body.token, '/v1/users')).toBe(403);
    expect(await statusOf(body.token, '/v1/projects', 'POST', { name: 'x' })).toBe(403);
    const me = await app.request<Me>('GET', '/v1/me', { as: { access: body.token } });
    expect(me.body).toMatchObject({
      permissions: [],
      installationPermissions: [],
      projects: [{ id: one.id, name: 'one', permissions: ['*'] }],
    });
  });

  it('to permissions does no more, also on the installation', async () => {
    const { body } = await create({ permissions: ['read:*'] });
    expect(await statusOf(body.token, `/v1/projects/${one.id}/tokens`)).toBe(200);
    expect(await statusOf(body.token, '/v1/users')).toBe(200);
    const token = { name: 'x', permissions: [] };
    expect(await statusOf(body.token, `/v1/projects/${one.id}/tokens`, 'POST', token)).toBe(403);
    expect(await statusOf(body.token, '/v1/projects', 'POST', { name: 'x' })).toBe(403);
  });

  it('creates project tokens with its own permissions at most', async () => {
    const { body } = await create({ permissions: ['create:token', 'read:agent'] });
    const make = (permissions: string[]) =>
      statusOf(body.token, `/v1/projects/${one.id}/tokens`, 'POST', { name: 'x', permissions });
    expect([await make(['read:agent']), await make(['read:*'])]).toEqual([201, 403]);
  });

  it('creates access tokens that are no wider', async () => {
    const { body: maker } = await create({ permissions: ['read:*'], projects: [one.id] });
    const { body: same } = await create({}, maker.token);
    expect([same.permissions, same.projects, same.createdWith]).toEqual([['read:*'], [one.id], maker.id]);
    const { body: narrower } = await create({ permissions: ['read:agent'] }, maker.token);
    expect(narrower.permissions).toEqual(['read:agent']);
    const wider = await create({ permissions: ['read:agent', 'create:agent'] }, maker.token);
    expect([wider.status, wider.body]).toEqual([
      403,
      problemBody(
        'permissions_exceed_own',
        "Your token is narrowed and does not have 'create:agent', so it cannot create a token with that. Leave it out, or use a token that has it.",
      ),
    ]);
    const elsewhere = await create({ projects: [one.id, other.id] }, maker.token);
    expect([elsewhere.status, elsewhere.body]).toEqual([
      404,
      problemBody('not_found', `There is no project ${other.id} that this credential can see.`),
    ]);
  });

  it('sees and revokes only itself and what it has created', async () => {
    const { body: maker } = await create({ permissions: ['read:*'] });
    const { body: made } = await create({}, maker.token);
    const listed = await app.request<AccessToken[]>('GET', '/v1/access_tokens', {
      as: { access: maker.token },
    });
    expect(listed.body.map(({ id }) => id)).toEqual([made.id, maker.id]);
    const { body: foreign } = await create({});
    expect(await statusOf(maker.token, `/v1/access_tokens/${foreign.id}`, 'DELETE')).toBe(404);
    expect(await statusOf(foreign.token, '/v1/me')).toBe(200);
    expect(await statusOf(maker.token, `/v1/access_tokens/${made.id}`, 'DELETE')).toBe(204);
    expect(await statusOf(made.token, '/v1/me')).toBe(401);
  });

  it.each([
    [{ permissions: ['read:agnt'] }, 422],
    [{ projects: ['one'] }, 422],
    [{ projects: ['0192f0a0-0000-7000-8000-000000000000'] }, 404],
  ])('is not created with %j', async (body, status) => {
    expect((await create(body)).status).toBe(status);
  });
});

describe('the revocation of an access token', () => {
  it('ends everything that was created with it, from the answer on', async () => {
    const { body: maker } = await create({});
    const { body: child } = await create({}, maker.token);
    const { body: grandchild } = await create({}, child.token);
    for (const { token } of [maker, child, grandchild]) expect(await statusOf(token, '/v1/me')).toBe(200);
    expect(await statusOf(app.admin, `/v1/access_tokens/${maker.id}`, 'DELETE')).toBe(204);
    for (const { token } of [maker, child, grandchild]) expect(await statusOf(token, '/v1/me')).toBe(401);
    expect(await statusOf(app.admin, '/v1/me')).toBe(200);
  });

  it('leaves nothing behind of what is created at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { body: maker } = await create({});
      const creations = [1, 2, 3, 4].map(() => create({}, maker.token));
      expect(await statusOf(app.admin, `/v1/access_tokens/${maker.id}`, 'DELETE')).toBe(204);
      const made = (await Promise.all(creations)).filter(({ status }) => status === 201);
      for (const { body } of made) expect(await statusOf(body.token, '/v1/me')).toBe(401);
    }
  });
});
