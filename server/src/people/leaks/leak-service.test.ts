import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { digestToken, systemRandomBytes } from '../../foundation/secret.ts';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../../testing/test-database.ts';
import { type HandledLeak, type LeakedValue, type LeakKeeper, LeakService } from './leak-service.ts';
import { listLeaks } from './leak-store.ts';

const clock = createTestClock();
const origin = { address: '203.0.113.9', requestID: 'request.1' };
const real = 'a real one';

let dataDirectory: string;
let database: Database;
let service: LeakService;
let closing: AbortController;
let failures: unknown[];

/** Knows one value, and says what it was asked. */
class RecordingKeeper implements LeakKeeper {
  readonly asked: string[][] = [];
  readonly handled: LeakedValue[] = [];
  failure: Error | undefined;

  async findLeaked(digests: readonly string[]): Promise<readonly string[]> {
    this.asked.push([...digests]);
    if (this.failure !== undefined) throw this.failure;
    return digests.filter((digest) => digest === digestToken(real));
  }

  async handleLeak(leak: LeakedValue): Promise<HandledLeak> {
    this.handled.push(leak);
    return { kind: 'project', id: 'id', projectID: 'project', isRevoked: true };
  }
}

let keeper: RecordingKeeper;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  database = await openDatabase({
    dataDirectory,
    databaseUrl: await prepareMigratedDatabase(dataDirectory),
    onConnectionError: () => undefined,
  });
  await migrate(database);
  keeper = new RecordingKeeper();
  closing = new AbortController();
  failures = [];
  service = serviceOf(keeper);
});

function serviceOf(one: LeakKeeper): LeakService {
  return new LeakService({
    database,
    clock: clock.now,
    newID: createNewID(clock.now, systemRandomBytes),
    keepers: [one],
    mode: 'revoke',
    onHandled: () => undefined,
    closing: closing.signal,
    onFailure: (failure) => failures.push(failure),
  });
}

afterEach(async () => {
  closing.abort();
  await service.close();
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

describe('LeakService', () => {
  it('does the same work before its answer, whether a value is real or not: one statement, and no look-up', async () => {
    const statements = countStatements();
    const counts: number[] = [];
    for (const token of [real, 'an unknown one', '']) {
      const before = statements.count();
      await service.report([{ token }, { token: 'another' }], origin);
      counts.push(statements.count() - before);
      expect(keeper.asked).toEqual([]);
      await service.wake();
      keeper.asked.length = 0;
    }
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
    expect(keeper.handled).toEqual([
      {
        digest: digestToken(real),
        source: null,
        by: { kind: 'system', name: 'report of a leak', origin },
      },
    ]);
    expect(await listLeaks(database.read, 10)).toEqual([]);
  });

  it('stores reports that arrive together with one statement', async () => {
    const statements = countStatements();
    const start = statements.count();
    await service.report([{ token: 'x' }], origin);
    const one = statements.count() - start;
    await service.wake();
    const before = statements.count();
    await Promise.all(Array.from({ length: 50 }, () => service.report([{ token: 'x' }], origin)));
    expect(statements.count() - before).toBe(one);
    await service.wake();
  });

  it('refuses reports while too many wait', async () => {
    const leaks = Array.from({ length: 100 }, () => ({ token: 'x' }));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => service.report(leaks, origin)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'overloaded', retryAfterSeconds: 1 } });
    await service.wake();
    await service.report(leaks, origin);
    await service.wake();
  });

  it('keeps a report that it could not deal with', async () => {
    keeper.failure = new Error('the database is away');
    await service.report([{ token: real }], origin);
    await service.wake();
    expect([keeper.handled, failures]).toEqual([[], [keeper.failure]]);
    expect(await listLeaks(database.read, 10)).toHaveLength(1);
    keeper.failure = undefined;
    await service.wake();
    expect(keeper.handled).toHaveLength(1);
    expect(await listLeaks(database.read, 10)).toEqual([]);
  });

  it('leaves a report to the next process if its own is killed while it deals with it', async () => {
    const killed = new RecordingKeeper();
    const begun = withResolvers<void>();
    const never = new Promise<HandledLeak>(() => undefined);
    killed.handleLeak = async (leak) => {
      killed.handled.push(leak);
      begun.resolve();
      // Nothing of this process happens after this.
      return never;
    };
    await serviceOf(killed).report([{ token: real, source: 'a log' }, { token: 'another' }], origin);
    await begun.promise;
    expect(await listLeaks(database.read, 10)).toHaveLength(2);
    await service.wake();
    expect(keeper.handled).toEqual(killed.handled);
    expect(keeper.handled).toMatchObject([{ digest: digestToken(real), source: 'a log' }]);
    expect(await listLeaks(database.read, 10)).toEqual([]);
  });
});
