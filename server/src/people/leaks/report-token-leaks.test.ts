import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessToken, formatToken, type Invitation, type Token } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../foundation/clock.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { eventually } from '../../testing/eventually.ts';
import { readStored } from '../../testing/rows/read-stored.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import {
  type Credentials,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../testing/start-test-app.ts';
import { testStart } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const reportedAt = toTimestamp(testStart);

let replicas: Replicas;
let app: TestApp;
let other: TestApp;
let project: TestProject;

async function start(leakedTokens: 'revoke' | 'report'): Promise<void> {
  // Events are noted by themselves.
  replicas = await startReplicas({
    config: { leakedTokens },
    groupIntervalMilliseconds: 5,
    eventPollMilliseconds: 5,
  });
  app = replicas.one;
  other = replicas.other;
  const { body } = await app.request<TestProject>('POST', '/v1/projects', {
    as: admin(),
    body: { name: 'edge' },
  });
  project = body;
}

const admin = (): Credentials => ({ access: replicas.admin });
const url = 'https://user:pass-word@git.example/fleet/agent.yaml';
const source = 'https://--redacted--@git.example/fleet/agent.yaml';
const unknown = formatToken('agent', new Uint8Array(32).fill(7));

function report(...tokens: readonly string[]) {
  return app.request('POST', '/v1/token_leaks', { body: tokens.map((token) => ({ token, url })) });
}

/** The status and the code of a refusal with a credential, on each replica. */
async function me(as: Credentials): Promise<unknown[]> {
  const answers = [];
  for (const one of [app, other]) {
    const { status, body } = await one.request<{ code?: string }>('GET', '/v1/me', { as });
    answers.push(body.code ?? status);
  }
  return answers;
}

/** Waits until the report is dealt with. */
async function isEnded(as: Credentials, code: string): Promise<void> {
  await eventually(async () => expect(await me(as)).toEqual([code, code]));
}

async function tokenOf(id: string): Promise<Token> {
  return (await app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: admin() })).body;
}

async function createToken(body: object = { name: 'ci', permissions: ['read:*'] }): Promise<Token> {
  const path = `/v1/projects/${project.id}/tokens`;
  return (await app.request<Token>('POST', path, { as: admin(), body })).body;
}

async function createAccessToken(): Promise<AccessToken> {
  const { body } = await app.request<AccessToken>('POST', '/v1/access_tokens', {
    as: admin(),
    body: { name: 'laptop' },
  });
  return body;
}

