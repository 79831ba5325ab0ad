import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Credentials, startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const missingID = '0192f0a0-0000-7000-8000-000000000000';

async function start() {
  const project = await app.createProject();
  const machineID = randomUUID();
  const { body: agent } = await agents.register(project, { name: 'n', machineID, rawConfig: 'A' });
  return { project, agent, machineID };
}

/** Every route of one agent, with a valid request. */
const routesOfAgent = [
  { method: 'GET', path: '', kinds: ['project', 'access'] },
  { method: 'POST', path: '/release', kinds: ['access'] },
  { method: 'PATCH', path: '', body: { name: 'x', rawConfig: 'B' }, kinds: ['agent', 'project', 'access'] },
  { method: 'DELETE', path: '', kinds: ['project', 'access'] },
  { method: 'GET', path: '/config_history', kinds: ['project', 'access'] },
  { method: 'POST', path: '/metrics', body: Buffer.of(0x90), kinds: ['agent', 'project', 'access'] },
  { method: 'GET', path: '/errors', kinds: ['project', 'access'] },
  { method: 'POST', path: '/errors', body: { error: 'x' }, kinds: ['agent', 'project'] },
] as const;

describe('DELETE /v1/agents/{agentID}', () => {
  describe('204', () => {
    it('returns no body, and the agent is in no list any more', async () => {
      const { project, agent } = await start();
      const other = await app.registerAgent(project);
      expect(await agents.delete(agent.id)).toMatchObject({ status: 204, text: '' });
      expect((await agents.list(project.id)).body.map(({ id }) => id)).toEqual([other.id]);
    });

    it('also removes its errors', async () => {
      const { project, agent } = await start();
      await app.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { agent: agent.token },
        body: [{ error: 'one' }, { error: 'two' }],
      });
      await agents.delete(agent.id);
      const errors = await app.request('GET', `/v1/projects/${project.id}/agent_errors`, {
        as: { access: app.admin },
      });
      expect(errors.body).toEqual([]);
    });

    it('accepts a project token with delete:agent', async () => {
      const { project, agent } = await start();
      const { token } = await app.createToken(project.id, ['delete:agent']);
      const answer = await app.request('DELETE', `/v1/agents/${agent.id}`, { as: { project: token } });
      expect(answer.status).toBe(204);
      expect((await agents.list(project.id)).body).toEqual([]);
    });
  });

  describe('afterwards', () => {
    it('answers 410 on every route to its own token, its project and operators', async () => {
      const { project, agent } = await start();
      const { token } = await app.createToken(project.id, ['*']);
      // Used before, so that they are remembered.
      await agents.tryToken(agent.token);
      await agents.delete(agent.id);
      const credentials: Record<string, Credentials> = {
        agent: { agent: agent.token },
        project: { project: token },
        access: { access: app.admin },
      };
      for (const { method, path, kinds, ...rest } of routesOfAgent) {
        for (const kind of kinds) {
          const answer = await app.request(method, `/v1/agents/${agent.id}${path}`, {
            as: credentials[kind] ?? {},
            ...rest,
          });
          expect([method, path, kind, answer.status]).toEqual([method, path, kind, 410]);
          expect(answer.body).toEqual(problemBody('agent_deleted'));
        }
      }
    });

    it('answers 404 on every route to other agents and other projects, as for an unknown agent', async () => {
      const { project, agent } = await start();
      const sibling = await app.registerAgent(project);
      const { token: stranger } = await app.createToken((await app.createProject()).id, ['*']);
      await agents.delete(agent.id);
      for (const { method, path, kinds, ...rest } of routesOfAgent) {
        for (const id of [agent.id, missingID]) {
          if (!(kinds as readonly string[]).includes('project')) continue;
          const as = { project: stranger };
          const answer = await app.request(method, `/v1/agents/${id}${path}`, { as, ...rest });
          expect([method, path, answer.status]).toEqual([method, path, 404]);
          expect(answer.body).toEqual(
            problemBody('not_found', `There is no agent ${id} that this credential can see.`),
          );
        }
        if ((kinds as readonly string[]).includes('agent')) {
          const as = { agent: sibling.token };
          const answer = await app.request(method, `/v1/agents/${agent.id}${path}`, { as, ...rest });
          expect([method, path, answer.status]).toEqual([method, path, 404]);
        }
      }
    });

    it('makes a registration of its machine a new agent, for which the old token is not valid', async () => {
      const { project, agent, machineID } = await start();
      await agents.delete(agent.id);
      const { status, body: next } = await agents.register(project, { name: 'n', machineID });
      expect(status).toBe(201);
      expect(next.id).not.toBe(agent.id);
      expect(await agents.get(next.id)).toMatchObject({ machineID, configID: null, rawConfig: null });
      expect((await agents.update({ id: next.id, token: agent.token }, { name: 'x' })).status).toBe(404);
      expect((await agents.update(agent, { name: 'x' })).status).toBe(410);
      expect((await agents.list(project.id)).body.map(({ id }) => id)).toEqual([next.id]);
    });

    it('makes a report by its machine id belong to a new agent', async () => {
      const { project, agent, machineID } = await start();
      await agents.delete(agent.id);
      const report = await app.request('POST', `/v1/machines/${machineID}/errors`, {
        as: { project: project.token },
        body: { error: 'still here' },
      });
      expect(report.status).toBe(201);
      const { body } = await agents.list(project.id);
      expect(body).toHaveLength(1);
      expect(body[0]).toMatchObject({ machineID, name: machineID, status: 'unhealthy' });
      expect(body[0]?.id).not.toBe(agent.id);
    });

    it('can be followed by any number of registrations and deletions', async () => {
      const { project, machineID } = await start();
      const ids = new Set<string>();
      for (let round = 0; round < 3; round += 1) {
        const { body } = await agents.register(project, { name: 'n', machineID });
        expect((await agents.delete(body.id)).status).toBe(204);
        ids.add(body.id);
      }
      expect(ids.size).toBe(3);
    });

    it('leaves no report that arrived at the same time', async () => {
      const { project, agent } = await start();
      const report = (index: number) =>
        app.request('POST', `/v1/agents/${agent.id}/errors`, {
          as: { project: project.token },
          body: { error: `error ${index}` },
        });
      const answers = await Promise.all([
        ...Array.from({ length: 20 }, (_, index) => report(index)),
        agents.delete(agent.id),
        ...Array.from({ length: 20 }, (_, index) => report(20 + index)),
      ]);
      expect(answers.every(({ status }) => [201, 204, 410].includes(status))).toBe(true);
      const errors = await app.request('GET', `/v1/projects/${project.id}/agent_errors`, {
        as: { access: app.admin },
      });
      expect(errors.body).toEqual([]);
    });
  });

  describe('403', () => {
    it('for a project token without delete:agent, such as the agent preset', async () => {
      const { project, agent } = await start();
      const answer = await app.request('DELETE', `/v1/agents/${agent.id}`, {
        as: { project: project.token },
      });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({
        code: 'permission_denied',
        detail: expect.stringContaining("'delete:agent'"),
      });
      expect((await agents.get(agent.id)).id).toBe(agent.id);
    });

    it('for the agent itself', async () => {
      const { agent } = await start();
      const answer = await app.request('DELETE', `/v1/agents/${agent.id}`, { as: { agent: agent.token } });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'credential_kind_not_accepted' });
      expect((await agents.get(agent.id)).id).toBe(agent.id);
    });
  });

  describe('404', () => {
    it('for an agent of another project, which is not deleted', async () => {
      const { agent } = await start();
      const { token } = await app.createToken((await app.createProject()).id, ['*']);
      const answer = await app.request('DELETE', `/v1/agents/${agent.id}`, { as: { project: token } });
      expect(answer.status).toBe(404);
      expect((await agents.get(agent.id)).id).toBe(agent.id);
    });
  });

  describe('410', () => {
    it('for all but one of ten deletions at once', async () => {
      const { agent } = await start();
      const answers = await Promise.all(Array.from({ length: 10 }, () => agents.delete(agent.id)));
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
      expect(statuses).toEqual([204, ...Array(9).fill(410)]);
    });
  });
});
