import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StoredCredential } from '../credentials/stored-credential.ts';
import { Refusal } from '../refusal.ts';
import { digestToken, type TokenDigest } from '../secret.ts';
import { LookUps } from './look-ups.ts';

const valid = digestToken('valid');
const stored: StoredCredential = {
  principal: {
    kind: 'project',
    tokenID: 'id',
    name: 'name',
    projectID: 'project',
    grants: [],
    expiresAt: null,
  },
  revoked: false,
};

type Options = ConstructorParameters<typeof LookUps<TokenDigest, StoredCredential>>[0];

/** A database that answers when the test lets it. */
function createDatabase(options: Partial<Options> = {}) {
  const statements: {
    readonly digests: readonly TokenDigest[];
    answer(): void;
    fail(): void;
  }[] = [];
  const lookUps = new LookUps<TokenDigest, StoredCredential>({
    find: (digests) =>
      new Promise((resolve, reject) => {
        statements.push({
          digests,
          answer: () => resolve(new Map(digests.includes(valid) ? [[valid, stored]] : [])),
          fail: () => reject(new Error('away')),
        });
      }),
    maxConcurrent: 1,
    pauseMilliseconds: 0,
    ...options,
  });
  return { statements, lookUps };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

function unknown(count: number): TokenDigest[] {
  return Array.from({ length: count }, (_, number) => digestToken(`unknown ${number}`));
}

afterEach(() => {
  vi.useRealTimers();
});

describe('LookUps', () => {
  it('looks up all credentials of one turn with one statement, and gives each caller its own result', async () => {
    const { statements, lookUps } = createDatabase();
    const digests = [...unknown(50), valid];
    const found = Promise.all(digests.map((digest) => lookUps.find(digest)));
    await settled();
    expect(statements.map((one) => one.digests)).toEqual([digests]);
    statements[0]?.answer();
    expect(await found).toEqual([...unknown(50).map(() => undefined), stored]);
  });

  it('looks up a credential once for many callers', async () => {
    const { statements, lookUps } = createDatabase();
    const found = Promise.all([lookUps.find(valid), lookUps.find(valid)]);
    await settled();
    statements[0]?.answer();
    expect(await found).toEqual([stored, stored]);
    expect(statements.map((one) => one.digests)).toEqual([[valid]]);
  });

  it('never uses the result of a statement that began before the call', async () => {
    const { statements, lookUps } = createDatabase();
    const before = lookUps.find(valid);
    await settled();
    let isAnswered = false;
    const after = lookUps.find(valid).then(() => {
      isAnswered = true;
    });
    statements[0]?.answer();
    await before;
    await settled();
    expect(isAnswered).toBe(false);
    expect(statements).toHaveLength(2);
    statements[1]?.answer();
    await after;
  });

  it('respects the limits on concurrent statements and on their size', async () => {
    const { statements, lookUps } = createDatabase({ maxConcurrent: 2, batchSize: 10 });
    const found = Promise.all(unknown(35).map((digest) => lookUps.find(digest)));
    const sizes = () => statements.map(({ digests }) => digests.length);
    await settled();
    expect(sizes()).toEqual([10, 10]);
    statements[1]?.answer();
    await settled();
    expect(sizes()).toEqual([10, 10, 10]);
    statements[0]?.answer();
    statements[2]?.answer();
    await settled();
    expect(sizes()).toEqual([10, 10, 10, 5]);
    statements[3]?.answer();
    expect(await found).toHaveLength(35);
  });

  it('waits after a statement if configured to, and collects calls meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { statements, lookUps } = createDatabase({ pauseMilliseconds: 60 });
    const first = lookUps.find(valid);
    await settled();
    statements[0]?.answer();
    await first;
    await settled();
    const next = Promise.all(unknown(20).map((digest) => lookUps.find(digest)));
    vi.advanceTimersByTime(59);
    await settled();
    expect(statements).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await settled();
    expect(statements[1]?.digests).toHaveLength(20);
    statements[1]?.answer();
    await next;
  });

  it('rejects all waiting calls when the statement fails, and tries again for the next call', async () => {
    const { statements, lookUps } = createDatabase();
    const failing = lookUps.find(valid);
    await settled();
    const waiting = lookUps.find(valid);
    statements[0]?.fail();
    await expect(failing).rejects.toThrow('away');
    await expect(waiting).rejects.toThrow('away');
    await settled();
    expect(statements).toHaveLength(1);
    const next = lookUps.find(valid);
    await settled();
    statements[1]?.answer();
    expect(await next).toBe(stored);
  });

  it('refuses calls while too many wait, and accepts them again afterwards', async () => {
    const { statements, lookUps } = createDatabase({ maxWaiting: 3, batchSize: 2 });
    const found = Promise.all(unknown(3).map((digest) => lookUps.find(digest)));
    const refused = await lookUps.find(valid).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    await settled();
    const taken = lookUps.find(valid);
    statements[0]?.answer();
    await settled();
    statements[1]?.answer();
    expect(await taken).toBe(stored);
    await found;
  });
});
