import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { attemptFrom, limited, refused } from '../../testing/calls/invalid-credential-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const hour = 3_600_000;
const minute = 60_000;
const second = 1_000;

describe('limits, when the clock is changed', () => {
  let dataDirectory: string;
  let clock: TestClock;
  let test: TestApp;
  let project: TestProject;
  let agentID: string;
  let reported: number;

  beforeEach(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
    clock = createTestClock();
    reported = 0;
  });

  afterEach(async () => {
    await test.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  const limits = {
    newErrorsPerAgentPerMinute: { newErrorsPerAgentPerMinute: 3, newErrorsPerProjectPerSecond: 0 },
    newErrorsPerProjectPerSecond: { newErrorsPerAgentPerMinute: 0, newErrorsPerProjectPerSecond: 3 },
  };

  async function start(limit: keyof typeof limits): Promise<void> {
    const config = { ...limits[limit], invalidCredentialsPerAddressPerMinute: 2 };
    test = await startTestApp({ dataDirectory, clock, config });
  }

  async function register(): Promise<void> {
    project = await test.createProject();
    agentID = (await test.registerAgent(project)).id;
  }

  /** Statuses of the given number of reports, each with a new error. */
  async function reportNew(count: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) {
      reported += 1;
      const answer = await callAgentErrors(test).report(project, agentID, `error ${reported}`);
      statuses.push(answer.status);
    }
    return statuses;
  }

  /** Enough refusals for the limit to be remembered. */
  const reach = [201, 201, 201, 429, 429, 429, 429];

  it.each([
    ['newErrorsPerAgentPerMinute', minute],
    ['newErrorsPerProjectPerSecond', second],
  ] as const)(
    '%s: a step back by an hour refuses for at most two intervals, and a step forward for none',
    async (limit, interval) => {
      await start(limit);
      await register();
      expect(await reportNew(reach.length)).toEqual(reach);
      clock.set(-hour);
      expect(await reportNew(2)).toEqual([429, 429]);
      // The service's steady clock now runs at half speed.
      clock.advance(2 * interval);
      expect(await reportNew(reach.length)).toEqual(reach);
      clock.advance(2 * interval);
      expect(await reportNew(reach.length)).toEqual(reach);
      clock.set(hour);
      expect(await reportNew(reach.length)).toEqual(reach);
      clock.advance(interval);
      expect(await reportNew(reach.length)).toEqual(reach);
    },
  );

  it.each([
    ['newErrorsPerAgentPerMinute', minute],
    ['newErrorsPerProjectPerSecond', second],
  ] as const)(
    '%s: errors from an hour in the future, stored before a restart or by another replica, do not count',
    async (limit, interval) => {
      await start(limit);
      await register();
      expect(await reportNew(reach.length)).toEqual(reach);
      await test.close();
      clock.set(-hour);
      await start(limit);
      expect(await reportNew(reach.length)).toEqual(reach);
      clock.advance(interval);
      expect(await reportNew(reach.length)).toEqual(reach);
    },
  );

  it('orders new errors after earlier ones, and lets time continue', async () => {
    await start('newErrorsPerAgentPerMinute');
    await register();
    await reportNew(1);
    clock.set(-hour);
    for (let index = 0; index < 3; index += 1) {
      clock.advance(2 * minute);
      await reportNew(1);
    }
    const { body } = await callAgentErrors(test).listOfAgent(agentID);
    expect(body.map(({ error, createdAt }) => [error, createdAt])).toEqual([
      ['error 4', '2026-03-02T10:22:30.456Z'],
      ['error 3', '2026-03-02T10:21:30.456Z'],
      ['error 2', '2026-03-02T10:20:30.456Z'],
      ['error 1', '2026-03-02T10:20:30.456Z'],
    ]);
  });

  it('limits invalid credentials of an address for a minute, not for an hour', async () => {
    await start('newErrorsPerAgentPerMinute');
    const reach = [refused, refused, limited];
    expect(await attemptFrom(test, 3)).toEqual(reach);
    clock.set(-hour);
    expect(await attemptFrom(test, 1)).toEqual([limited]);
    clock.advance(minute);
    expect(await attemptFrom(test, 3)).toEqual(reach);
    clock.set(hour);
    expect(await attemptFrom(test, 1)).toEqual([limited]);
    clock.advance(minute);
    expect(await attemptFrom(test, 3)).toEqual(reach);
  });
});
