import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invitationDays } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const dayMilliseconds = 86_400_000;

describe('retention of invitations that ended', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  let test: TestApp;

  async function startApp(): Promise<void> {
    test = await startTestApp({ dataDirectory, clock, config: { retentionDays: 30 } });
  }

  /** Retention runs at each start, and an app that closes waits until the first rows are removed. */
  async function runRetention(): Promise<void> {
    for (let restart = 0; restart < 2; restart += 1) {
      await test.close();
      await startApp();
    }
  }

  beforeAll(startApp);

  afterAll(async () => {
    await test.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  it('removes accepted, revoked and expired ones after the retention days, to the millisecond, and no open one', async () => {
    const { id: projectID } = await test.createProject();
    const as = { access: test.admin };
    const invite = async () => {
      const url = `/v1/projects/${projectID}/invitations`;
      const body = { role: 'viewer', email: 'ada@example.com' };
      return (await test.request<{ id: string; code: string }>('POST', url, { as, body })).body;
    };
    const accept = async ({ code }: { code: string }) => {
      const url = '/v1/invitations/sign_up';
      const { body } = await test.request<{ code?: string }>('POST', url, { body: { code, name: 'Ada' } });
      return body.code;
    };
    const expired = await invite();
    clock.advance(invitationDays * dayMilliseconds);
    const [accepted, revoked] = [await invite(), await invite()];
    expect(await accept(accepted)).toBeUndefined();
    await test.request('DELETE', `/v1/invitations/${revoked.id}`, { as });
    const codes = async () => [await accept(expired), await accept(accepted), await accept(revoked)];
    clock.advance(30 * dayMilliseconds - 1);
    const open = await invite();
    await runRetention();
    expect(await codes()).toEqual(['invitation_ended', 'invitation_ended', 'invitation_ended']);
    clock.advance(1);
    await runRetention();
    expect(await codes()).toEqual(['not_found', 'not_found', 'not_found']);
    expect(await accept(open)).toBeUndefined();
  });
});
