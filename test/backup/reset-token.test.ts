import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runMusterProcess } from '../../server/src/testing/muster-process.ts';
import type { TestApp } from '../../server/src/testing/start-test-app.ts';
import { testEngine } from '../../server/src/testing/test-database.ts';
import { makePlace, type Place, readWholeDatabase, startInstallation } from './installation.ts';

let place: Place;
let running: TestApp | undefined;

beforeEach(async () => {
  place = await makePlace();
});

afterEach(async () => {
  await running?.close();
  running = undefined;
  await place.remove();
});

const readToken = () => readFileSync(join(place.dataDirectory, 'admin-token'), 'utf8').trim();

const statusOf = async (app: TestApp, access: string) =>
  (await app.request('GET', '/v1/me', { as: { access } })).status;

async function reset() {
  const result = await runMusterProcess(['admin', 'reset-token'], { env: place.env });
  const file = join(place.dataDirectory, 'admin-token');
  expect(result).toEqual({
    code: 0,
    signal: null,
    stderr: '',
    stdout: [
      `The administrator has a new access token. It is in ${file}`,
      'The former one is revoked, with the access tokens that were created with it.',
      '',
      'Sign in with it:',
      '',
      `  npx muster login --url URL --with-token < ${file}`,
      '',
    ].join('\n'),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return readToken();
}

describe('muster admin reset-token', () => {
  it('replaces the token at once beside a running service, with those that were created with it', async () => {
    const { app, admin } = await startInstallation(place, { groupIntervalMilliseconds: 100 });
    running = app;
    const { body: child } = await app.request<{ token: string }>('POST', '/v1/access_tokens', {
      as: { access: admin },
      body: { name: 'script' },
    });
    // Remembered by the service.
    expect(await statusOf(app, admin)).toBe(200);
    expect(await statusOf(app, child.token)).toBe(200);
    const renewed = await reset();
    expect(renewed).not.toBe(admin);
    expect(await statusOf(app, renewed)).toBe(200);
    expect(await statusOf(app, admin)).toBe(401);
    expect(await statusOf(app, child.token)).toBe(401);
    const tables = Object.values(await readWholeDatabase(place)).flat();
    const entries = tables.filter((row) => row.includes('muster admin reset-token'));
    expect(entries).toEqual([expect.stringContaining('access_token.created')]);
  });

  it('replaces the token of a stopped service', async () => {
    const first = await startInstallation(place);
    await first.app.close();
    const renewed = await reset();
    const again = await startInstallation(place);
    running = again.app;
    expect(await statusOf(running, renewed)).toBe(200);
    expect(await statusOf(running, first.admin)).toBe(401);
  });

  it('is refused if the settings define the token, or if there is no installation', async () => {
    const withToken = { ...place.env, MUSTER_ADMIN_TOKEN: 'x'.repeat(32) };
    expect(await runMusterProcess(['admin', 'reset-token'], { env: withToken })).toMatchObject({
      code: 2,
      stderr:
        "muster: MUSTER_ADMIN_TOKEN sets the administrator's token.\n  Change it in the settings of the service, and start the service again.\n",
    });
    const empty = mkdtempSync(join(tmpdir(), 'muster-empty-'));
    const { stderr, code } = await runMusterProcess(['admin', 'reset-token'], {
      env: {
        ...place.env,
        MUSTER_DATA_DIR: empty,
      },
    });
    rmSync(empty, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(
      testEngine === 'sqlite'
        ? `There is no installation in ${empty}: it has no muster.db.`
        : 'The tables of the database are not those of this version',
    );
  });
});
