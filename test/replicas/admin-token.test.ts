import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../server/src/foundation/secret.ts';
import { startTestApp, type TestApp } from '../../server/src/testing/start-test-app.ts';
import { dropTestDatabase } from '../../server/src/testing/test-database.ts';

const one = 'chosen-by-the-operator-0123456789';
const other = 'chosen-later-by-the-operator-0123';

let dataDirectory: string;
let running: TestApp[];

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  running = [];
});

afterEach(async () => {
  for (const replica of running) await replica.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function startReplica(adminToken: string): Promise<TestApp> {
  const replica = await startTestApp({ dataDirectory, config: { adminToken: new Secret(adminToken) } });
  running.push(replica);
  return replica;
}

async function signIn(replica: TestApp, token: string): Promise<number> {
  return (await replica.request('GET', '/v1/me', { as: { access: token } })).status;
}

describe('MUSTER_ADMIN_TOKEN of replicas', () => {
  it('is valid on all of them if all have the same one', async () => {
    const replicas = [await startReplica(one), await startReplica(one), await startReplica(one)];
    for (const replica of replicas) expect(await signIn(replica, one)).toBe(200);
  });

  it('is the one of the last start, on all of them and at once, if they differ', async () => {
    const first = await startReplica(one);
    expect(await signIn(first, one)).toBe(200);
    // Tried before it is set; the refusal must not be remembered.
    expect(await signIn(first, other)).toBe(401);

    const second = await startReplica(other);
    for (const replica of [first, second]) {
      expect(await signIn(replica, other)).toBe(200);
      expect(await signIn(replica, one)).toBe(401);
    }

    const restarted = await startReplica(one);
    for (const replica of [first, second, restarted]) {
      expect(await signIn(replica, one)).toBe(200);
      expect(await signIn(replica, other)).toBe(401);
    }
  });
});
