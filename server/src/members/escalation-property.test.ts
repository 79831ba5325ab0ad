import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { step } from '../testing/escalation-model.ts';
import { EscalationWorld } from '../testing/escalation-world.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../testing/test-database.ts';

/** What a power is does not depend on the engine, and a run takes several times as long on PostgreSQL. */
const runs = testEngine === 'sqlite' ? 40 : 12;

describe('members, their tokens, their sessions and their invitations', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const replicas: TestApp[] = [];
  const clock = createTestClock();
  let admin: string;

  beforeAll(async () => {
    // SQLite supports one process.
    for (let count = testEngine === 'postgres' ? 2 : 1; count > 0; count -= 1) {
      const replica = await startTestApp({ dataDirectory, clock, logLevel: 'info' });
      replicas.push(replica);
      // Only the administrator's token of the last start is valid.
      admin = replica.admin;
    }
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  it('never do more than the model says, and never less, on every replica at once', async () => {
    const outcomes = new Map<string, number>();
    const property = fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 100 }), async (steps) => {
      const world = new EscalationWorld(replicas, admin, clock);
      await world.begin();
      for (const one of steps) {
        const outcome = await world.take(one);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await world.check(one.by + one.target);
      }
    });
    await fc.assert(property, { numRuns: runs });
    if (testEngine !== 'sqlite') return;
    // All of these cases occurred.
    for (const outcome of [
      ...['add 201', 'add 403', 'change 200', 'change 403', 'change 409', 'remove 200', 'remove 403'],
      ...['invite 201', 'invite 403', 'accept 200', 'accept 410', 'narrow 201', 'narrow 403'],
      ...['revoke 204', 'revoke 404', 'issue 201', 'issue 403', 'widen 200', 'widen 403'],
      ...['rotate 200', 'rotate 403', 'add 401', 'add 404', 'renew 200', 'leak 200'],
      ...['sign in 201', 'sign in 401', 'session: sign in 403', 'session: sign out 204', 'session: add 401'],
      ...['session: add 201', 'session: add 403', 'session: narrow 201'],
      ...['session: issue 201', 'session: issue 403', 'session: renew 403'],
    ]) {
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
    }
  });
});