/** The data of the events of leaks in the project. */
async function leakEvents(): Promise<object[]> {
  const { text } = await app.request(
    'GET',
    `/v1/projects/${project.id}/events?follow=false&types=token.leaked`,
    {
      as: admin(),
      headers: { 'last-event-id': '0' },
    },
  );
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

describe('POST /v1/token_leaks with MUSTER_LEAKED_TOKENS=revoke', () => {
  beforeEach(() => start('revoke'));
  afterEach(() => replicas.close());

  it('gives the same answer for every value', async () => {
    const { token } = await createToken();
    const answers = [];
    for (const value of [token, unknown, 'nonsense', replicas.admin]) answers.push(await report(value));
    for (const answer of answers) {
      const { 'x-request-id': _, date: __, ...headers } = answer.headers;
      const { 'x-request-id': ___, date: ____, ...first } = answers[0]?.headers ?? {};
      expect([answer.status, answer.text, headers]).toEqual([200, '{"received":1}', first]);
    }
  });

  it('revokes a project token, and what it created, on every replica, and tells when and where it was found', async () => {
    const { id, token } = await createToken({ name: 'ci', permissions: ['*:token'] });
    const { body: child } = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
      as: { project: token },
      body: { name: 'child', permissions: [] },
    });
    expect(await me({ project: token })).toEqual([200, 200]);
    expect((await report(unknown, token)).body).toEqual({ received: 2 });
    await isEnded({ project: token }, 'revoked_credential');
    expect(await me({ project: child.token })).toEqual(['revoked_credential', 'revoked_credential']);
    expect(await tokenOf(id)).toMatchObject({
      status: 'revoked',
      revokeReason: 'Its value was reported as found in public',
      revokedBy: { kind: 'system', id: null, name: 'report of a leak' },
      leakedAt: reportedAt,
      leakSource: source,
    });
    await eventually(async () =>
      expect(await leakEvents()).toEqual([
        {
          type: 'token.leaked',
          at: expect.any(String),
          ...{ kind: 'project', tokenID: id, agentID: null, name: 'ci', revoked: true, source },
        },
      ]),
    );
  });

  it('ends a value from before a rotation alone', async () => {
    const { id, token } = await createToken();
    const { body: rotated } = await app.request<Token>('POST', `/v1/project_tokens/${id}/rotate`, {
      as: admin(),
      body: { graceSeconds: 3_600 },
    });
    await report(token);
    await isEnded({ project: token }, 'rotated_credential');
    expect(await me({ project: rotated.token })).toEqual([200, 200]);
    expect(await tokenOf(id)).toMatchObject({ status: 'active', earlierValues: [], leakSource: source });
  });

  it('revokes an access token with what it created, and ends its earlier values alone', async () => {
    const { id, token } = await createAccessToken();
    const { body: rotated } = await app.request<AccessToken>('POST', `/v1/access_tokens/${id}/rotate`, {
      as: { access: token },
      body: { graceSeconds: 3_600 },
    });
    const { body: child } = await app.request<AccessToken>('POST', '/v1/access_tokens', {
      as: { access: rotated.token },
      body: { name: 'child' },
    });
    await report(token);
    await isEnded({ access: token }, 'rotated_credential');
    const { body: own } = await app.request('GET', '/v1/access_tokens/self', {
      as: { access: rotated.token },
    });
    expect(own).toMatchObject({ leakedAt: reportedAt, leakSource: source });
    await report(rotated.token);
    await isEnded({ access: rotated.token }, 'revoked_credential');
    expect(await me({ access: child.token })).toEqual(['revoked_credential', 'revoked_credential']);
  });

  it('ends the token of an agent, which then registers again', async () => {
    const agent = await app.registerAgent(project, 'web-01');
    expect(await me({ agent: agent.token })).toEqual([200, 200]);
    await report(agent.token);
    await isEnded({ agent: agent.token }, 'invalid_credential');
    await eventually(async () =>
      expect(await leakEvents()).toMatchObject([
        { kind: 'agent', tokenID: null, agentID: agent.id, revoked: true, source },
      ]),
    );
    const again = await app.registerAgent(project, 'web-01');
    expect([again.id, await me({ agent: again.token })]).toEqual([agent.id, [200, 200]]);
  });

  it('revokes an invitation', async () => {
    const path = `/v1/projects/${project.id}/invitations`;
    const { body } = await app.request<Invitation & { code: string }>('POST', path, {
      as: admin(),
      body: { role: 'owner' },
    });
    await report(body.code);
    await eventually(async () =>
      expect((await app.request<Invitation[]>('GET', path, { as: admin() })).body).toEqual([]),
    );
    const signUp = await app.request('POST', '/v1/invitations/sign_up', {
      body: { code: body.code, name: 'Eve' },
    });
    expect(signUp.body).toMatchObject({ code: 'invitation_ended' });
  });

  it('does nothing about an invitation that is accepted, revoked or expired', async () => {
    const path = `/v1/projects/${project.id}/invitations`;
    const invite = async () => {
      const body = { role: 'viewer' };
      return (await app.request<Invitation & { code: string }>('POST', path, { as: admin(), body })).body;
    };
    const expired = await invite();
    replicas.clock.advance(Date.parse(expired.expiresAt) - replicas.clock.now());
    const [accepted, revoked, open] = [await invite(), await invite(), await invite()];
    await app.request('POST', '/v1/invitations/sign_up', { body: { code: accepted.code, name: 'Ada' } });
    await app.request('DELETE', `/v1/invitations/${revoked.id}`, { as: admin() });
    await report(accepted.code, revoked.code, expired.code, open.code);
    const ended = async () => {
      const { text } = await app.request('GET', '/v1/audit_log/export', { as: admin() });
      const entries = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return entries
        .filter(({ action, after }) => action === 'invitation.revoked' && after?.leaked === true)
        .map(({ target }) => target.id);
    };
    await eventually(async () => expect(await ended()).toEqual([open.id]));
  });

  it('stores and logs no value', async () => {
    const { token } = await createToken();
    await report(token, unknown);
    await isEnded({ project: token }, 'revoked_credential');
    const everything = [await readStored(app.dataDirectory), ...app.logs, ...other.logs].join('\n');
    for (const secret of [token, unknown, token.slice(-49), 'pass-word']) {
      expect(everything.includes(secret)).toBe(false);
    }
    expect(
      app.logs.filter((line) => line.includes('"level":40')).map((line) => JSON.parse(line).msg),
    ).toEqual(['a credential was reported as found in public, and is revoked (MUSTER_LEAKED_TOKENS=revoke)']);
  });

  it('refuses further reports of an address with 429', async () => {
    const statuses = [];
    for (let count = 0; count < 31; count += 1) statuses.push((await report('x')).status);
    expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
    const { headers, body } = await report('x');
    expect([headers['retry-after'], body]).toEqual(['2', problemBody('too_many_leak_reports')]);
    replicas.clock.advance(2_000);
    expect((await report('x')).status).toBe(200);
  });

  it('names what is wrong with a report', async () => {
    const send = (body: unknown) => app.request('POST', '/v1/token_leaks', { body });
    expect((await send([])).body).toMatchObject({ code: 'invalid_body' });
    expect((await send([{ url }])).body).toMatchObject({
      code: 'invalid_body',
      fields: [{ path: '/0/token' }],
    });
    const long = { token: 'x'.repeat(513) };
    expect((await send([long])).body).toMatchObject({ code: 'invalid_body', fields: [{ path: '/0/token' }] });
    expect((await send(Array(101).fill({ token: 'x' }))).body).toMatchObject({ code: 'invalid_body' });
  });

  it('takes a report as the secret scanning program of GitHub sends it', async () => {
    const { token } = await createToken();
    const { status } = await app.request('POST', '/v1/token_leaks', {
      body: [{ token, type: 'muster_project_token', url, source: 'content' }],
    });
    expect(status).toBe(200);
    await isEnded({ project: token }, 'revoked_credential');
  });
});

