import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../foundation/secret.ts';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callHeartbeats } from '../../testing/calls/heartbeat-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const metricsToken = 'the-token-of-the-metrics-of-this-test';
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ config: { metricsToken: new Secret(metricsToken) } });
});

afterAll(() => app.close());

const day = 86_400_000;

function scrape() {
  return app.request('GET', '/metrics', { as: { access: metricsToken } });
}

/** The series of the fleet, without their help. */
async function seriesOf(project: string): Promise<string[]> {
  const { text } = await scrape();
  return text.split('\n').filter((line) => line.includes(`{project="${project}"`));
}

describe('the fleet in /metrics', () => {
  it('is counted by project', async () => {
    const project = await app.createProject();
    const agents = callAgents(app);
    const register = async (name: string) =>
      (await agents.register(project, { name, machineID: name, rawConfig: 'A' })).body;
    const sick = await register('sick');
    await register('fine');
    await callHeartbeats(app).beat(await register('ended'), { status: 'stopped' });
    for (let count = 0; count < 3; count += 1) await callAgentErrors(app).report(project, sick.id, 'broken');
    for (const days of [6, 8]) {
      await app.request('POST', `/v1/projects/${project.id}/tokens`, {
        as: { access: app.admin },
        body: { name: `for ${days} days`, expiresAt: new Date(app.clock.now() + days * day).toISOString() },
      });
    }
    // Has everything counted, as the service does four times a second.
    await app.request('GET', `/v1/projects/${project.id}/summary`, { as: { access: app.admin } });
    expect(await seriesOf(project.id)).toEqual([
      `muster_agents{project="${project.id}",status="healthy"} 1`,
      `muster_agents{project="${project.id}",status="unhealthy"} 1`,
      `muster_agents{project="${project.id}",status="offline"} 0`,
      `muster_agents{project="${project.id}",status="stopped"} 1`,
      `muster_agents{project="${project.id}",status="unknown"} 0`,
      `muster_open_errors{project="${project.id}",state="current"} 1`,
      `muster_open_errors{project="${project.id}",state="superseded"} 0`,
      `muster_open_groups{project="${project.id}"} 1`,
      `muster_expiring_tokens{project="${project.id}"} 1`,
      `muster_project_reports_total{project="${project.id}",outcome="created"} 1`,
      `muster_project_reports_total{project="${project.id}",outcome="ignored"} 2`,
      `muster_project_reports_total{project="${project.id}",outcome="limited"} 0`,
    ]);
    await app.request('DELETE', `/v1/projects/${project.id}`, { as: { access: app.admin } });
    expect(await seriesOf(project.id)).toEqual([]);
  });

  it('has series for the hundred largest projects, and one for all others', async () => {
    const projects = [];
    for (let number = 0; number < 103; number += 1) {
      const project = await app.createProject();
      await callHeartbeats(app).beatOfMachine(project, `m${number}`);
      projects.push(project);
    }
    const [first] = projects;
    await app.request('GET', `/v1/projects/${first?.id}/summary`, { as: { access: app.admin } });
    const { text } = await scrape();
    const healthy = text.split('\n').filter((line) => /^muster_agents\{.*status="healthy"/.test(line));
    expect(healthy).toHaveLength(101);
    expect(healthy).toContain('muster_agents{project="other",status="healthy"} 3');
  });
});

describe('the fleet in /metrics without MUSTER_METRICS_TOKEN', () => {
  it('is counted in all, so that callers without a credential learn no ids of projects', async () => {
    const open = await startTestApp();
    const projects = [await open.createProject(), await open.createProject()];
    for (const project of projects) {
      const agent = await open.registerAgent(project);
      await callAgentErrors(open).report(project, agent.id, 'broken');
    }
    await open.request('GET', `/v1/projects/${projects[0]?.id}/summary`, { as: { access: open.admin } });
    const { text } = await open.request('GET', '/metrics');
    for (const { id } of projects) expect(text).not.toContain(id);
    expect(text.split('\n').filter((line) => line.includes('{project='))).toEqual([
      'muster_agents{project="all",status="healthy"} 0',
      'muster_agents{project="all",status="unhealthy"} 2',
      'muster_agents{project="all",status="offline"} 0',
      'muster_agents{project="all",status="stopped"} 0',
      'muster_agents{project="all",status="unknown"} 0',
      'muster_open_errors{project="all",state="current"} 2',
      'muster_open_errors{project="all",state="superseded"} 0',
      'muster_open_groups{project="all"} 2',
      'muster_expiring_tokens{project="all"} 0',
      'muster_project_reports_total{project="all",outcome="created"} 2',
      'muster_project_reports_total{project="all",outcome="ignored"} 0',
      'muster_project_reports_total{project="all",outcome="limited"} 0',
    ]);
    await open.close();
  });
});

describe('reports beyond a limit', () => {
  it('are counted as limited, for the project', async () => {
    const limited = await startTestApp({
      config: { metricsToken: new Secret(metricsToken), maxOpenErrorsPerAgent: 2 },
    });
    const project = await limited.createProject();
    const agent = await limited.registerAgent(project);
    for (const error of ['a', 'b', 'c', 'd', 'a'])
      await callAgentErrors(limited).report(project, agent.id, error);
    await limited.request('GET', `/v1/projects/${project.id}/summary`, { as: { access: limited.admin } });
    const { text } = await limited.request('GET', '/metrics', { as: { access: metricsToken } });
    expect(text.split('\n').filter((line) => line.startsWith('muster_project_reports_total{'))).toEqual([
      `muster_project_reports_total{project="${project.id}",outcome="created"} 2`,
      `muster_project_reports_total{project="${project.id}",outcome="ignored"} 1`,
      `muster_project_reports_total{project="${project.id}",outcome="limited"} 2`,
      'muster_project_reports_total{project="other",outcome="created"} 0',
      'muster_project_reports_total{project="other",outcome="ignored"} 0',
      'muster_project_reports_total{project="other",outcome="limited"} 0',
    ]);
    await limited.close();
  });
});
