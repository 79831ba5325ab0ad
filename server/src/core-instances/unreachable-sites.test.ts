import type { Agent, ProjectSummary } from '@muster/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SiteAgentsService } from '../fleet/agents/liveness/site-agents-service.ts';
import { idOfToken, siteRegistration, siteStatus } from '../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let site: { readonly id: string; readonly token: string };
let tokenID: string;
let agentID: string;
let sequence: number;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  project = await app.createProject();
  site = await app.createCoreInstance(project, { name: 'plant-7' });
  tokenID = await idOfToken(app, project);
  agentID = (await app.registerAgent(project)).id;
  sequence = 0;
});

const admin = () => ({ access: app.admin });

/** The core instance passes on a heartbeat of the agent, from some time ago. @param waiting how long something else waits there */
async function beat(ago = 0, waiting?: number): Promise<void> {
  sequence += 1;
  const now = app.clock.now();
  const status = siteStatus(now, { oldestSpooledAt: waiting === undefined ? null : now - waiting });
  const heartbeat = { heartbeatSeconds: 30 };
  const items = [{ kind: 'heartbeat', at: now - ago, by: { tokenID }, agentID, heartbeat }];
  const { status: answered } = await app.request('POST', '/v1/core_instances/self/batches', {
    as: { core_instance: site.token },
    body: { protocol: 1, sequence, status, items },
  });
  expect(answered).toBe(200);
}

async function counted(): Promise<Record<string, number>> {
  const { body } = await app.request<ProjectSummary>('GET', `/v1/projects/${project.id}/summary`, {
    as: admin(),
  });
  return Object.fromEntries(Object.entries(body.agentsByStatus).filter(([, count]) => count > 0));
}

async function agent(): Promise<Agent> {
  return (await app.request<Agent>('GET', `/v1/agents/${agentID}`, { as: admin() })).body;
}

async function typesOfEvents(): Promise<(string | undefined)[]> {
  await app.app.runAlerts();
  const { text } = await app.request('GET', `/v1/projects/${project.id}/events?follow=false`, {
    as: admin(),
    headers: { 'last-event-id': '0' },
  });
  return [...text.matchAll(/^event: (core_instance\.\w+|agent\.status_changed)$/gm)].map(([, type]) => type);
}

describe('an agent behind a site that is not heard', () => {
  it('is unknown, not offline, and the site is told of once', async () => {
    await beat();
    expect(await counted()).toEqual({ healthy: 1 });
    app.clock.advance(120_000);
    expect(await counted()).toEqual({ unknown: 1 });
    expect(await agent()).toMatchObject({
      status: 'unknown',
      statusSince: new Date(app.clock.now() - 30_000).toISOString(),
      statusReason: "Its site 'plant-7' is unreachable.",
      coreInstanceID: site.id,
    });
    const listed = await app.request<Agent[]>('GET', `/v1/projects/${project.id}/agents?status=unknown`, {
      as: admin(),
    });
    expect(listed.body.map(({ id }) => id)).toEqual([agentID]);
    app.clock.advance(3_600_000);
    expect(await counted()).toEqual({ unknown: 1 });
    expect((await typesOfEvents()).filter((type) => type === 'core_instance.unreachable')).toHaveLength(1);
  });

  it('stays unknown until the site has sent all that waited, and is then what its last sign says', async () => {
    await beat();
    app.clock.advance(3_600_000);
    expect(await counted()).toEqual({ unknown: 1 });
    await beat(3_000_000, 2_000_000);
    expect(await counted()).toEqual({ unknown: 1 });
    await beat(1_000);
    expect(await counted()).toEqual({ healthy: 1 });
    expect(await agent()).toMatchObject({ status: 'healthy' });
    for (let silent = 60_000; silent <= 180_000; silent += 60_000) {
      app.clock.advance(60_000);
      await beat(silent);
      expect(await counted()).toEqual({ healthy: 1 });
    }
    app.clock.advance(60_000);
    await beat(240_000);
    // The site is heard, and the agent is not.
    expect(await counted()).toEqual({ offline: 1 });
    expect(await typesOfEvents()).toContain('core_instance.reachable');
  });

  it('is known as soon as it is heard, while others stay unknown until their site has sent what waited', async () => {
    await beat();
    const heard = agentID;
    const other = (await app.registerAgent(project, 'other')).id;
    agentID = other;
    await beat();
    app.clock.advance(3_600_000);
    expect(await counted()).toEqual({ unknown: 2 });
    agentID = heard;
    await beat(0, 61_000);
    expect(await counted()).toEqual({ healthy: 1, unknown: 1 });
    agentID = other;
    app.clock.advance(15_000);
    await beat(0, 61_000);
    expect(await counted()).toEqual({ healthy: 2 });
    expect(await typesOfEvents()).not.toContain('core_instance.reachable');
    await beat(0, 60_000);
    expect(await counted()).toEqual({ healthy: 2 });
    expect(await typesOfEvents()).toContain('core_instance.reachable');
  });

  it('is unknown too if it registered at the site meanwhile', async () => {
    await beat();
    app.clock.advance(3_600_000);
    expect(await counted()).toEqual({ unknown: 1 });
    const now = app.clock.now();
    const { item } = siteRegistration(now, tokenID, 'late', { at: now - 3_000_000 });
    sequence += 1;
    const late = { ...item, agent: { ...item.agent, heartbeatSeconds: 30 } };
    await app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: {
        protocol: 1,
        sequence,
        status: siteStatus(now, { oldestSpooledAt: now - 3_000_000 }),
        items: [late],
      },
    });
    expect(await counted()).toEqual({ unknown: 2 });
    await beat();
    expect(await counted()).toEqual({ healthy: 1, unknown: 1 });
    // It does not speak within the time that is given to it.
    app.clock.advance(90_000);
    await beat();
    expect(await counted()).toEqual({ healthy: 1, offline: 1 });
  });

  it('is known again as soon as it speaks itself, or the site is deleted', async () => {
    await beat();
    app.clock.advance(120_000);
    expect(await counted()).toEqual({ unknown: 1 });
    await app.request('POST', `/v1/agents/${agentID}/heartbeat`, { as: { project: project.token } });
    expect(await agent()).toMatchObject({ status: 'healthy', coreInstanceID: null });
    expect(await counted()).toEqual({ healthy: 1 });
    await beat();
    app.clock.advance(240_000);
    expect(await counted()).toEqual({ unknown: 1 });
    await app.request('DELETE', `/v1/core_instances/${site.id}`, { as: admin() });
    expect(await counted()).toEqual({ offline: 1 });
  });
});

describe('a site whose agents cannot be marked', () => {
  it('keeps those of no other site from it, and no summary from being read', async () => {
    await beat();
    site = await app.createCoreInstance(project, { name: 'plant-8' });
    agentID = (await app.registerAgent(project, 'other')).id;
    sequence = 0;
    await beat();
    app.clock.advance(120_000);
    const mark = vi.spyOn(SiteAgentsService.prototype, 'markUnknown');
    mark.mockRejectedValueOnce(new Error('disk full'));
    expect(await counted()).toEqual({ healthy: 1, unknown: 1 });
    mark.mockRestore();
    expect(await counted()).toEqual({ unknown: 2 });
  });
});
