import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';
import { createTestClock, type TestClock } from '../../../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../../../testing/test-database.ts';

if (testEngine !== 'postgres') {
  process.stderr.write('Skipped on SQLite: it has no replicas.\n');
}

let dataDirectory: string;
let clock: TestClock;
let apps: TestApp[];

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  clock = createTestClock();
  apps = [];
});

afterEach(async () => {
  for (const app of apps) await app.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function start(): Promise<TestApp> {
  const app = await startTestApp({ dataDirectory, clock });
  apps.push(app);
  return app;
}

async function stop(app: TestApp): Promise<void> {
  apps = apps.filter((one) => one !== app);
  await app.close();
}

async function promisedAgent(app: TestApp) {
  const agent = await app.registerAgent(await app.createProject());
  await callHeartbeats(app).beat(agent, { heartbeatSeconds: 30 });
  return agent;
}

async function shown(app: TestApp, id: string) {
  // Each start sets the administrator's token.
  const access = apps.at(-1)?.admin ?? '';
  const { body } = await app.request<Agent>('GET', `/v1/agents/${id}`, { as: { access } });
  const { status, statusSince } = body;
  return { status, secondsAgo: (clock.now() - Date.parse(statusSince)) / 1_000 };
}

/** Makes the last replica look stopped for an hour, because tests cannot move the clock of the database. */
async function letListeningEnd(): Promise<void> {
  if (testEngine === 'postgres') {
    await changeRows(dataDirectory, 'update listening set renewed_at = renewed_at - 3600000');
  }
}

describe('a fleet whose service was away', () => {
  it('is not offline before its agents had time to send a heartbeat', async () => {
    const before = await start();
    const [lost, back] = [await promisedAgent(before), await promisedAgent(before)];
    await stop(before);
    await letListeningEnd();
    clock.advance(3_600_000);
    const app = await start();
    expect(await shown(app, lost.id)).toEqual({ status: 'healthy', secondsAgo: 3_600 });
    clock.advance(30_000);
    await callHeartbeats(app).beat(back);
    clock.advance(59_000);
    expect(await shown(app, lost.id)).toEqual({ status: 'healthy', secondsAgo: 3_689 });
    clock.advance(2_000);
    expect(await shown(app, lost.id)).toEqual({ status: 'offline', secondsAgo: 1 });
    // It was not offline meanwhile.
    expect(await shown(app, back.id)).toEqual({ status: 'healthy', secondsAgo: 3_691 });
  });

  it('is not offline when the clock was set forward, or the machine slept', async () => {
    const app = await start();
    const agent = await promisedAgent(app);
    clock.set(3_600_000);
    expect(await shown(app, agent.id)).toEqual({ status: 'healthy', secondsAgo: 3_600 });
    clock.advance(91_000);
    expect(await shown(app, agent.id)).toEqual({ status: 'offline', secondsAgo: 1 });
  });

  it('keeps promises and ends over a restart', async () => {
    const before = await start();
    const heartbeats = callHeartbeats(before);
    const project = await before.createProject();
    const agent = await before.registerAgent(project);
    for (let time = 0; time < 3; time += 1) {
      await heartbeats.beat(agent, { status: 'stopped', exitCode: 2 });
      clock.advance(1_000);
      await heartbeats.beat(agent);
    }
    await heartbeats.beat(agent, { status: 'stopped', signal: 'SIGTERM' });
    const stopped = await heartbeats.statusOf(agent.id);
    expect(stopped.statusReason).toBe('Stopped by SIGTERM.');
    await stop(before);
    expect(await callHeartbeats(await start()).statusOf(agent.id)).toEqual(stopped);
  });
});

describe.runIf(testEngine === 'postgres')('two replicas', () => {
  it('listen together: a replica that starts later, or stops, changes nothing', async () => {
    const first = await start();
    const agent = await promisedAgent(first);
    // Writes the gathered signs, as the service does within seconds.
    await shown(first, agent.id);
    clock.advance(60_000);
    const second = await start();
    clock.advance(31_000);
    const offline = { status: 'offline', secondsAgo: 1 };
    expect([await shown(first, agent.id), await shown(second, agent.id)]).toEqual([offline, offline]);
    await stop(first);
    expect(await shown(second, agent.id)).toEqual(offline);
  });

  it('show an end as soon as the other replica has acknowledged it', async () => {
    const [first, second] = [await start(), await start()];
    const agent = await promisedAgent(second);
    clock.advance(1_000);
    await callHeartbeats(first).beat(agent, { status: 'stopped', exitCode: 0 });
    expect(await shown(second, agent.id)).toEqual({ status: 'stopped', secondsAgo: 0 });
    clock.advance(1_000);
    await callHeartbeats(second).beat(agent);
    expect(await shown(second, agent.id)).toEqual({ status: 'healthy', secondsAgo: 0 });
    expect(await shown(first, agent.id)).toEqual({ status: 'healthy', secondsAgo: 0 });
  });

  it('combine the beats that an agent sends to both in turn', async () => {
    const [first, second] = [await start(), await start()];
    const agent = await second.registerAgent(await second.createProject());
    for (let time = 0; time < 4; time += 1) {
      const app = time % 2 === 0 ? first : second;
      await callHeartbeats(app).beat(agent);
      // Writes the gathered signs, as the service does within seconds.
      await shown(app, agent.id);
      clock.advance(60_000);
    }
    expect((await shown(second, agent.id)).status).toBe('healthy');
    clock.advance(119_000);
    expect((await shown(first, agent.id)).status).toBe('healthy');
    clock.advance(1_000);
    expect(await shown(first, agent.id)).toEqual({ status: 'offline', secondsAgo: 0 });
    expect(await shown(second, agent.id)).toEqual({ status: 'offline', secondsAgo: 0 });
  });
});
