import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { readRows } from '../../testing/rows/read-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function create(body: object, projectID?: string): Promise<Token> {
  const project = projectID ?? (await app.createProject()).id;
  const answer = await app.request<Token>('POST', `/v1/projects/${project}/tokens`, {
    as: { access: app.admin },
    body,
  });
  return answer.body;
}

async function get(id: string): Promise<Token> {
  const { body } = await app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
  return body;
}

async function update(id: string, body: unknown) {
  return app.request<Token>('PATCH', `/v1/project_tokens/${id}`, { as: { access: app.admin }, body });
}

/** The answer to a request with this token. */
async function use(projectID: string, token: string): Promise<number> {
  const { status } = await app.request('GET', `/v1/projects/${projectID}`, { as: { project: token } });
  return status;
}

function inSeconds(seconds: number): string {
  return new Date(app.clock.now() + seconds * 1_000).toISOString();
}

/** The number that every change of a credential advances, and for which reports of all projects are checked. */
async function generation(): Promise<number | undefined> {
  const rows = await readRows<{ generation: number }>(
    app.dataDirectory,
    'select generation from credential_changes',
  );
  return rows[0]?.generation;
}

describe('PATCH /v1/project_tokens/{tokenID}', () => {
  describe('200', () => {
    it('makes no other request check its credential again unless something changes', async () => {
      const values = { name: 'ci', permissions: ['read:agent'], expiresAt: inSeconds(60) };
      const { id } = await create(values);
      const before = await generation();
      for (const body of [{}, values, { name: 'ci' }])
        expect(await update(id, body)).toMatchObject({ status: 200, body: values });
      expect(await generation()).toBe(before);
      await update(id, { name: 'cd' });
      expect(await generation()).toBe((before ?? 0) + 1);
      await update(id, { permissions: [] });
      expect(await generation()).toBe((before ?? 0) + 2);
    });

    it('changes each single field and returns the whole token, with a masked value', async () => {
      const created = await create({ name: 'ci', permissions: ['read:*'] });
      const token = `mst_p_…${created.token.slice(-4)}`;
      const renamed = { ...created, token, name: 'renamed' };
      const granted = { ...renamed, permissions: ['create:*', 'delete:agent'] };
      const limited = { ...granted, expiresAt: '2099-01-01T00:00:00.000Z' };
      expect((await update(created.id, { name: 'renamed' })).body).toEqual(renamed);
      expect((await update(created.id, { permissions: ['create:*', 'delete:agent'] })).body).toEqual(granted);
      expect((await update(created.id, { expiresAt: '2099-01-01T00:00:00Z' })).body).toEqual(limited);
      const last = await update(created.id, { expiresAt: null });
      expect(last.status).toBe(200);
      expect(last.body).toEqual(granted);
      expect(await get(created.id)).toEqual(granted);
    });

    it('changes all fields at once', async () => {
      const { id } = await create({ name: 'ci' });
      const { body } = await update(id, { name: 'x', permissions: [], expiresAt: '2099-01-01T00:00:00Z' });
      expect(body).toMatchObject({ name: 'x', permissions: [], expiresAt: '2099-01-01T00:00:00.000Z' });
    });

    it('changes nothing if the body has no field', async () => {
      const { id } = await create({ name: 'ci', permissions: ['read:*'], expiresAt: '2099-01-01T00:00:00Z' });
      const before = await get(id);
      const { status, body } = await update(id, {});
      expect(status).toBe(200);
      expect(body).toEqual(before);
    });

    it('deduplicates permissions', async () => {
      const { id } = await create({ name: 'ci' });
      const { body } = await update(id, { permissions: ['read:*', 'create:*', 'read:*'] });
      expect(body.permissions).toEqual(['read:*', 'create:*']);
    });

    it('removes permissions from every request that starts after the answer', async () => {
      const project = await app.createProject();
      const { id, token } = await create({ name: 'ci', permissions: ['read:project'] }, project.id);
      expect(await use(project.id, token)).toBe(200);
      await update(id, { permissions: ['read:agent'] });
      expect(await use(project.id, token)).toBe(403);
      await update(id, { permissions: ['read:project'] });
      expect(await use(project.id, token)).toBe(200);
    });

    it('changes the expiry of a token that is in use', async () => {
      const project = await app.createProject();
      const { id, token } = await create({ name: 'ci', permissions: ['read:project'] }, project.id);
      expect(await use(project.id, token)).toBe(200);
      await update(id, { expiresAt: inSeconds(10) });
      app.clock.advance(9_999);
      expect(await use(project.id, token)).toBe(200);
      app.clock.advance(1);
      expect(await use(project.id, token)).toBe(401);
    });

    it('lets an operator revive an expired token', async () => {
      const project = await app.createProject();
      const { id, token } = await create(
        { name: 'ci', permissions: ['read:project'], expiresAt: inSeconds(1) },
        project.id,
      );
      app.clock.advance(1_000);
      expect(await use(project.id, token)).toBe(401);
      const { body } = await update(id, { expiresAt: inSeconds(60) });
      expect(body.status).toBe('expiring');
      expect(await use(project.id, token)).toBe(200);
    });

    it('does not affect other tokens', async () => {
      const project = await app.createProject();
      const one = await create({ name: 'one' }, project.id);
      const other = await create({ name: 'other' }, project.id);
      const before = await get(other.id);
      await update(one.id, { name: 'x', permissions: [], expiresAt: inSeconds(60) });
      expect(await get(other.id)).toEqual(before);
    });

    it('can be done with a project token, to other tokens and to itself', async () => {
      const project = await app.createProject();
      const updater = await app.createToken(project.id, ['update:token', 'read:agent']);
      const other = await create({ name: 'other', permissions: ['read:agent'] }, project.id);
      for (const id of [other.id, updater.id]) {
        const { status, body } = await app.request<Token>('PATCH', `/v1/project_tokens/${id}`, {
          as: { project: updater.token },
          body: { name: 'renamed' },
        });
        expect([status, body.name]).toEqual([200, 'renamed']);
      }
    });
  });

  describe('404', () => {
    it('refuses a token that does not exist', async () => {
      const answer = await update(missingID, { name: 'x' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no token ${missingID} that this credential can see.`),
      );
    });
  });

  describe('409', () => {
    it('refuses any change of a revoked token, which stays unchanged', async () => {
      const { id } = await create({ name: 'ci' });
      await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
      const before = await get(id);
      for (const body of [{ name: 'x' }, { permissions: ['*'] }, { expiresAt: null }, {}]) {
        const answer = await update(id, body);
        expect(answer.status).toBe(409);
        expect(answer.body).toEqual(problemBody('token_revoked'));
      }
      expect(await get(id)).toEqual(before);
    });
  });

  describe('422', () => {
    it.each([
      [{ name: '' }, '/name', 'must not be empty'],
      [{ name: null }, '/name', 'must be a string'],
      [{ name: '🚀'.repeat(129) }, '/name', 'must have at most 128 characters'],
      [{ name: 'a\0' }, '/name', 'contains NUL (U+0000); remove it'],
      [{ name: '\ud800' }, '/name', 'contains half of a surrogate pair; send whole characters'],
      [{ permissions: null }, '/permissions', 'must be an array'],
      [{ permissions: Array(65).fill('*') }, '/permissions', 'must have at most 64 elements'],
      [
        { expiresAt: '2027-02-30T00:00:00Z' },
        '/expiresAt',
        'must be an ISO 8601 time with its zone, such as 2027-01-31T00:00:00Z',
      ],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt', 'must be in the future'],
      [{ permision: [] }, '/permision', "is unknown; did you mean 'permissions'?"],
      [{ token: 'x' }, '/token', 'is unknown'],
      [[], '', 'must be an object'],
    ])('refuses %j and changes nothing', async (body, path, message) => {
      const { id } = await create({ name: 'ci' });
      const before = await get(id);
      const answer = await update(id, body);
      expect(answer.status).toBe(422);
      const detail = `${path === '' ? 'The body' : `'${path}'`} ${message}${message.endsWith('?') ? '' : '.'}`;
      expect(answer.body).toEqual(problemBody('invalid_body', detail, [{ path, message }]));
      expect(await get(id)).toEqual(before);
    });

    it('refuses an invalid permission, suggests the nearest valid one, and changes nothing', async () => {
      const { id } = await create({ name: 'ci' });
      const before = await get(id);
      const answer = await update(id, { name: 'renamed', permissions: ['read:*', 'raed:agent'] });
      const message = "'raed:agent' is not a permission: did you mean 'read:agent'?";
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(
        problemBody('invalid_permission', message, [{ path: '/permissions/1', message }]),
      );
      expect(await get(id)).toEqual(before);
    });
  });
});