describe('POST /v1/token_leaks with MUSTER_LEAKED_TOKENS=report', () => {
  beforeEach(() => start('report'));
  afterEach(() => replicas.close());

  it('tells of a valid credential once, which stays valid', async () => {
    const { id, token } = await createToken();
    const agent = await app.registerAgent(project, 'web-01');
    for (let count = 0; count < 2; count += 1) {
      expect((await report(agent.token, token)).body).toEqual({ received: 2 });
      await eventually(async () => expect(await leakEvents()).toHaveLength(2));
    }
    // Another one, so that the second report is known to be dealt with.
    const later = await createToken({ name: 'later', permissions: [] });
    await report(later.token);
    await eventually(async () => expect(await leakEvents()).toHaveLength(3));
    expect(await leakEvents()).toMatchObject([
      { kind: 'project', tokenID: id, revoked: false },
      { kind: 'agent', agentID: agent.id, revoked: false },
      { kind: 'project', tokenID: later.id, revoked: false },
    ]);
    expect(await tokenOf(id)).toMatchObject({ status: 'active', leakedAt: reportedAt });
    expect([await me({ project: token }), await me({ agent: agent.token })]).toEqual([
      [200, 200],
      [200, 200],
    ]);
  });

  it('tells again of the value after a rotation', async () => {
    const { id, token } = await createToken();
    await report(token);
    await eventually(async () => expect(await leakEvents()).toHaveLength(1));
    const { body: rotated } = await app.request<Token>('POST', `/v1/project_tokens/${id}/rotate`, {
      as: admin(),
      body: {},
    });
    replicas.clock.advance(1_000);
    await report(rotated.token);
    await eventually(async () => expect(await leakEvents()).toHaveLength(2));
    expect(await tokenOf(id)).toMatchObject({ leakedAt: toTimestamp(testStart + 1_000) });
  });
});

describe('MUSTER_ADMIN_TOKEN, if it was found in public', () => {
  it('stays revoked when the service starts again with it, and the log says so', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
    const start = () => startTestApp({ dataDirectory, randomBytes: (size) => new Uint8Array(size).fill(9) });
    const before = await start();
    const as = { access: before.admin };
    await before.request('POST', '/v1/token_leaks', { body: [{ token: before.admin }] });
    await eventually(async () => expect((await before.request('GET', '/v1/me', { as })).status).toBe(401));
    await before.close();
    const after = await start();
    expect((await after.request('GET', '/v1/me', { as })).body).toMatchObject({ code: 'revoked_credential' });
    expect(after.logs.filter((line) => line.includes('MUSTER_ADMIN_TOKEN stays revoked'))).toHaveLength(1);
    await after.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });
});
