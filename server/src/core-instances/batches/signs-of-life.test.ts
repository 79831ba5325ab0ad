import { randomUUID } from 'node:crypto';
import type { Agent, CoreInstance } from '@muster/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentService } from '../../fleet/agents/agent-service.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { idOfToken, siteBatchCalls, siteRegistration, siteStatus } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let site: { readonly id: string; readonly token: string };
let tokenID: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  project = await app.createProject();
  site = await app.createCoreInstance(project);
  tokenID = await idOfToken(app, project);
});

const { admin, agent, batchOf, iso, pass, send } = siteBatchCalls(() => ({ app, site, tokenID }));

describe('signs of life of a batch', () => {
  it('say when the agent was last heard', async () => {
    const { id } = await app.registerAgent(project);
    app.clock.advance(600_000);
    const at = app.clock.now() - 300_000;
    await pass({ kind: 'heartbeat', at, agentID: id, by: { tokenID }, heartbeat: { heartbeatSeconds: 60 } });
    expect(await agent(id)).toMatchObject({ lastSeenAt: iso(300_000), coreInstanceID: site.id });
    const behind = await app.request<Agent[]>(
      'GET',
      `/v1/projects/${project.id}/agents?core_instance_id=${site.id}`,
      { as: admin() },
    );
    expect(behind.body.map((one) => one.id)).toEqual([id]);
    await pass({ kind: 'heartbeat', at: at + 60_000, agentID: id, by: { tokenID } });
    expect(await agent(id)).toMatchObject({ lastSeenAt: iso(240_000) });
    await app.request('POST', `/v1/agents/${id}/heartbeat`, { as: { project: project.token } });
    expect(await agent(id)).toMatchObject({ lastSeenAt: iso(0), coreInstanceID: null });
  });

  it('count an agent at the site through which it spoke last, wherever it was registered', async () => {
    const other = await app.createCoreInstance(project, { name: 'plant-8' });
    const counts = () =>
      Promise.all(
        [site.id, other.id].map(async (id) => {
          const { body } = await app.request<CoreInstance>('GET', `/v1/core_instances/${id}`, {
            as: admin(),
          });
          return body.agentsCount;
        }),
      );
    const { id } = await app.registerAgent(project);
    expect(await counts()).toEqual([0, 0]);
    app.clock.advance(10_000);
    const { item } = siteRegistration(app.clock.now(), tokenID, 'm-counted');
    const beat = () => ({ kind: 'heartbeat', at: app.clock.now(), agentID: id, by: { tokenID } });
    await pass(item, beat());
    expect(await counts()).toEqual([2, 0]);

    app.clock.advance(1_000);
    await app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: other.token },
      body: { protocol: 1, sequence: 1, status: siteStatus(app.clock.now()), items: [beat()] },
    });
    expect(await counts()).toEqual([1, 1]);
    // What the first one passes on late does not bring the agent back.
    await pass({ ...beat(), at: app.clock.now() - 500 });
    expect(await counts()).toEqual([1, 1]);
    const listed = await app.request<CoreInstance[]>('GET', `/v1/projects/${project.id}/core_instances`, {
      as: admin(),
    });
    expect(listed.body.map(({ name, agentsCount }) => [name, agentsCount])).toEqual([
      ['plant-8', 1],
      [expect.any(String), 1],
    ]);

    await app.request('DELETE', `/v1/agents/${id}`, { as: admin() });
    expect(await counts()).toEqual([1, 0]);
  });

  it('tell once of a failed end, however often their batch is tried', async () => {
    const { id } = await app.registerAgent(project);
    app.clock.advance(1_000);
    const at = app.clock.now() - 50;
    const batch = batchOf([
      { kind: 'heartbeat', by: { tokenID }, agentID: id, at, heartbeat: { status: 'stopped', exitCode: 1 } },
      { kind: 'update', by: { tokenID }, agentID: id, at, agent: { name: 'renamed' } },
    ]);
    const overloaded = new Refusal('overloaded', { retryAfterSeconds: 5 });
    vi.spyOn(AgentService.prototype, 'update')
      .mockRejectedValueOnce(overloaded)
      .mockRejectedValueOnce(overloaded);
    for (const expected of [503, 503, 200]) expect((await send(batch)).status).toBe(expected);
    vi.restoreAllMocks();
    // Three would be a crash loop.
    expect(await agent(id)).toMatchObject({
      name: 'renamed',
      status: 'unhealthy',
      statusSince: iso(50),
      statusReason: 'Stopped with exit code 1.',
    });
  });

  it('of the core instance itself are its batches', async () => {
    await send({
      id: randomUUID(),
      ...batchOf([], {
        status: {
          spooledCount: 7,
          spooledBytes: 900,
          oldestSpooledAt: app.clock.now() - 12_000,
          lostCount: 2,
          lastLossAt: app.clock.now() - 1_000,
        },
      }),
    });
    const { body } = await app.request<CoreInstance>('GET', `/v1/core_instances/${site.id}`, { as: admin() });
    expect(body).toMatchObject({
      status: 'running',
      version: '0.1.0',
      lastContactAt: iso(0),
      startedAt: iso(60_000),
      agentsCount: 0,
      spooledCount: 7,
      spooledBytes: 900,
      oldestSpooledAt: iso(12_000),
      lagSeconds: 12,
      lostCount: 2,
      lastLossAt: iso(1_000),
      clockOffsetMilliseconds: 0,
    });
  });
});
