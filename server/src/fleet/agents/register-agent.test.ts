import { randomUUID } from 'node:crypto';
import { isWellFormedToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const now = () => new Date(app.clock.now()).toISOString();

/** The fields of an agent that was registered only once. */
const neverAgain = {
  reregisteredAt: null,
  reregisteredFrom: null,
  releasedAt: null,
  coreInstanceID: null,
  fleet: null,
};

const fullBody = {
  name: 'web-01',
  machineID: '7670db1502e4ce69b1908ddcb9a46bd2dd3eadeb972f9d05b57ae158aebd2580',
  type: 'fluentbit',
  version: '5.1.1',
  edition: 'community',
  os: 'linux',
  arch: 'x86_64',
  flags: ['--config=/etc/fluent-bit.conf', ''],
  rawConfig: '[INPUT]\n    name cpu\n',
  metadata: { k8s: { namespace: 'logging', pod_name: 'fb-1', node_name: 'worker-3' } },
  tags: ['edge', 'eu'],
  fleetID: 'no-such-fleet',
};

describe('POST /v1/agents', () => {
  describe('201 for a new machine', () => {
    it('returns id, token, name and time, and must not be cached', async () => {
      const project = await app.createProject();
      const answer = await agents.register(project, fullBody);
      expect(answer.status).toBe(201);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toEqual({
        id: expect.stringMatching(uuidV7),
        token: expect.stringMatching(/^mst_a_/),
        name: 'web-01',
        createdAt: now(),
      });
      expect(isWellFormedToken('agent', answer.body.token)).toBe(true);
    });

    it('stores the whole description of the agent', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, fullBody);
      expect(await agents.get(body.id)).toEqual({
        ...fullBody,
        id: body.id,
        projectID: project.id,
        status: 'healthy',
        statusSince: now(),
        statusReason: null,
        openErrorsCount: 0,
        openError: null,
        configID: expect.stringMatching(uuidV7),
        lastSeenAt: now(),
        createdAt: now(),
        updatedAt: now(),
        ...neverAgain,
      });
    });

    it('requires only a name and a machine id', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, { name: 'n', machineID: 'm' });
      expect(await agents.get(body.id)).toEqual({
        id: body.id,
        projectID: project.id,
        name: 'n',
        machineID: 'm',
        type: null,
        version: null,
        edition: null,
        os: null,
        arch: null,
        flags: [],
        metadata: {},
        tags: [],
        fleetID: null,
        status: 'healthy',
        statusSince: now(),
        statusReason: null,
        openErrorsCount: 0,
        openError: null,
        configID: null,
        rawConfig: null,
        lastSeenAt: now(),
        createdAt: now(),
        updatedAt: now(),
        ...neverAgain,
      });
    });

    it('accepts null for every field that an agent does not know', async () => {
      const project = await app.createProject();
      const unknown = Object.fromEntries(Object.keys(fullBody).map((name) => [name, null]));
      const { status, body } = await agents.register(project, { ...unknown, name: 'n', machineID: 'm' });
      expect(status).toBe(201);
      expect(await agents.get(body.id)).toMatchObject({
        type: null,
        flags: [],
        metadata: {},
        tags: [],
        fleetID: null,
        configID: null,
        rawConfig: null,
      });
    });

    it('ignores unknown fields', async () => {
      const project = await app.createProject();
      const answer = await agents.register(project, {
        ...fullBody,
        environmentID: '',
        id: randomUUID(),
        token: 'mine',
        createdAt: 0,
        projectID: randomUUID(),
      });
      expect(answer.status).toBe(201);
      expect(await agents.get(answer.body.id)).toMatchObject({ projectID: project.id, createdAt: now() });
    });

    it.each(['v1.8.6', '', '5.1.1-rc.2+build.7', 'Ünïcödé 5', '5'.repeat(128)])(
      "stores the version '%s' unchanged",
      async (version) => {
        const project = await app.createProject();
        const { status, body } = await agents.register(project, { ...fullBody, version });
        expect(status).toBe(201);
        expect((await agents.get(body.id)).version).toBe(version);
      },
    );

    it('counts the name in code points', async () => {
      const project = await app.createProject();
      const name = '🛰'.repeat(256);
      const { status, body } = await agents.register(project, { ...fullBody, name });
      expect(status).toBe(201);
      expect(body.name).toBe(name);
    });

    it('accepts an empty configuration', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, { ...fullBody, rawConfig: '' });
      expect((await agents.get(body.id)).rawConfig).toBe('');
      expect((await agents.listConfigs(body.id)).body.map(({ rawConfig }) => rawConfig)).toEqual(['']);
    });
  });

  describe('201 for a known machine', () => {
    it('is the same agent with its new description and a new token', async () => {
      const project = await app.createProject();
      const { body: first } = await agents.register(project, fullBody);
      const createdAt = now();
      app.clock.advance(60_000);
      const { status, body: second } = await agents.register(project, {
        name: 'renamed',
        machineID: fullBody.machineID,
        version: '5.2.0',
      });
      expect(status).toBe(201);
      expect(second).toEqual({ id: first.id, token: expect.any(String), name: 'renamed', createdAt });
      expect(second.token).not.toBe(first.token);
      expect(await agents.get(first.id)).toMatchObject({
        name: 'renamed',
        version: '5.2.0',
        os: null,
        metadata: {},
        createdAt,
        updatedAt: now(),
        lastSeenAt: now(),
      });
    });

    it('keeps its configuration if none is sent', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, fullBody);
      const before = await agents.get(body.id);
      await agents.register(project, { ...fullBody, rawConfig: undefined });
      expect(await agents.get(body.id)).toMatchObject({
        rawConfig: fullBody.rawConfig,
        configID: before.configID,
      });
    });

    it('is one agent for fifty concurrent registrations, and keeps the newest unused tokens', async () => {
      const project = await app.createProject();
      const answers = await Promise.all(Array.from({ length: 50 }, () => agents.register(project, fullBody)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      const [id, ...others] = new Set(answers.map(({ body }) => body.id));
      expect(others).toEqual([]);
      expect((await agents.list(project.id)).body).toHaveLength(1);
      const { body: last } = await agents.register(project, fullBody);
      const kept = await changeRows(
        app.dataDirectory,
        `update agent_tokens set created_at = created_at where agent_id = '${id}'`,
      );
      // The first one counts as used, because there was none before it.
      expect(kept).toBe(11);
      expect(await agents.tryToken(last.token)).toBe(200);
    });

    it('keeps its token and description while others report by its machine id', async () => {
      const project = await app.createProject();
      const report = () =>
        app.request('POST', `/v1/machines/${fullBody.machineID}/errors`, {
          as: { project: project.token },
          body: { error: 'no upstream connections available' },
        });
      const [{ body }, ...reports] = await Promise.all([
        agents.register(project, fullBody),
        report(),
        report(),
        report(),
      ]);
      expect(reports.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(await agents.tryToken(body.token)).toBe(200);
      expect(await agents.get(body.id)).toMatchObject({ name: 'web-01', version: '5.1.1' });
    });
  });

  describe('201 for a different agent', () => {
    it('with the same machine id in another project', async () => {
      const [one, other] = [await app.createProject(), await app.createProject()];
      const { body: first } = await agents.register(one, fullBody);
      const { body: second } = await agents.register(other, { ...fullBody, name: 'theirs' });
      expect(second.id).not.toBe(first.id);
      expect(await agents.get(first.id)).toMatchObject({ name: 'web-01', projectID: one.id });
      expect(await agents.get(second.id)).toMatchObject({ name: 'theirs', projectID: other.id });
    });

    it('with a machine id that differs in any byte', async () => {
      const project = await app.createProject();
      const machineIDs = ['m', 'M', 'm ', ' m', 'é', 'e\u0301', '%', '*', "'", 'm\u200b'];
      const ids = new Set<string>();
      for (const machineID of machineIDs) {
        ids.add((await agents.register(project, { name: 'n', machineID })).body.id);
      }
      expect(ids.size).toBe(machineIDs.length);
      const { body: list } = await agents.list(project.id);
      expect(list.map(({ machineID }) => machineID)).toEqual(machineIDs.toReversed());
    });

    it('with the same name on another machine', async () => {
      const project = await app.createProject();
      const { body: first } = await agents.register(project, { name: 'n', machineID: 'a' });
      const { body: second } = await agents.register(project, { name: 'n', machineID: 'b' });
      expect(second.id).not.toBe(first.id);
    });
  });
});
