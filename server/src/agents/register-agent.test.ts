import { randomUUID } from 'node:crypto';
import { isWellFormedToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../testing/agent-calls.ts';
import { changeRows } from '../testing/change-rows.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const now = () => new Date(app.clock.now()).toISOString();

/** Of an agent that was registered once. */
const neverAgain = { reregisteredAt: null, reregisteredFrom: null, releasedAt: null };

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
  describe('201 for a machine seen for the first time', () => {
    it('answers id, token, name and time, and no cache may keep it', async () => {
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

    it('stores everything that the agent says of itself', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, fullBody);
      expect(await agents.get(body.id)).toEqual({
        ...fullBody,
        id: body.id,
        projectID: project.id,
        status: 'healthy',
        configID: expect.stringMatching(uuidV7),
        lastSeenAt: now(),
        createdAt: now(),
        updatedAt: now(),
        ...neverAgain,
      });
    });

    it('needs nothing but a name and a machine id', async () => {
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
        configID: null,
        rawConfig: null,
        lastSeenAt: now(),
        createdAt: now(),
        updatedAt: now(),
        ...neverAgain,
      });
    });

    it('takes null for whatever an agent does not know', async () => {
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

    it('ignores fields that it does not know', async () => {
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
      "stores the version '%s' as given",
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

    it('takes an empty configuration', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, { ...fullBody, rawConfig: '' });
      expect((await agents.get(body.id)).rawConfig).toBe('');
      expect((await agents.listConfigs(body.id)).body.map(({ rawConfig }) => rawConfig)).toEqual(['']);
    });
  });

  describe('201 for a machine that is known', () => {
    it('is the same agent with what it says of itself now, and a new token', async () => {
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

    it('keeps its configuration when none is sent', async () => {
      const project = await app.createProject();
      const { body } = await agents.register(project, fullBody);
      const before = await agents.get(body.id);
      await agents.register(project, { ...fullBody, rawConfig: undefined });
      expect(await agents.get(body.id)).toMatchObject({
        rawConfig: fullBody.rawConfig,
        configID: before.configID,
      });
    });

    it('is one agent for fifty registrations at once, of whose unused tokens the newest are kept', async () => {
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
      // The first one counts as used, since there was none before it.
      expect(kept).toBe(11);
      expect(await agents.tryToken(last.token)).toBe(200);
    });

    it('keeps its token and what it said while others report by its machine id', async () => {
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

  describe('201 for another agent', () => {
    it('is the same machine id in another project', async () => {
      const [one, other] = [await app.createProject(), await app.createProject()];
      const { body: first } = await agents.register(one, fullBody);
      const { body: second } = await agents.register(other, { ...fullBody, name: 'theirs' });
      expect(second.id).not.toBe(first.id);
      expect(await agents.get(first.id)).toMatchObject({ name: 'web-01', projectID: one.id });
      expect(await agents.get(second.id)).toMatchObject({ name: 'theirs', projectID: other.id });
    });

    it('is a machine id that differs in any byte', async () => {
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

    it('is the same name on another machine', async () => {
      const project = await app.createProject();
      const { body: first } = await agents.register(project, { name: 'n', machineID: 'a' });
      const { body: second } = await agents.register(project, { name: 'n', machineID: 'b' });
      expect(second.id).not.toBe(first.id);
    });
  });
});
