import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { idOfToken, siteStatus } from '../../../testing/calls/site-calls.ts';
import { parseEvents } from '../../../testing/receivers/event-stream.ts';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';
import { createTestClock, type TestClock } from '../../../testing/test-clock.ts';
import { dropTestDatabase } from '../../../testing/test-database.ts';

let dataDirectory: string;
let clock: TestClock;
let app: TestApp | undefined;

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  clock = createTestClock();
});

afterEach(async () => {
  await stop();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

const day = 86_400_000;

/** At its start, it removes what is due. */
async function start(forgetAgentsDays: number): Promise<TestApp> {
  app = await startTestApp({ dataDirectory, clock, config: { forgetAgentsDays, eventsHours: 8_760 } });
  return app;
}

/** Ends when everything that is due was removed. */
async function stop(): Promise<void> {
  await app?.close();
  app = undefined;
}

/** Starts and stops a service with the setting, and returns the names of the agents that are left. */
async function namesAfter(project: TestProject, forgetAgentsDays: number): Promise<string[]> {
  await stop();
  await start(forgetAgentsDays);
  await stop();
  const { body } = await callAgents(await start(0)).list(project.id);
  return body.map(({ name }) => name);
}

/** Lets time pass while the service listens. */
async function listenFor(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  // As if it had been noted every minute.
  await changeRows(
    dataDirectory,
    `update listening_periods set ended_at = ${clock.now()}
     where started_at = (select max(started_at) from listening_periods)`,
  );
}

/** A project with an agent that was heard only at first, and one that was heard again after two days. */
async function startFleet(): Promise<TestProject> {
  const first = await start(0);
  const project = await first.createProject();
  await callHeartbeats(first).beatOfMachine(project, 'gone');
  await callHeartbeats(first).beatOfMachine(project, 'there');
  // Has the agents counted, as the service does four times a second.
  await first.request('GET', `/v1/projects/${project.id}/summary`, { as: { access: first.admin } });
  await listenFor(2 * day);
  await callHeartbeats(first).beatOfMachine(project, 'there');
  await listenFor(1.5 * day);
  await stop();
  return project;
}

describe('MUSTER_FORGET_AGENTS_DAYS', () => {
  it('deletes the agents that were not heard for so many days, and tells why', async () => {
    const project = await startFleet();
    expect(await namesAfter(project, 4)).toEqual(['there', 'gone']);
    expect(await namesAfter(project, 3)).toEqual(['there']);
    const as = { access: app?.admin ?? '' };
    await app?.request('GET', `/v1/projects/${project.id}/summary`, { as });
    const events = await app?.request(
      'GET',
      `/v1/projects/${project.id}/events?follow=false&types=agent.deleted`,
      { as, headers: { 'last-event-id': '0' } },
    );
    expect(parseEvents(events?.text ?? '').map(({ data: { name, reason } }) => ({ name, reason }))).toEqual([
      { name: 'gone', reason: 'not heard for 3 days' },
    ]);
  });

  it.each([
    ['its reports', 60_000],
    ['its signs of life', null],
  ])('forgets no agent whose site is unreachable, and then has %s to deliver', async (_, waitsSince) => {
    const first = await start(0);
    const project = await first.createProject();
    const site = await first.createCoreInstance(project);
    const tokenID = await idOfToken(first, project);
    const { id: agentID } = await first.registerAgent(project, 'at sea');
    const now = clock.now();
    const { status } = await first.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: {
        protocol: 1,
        sequence: 1,
        status: siteStatus(now),
        items: [
          { kind: 'heartbeat', at: now, by: { tokenID }, agentID, heartbeat: { heartbeatSeconds: 30 } },
        ],
      },
    });
    expect(status).toBe(200);
    await listenFor(120_000);
    // Has sites looked at, as the service does each second.
    await first.request('GET', `/v1/projects/${project.id}/summary`, { as: { access: first.admin } });
    await listenFor(4 * day);
    expect(await namesAfter(project, 3)).toEqual(['web-01']);
    // It is heard again, and what it was sent meanwhile has not come yet.
    const oldestSpooledAt = waitsSince === null ? null : now + waitsSince;
    const again = app ?? (await start(0));
    const back = { protocol: 1, sequence: 2, id: randomUUID(), items: [] };
    await again.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: { ...back, status: siteStatus(clock.now(), { oldestSpooledAt }) },
    });
    await again.request('GET', `/v1/projects/${project.id}/summary`, { as: { access: again.admin } });
    expect(await namesAfter(project, 3)).toEqual(['web-01']);
    await app?.request('DELETE', `/v1/core_instances/${site.id}`, { as: { access: app.admin } });
    expect(await namesAfter(project, 3)).toEqual([]);
  });

  it('forgets no fleet while the service is away', async () => {
    const project = await startFleet();
    clock.advance(100 * day);
    expect(await namesAfter(project, 4)).toEqual(['there', 'gone']);
    await listenFor(0.6 * day);
    await stop();
    // For more than 4 days in all.
    expect(await namesAfter(project, 4)).toEqual(['there']);
  });

  it('forgets no fleet if the clock is set forward, and then back', async () => {
    const project = await startFleet();
    clock.set(400 * day);
    expect(await namesAfter(project, 4)).toEqual(['there', 'gone']);
    await stop();
    clock.set(-400 * day);
    expect(await namesAfter(project, 4)).toEqual(['there', 'gone']);
    await listenFor(0.6 * day);
    await stop();
    expect(await namesAfter(project, 4)).toEqual(['there']);
  });

  it('keeps an agent without a sign of life that was registered since', async () => {
    const project = await startFleet();
    const again = app ?? (await start(0));
    await callAgents(again).register(project, { name: 'gone', machineID: 'gone', rawConfig: 'A' });
    await stop();
    expect(await namesAfter(project, 1)).toEqual(['gone']);
  });
});
