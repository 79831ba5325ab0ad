import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const missingID = '0192f0a0-0000-7000-8000-000000000000';
const now = () => new Date(app.clock.now()).toISOString();

const description = {
  name: 'web-01',
  type: 'fluentbit',
  version: '5.1.1',
  edition: 'community',
  os: 'linux',
  arch: 'x86_64',
  flags: ['-v'],
  metadata: { aws: { az: 'eu-west-1a' } },
  tags: ['edge'],
  fleetID: 'edge',
  rawConfig: '[INPUT]\n    name cpu\n',
};

async function start(body: object = description) {
  const project = await app.createProject();
  const { body: agent } = await agents.register(project, { name: 'n', machineID: randomUUID(), ...body });
  return { project, agent };
}

describe('PATCH /v1/agents/{agentID}', () => {
  describe('204', () => {
    it('returns no body, and changes only the given fields', async () => {
      const { agent } = await start();
      const before = await agents.get(agent.id);
      app.clock.advance(1_000);
      const answer = await agents.update(agent, { version: '5.2.0' });
      expect(answer).toMatchObject({ status: 204, text: '' });
      expect(await agents.get(agent.id)).toEqual({
        ...before,
        version: '5.2.0',
        updatedAt: now(),
        lastSeenAt: now(),
      });
    });

    it('changes everything at once', async () => {
      const { agent } = await start();
      const other = {
        name: 'web-02',
        type: 'fluentd',
        version: '',
        edition: 'enterprise',
        os: 'windows',
        arch: 'arm64',
        flags: [],
        metadata: {},
        tags: ['core', 'us'],
        fleetID: 'gone',
        rawConfig: '',
      };
      expect((await agents.update(agent, other)).status).toBe(204);
      expect(await agents.get(agent.id)).toMatchObject(other);
    });

    it('does not change null fields: clients send null for fields that they do not change', async () => {
      const { agent } = await start();
      const before = await agents.get(agent.id);
      const nothing = Object.fromEntries(Object.keys(description).map((name) => [name, null]));
      expect((await agents.update(agent, nothing)).status).toBe(204);
      expect(await agents.get(agent.id)).toEqual(before);
    });

    it('treats an update without fields as a sign of life', async () => {
      const { agent } = await start();
      const before = await agents.get(agent.id);
      app.clock.advance(1_000);
      expect((await agents.update(agent, {})).status).toBe(204);
      expect(await agents.get(agent.id)).toEqual({ ...before, updatedAt: now(), lastSeenAt: now() });
    });

    it('ignores unknown fields, including the machine id', async () => {
      const { agent } = await start();
      const { machineID, projectID } = await agents.get(agent.id);
      const answer = await agents.update(agent, {
        machineID: 'another',
        projectID: missingID,
        id: missingID,
        environmentID: '',
        deletedAt: 0,
        ['__proto__']: { tags: ['polluted'] },
      });
      expect(answer.status).toBe(204);
      expect(await agents.get(agent.id)).toMatchObject({ machineID, projectID, tags: ['edge'] });
    });

    it('by an operator or a project token does not change lastSeenAt', async () => {
      const { project, agent } = await start();
      const { lastSeenAt } = await agents.get(agent.id);
      app.clock.advance(1_000);
      for (const as of [{ access: app.admin }, { project: project.token }]) {
        const answer = await app.request('PATCH', `/v1/agents/${agent.id}`, { as, body: { tags: ['new'] } });
        expect(answer.status).toBe(204);
      }
      expect(await agents.get(agent.id)).toMatchObject({ tags: ['new'], updatedAt: now(), lastSeenAt });
    });

    it('shows the new name to the agent itself at once', async () => {
      const { agent } = await start();
      const nameOfSelf = async () =>
        (await app.request<{ name: string }>('GET', '/v1/me', { as: { agent: agent.token } })).body.name;
      expect(await nameOfSelf()).toBe('web-01');
      await agents.update(agent, { name: 'by itself' });
      expect(await nameOfSelf()).toBe('by itself');
      await app.request('PATCH', `/v1/agents/${agent.id}`, {
        as: { access: app.admin },
        body: { name: 'by hand' },
      });
      expect(await nameOfSelf()).toBe('by hand');
    });
  });

  describe('401', () => {
    it('for an agent token that a newer one has ended', async () => {
      const { project, agent } = await start();
      const { machineID } = await agents.get(agent.id);
      const { body: next } = await agents.register(project, { name: 'n', machineID });
      expect(await agents.tryToken(next.token)).toBe(200);
      await agents.untilEnded(agent.token);
      const answer = await agents.update(agent, { name: 'late' });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(problemBody('invalid_credential'));
      expect((await agents.get(agent.id)).name).toBe('n');
    });
  });

  describe('403', () => {
    it('for a project token without update:agent', async () => {
      const { project, agent } = await start();
      const { token } = await app.createToken(project.id, ['create:*', 'read:*']);
      const answer = await app.request('PATCH', `/v1/agents/${agent.id}`, {
        as: { project: token },
        body: { name: 'x' },
      });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({
        code: 'permission_denied',
        detail: expect.stringContaining("'update:agent'"),
      });
      expect((await agents.get(agent.id)).name).toBe('web-01');
    });
  });

  describe('404', () => {
    it('for a missing agent and for one of another project, with the same answer', async () => {
      const { project, agent } = await start();
      const sibling = await app.registerAgent(project);
      const { token: stranger } = await app.createToken((await app.createProject()).id, ['*']);
      const attempts = [
        [missingID, { access: app.admin }],
        [agent.id, { agent: sibling.token }],
        [agent.id, { project: stranger }],
      ] as const;
      for (const [id, as] of attempts) {
        const answer = await app.request('PATCH', `/v1/agents/${id}`, { as, body: { name: 'taken over' } });
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(
          problemBody('not_found', `There is no agent ${id} that this credential can see.`),
        );
      }
      expect((await agents.get(agent.id)).name).toBe('web-01');
    });
  });

  describe('413', () => {
    it('for more than 4 MiB', async () => {
      const { agent } = await start();
      const answer = await agents.update(agent, { rawConfig: 'x'.repeat(4 * 1024 * 1024) });
      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject({
        code: 'body_too_large',
        detail: expect.stringContaining('4194304 bytes'),
      });
      expect((await agents.get(agent.id)).rawConfig).toBe(description.rawConfig);
    });
  });

  describe('422', () => {
    it.each([
      ['an empty name', { name: '' }, '/name', 'must not be empty'],
      ['tags that are a text', { tags: 'edge' }, '/tags', 'must be an array or null'],
      [
        'half a character in metadata',
        { metadata: { 'a/b': ['\udc00'] } },
        '/metadata/a~1b/0',
        'contains half of a surrogate pair; send whole characters',
      ],
    ])('for %s, and nothing of the update is stored', async (_what, invalid, path, message) => {
      const { agent } = await start();
      const before = await agents.get(agent.id);
      const answer = await agents.update(agent, { ...invalid, version: '9', rawConfig: 'new' });
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(problemBody('invalid_body', `'${path}' ${message}.`, [{ path, message }]));
      expect(await agents.get(agent.id)).toEqual(before);
    });
  });
});
