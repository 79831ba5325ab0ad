import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessToken, formatToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNewID } from '../../foundation/clock.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { Secret } from '../../foundation/secret.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock, testStart } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../../testing/test-database.ts';
import { insertAccessToken } from './access-token-store.ts';
import { insertUser } from './user-store.ts';

let app: TestApp;
let dataDirectory: string;
const other = new Secret(formatToken('access', randomBytes(32)));

/** A second user, as the first sign-in through an identity provider creates one. */
beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  await (await startTestApp({ dataDirectory })).close();
  const database = await openDatabase({
    dataDirectory,
    databaseUrl: await prepareMigratedDatabase(dataDirectory),
    onConnectionError: () => undefined,
  });
  await migrate(database);
  const newID = createNewID(createTestClock().now, randomBytes);
  const userID = newID();
  await insertUser(database.write, {
    id: userID,
    name: 'Grace',
    issuer: 'https://login.example.com',
    subject: 'grace',
    created_at: testStart,
  });
  await insertAccessToken(database.write, {
    id: newID(),
    user_id: userID,
    name: 'her laptop',
    digest: other.digest(),
    last_four: other.lastFour(),
    is_initial: 0,
    created_at: testStart,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  });
  await database.close();
  app = await startTestApp({ dataDirectory });
});

afterAll(async () => {
  await app.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function list(token: string, query = '') {
  return app.request<AccessToken[]>('GET', `/v1/access_tokens${query}`, { as: { access: token } });
}

describe('the access tokens of two users', () => {
  it('are visible only to their own user', async () => {
    expect((await list(other.reveal())).body.map(({ name }) => name)).toEqual(['her laptop']);
    expect((await list(app.admin)).body.map(({ name }) => name)).toEqual(['administrator']);
  });

  it('can be revoked only by their own user: for others, they do not exist', async () => {
    const [hers] = (await list(other.reveal())).body;
    const answer = await app.request('DELETE', `/v1/access_tokens/${hers?.id}`, {
      as: { access: app.admin },
    });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(problemBody('not_found', `You have no access token ${hers?.id}.`));
    expect((await list(other.reveal())).status).toBe(200);
  });

  it('have cursors that are invalid in the list of the other user', async () => {
    await app.request('POST', '/v1/access_tokens', {
      as: { access: other.reveal() },
      body: { name: 'second' },
    });
    const { headers } = await list(other.reveal(), '?last=1');
    const cursor = /before=([\w-]+)/.exec(headers.link ?? '')?.[1];
    expect((await list(other.reveal(), `?before=${cursor}`)).status).toBe(200);
    const answer = await list(app.admin, `?before=${cursor}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_cursor' });
  });
});
