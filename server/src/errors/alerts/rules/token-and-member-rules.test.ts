import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AlertReceiver } from '../../../testing/receivers/alert-receiver.ts';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { AlertScene } from '../../../testing/stages/alert-scene.ts';
import { addUser } from '../../../testing/stages/people-targets.ts';
import type { Replicas } from '../../../testing/start-replicas.ts';
import type { TestApp, TestProject } from '../../../testing/start-test-app.ts';

const alerts = new AlertScene();
const { admin, countOfAlerts, links, look, rule, told } = alerts;
let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;
let replicas: Replicas;

beforeEach(async () => {
  ({ app, project, receiver, replicas } = await alerts.open());
});
afterEach(() => alerts.close());

const hour = 3_600_000;

describe('rules about tokens and members', () => {
  it('tell of a token that is about to expire, and when it no longer is', async () => {
    await rule({ kind: 'token_expiring', days: 7 });
    const expiresAt = new Date(replicas.clock.now() + 8 * 24 * hour).toISOString();
    const create = (name: string) =>
      app.request<{ id: string }>('POST', `/v1/projects/${project.id}/tokens`, {
        ...admin(),
        body: { name, permissions: ['read:agent'], expiresAt },
      });
    const [{ body }, { body: revoked }] = [await create('ci'), await create('revoked')];
    await look();
    expect(told()).toEqual([]);
    await app.request('DELETE', `/v1/project_tokens/${revoked.id}`, admin());
    replicas.clock.advance(24 * hour);
    await look();
    await look();
    const title = `Token 'ci' expires at ${expiresAt}`;
    expect(told()).toEqual([`opened: ${title}`]);
    expect(links()).toEqual([`https://muster.example.com/projects/${project.id}/tokens/${body.id}`]);
    await app.request('PATCH', `/v1/project_tokens/${body.id}`, { ...admin(), body: { expiresAt: null } });
    await look();
    expect(told()).toEqual([`opened: ${title}`, `over: Over: ${title}`]);
  });

  it('tell of each of a thousand tokens that are about to expire, and of none again', async () => {
    await rule({ kind: 'token_expiring', days: 7, cooldownSeconds: 0 });
    await app.createToken(project.id, []);
    const expiresAt = replicas.clock.now() + 5 * 24 * hour;
    const rows = Array.from({ length: 1_001 }, (_, number) => {
      const id = `01000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
      return `('${id}', '${project.id}', 'token', '${id}', '1234', '[]', 0, 'user', ${expiresAt})`;
    });
    await changeRows(
      app.dataDirectory,
      `insert into project_tokens
         (id, project_id, name, digest, last_four, permissions, created_at, created_by_kind, expires_at)
       values ${rows.join()}`,
    );
    for (let passed = 0; passed < 4; passed += 1) await look();
    expect(countOfAlerts()).toBe(1_001);
    const body = {
      name: 'soonest',
      permissions: [],
      expiresAt: new Date(expiresAt - 24 * hour).toISOString(),
    };
    await app.request('POST', `/v1/projects/${project.id}/tokens`, { ...admin(), body });
    const before = told().length;
    for (let passed = 0; passed < 3; passed += 1) await look();
    expect(told().slice(before)).toEqual([`opened: Token 'soonest' expires at ${body.expiresAt}`]);
  });

  it('tell of a token with a wildcard and of a new member', async () => {
    await rule({ kind: 'wildcard_token' });
    await rule({ kind: 'member_added' });
    await app.createToken(project.id, ['read:agent']);
    await look();
    expect(told()).toEqual([]);
    await app.createToken(project.id, ['read:*']);
    await look();
    const { body } = await app.request<{ code: string }>('POST', `/v1/projects/${project.id}/invitations`, {
      ...admin(),
      body: { role: 'viewer' },
    });
    await app.request('POST', '/v1/invitations/sign_up', { body: { code: body.code, name: 'Ada' } });
    await look();
    expect(told()).toEqual([
      "opened: Token 'test' has wildcard permissions",
      "opened: 'Ada' is a member now",
    ]);
    expect(links()[1]).toBe(`https://muster.example.com/projects/${project.id}/members`);
  });

  it('tell of a token that gets further wildcards, and not of other changes of it', async () => {
    await rule({ kind: 'wildcard_token' });
    const { id } = await app.createToken(project.id, ['read:agent']);
    const change = async (body: object) => {
      const answer = await app.request('PATCH', `/v1/project_tokens/${id}`, { ...admin(), body });
      expect(answer).toMatchObject({ status: 200 });
      await look(2 * hour);
    };
    await change({ permissions: ['read:*'] });
    await change({ name: 'renamed' });
    await change({ permissions: ['read:*', 'create:agent'], expiresAt: '2999-01-01T00:00:00Z' });
    expect(told()).toEqual(["opened: Token 'test' has wildcard permissions"]);
    await change({ permissions: ['*'] });
    expect(told().slice(1)).toEqual(["opened: Token 'renamed' has wildcard permissions"]);
    await change({ permissions: ['read:*', 'create:*'] });
    expect(told().slice(2)).toEqual([]);
  });

  it('tell of a user who becomes a member again within the cool-down', async () => {
    await rule({ kind: 'member_added', cooldownSeconds: 3_600 });
    const { userID } = await addUser(app);
    const members = `/v1/projects/${project.id}/members`;
    for (const role of ['viewer', 'owner'] as const) {
      await app.request('POST', members, { ...admin(), body: { userID, role } });
      await look();
      await app.request('DELETE', `${members}/${userID}`, admin());
    }
    expect(receiver.received.map(({ body }) => body.data.alerts[0].facts[1])).toEqual([
      { label: 'Role', value: 'viewer' },
      { label: 'Role', value: 'owner' },
    ]);
  });
});
