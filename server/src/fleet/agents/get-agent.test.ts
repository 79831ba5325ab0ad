import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { readStored } from '../../testing/rows/read-stored.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const missingID = '0192f0a0-0000-7000-8000-000000000000';

describe('GET /v1/agents/{agentID}', () => {
  describe('200', () => {
    it('gives the same answer to an operator and to a project token with read:agent', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      const { token } = await app.createToken(project.id, ['read:agent']);
      const url = `/v1/agents/${agent.id}`;
      const byOperator = await app.request('GET', url, { as: { access: app.admin } });
      expect(byOperator.status).toBe(200);
      expect(byOperator.text).not.toContain(agent.token);
      for (const as of [{ project: token }, { access: token }]) {
        expect((await app.request('GET', url, { as })).body).toEqual(byOperator.body);
      }
    });

    it('accepts the id in upper case', async () => {
      const agent = await app.registerAgent(await app.createProject());
      expect((await agents.get(agent.id.toUpperCase())).id).toBe(agent.id);
    });
  });

  describe('400', () => {
    it('for an invalid id', async () => {
      const answer = await app.request('GET', '/v1/agents/web-01', { as: { access: app.admin } });
      expect(answer.status).toBe(400);
      const message = 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000';
      expect(answer.body).toEqual(
        problemBody('invalid_path_parameter', `The path parameter 'agentID' ${message}.`, [
          { path: 'agentID', message },
        ]),
      );
    });
  });

  describe('401', () => {
    it('for the token of an agent whose project was deleted, on every route of agents', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      expect(await agents.tryToken(agent.token)).toBe(200);
      await app.request('DELETE', `/v1/projects/${project.id}`, { as: { access: app.admin } });
      const answer = await agents.update(agent, { name: 'x' });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(problemBody('invalid_credential'));
      const byOperator = await app.request('GET', `/v1/agents/${agent.id}`, { as: { access: app.admin } });
      expect(byOperator.status).toBe(404);
    });
  });

  describe('403', () => {
    it('for the agent itself, which could read what another registration of its machine sent', async () => {
      const agent = await app.registerAgent(await app.createProject());
      const answer = await app.request('GET', `/v1/agents/${agent.id}`, { as: { agent: agent.token } });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(
        problemBody(
          'credential_kind_not_accepted',
          'This route takes Authorization: Bearer or X-Project-Token.',
        ),
      );
    });

    it('for a project token without read:agent', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      const answer = await app.request('GET', `/v1/agents/${agent.id}`, { as: { project: project.token } });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'permission_denied' });
    });
  });

  describe('404', () => {
    it('for a missing agent and for one of another project, with the same answer', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      const { token: stranger } = await app.createToken((await app.createProject()).id, ['*']);
      const attempts = [
        [missingID, { access: app.admin }],
        [agent.id, { project: stranger }],
      ] as const;
      for (const [id, as] of attempts) {
        const answer = await app.request('GET', `/v1/agents/${id}`, { as });
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(
          problemBody('not_found', `There is no agent ${id} that this credential can see.`),
        );
      }
    });
  });
});

describe('secrets of a known form in the texts of an agent', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const url = 'https://bot:canary@git.example.com';
  const texts = {
    name: `${secret} of host`,
    type: url,
    version: secret,
    edition: secret,
    os: `os ${secret}`,
    arch: url,
    fleetID: secret,
    tags: [url],
  };
  const stored = {
    name: '--redacted-- of host',
    type: 'https://bot:--redacted--@git.example.com',
    version: '--redacted--',
    edition: '--redacted--',
    os: 'os --redacted--',
    arch: 'https://bot:--redacted--@git.example.com',
    fleetID: '--redacted--',
    tags: ['https://bot:--redacted--@git.example.com'],
  };

  it('are not stored by a registration, by a repeated one, or by an update', async () => {
    const project = await app.createProject();
    for (const machineID of ['once', 'once', 'twice']) {
      const { status, body } = await agents.register(project, { machineID, ...texts });
      expect([status, body.name]).toEqual([201, stored.name]);
      expect(await agents.get(body.id)).toMatchObject(stored);
    }
    const { body } = await agents.register(project, { machineID: 'updated', name: 'host' });
    await agents.update(body, texts);
    expect(await agents.get(body.id)).toMatchObject(stored);
  });

  it('are not stored as the name of a machine that reports first', async () => {
    const project = await app.createProject();
    const { status } = await app.request('POST', `/v1/machines/${secret}/errors`, {
      as: { project: project.token },
      body: { error: 'x' },
    });
    expect(status).toBe(201);
    const { body: listed } = await agents.list(project.id);
    expect(listed).toMatchObject([{ name: '--redacted--' }]);
  });
});

describe('the secrets of a configuration', () => {
  const config = (password: string) =>
    `[OUTPUT]\n    name es\n    host es.example.com\n    http_user elastic\n    http_passwd ${password}\n`;

  it('are not stored, but a changed secret is a new configuration', async () => {
    const project = await app.createProject();
    const { body } = await agents.register(project, {
      name: 'n',
      machineID: 'm',
      rawConfig: config('canary-of-registration'),
    });
    await agents.update(body, { rawConfig: config('canary-of-update') });
    await agents.update(body, { rawConfig: config('canary-of-update') });

    const history = await agents.listConfigs(body.id);
    expect(history.body.map(({ rawConfig }) => rawConfig)).toEqual([
      config('--redacted--'),
      config('--redacted--'),
    ]);
    const agent = await agents.get(body.id);
    expect(agent.rawConfig).toBe(config('--redacted--'));
    expect(agent.configID).toBe(history.body[0]?.id);

    const stored = await readStored(app.dataDirectory);
    expect(stored).toContain('es.example.com');
    expect(stored).not.toContain('canary-of');
    expect(app.logs.join('')).not.toContain('canary-of');
  });
});
