import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { dropTestDatabase, testEngine } from './test-database.ts';

/** Apps that share one database and one clock. */
export interface Replicas {
  readonly clock: TestClock;
  /** Two on PostgreSQL. SQLite supports one process, which is then both. */
  readonly one: TestApp;
  readonly other: TestApp;
  readonly all: readonly TestApp[];
  /** The administrator's access token, valid on both. */
  readonly admin: string;
  close(): Promise<void>;
}

export async function startReplicas(options: TestAppOptions = {}): Promise<Replicas> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  const one = await startTestApp({ ...options, dataDirectory, clock });
  const other = testEngine === 'postgres' ? await startTestApp({ ...options, dataDirectory, clock }) : one;
  const all = one === other ? [one] : [one, other];
  return {
    clock,
    one,
    other,
    all,
    // Only the administrator's token of the last start is valid.
    admin: other.admin,
    async close() {
      for (const app of all) await app.close();
      await dropTestDatabase(dataDirectory);
      rmSync(dataDirectory, { recursive: true });
    },
  };
}
