import { randomBytes } from 'node:crypto';
import { formatToken } from '@muster/contract';
import { afterEach, describe, expect, it } from 'vitest';
import {
  attemptFrom,
  type From,
  limited,
  nonsense,
  refused,
  sendFrom,
  unknownToken,
} from '../../../testing/calls/invalid-credential-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';
import type { Config } from '../../settings/config.ts';

const limit = 3;

let test: TestApp;

afterEach(() => test.close());

async function start(config: Partial<Config> = {}): Promise<void> {
  test = await startTestApp({
    logLevel: 'info',
    config: { invalidCredentialsPerAddressPerMinute: limit, ...config },
  });
}

const attempt = (times: number, from?: From) => attemptFrom(test, times, from);
const send = (headers: Readonly<Record<string, string>>, from?: From) => sendFrom(test, headers, from);

async function metric(outcome: string): Promise<number> {
  const { text } = await test.request('GET', '/metrics');
  return Number(
    new RegExp(`^muster_invalid_credentials_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  );
}

function logged(message: string): Record<string, unknown>[] {
  return test.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}

describe('invalid credentials from one address', () => {
  it('are refused with their reason up to the limit, then with 429', async () => {
    await start();
    expect(await attempt(limit)).toEqual([refused, refused, refused]);
    const answer = await send(nonsense);
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual(
      problemBody(
        limited,
        'This credential is not valid, and more than 3 such attempts came from this address within a minute. Correct it, and wait for the seconds in Retry-After.',
      ),
    );
    expect(answer.headers).toMatchObject({ 'retry-after': '20', 'cache-control': 'no-store' });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  it('count for any reason and any kind', async () => {
    await start({ invalidCredentialsPerAddressPerMinute: 5 });
    const wrong = [
      { authorization: 'Bearer nonsense' },
      { authorization: `Bearer ${formatToken('access', randomBytes(32))}` },
      { 'x-project-token': 'mst_p_…wXyZ' },
      { 'x-agent-token': formatToken('agent', randomBytes(32)) },
      { 'x-agent-token': 'nonsense' },
    ];
    for (const headers of wrong) expect((await send(headers)).status).toBe(401);
    for (const headers of wrong) expect((await send(headers)).body.code).toBe(limited);
    for (const headers of wrong) expect((await send(headers, { address: '192.0.2.1' })).status).toBe(401);
  });

  it('are still looked up beyond the limit, because they may be valid, and refused with 429 if they are not', async () => {
    await start();
    await attempt(limit);
    const unknown = unknownToken();
    expect((await send(unknown)).body.code).toBe(limited);
    expect((await send(unknown)).body.code).toBe(limited);
    expect((await send(unknown, { address: '192.0.2.1' })).body.code).toBe(refused);
  });

  it('do not count requests without a credential, or with a kind that the route does not accept', async () => {
    await start();
    for (let time = 0; time < 2 * limit; time += 1) {
      expect((await send({})).body.code).toBe('missing_credential');
      const answer = await test.request('GET', '/v1/access_tokens', { as: { project: 'nonsense' } });
      expect(answer.body).toMatchObject({ code: 'credential_kind_not_accepted' });
    }
    expect(await attempt(1)).toEqual([refused]);
  });

  it('are allowed again one by one, even during further attempts, and all after a minute', async () => {
    await start();
    await attempt(limit + 5);
    test.clock.advance(19_000);
    expect(await attempt(2)).toEqual([limited, limited]);
    test.clock.advance(1_000);
    expect(await attempt(2)).toEqual([refused, limited]);
    test.clock.advance(60_000);
    expect(await attempt(limit + 1)).toEqual([refused, refused, refused, limited]);
  });

  it('do not affect valid credentials, remembered or not, even if just created', async () => {
    await start();
    const project = await test.createProject();
    const agent = await test.registerAgent(project);
    await attempt(limit + 1);
    for (const as of [{ access: test.admin }, { project: project.token }, { agent: agent.token }]) {
      for (const time of ['first', 'again']) {
        expect((await test.request('GET', '/v1/me', { as })).status, time).toBe(200);
      }
    }
    const { token } = await test.createToken(project.id, []);
    expect((await test.request('GET', '/v1/me', { as: { project: token } })).status).toBe(200);
    expect(await attempt(1)).toEqual([limited]);
  });

  it('get their reason if they were once valid: revoked or expired', async () => {
    await start();
    const project = await test.createProject();
    const as = { access: test.admin };
    const revoked = await test.createToken(project.id, []);
    await test.request('DELETE', `/v1/project_tokens/${revoked.id}`, { as });
    const { body: expired } = await test.request<{ token: string; id: string }>(
      'POST',
      `/v1/projects/${project.id}/tokens`,
      { as, body: { name: 'x', expiresAt: new Date(test.clock.now() + 1_000).toISOString() } },
    );
    test.clock.advance(1_000);
    for (let time = 0; time < limit + 3; time += 1) {
      const answer = await send({ 'x-project-token': revoked.token });
      expect(answer.body).toEqual(problemBody('revoked_credential'));
      expect(answer.headers).toHaveProperty('www-authenticate');
    }
    expect(await attempt(1)).toEqual([limited]);
    expect((await send({ 'x-project-token': expired.token })).body).toEqual(
      problemBody('expired_credential'),
    );

    const expiresAt = new Date(test.clock.now() + 1_000).toISOString();
    await test.request('PATCH', `/v1/project_tokens/${expired.id}`, { as, body: { expiresAt } });
    expect((await send({ 'x-project-token': expired.token })).status).toBe(200);
  });

  it('have no limit with 0, but are still counted', async () => {
    await start({ invalidCredentialsPerAddressPerMinute: 0 });
    expect(new Set(await attempt(100))).toEqual(new Set([refused]));
    expect([await metric('refused'), await metric('limited')]).toEqual([100, 0]);
  });

  it('are in the metrics from the start', async () => {
    await start();
    expect([await metric('refused'), await metric('limited')]).toEqual([0, 0]);
    await attempt(limit + 4);
    await send({});
    expect([await metric('refused'), await metric('limited')]).toEqual([limit, 4]);
  });

  it('cause one log line per minute beyond the limit, with the address and without any token', async () => {
    await start();
    const token = unknownToken();
    for (let time = 0; time < limit + 10; time += 1) await send(token, { address: '192.0.2.7' });
    expect(logged('answered')).toHaveLength(limit);
    const line = { level: 40, address: '192.0.2.7', attempts: 1 };
    expect(logged('too many invalid credentials from one address')).toEqual([expect.objectContaining(line)]);
    test.clock.advance(60_000);
    for (let time = 0; time < limit + 10; time += 1) await send(token, { address: '192.0.2.7' });
    expect(logged('answered')).toHaveLength(2 * limit);
    expect(logged('too many invalid credentials from one address')).toEqual([
      expect.objectContaining(line),
      expect.objectContaining({ ...line, attempts: 10 }),
    ]);
    expect(test.logs.join('')).not.toContain(token['x-project-token']);
  });

  it('that once were valid cause no extra log lines beyond the limit either', async () => {
    await start();
    const project = await test.createProject();
    const { id: tokenID, token } = await test.createToken(project.id, []);
    await test.request('DELETE', `/v1/project_tokens/${tokenID}`, { as: { access: test.admin } });
    for (let time = 0; time < limit + 10; time += 1) await send({ 'x-project-token': token });
    expect(logged('answered')).toHaveLength(limit);
    expect(logged('too many invalid credentials from one address')).toHaveLength(1);
  });
});
