import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWellFormedToken, type Project, type Token } from '@muster/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { Secret } from '../../foundation/secret.ts';
import { ConfigError, readConfig } from '../../foundation/settings/config.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock, testStart } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import { announcement } from './announce.ts';

const chosen = 'chosen-by-the-operator-0123456789';
const chosenLater = 'chosen-later-by-the-operator-0123';

let dataDirectory: string;
let running: TestApp | undefined;

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
});

afterEach(async () => {
  await stop();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

/** Starts the service on the same data, like a restart of the process. */
async function start(adminToken?: string, clock = createTestClock()): Promise<TestApp> {
  await stop();
  const token = adminToken === undefined ? undefined : new Secret(adminToken);
  running = await startTestApp({ dataDirectory, clock, config: { adminToken: token } });
  return running;
}

async function stop(): Promise<void> {
  await running?.close();
  running = undefined;
}

function adminTokenFile(): string {
  return join(dataDirectory, 'admin-token');
}

function writtenToken(): string {
  return readFileSync(adminTokenFile(), 'utf8').trimEnd();
}

async function signIn(app: TestApp, token: string): Promise<number> {
  return (await app.request('GET', '/v1/me', { as: { access: token } })).status;
}

function announced(app: TestApp): string {
  return announcement(
    app.app,
    { ...readConfig({ env: {}, flags: {} }), dataDirectory },
    { url: 'http://127.0.0.1:7400', command: 'muster' },
  );
}

describe('the first start', () => {
  let app: TestApp;
  let file: string;
  let token: string;

  beforeAll(async () => {
    app = await startTestApp({ config: { adminToken: undefined } });
    file = join(app.dataDirectory, 'admin-token');
    token = readFileSync(file, 'utf8').trimEnd();
  });

  afterAll(() => app.close());

  it("writes the administrator's access token to a file that only its owner can read", async () => {
    expect(isWellFormedToken('access', token)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await signIn(app, token)).toBe(200);
    expect(app.app.firstStart?.adminTokenFile).toBe(file);
  });

  it('creates one user, the administrator, and one project, `default`, with its token', async () => {
    const as = { access: token };
    expect((await app.request('GET', '/v1/me', { as })).body).toMatchObject({ name: 'administrator' });
    const { body: projects } = await app.request<Project[]>('GET', '/v1/projects', { as });
    expect(projects.map(({ id, name }) => ({ id, name }))).toEqual([
      { id: app.app.firstStart?.project?.id, name: 'default' },
    ]);
    const { body: tokens } = await app.request<Token[]>('GET', `/v1/projects/${projects[0]?.id}/tokens`, {
      as,
    });
    expect(tokens.map(({ name, createdBy }) => ({ name, createdBy }))).toEqual([
      { name: 'default', createdBy: { kind: 'system', id: null, name: null } },
    ]);
  });

  it('returns a project token with which an agent reports its first error', async () => {
    const answer = await app.request('POST', '/v1/machines/my-laptop/errors', {
      as: { project: app.app.firstStart?.project?.token.reveal() ?? '' },
      body: { error: 'no upstream connections available' },
    });
    expect(answer.status).toBe(201);
  });

  it('writes neither token to the log', async () => {
    await signIn(app, token);
    const log = app.logs.join('');
    expect(log).not.toContain(token);
    expect(log).not.toContain(app.app.firstStart?.project?.token.reveal());
  });
});

describe('the first start, in a directory that is not empty', () => {
  it('makes the file readable only for its owner, even if a start that was killed before its commit left one', async () => {
    const databaseUrl = await prepareTestDatabase(dataDirectory);
    await (await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined })).close();
    writeFileSync(adminTokenFile(), 'of an earlier installation, and longer than what comes\n'.repeat(10));
    chmodSync(adminTokenFile(), 0o666);
    const app = await start();
    expect(statSync(adminTokenFile()).mode & 0o777).toBe(0o600);
    expect(await signIn(app, writtenToken())).toBe(200);
  });

  it('stores nothing if the token file cannot be written, so that nobody is locked out', async () => {
    mkdirSync(adminTokenFile());
    await expect(start()).rejects.toThrow('EISDIR');
    rmdirSync(adminTokenFile());
    const app = await start();
    expect(app.app.firstStart).toBeDefined();
    expect(await signIn(app, writtenToken())).toBe(200);
  });
});

describe('a later start', () => {
  it('creates and shows nothing, and everything from before still works', async () => {
    const projectToken = (await start()).app.firstStart?.project?.token.reveal() ?? '';
    const token = writtenToken();
    const app = await start();
    expect(app.app.firstStart).toBeUndefined();
    expect(writtenToken()).toBe(token);
    expect(await signIn(app, token)).toBe(200);
    expect((await app.request('GET', '/v1/me', { as: { project: projectToken } })).status).toBe(200);
    const { body } = await app.request<Project[]>('GET', '/v1/projects', { as: { access: token } });
    expect(body).toHaveLength(1);
    expect(announced(app)).not.toContain('mst_');
  });

  it('does not write the file again after it was removed', async () => {
    await start();
    const token = writtenToken();
    rmSync(adminTokenFile());
    const app = await start();
    expect(existsSync(adminTokenFile())).toBe(false);
    expect(await signIn(app, token)).toBe(200);
  });
});

