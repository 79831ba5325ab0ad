import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds, takesAllRounds } from '../../../../test/rounds.ts';
import { step } from '../../testing/stages/escalation-model.ts';
import { EscalationWorld } from '../../testing/stages/escalation-world.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../../testing/test-database.ts';

/** What a power is does not depend on the engine, and a run takes several times as long on PostgreSQL. */
const runs = rounds(testEngine === 'sqlite' ? 100 : 20);
/** Each installation is small, because the administrator sees every project of it. */
const runsPerInstallation = 100;
const firstSeed = Number(process.env.MUSTER_TEST_SEED);

/** The replicas of a new installation. */
async function withInstallation(
  work: (replicas: readonly TestApp[], admin: string, clock: TestClock) => Promise<void>,
): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  const replicas: TestApp[] = [];
  try {
    let admin = '';
    // SQLite supports one process.
    for (let count = testEngine === 'postgres' ? 2 : 1; count > 0; count -= 1) {
      const replica = await startTestApp({ dataDirectory, clock, logLevel: 'info' });
      replicas.push(replica);
      // Only the administrator's token of the last start is valid.
      admin = replica.admin;
    }
    await work(replicas, admin, clock);
  } finally {
    for (const replica of replicas) await replica.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  }
}

describe('members, their tokens, their sessions and their invitations', () => {
  it('never do more than the model says, and never less, on every replica at once', async () => {
    const outcomes = new Map<string, number>();
    let sequences = 0;
    for (let first = 0; first < runs; first += runsPerInstallation) {
      await withInstallation(async (replicas, admin, clock) => {
        const property = fc.asyncProperty(
          fc.array(step, { minLength: 60, maxLength: 100 }),
          async (steps) => {
            const world = new EscalationWorld(replicas, admin, clock);
            await world.begin();
            for (const one of steps) {
              const outcome = await world.take(one);
              outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
              await world.check(one.by + one.target);
            }
            sequences += 1;
          },
        );
        const numRuns = Math.min(runsPerInstallation, runs - first);
        await fc.assert(property, { numRuns, seed: firstSeed + first / runsPerInstallation });
      });
    }
    // An exploring run may end before.
    if (process.env.MUSTER_TEST_EXPLORE === undefined) expect(sequences).toBe(runs);
    if (!takesAllRounds || testEngine !== 'sqlite') return;
    // All of these cases occurred. Some are rare.
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
