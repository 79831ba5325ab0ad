import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** First sights, so that each is a look-up. */
async function useNewTokens(count: number): Promise<number[]> {
  const { id } = await app.createProject();
  const statuses: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const { token } = await app.createToken(id, ['read:agent']);
    const { status } = await app.request('GET', '/v1/me', { as: { project: token } });
    statuses.push(status);
  }
  return statuses;
}

describe('the look-up of a project token', () => {
  it('goes on with its prepared statement when a newer version adds columns', async () => {
    // PostgreSQL keeps a plan after five uses.
    expect(await useNewTokens(6)).toEqual(Array.from({ length: 6 }, () => 200));
    for (const table of [
      'project_tokens',
      'earlier_secrets',
      'rotations',
      'projects',
      'credential_changes',
    ]) {
      await changeRows(app.dataDirectory, `alter table ${table} add column added_later text`);
    }
    expect(await useNewTokens(6)).toEqual(Array.from({ length: 6 }, () => 200));
  });

  it('finds several at once', async () => {
    const { id } = await app.createProject();
    const tokens = await Promise.all(
      ['read:agent', 'read:token', 'read:fleet'].map((permission) => app.createToken(id, [permission])),
    );
    const answers = await Promise.all(
      tokens.map(({ token }) =>
        app.request<{ permissions: string[] }>('GET', '/v1/me', { as: { project: token } }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.permissions])).toEqual([
      [200, ['read:agent']],
      [200, ['read:token']],
      [200, ['read:fleet']],
    ]);
  });
});
