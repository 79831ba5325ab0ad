import { randomBytes } from 'node:crypto';
import type { Agent, AgentConfig, ProjectWithUsage } from '@muster/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
afterEach(() => app.close());

async function start(config: Parameters<typeof startTestApp>[0] = {}): Promise<TestProject> {
  app = await startTestApp(config);
  return app.createProject();
}

const tooManyAgents = problemBody(
  'too_many_agents',
  'This project has 3 agents, which is the maximum. Delete agents that no longer exist, or raise MUSTER_MAX_AGENTS_PER_PROJECT. Registered agents are not affected.',
);

const register = (project: TestProject, machineID: string, body: object = {}) =>
  callAgents(app).register(project, { name: 'host', machineID, ...body });

const reportByMachine = (
  project: TestProject,
  machineID: string,
  error = 'no upstream connections available',
) =>
  app.request('POST', `/v1/machines/${machineID}/errors`, {
    as: { project: project.token },
    body: { error },
  });

async function usageOf(project: TestProject) {
  const { body } = await app.request<ProjectWithUsage>('GET', `/v1/projects/${project.id}`, {
    as: { access: app.admin },
  });
  return body.usage;
}

async function readMetric(series: string): Promise<number> {
  const { text } = await app.request('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

describe('MUSTER_MAX_AGENTS_PER_PROJECT', () => {
  const config = { maxAgentsPerProject: 3 };

  it('accepts all registrations of one new machine that arrive together, and of no other', async () => {
    const project = await start({ config });
    for (const machineID of ['a', 'b']) expect((await register(project, machineID)).status).toBe(201);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => [register(project, 'c'), reportByMachine(project, 'c')]).flat(),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect((await register(project, 'd')).status).toBe(429);
    expect(await usageOf(project)).toMatchObject({ agents: 3 });
  });

  it('refuses a further agent with 429 on both routes that register; registered agents are not affected', async () => {
    const project = await start({ config, logLevel: 'info' });
    for (const machineID of ['a', 'b']) expect((await register(project, machineID)).status).toBe(201);
    expect((await reportByMachine(project, 'c')).status).toBe(201);

    const refused = await register(project, 'd');
    expect(refused).toMatchObject({ status: 429, body: tooManyAgents, headers: { 'retry-after': '60' } });
    expect(await reportByMachine(project, 'e')).toMatchObject({ status: 429, body: tooManyAgents });
    for (const machineID of ['a', 'b', 'c']) expect((await register(project, machineID)).status).toBe(201);
    expect((await reportByMachine(project, 'a')).status).toBe(201);
    expect((await register(await app.createProject(), 'a')).status).toBe(201);

    expect(await usageOf(project)).toEqual({
      agents: 3,
      maxAgents: 3,
      storedBytes: null,
      maxStoredBytes: null,
    });
    expect(await readMetric('muster_fullest_project_ratio{limit="agents"}')).toBe(1);
    const lines = app.logs.map((line) => JSON.parse(line) as object);
    expect(lines.filter((line) => 'projectID' in line)).toEqual([
      expect.objectContaining({
        count: 1,
        projectID: project.id,
        msg: 'agents were refused with 429: projects have reached MUSTER_MAX_AGENTS_PER_PROJECT; projectID is one of them',
      }),
    ]);
  });

  it('counts concurrent registrations, and accepts a new agent after another was deleted', async () => {
    const project = await start({ config });
    const machines = Array.from({ length: 10 }, (_, index) => `host-${index}`);
    const answers = await Promise.all(machines.map((machineID) => register(project, machineID)));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(3);
    expect((await usageOf(project)).agents).toBe(3);

    const [first] = accepted;
    await callAgents(app).delete(first?.body.id ?? '');
    app.clock.advance(1_000);
    expect((await register(project, 'new')).status).toBe(201);
    expect((await register(project, 'one more')).status).toBe(429);
  });

  it('0: no limit', async () => {
    const project = await start({ config: { maxAgentsPerProject: 0 } });
    for (const machineID of ['a', 'b', 'c', 'd'])
      expect((await register(project, machineID)).status).toBe(201);
    expect(await usageOf(project)).toMatchObject({ agents: 4, maxAgents: null });
  });
});

describe('MUSTER_MAX_STORED_BYTES_PER_PROJECT', () => {
  const config = { maxStoredBytesPerProject: 10_000, maxOpenErrorsPerAgent: 0 };
  const tooManyBytes = problemBody(
    'too_many_stored_bytes',
    'The agents of this project have stored 10000 bytes, which is the maximum. Delete agents that no longer exist, dismiss errors and lower MUSTER_RETENTION_DAYS, or raise MUSTER_MAX_STORED_BYTES_PER_PROJECT. Repeats of open errors are still counted.',
  );

  it('refuses new errors at the maximum, and accepts repeats', async () => {
    const project = await start({ config });
    const statuses: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      statuses.push((await reportByMachine(project, 'host', `${index}${'x'.repeat(1_000)}`)).status);
    }
    // Each counts as its text and 400 bytes.
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 201, 201]);
    const refused = await reportByMachine(project, 'host', 'another one');
    expect(refused).toMatchObject({ status: 429, body: tooManyBytes, headers: { 'retry-after': '60' } });
    const repeated = await reportByMachine(project, 'host', `3${'x'.repeat(1_000)}`);
    expect(repeated).toMatchObject({ status: 201, headers: { 'muster-agent-error': 'ignored' } });
    const elsewhere = await app.createProject();
    expect((await reportByMachine(elsewhere, 'host', 'another one')).status).toBe(201);
  });

  it('leaves out configurations and large metadata from 90 % on, and accepts the agent', async () => {
    const project = await start({ config });
    const agents = callAgents(app);
    const { body: agent, headers } = await register(project, 'host', { rawConfig: 'x'.repeat(9_000) });
    expect(headers['muster-left-out']).toBeUndefined();

    const change = { rawConfig: '[INPUT]\n  name cpu\n', metadata: { small: 1, large: 'x'.repeat(2_000) } };
    const updated = await agents.update(agent, change);
    expect(updated).toMatchObject({ status: 204, headers: { 'muster-left-out': 'metadata, rawConfig' } });
    const other = await register(project, 'other', change);
    expect(other).toMatchObject({ status: 201, headers: { 'muster-left-out': 'metadata, rawConfig' } });
    const notice =
      '# Not stored: this project has nearly as many bytes as MUSTER_MAX_STORED_BYTES_PER_PROJECT allows.\n';
    const { body: configs } = await agents.listConfigs(agent.id);
    expect(configs.map(({ rawConfig }: AgentConfig) => rawConfig)).toEqual([notice, 'x'.repeat(9_000)]);
    expect(await agents.get(agent.id)).toMatchObject({ rawConfig: notice, metadata: { small: 1 } });

    // The remaining room is reserved for errors. An unchanged configuration needs no room.
    expect((await reportByMachine(project, 'host')).status).toBe(201);
    expect(await agents.update(agent, { rawConfig: change.rawConfig })).toMatchObject({ status: 204 });
    expect(await readMetric('muster_left_out_total{what="rawConfig"}')).toBe(2);
    expect(await readMetric('muster_left_out_total{what="metadata"}')).toBe(2);
    expect(
      app.logs.filter((line) => line.includes('some data that agents sent was not stored')),
    ).toHaveLength(1);
  });
});

describe('MUSTER_MAX_METADATA_BYTES_PER_AGENT', () => {
  it('leaves out the fields that do not fit, and accepts the agent', async () => {
    const project = await start({ config: { maxMetadataBytesPerAgent: 40 } });
    const metadata = { a: 1, b: randomBytes(20).toString('hex'), c: true };
    const { status, body, headers } = await register(project, 'host', { metadata });
    expect({ status, leftOut: headers['muster-left-out'] }).toEqual({ status: 201, leftOut: 'metadata' });
    const stored = async (): Promise<Agent['metadata']> => (await callAgents(app).get(body.id)).metadata;
    expect(await stored()).toEqual({ a: 1, c: true });
    const updated = await callAgents(app).update(body, { metadata: { d: 'x'.repeat(30) } });
    expect(updated.headers['muster-left-out']).toBeUndefined();
    expect(await stored()).toEqual({ d: 'x'.repeat(30) });
  });
});
