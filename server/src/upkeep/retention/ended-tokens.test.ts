import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const dayMilliseconds = 86_400_000;

describe('retention of tokens that ended', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  let test: TestApp;
  let project: TestProject;

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

  beforeAll(async () => {
    await startApp();
    project = await test.createProject();
  });

  afterAll(async () => {
    await test.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  async function create(body: object, as: object = { access: test.admin }): Promise<Token> {
    const url = `/v1/projects/${project.id}/tokens`;
    return (await test.request<Token>('POST', url, { as, body })).body;
  }

  async function listed(): Promise<string[]> {
    const url = `/v1/projects/${project.id}/tokens?status=all`;
    const { body } = await test.request<Token[]>('GET', url, { as: { access: test.admin } });
    return body.map(({ name }) => name);
  }

  async function codeFor(token: string): Promise<string | undefined> {
    const { body } = await test.request<{ code?: string }>('GET', '/v1/me', { as: { project: token } });
    return body.code;
  }

  const call = (method: string, path: string, body?: object) =>
    test.request<Token>(method, `/v1/project_tokens/${path}`, { as: { access: test.admin }, body });

  it('removes revoked and expired ones after the retention days, to the millisecond, and no valid one', async () => {
    const expiresAt = new Date(clock.now() + dayMilliseconds).toISOString();
    const expiring = await create({ name: 'expired', expiresAt });
    const revoked = await create({ name: 'revoked' });
    await create({ name: 'valid' });
    clock.advance(dayMilliseconds);
    await call('POST', `${revoked.id}/revoke`, { reason: 'done' });
    clock.advance(30 * dayMilliseconds - 1);
    await runRetention();
    expect(await listed()).toEqual(['valid', 'revoked', 'expired', 'default']);
    expect([await codeFor(expiring.token), await codeFor(revoked.token)]).toEqual([
      'expired_credential',
      'revoked_credential',
    ]);
    clock.advance(1);
    await runRetention();
    expect(await listed()).toEqual(['valid', 'default']);
    expect([await codeFor(expiring.token), await codeFor(revoked.token)]).toEqual([
      'invalid_credential',
      'invalid_credential',
    ]);
  });

  it('removes tokens together with those that depend on them', async () => {
    const parent = await create({ name: 'parent', permissions: ['*'] });
    const child = await create({ name: 'child', permissions: ['*'] }, { project: parent.token });
    await create({ name: 'grandchild', permissions: ['*'] }, { project: child.token });
    await call('DELETE', parent.id);
    clock.advance(30 * dayMilliseconds);
    // A run that an end of the app cuts short removes one generation.
    for (let generation = 0; generation < 3; generation += 1) await runRetention();
    expect(await listed()).toEqual(['valid', 'default']);
  });

  it('never makes an agent token valid again that was revoked with its project token', async () => {
    const made = await create({ name: 'enrolment' });
    const agent = await test.registerAgent({ id: project.id, token: made.token });
    await call('POST', `${made.id}/revoke`, { revokeAgents: true });
    const codeOfAgent = async () => {
      const { body } = await test.request<{ code?: string }>('GET', '/v1/me', { as: { agent: agent.token } });
      return body.code;
    };
    expect(await codeOfAgent()).toBe('revoked_credential');
    clock.advance(30 * dayMilliseconds);
    await runRetention();
    expect(await listed()).toEqual(['valid', 'default']);
    expect(await codeOfAgent()).toBe('invalid_credential');
  });

  it('hands the agents of an expired token to its parent, which goes on ending them', async () => {
    const permissions = ['create:token', '*:agent', 'create:agent_error'];
    const parent = await create({ name: 'stolen', permissions });
    const expiresAt = new Date(clock.now() + dayMilliseconds).toISOString();
    const child = await create({ name: 'child', permissions, expiresAt }, { project: parent.token });
    const grandchild = await create({ name: 'grandchild', permissions, expiresAt }, { project: child.token });
    const agents = [
      await test.registerAgent({ id: project.id, token: parent.token }),
      await test.registerAgent({ id: project.id, token: child.token }),
      await test.registerAgent({ id: project.id, token: grandchild.token }),
    ];
    const report = await test.request('POST', '/v1/machines/web-03/errors', {
      as: { project: child.token },
      body: { error: 'disk full' },
    });
    expect(report.status).toBe(201);
    clock.advance(31 * dayMilliseconds);
    for (let generation = 0; generation < 2; generation += 1) await runRetention();
    expect(await listed()).toEqual(['stolen', 'valid', 'default']);
    const { body: usage } = await call('GET', `${parent.id}/usage`);
    const common = { registered: true, lastSeenAt: expect.any(String) };
    expect(usage).toMatchObject({
      agentsCount: 4,
      stoppingAgentsCount: 1,
      agents: [
        { id: expect.any(String), name: 'web-03', reports: true, hasOwnToken: false, ...common },
        ...agents
          .toReversed()
          .map(({ id }) => ({ id, name: 'web-01', reports: false, hasOwnToken: true, ...common })),
      ],
    });
    const codesOfAgents = async () => {
      const codes: (string | undefined)[] = [];
      for (const { token } of agents) {
        const { body } = await test.request<{ code?: string }>('GET', '/v1/me', { as: { agent: token } });
        codes.push(body.code);
      }
      return codes;
    };
    expect(await codesOfAgents()).toEqual([undefined, undefined, undefined]);
    await call('POST', `${parent.id}/revoke`, { revokeAgents: true });
    expect(await codesOfAgents()).toEqual(Array(3).fill('revoked_credential'));
    clock.advance(30 * dayMilliseconds);
    await runRetention();
    expect(await codesOfAgents()).toEqual(Array(3).fill('invalid_credential'));
  });

  it('removes values from before rotations', async () => {
    const made = await create({ name: 'rotated' });
    await call('POST', `${made.id}/rotate`, {});
    clock.advance(30 * dayMilliseconds - 1);
    await runRetention();
    expect(await codeFor(made.token)).toBe('rotated_credential');
    clock.advance(1);
    await runRetention();
    expect(await codeFor(made.token)).toBe('invalid_credential');
  });
});
