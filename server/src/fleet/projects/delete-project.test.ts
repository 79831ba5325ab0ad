import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startReplicas } from '../../testing/start-replicas.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function remove(id: string) {
  return app.request('DELETE', `/v1/projects/${id}`, { as: { access: app.admin } });
}

async function statusOf(method: string, url: string, options: Parameters<TestApp['request']>[2] = {}) {
  return (await app.request(method, url, { as: { access: app.admin }, ...options })).status;
}

/** A project with an error, and with a token and an agent that are both in use. */
async function projectInUse() {
  const { id } = await app.createProject('doomed');
  const { id: tokenID, token } = await app.createToken(id, ['*']);
  const agent = await app.registerAgent({ id, token });
  const reported = await app.request<{ id: string }>('POST', `/v1/agents/${agent.id}/errors`, {
    as: { agent: agent.token },
    body: { error: 'no route to host' },
  });
  expect(reported.status).toBe(201);
  return { id, tokenID, token, agent, errorID: reported.body.id };
}

describe('DELETE /v1/projects/{projectID}', () => {
  describe('204', () => {
    it('answers without a body', async () => {
      const { id } = await app.createProject();
      const { status, text } = await remove(id);
      expect([status, text]).toEqual([204, '']);
    });

    it('ends what the fleets of the project serve, on each replica', async () => {
      const replicas = await startReplicas();
      const as = { access: replicas.admin };
      const { id } = await replicas.other.createProject();
      const { body: fleet } = await replicas.other.request<{ id: string }>(
        'POST',
        `/v1/projects/${id}/fleets`,
        {
          as,
          body: { name: 'edge', rawConfig: '[INPUT]\n    Name cpu\n' },
        },
      );
      const statuses = () =>
        Promise.all(
          replicas.all.map(
            async (one) => (await one.request('GET', `/v1/fleets/${fleet.id}/config`, { as })).status,
          ),
        );
      const all = (status: number) => replicas.all.map(() => status);
      expect(await statuses()).toEqual(all(200));
      await replicas.one.request('DELETE', `/v1/projects/${id}`, { as });
      expect(await statuses()).toEqual(all(404));
      await replicas.close();
    });

    it('hides the project and everything in it', async () => {
      const { id, tokenID, agent, errorID } = await projectInUse();
      await remove(id);
      for (const url of [
        `/v1/projects/${id}`,
        `/v1/projects/${id}/tokens`,
        `/v1/projects/${id}/agents`,
        `/v1/projects/${id}/agent_errors`,
        `/v1/project_tokens/${tokenID}`,
        `/v1/agents/${agent.id}`,
        `/v1/agents/${agent.id}/errors`,
        `/v1/agents/${agent.id}/config_history`,
      ]) {
        expect([url, await statusOf('GET', url)]).toEqual([url, 404]);
      }
      const body = { reason: 'gone' };
      expect(await statusOf('POST', `/v1/agent_errors/${errorID}/dismiss`, { body })).toBe(404);
      const listed = await app.request<{ name: string }[]>('GET', '/v1/projects?name=doomed', {
        as: { access: app.admin },
      });
      expect(listed.body).toEqual([]);
    });

    it('refuses its tokens and its agents in every request that starts after the answer', async () => {
      const { id, token, agent } = await projectInUse();
      expect(await statusOf('GET', `/v1/projects/${id}`, { as: { project: token } })).toBe(200);
      expect(await statusOf('GET', '/v1/me', { as: { agent: agent.token } })).toBe(200);
      await remove(id);
      expect(await statusOf('GET', '/v1/me', { as: { project: token } })).toBe(401);
      expect(await statusOf('GET', '/v1/me', { as: { agent: agent.token } })).toBe(401);
      const body = { error: 'one more' };
      expect(
        await statusOf('POST', `/v1/agents/${agent.id}/errors`, { as: { agent: agent.token }, body }),
      ).toBe(401);
      expect(await statusOf('POST', '/v1/machines/web-01/errors', { as: { project: token }, body })).toBe(
        401,
      );
    });

    it('admits no caller through a look-up that was under way', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { id } = await app.createProject();
        const { token } = await app.createToken(id, ['read:project']);
        const [, removed] = await Promise.all([
          app.request('GET', `/v1/projects/${id}`, { as: { project: token } }),
          remove(id),
          app.request('GET', `/v1/projects/${id}`, { as: { project: token } }),
        ]);
        expect(removed.status).toBe(204);
        expect(await statusOf('GET', '/v1/me', { as: { project: token } })).toBe(401);
      }
    });

    it('leaves other projects alone', async () => {
      const other = await projectInUse();
      const { id } = await projectInUse();
      await remove(id);
      expect(await statusOf('GET', `/v1/projects/${other.id}`, { as: { project: other.token } })).toBe(200);
      expect(await statusOf('GET', '/v1/me', { as: { agent: other.agent.token } })).toBe(200);
      const errors = await app.request<unknown[]>('GET', `/v1/agents/${other.agent.id}/errors`, {
        as: { access: app.admin },
      });
      expect(errors.body).toHaveLength(1);
    });
  });

  describe('404', () => {
    it('refuses a project that does not exist', async () => {
      const answer = await remove(missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no project ${missingID} that this credential can see.`),
      );
    });

    it('refuses a project that is already deleted', async () => {
      const { id } = await app.createProject();
      expect((await remove(id)).status).toBe(204);
      expect((await remove(id)).status).toBe(404);
    });

    it('succeeds for only one of two concurrent requests', async () => {
      const { id } = await app.createProject();
      const answers = await Promise.all([remove(id), remove(id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    });
  });
});