describe('MUSTER_ADMIN_TOKEN', () => {
  it('is the access token of the administrator from the first start on, and no secret is written or shown', async () => {
    const app = await start(chosen);
    expect(await signIn(app, chosen)).toBe(200);
    expect(existsSync(adminTokenFile())).toBe(false);
    const projectToken = app.app.firstStart?.project?.token.reveal();
    expect(projectToken).toBeDefined();
    for (const text of [announced(app), app.logs.join('')]) {
      expect(text).not.toContain(chosen);
      expect(text).not.toContain(projectToken);
    }
  });

  it('replaces the token that an earlier start wrote', async () => {
    await start();
    const written = writtenToken();
    const app = await start(chosen);
    expect(await signIn(app, chosen)).toBe(200);
    expect(await signIn(app, written)).toBe(401);
  });

  it('replaces the previous one when it is changed, and is replaced when it is changed back', async () => {
    await start(chosen);
    const changed = await start(chosenLater);
    expect(await signIn(changed, chosenLater)).toBe(200);
    expect(await signIn(changed, chosen)).toBe(401);
    const back = await start(chosen);
    expect(await signIn(back, chosen)).toBe(200);
    expect(await signIn(back, chosenLater)).toBe(401);
  });

  it('is an entry of the audit log when it changes, and none when it is the same', async () => {
    for (const token of [chosen, chosen, chosenLater, chosenLater]) await start(token);
    const app = await start(chosen);
    const { text } = await app.request('GET', '/v1/audit_log/export', { as: { access: chosen } });
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ofTokens = entries.filter(({ action }) => /^access_token\./.test(action));
    expect(ofTokens.map(({ action, after }) => [action, after])).toEqual([
      ['access_token.created', { revokedTokensCount: 1 }],
      ['access_token.created', { revokedTokensCount: 1 }],
    ]);
  });

  it('stays valid when it is removed, so that nobody is locked out', async () => {
    await start(chosen);
    const app = await start();
    expect(await signIn(app, chosen)).toBe(200);
    expect(existsSync(adminTokenFile())).toBe(false);
  });

  it('is valid again after it was revoked', async () => {
    const first = await start(chosen);
    const { body } = await first.request<{ id: string }[]>('GET', '/v1/access_tokens', {
      as: { access: chosen },
    });
    await first.request('DELETE', `/v1/access_tokens/${body[0]?.id}`, { as: { access: chosen } });
    expect(await signIn(first, chosen)).toBe(401);
    expect(await signIn(await start(chosen), chosen)).toBe(200);
  });

  it('ends the access tokens that were created with the former token: whoever got hold of it has no way back', async () => {
    const first = await start(chosen);
    const { body } = await first.request<{ token: string }>('POST', '/v1/access_tokens', {
      as: { access: chosen },
      body: { name: 'laptop' },
    });
    expect(await signIn(await start(chosen), body.token)).toBe(200);
    expect(await signIn(await start(chosenLater), body.token)).toBe(401);
  });

  it('does not affect the access tokens of other users, also if the clock was set back before they signed up', async () => {
    await start(chosen);
    const first = await start(chosen, createTestClock(testStart - 3_600_000));
    const { body: projects } = await first.request<{ id: string }[]>('GET', '/v1/projects', {
      as: { access: chosen },
    });
    const { body: invitation } = await first.request<{ code: string }>(
      'POST',
      `/v1/projects/${projects[0]?.id}/invitations`,
      { as: { access: chosen }, body: { role: 'viewer' } },
    );
    const { body } = await first.request<{ token: string }>('POST', '/v1/invitations/sign_up', {
      body: { code: invitation.code, name: 'Ada' },
    });
    const app = await start(chosenLater);
    expect(await signIn(app, body.token)).toBe(200);
    const { body: me } = await app.request('GET', '/v1/me', { as: { access: chosenLater } });
    expect(me).toMatchObject({ name: 'administrator', installationPermissions: ['*'] });
    expect(await signIn(app, chosen)).toBe(401);
  });

  it('can have the form of an access token, but an invalid one is refused', async () => {
    await start();
    const whole = writtenToken();
    expect(await signIn(await start(whole), whole)).toBe(200);
    for (const text of [whole.slice(0, -1), `${'x'.repeat(32)}.mst_p_${'x'.repeat(49)}`]) {
      expect(() => readConfig({ env: { MUSTER_ADMIN_TOKEN: text }, flags: {} })).toThrow(ConfigError);
    }
  });
});
