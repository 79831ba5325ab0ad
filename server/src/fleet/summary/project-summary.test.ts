import type { ProjectSummary } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { callHeartbeats } from '../../testing/calls/heartbeat-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;
let heartbeats: ReturnType<typeof callHeartbeats>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
  groups = callErrorGroups(app);
  heartbeats = callHeartbeats(app);
});

afterAll(() => app.close());

const minute = 60_000;
const hour = 60 * minute;
const missingID = '0192f0a0-0000-7000-8000-000000000000';

const nothing = {
  agentsCount: 0,
  agentsByStatus: { healthy: 0, unhealthy: 0, offline: 0, stopped: 0, unknown: 0 },
  agentsByVersion: [],
  agentsOfOtherVersionsCount: 0,
  openErrorsByState: { current: 0, superseded: 0 },
  openGroupsCount: 0,
  newGroupsCount: { lastHour: 0, lastDay: 0 },
  coreInstances: { waiting: 0, running: 0, unreachable: 0, maxLagSeconds: 0 },
};

async function register(project: TestProject, name: string, more: object = {}) {
  return (await agents.register(project, { name, machineID: name, rawConfig: 'A', ...more })).body;
}

async function summarize(project: TestProject): Promise<ProjectSummary> {
  const { body } = await app.request<ProjectSummary>('GET', `/v1/projects/${project.id}/summary`, {
    as: { access: app.admin },
  });
  return body;
}

/** Without the time. */
async function count(project: TestProject): Promise<Omit<ProjectSummary, 'countedAt'>> {
  const { countedAt, ...counts } = await summarize(project);
  expect(countedAt).toBe(new Date(app.clock.now()).toISOString());
  return counts;
}

describe('GET /v1/projects/{projectID}/summary', () => {
  it('answers zeros for an empty project', async () => {
    expect(await count(await app.createProject())).toEqual(nothing);
  });

  it('counts agents by status, also those that fell silent a moment ago', async () => {
    const project = await app.createProject();
    await register(project, 'fine');
    await register(project, 'silent', { heartbeatSeconds: 30 });
    const sick = await register(project, 'sick');
    await errors.report(project, sick.id, 'broken');
    await heartbeats.beat(await register(project, 'ended'), { status: 'stopped' });
    await heartbeats.beat(await register(project, 'failed'), { status: 'stopped', exitCode: 1 });
    expect((await count(project)).agentsByStatus).toEqual({
      healthy: 2,
      unhealthy: 2,
      offline: 0,
      stopped: 1,
      unknown: 0,
    });
    app.clock.advance(90_000);
    expect(await count(project)).toMatchObject({
      agentsCount: 5,
      agentsByStatus: { healthy: 1, unhealthy: 2, offline: 1, stopped: 1 },
    });
    // The share of a cause is of the agents with any status.
    expect((await groups.list(project.id)).body).toMatchObject([{ agentsCount: 1, agentsShare: 1 / 5 }]);
  });

  it('follows dismissals, configurations and deletions at once', async () => {
    const project = await app.createProject();
    const [one, two, three] = [
      await register(project, 'one'),
      await register(project, 'two'),
      await register(project, 'three'),
    ];
    const { body: first } = await errors.report(project, one.id, 'broken');
    await errors.report(project, two.id, 'broken');
    await errors.report(project, two.id, 'also this');
    await errors.report(project, three.id, 'broken');
    expect(await count(project)).toMatchObject({
      agentsByStatus: { healthy: 0, unhealthy: 3 },
      openErrorsByState: { current: 4, superseded: 0 },
      openGroupsCount: 2,
    });
    await errors.dismiss(first.id, 'seen');
    await agents.update(two, { rawConfig: 'B' });
    await agents.delete(three.id);
    expect(await count(project)).toEqual({
      ...nothing,
      agentsCount: 2,
      agentsByStatus: { healthy: 2, unhealthy: 0, offline: 0, stopped: 0, unknown: 0 },
      agentsByVersion: [{ type: null, version: null, agentsCount: 2 }],
      openErrorsByState: { current: 0, superseded: 2 },
      newGroupsCount: { lastHour: 2, lastDay: 2 },
    });
  });

  it('lists the versions with the most agents, and counts the agents of the others', async () => {
    const project = await app.createProject();
    for (let version = 0; version < 22; version += 1) {
      await register(project, `m${version}`, { type: 'fluentbit', version: `1.0.${version}` });
    }
    const updated = await register(project, 'updated', { type: 'fluentbit', version: '1.0.0' });
    await agents.update(updated, { version: '1.0.1' });
    const { agentsByVersion, agentsOfOtherVersionsCount } = await count(project);
    expect(agentsByVersion).toHaveLength(20);
    expect(agentsByVersion.slice(0, 2)).toEqual([
      { type: 'fluentbit', version: '1.0.1', agentsCount: 2 },
      { type: 'fluentbit', version: '1.0.0', agentsCount: 1 },
    ]);
    expect(agentsOfOtherVersionsCount).toBe(2);
  });

  it('counts the groups of the last hour and of the last day', async () => {
    const project = await app.createProject();
    const agent = await register(project, 'one');
    await errors.report(project, agent.id, 'yesterday');
    app.clock.advance(23 * hour);
    await errors.report(project, agent.id, 'today');
    app.clock.advance(2 * hour);
    await errors.report(project, agent.id, 'just now');
    expect(await count(project)).toMatchObject({
      openGroupsCount: 3,
      newGroupsCount: { lastHour: 1, lastDay: 2 },
    });
  });

  it('answers 404 for a project that does not exist', async () => {
    const { status, body } = await app.request('GET', `/v1/projects/${missingID}/summary`, {
      as: { access: app.admin },
    });
    expect(status).toBe(404);
    expect(body).toEqual(problemBody('not_found', expect.stringContaining('project')));
  });
});
