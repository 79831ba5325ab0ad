import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

/** PostgreSQL only: SQLite serves one process, which forgets the tokens that it replaces. */
describe('an agent token that was replaced on another replica', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  let here: TestApp;
  let there: TestApp;
  let project: TestProject;

  beforeAll(async () => {
    there = await startTestApp({ dataDirectory, clock });
    // At the log level of a real service, so that reports take the same path as there.
    here = await startTestApp({ dataDirectory, clock, logLevel: 'info' });
    // Only the administrator's token of the last start is valid.
    project = await here.createProject();
  });

  afterAll(async () => {
    await here.close();
    await there.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  const report = (on: TestApp, agent: { id: string; token: string }) =>
    on.request('POST', `/v1/agents/${agent.id}/errors`, {
      as: { agent: agent.token },
      body: { error: 'no upstream connections available' },
    });

  const register = () => there.registerAgent(project, 'edge-7');

  it('is valid for at most a minute on a replica that remembers it', async () => {
    const agent = await register();
    expect((await report(here, agent)).status).toBe(201);
    const next = await register();
    expect((await report(there, next)).status).toBe(201);
    await callAgents(there).untilEnded(agent.token);
    expect((await report(there, agent)).status).toBe(401);

    // It reports all the time: use does not extend its validity.
    for (let second = 0; second < 50; second += 10) {
      await report(here, agent);
      clock.advance(10_000);
    }
    clock.advance(10_000);
    const refused = await report(here, agent);
    expect(refused.status).toBe(401);
    expect(refused.body).toEqual(problemBody('invalid_credential'));
    const update = await callAgents(here).update(agent, { rawConfig: '[INPUT] another' });
    expect(update.status).toBe(401);
    expect(await callAgents(here).tryToken(agent.token)).toBe(401);
  });

  it('is valid on every replica until the new one is used on any of them', async () => {
    const [before, newest] = [await register(), await register()];
    for (let minute = 0; minute < 3; minute += 1) {
      expect((await report(here, before)).status).toBe(201);
      expect((await report(there, before)).status).toBe(201);
      clock.advance(60_000);
    }
    expect((await report(here, newest)).status).toBe(201);
    await callAgents(here).untilEnded(before.token);
    clock.advance(60_000);
    expect((await report(there, before)).status).toBe(401);
    expect((await report(there, newest)).status).toBe(201);
  });

  it('shows a new name of the agent within a minute', async () => {
    const agent = await register();
    const nameHere = async () =>
      (await here.request<{ name: string }>('GET', '/v1/me', { as: { agent: agent.token } })).body;
    expect(await nameHere()).toMatchObject({ name: 'web-01' });
    await callAgents(there).update(agent, { name: 'edge' });
    clock.advance(60_000);
    expect(await nameHere()).toMatchObject({ name: 'edge' });
  });
});
