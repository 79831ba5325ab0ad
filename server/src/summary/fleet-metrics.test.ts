import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../testing/agent-calls.ts';
import { callAgentErrors } from '../testing/agent-error-calls.ts';
import { callHeartbeats } from '../testing/heartbeat-calls.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const day = 86_400_000;

/** The series of the fleet, without their help. */
async function seriesOf(project: string): Promise<string[]> {
  const { text } = await app.request('GET', '/metrics');
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
    await callAgentErrors(app).report(project, sick.id, 'broken');
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
      `muster_open_errors{project="${project.id}",state="current"} 1`,
      `muster_open_errors{project="${project.id}",state="superseded"} 0`,
      `muster_open_groups{project="${project.id}"} 1`,
      `muster_expiring_tokens{project="${project.id}"} 1`,
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
    const { text } = await app.request('GET', '/metrics');
    const healthy = text.split('\n').filter((line) => /^muster_agents\{.*status="healthy"/.test(line));
    expect(healthy).toHaveLength(101);
    expect(healthy).toContain('muster_agents{project="other",status="healthy"} 3');
  });
});
