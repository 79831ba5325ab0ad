import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
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

async function get(id: string) {
  return app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
}

function nowText(): string {
  return new Date(app.clock.now()).toISOString();
}

describe('GET /v1/project_tokens/{tokenID}', () => {
  describe('200', () => {
    it('returns the token as it was created, with a masked value', async () => {
      const created = await create({
        name: 'ci',
        permissions: ['read:*'],
        expiresAt: '2099-01-01T00:00:00Z',
      });
      const { status, body } = await get(created.id);
      expect(status).toBe(200);
      expect(body).toEqual({ ...created, token: `mst_p_…${created.token.slice(-4)}` });
    });

    it('accepts the id in upper case, and returns it in lower case', async () => {
      const { id } = await create({ name: 'ci' });
      const { status, body } = await get(id.toUpperCase());
      expect([status, body.id]).toEqual([200, id]);
    });

    it('returns to a project token itself and the other tokens of its project', async () => {
      const project = await app.createProject();
      const reader = await app.createToken(project.id, ['read:token']);
      const other = await create({ name: 'other' }, project.id);
      for (const id of [reader.id, other.id]) {
        const { status, body } = await app.request<Token>('GET', `/v1/project_tokens/${id}`, {
          as: { project: reader.token },
        });
        expect([status, body.id]).toEqual([200, id]);
      }
    });

    it('shows an expired and a revoked token as such', async () => {
      const expiresAt = new Date(app.clock.now() + 1_000).toISOString();
      const expiring = await create({ name: 'ci', expiresAt });
      const revoked = await create({ name: 'ci' });
      await app.request('DELETE', `/v1/project_tokens/${revoked.id}`, { as: { access: app.admin } });
      app.clock.advance(999);
      expect((await get(expiring.id)).body.status).toBe('expiring');
      app.clock.advance(1);
      expect((await get(expiring.id)).body.status).toBe('expired');
      expect((await get(revoked.id)).body.status).toBe('revoked');
    });
  });

  describe('lastUsedAt', () => {
    it('is null until the token is used, and then at once the time of the last use', async () => {
      const project = await app.createProject();
      const { id, token } = await create({ name: 'ci', permissions: ['read:project'] }, project.id);
      expect((await get(id)).body.lastUsedAt).toBeNull();
      const use = () => app.request('GET', `/v1/projects/${project.id}`, { as: { project: token } });
      await use();
      const first = nowText();
      expect((await get(id)).body.lastUsedAt).toBe(first);
      app.clock.advance(1_500);
      expect((await get(id)).body.lastUsedAt).toBe(first);
      await use();
      expect((await get(id)).body.lastUsedAt).toBe(nowText());
    });

    it('is the same in the list', async () => {
      const project = await app.createProject();
      const { token } = await create({ name: 'ci', permissions: ['read:project'] }, project.id);
      await app.request('GET', `/v1/projects/${project.id}`, { as: { project: token } });
      const { body } = await app.request<Token[]>('GET', `/v1/projects/${project.id}/tokens?name=ci`, {
        as: { access: app.admin },
      });
      expect(body.map(({ lastUsedAt }) => lastUsedAt)).toEqual([nowText()]);
    });

    it('does not change when the token is refused because it has expired', async () => {
      const project = await app.createProject();
      const expiresAt = new Date(app.clock.now() + 1_000).toISOString();
      const { id, token } = await create(
        { name: 'ci', permissions: ['read:project'], expiresAt },
        project.id,
      );
      const use = () => app.request('GET', `/v1/projects/${project.id}`, { as: { project: token } });
      await use();
      const lastUsedAt = nowText();
      app.clock.advance(1_000);
      expect((await use()).status).toBe(401);
      expect((await get(id)).body.lastUsedAt).toBe(lastUsedAt);
    });
  });

  describe('agentsCount', () => {
    it('counts the agents whose last registration used this token', async () => {
      const project = await app.createProject();
      const one = await create({ name: 'one' }, project.id);
      const other = await create({ name: 'other' }, project.id);
      const counts = async () => [
        (await get(one.id)).body.agentsCount,
        (await get(other.id)).body.agentsCount,
      ];
      expect(await counts()).toEqual([0, 0]);
      await app.registerAgent({ id: project.id, token: one.token }, 'host-1');
      await app.registerAgent({ id: project.id, token: one.token }, 'host-1');
      const { id: agentID } = await app.registerAgent({ id: project.id, token: one.token }, 'host-2');
      expect(await counts()).toEqual([2, 0]);
      await app.registerAgent({ id: project.id, token: other.token }, 'host-1');
      expect(await counts()).toEqual([1, 1]);
      await app.request('DELETE', `/v1/agents/${agentID}`, { as: { access: app.admin } });
      expect(await counts()).toEqual([0, 1]);
    });
  });

  describe('400', () => {
    it('refuses an invalid id', async () => {
      const answer = await get('ci');
      const message = 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000';
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_path_parameter', `The path parameter 'tokenID' ${message}.`, [
          { path: 'tokenID', message },
        ]),
      );
    });

    it('refuses any query parameter', async () => {
      const { id } = await create({ name: 'ci' });
      const answer = await get(`${id}?show=all`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'unknown_query_parameter' });
    });
  });

  describe('404', () => {
    it('refuses a token that does not exist', async () => {
      const answer = await get(missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no token ${missingID} that this credential can see.`),
      );
    });

    it('refuses the id of another kind of object', async () => {
      const project = await app.createProject();
      expect((await get(project.id)).status).toBe(404);
    });

    it('refuses a token of a project that was deleted', async () => {
      const project = await app.createProject();
      const { id } = await create({ name: 'ci' }, project.id);
      await app.request('DELETE', `/v1/projects/${project.id}`, { as: { access: app.admin } });
      expect((await get(id)).status).toBe(404);
    });
  });
});
