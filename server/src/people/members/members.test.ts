import type { AuditEntry, CreatedInvitation, Member, SignedUp, Token, User } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { TestBrowser } from '../../testing/receivers/test-browser.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { addUser } from '../../testing/stages/people-targets.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';
const day = 86_400_000;

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject('edge');
});

afterAll(() => app.close());

interface Person {
  readonly userID: string;
  readonly token: string;
}

function call<Body>(access: string, method: string, url: string, body?: object) {
  return app.request<Body>(method, url, { as: { access }, ...(body === undefined ? {} : { body }) });
}

const membersUrl = (projectID = project.id) => `/v1/projects/${projectID}/members`;

async function join(role: object, projectID = project.id): Promise<Person> {
  const person = await addUser(app);
  const { status } = await call(app.admin, 'POST', membersUrl(projectID), { userID: person.userID, ...role });
  expect(status).toBe(201);
  return person;
}

async function statusOf(access: string, projectID = project.id): Promise<number> {
  return (await call(access, 'GET', `/v1/projects/${projectID}`)).status;
}

async function invite(access: string, role: object = { role: 'viewer' }, projectID = project.id) {
  return call<CreatedInvitation>(access, 'POST', `/v1/projects/${projectID}/invitations`, role);
}

describe('members of a project', () => {
  it('are listed with their roles, newest first', async () => {
    const { id } = await app.createProject('listed');
    const owner = await join({ role: 'owner' }, id);
    const custom = await join({ permissions: ['read:agent', 'read:agent'] }, id);
    const { status, body } = await call<Member[]>(owner.token, 'GET', membersUrl(id));
    expect(status).toBe(200);
    const common = { name: 'Grace', createdAt: expect.any(String), createdBy: expect.any(Object) };
    expect(body).toEqual([
      { ...common, userID: custom.userID, role: 'custom', permissions: ['read:agent'] },
      { ...common, userID: owner.userID, role: 'owner', permissions: ['*'] },
    ]);
    const first = await app.request<Member[]>('GET', `${membersUrl(id)}?last=1`, {
      as: { access: owner.token },
    });
    expect(first.body).toHaveLength(1);
    expect(first.headers.link).toContain('rel="next"');
  });

  it('do with every credential what a new role says, from the answer on', async () => {
    const member = await join({ role: 'operator' });
    const create = () =>
      call(member.token, 'POST', `/v1/projects/${project.id}/tokens`, { name: 'x', permissions: [] });
    expect((await create()).status).toBe(201);
    const url = `${membersUrl()}/${member.userID}`;
    const { body } = await call<Member>(app.admin, 'PATCH', url, { role: 'viewer' });
    expect(body).toMatchObject({ role: 'viewer', permissions: ['read:*'] });
    expect((await create()).status).toBe(403);
    expect(await statusOf(member.token)).toBe(200);
    expect((await call(app.admin, 'DELETE', url)).body).toEqual({
      keptTokensCount: 1,
      revokedTokensCount: 0,
    });
    expect(await statusOf(member.token)).toBe(403);
  });

  it('get no value of a token that may do more than they when its parent may do it again', async () => {
    const member = await join({ permissions: ['read:*', 'update:token'] });
    const parent = await app.createToken(project.id, ['*']);
    const { body: child } = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
      as: { project: parent.token },
      body: { name: 'child', permissions: ['*'] },
    });
    const url = `/v1/project_tokens/${parent.id}`;
    expect((await call(app.admin, 'PATCH', url, { permissions: ['read:*'] })).status).toBe(200);
    const { status, body } = await call(member.token, 'POST', `/v1/project_tokens/${child.id}/rotate`, {});
    expect([status, body]).toMatchObject([403, { code: 'permissions_exceed_own' }]);
  });

  it('cannot give a token more than they have', async () => {
    const member = await join({ permissions: ['read:*', 'update:token'] });
    const { id } = await app.createToken(project.id, ['read:agent']);
    const widen = (permissions: readonly string[]) =>
      call<Token>(member.token, 'PATCH', `/v1/project_tokens/${id}`, { permissions });
    const refused = await widen(['read:*', 'delete:agent']);
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'permissions_exceed_own' }]);
    const { status, body } = await widen(['read:*']);
    expect([status, body.permissions]).toEqual([200, ['read:*']]);
  });

  it('never give more than they have, and never change a member who has more', async () => {
    const manager = await join({ permissions: ['*:member', 'read:*'] });
    const owner = await join({ role: 'owner' });
    const viewer = await join({ role: 'viewer' });
    const other = await addUser(app);
    const change = (member: Person, role: object) =>
      call(manager.token, 'PATCH', `${membersUrl()}/${member.userID}`, role);
    const refused = [
      await call(manager.token, 'POST', membersUrl(), { userID: other.userID, role: 'operator' }),
      await call(manager.token, 'POST', membersUrl(), { userID: other.userID, permissions: ['*:token'] }),
      await change(viewer, { role: 'owner' }),
      await change(manager, { role: 'owner' }),
      await change(owner, { role: 'viewer' }),
      await call(manager.token, 'DELETE', `${membersUrl()}/${owner.userID}`),
      await invite(manager.token, { role: 'operator' }),
    ];
    expect(refused.map(({ status, body }) => [status, (body as { code?: string }).code])).toEqual(
      refused.map(() => [403, 'permissions_exceed_own']),
    );
    expect(refused[0]?.body).toMatchObject({
      detail: expect.stringContaining("does not have 'create:token'"),
    });
    expect((await change(viewer, { permissions: ['read:agent'] })).status).toBe(200);
  });

  it('never give more than a narrowed access token has, although its user is an owner', async () => {
    const owner = await join({ role: 'owner' });
    const { body: narrowed } = await call<{ token: string }>(owner.token, 'POST', '/v1/access_tokens', {
      name: 'onboarding',
      permissions: ['create:member', 'read:*'],
    });
    expect((await invite(narrowed.token, { role: 'owner' })).status).toBe(403);
    expect((await invite(narrowed.token, { role: 'viewer' })).status).toBe(201);
  });

  it('keep the last owner, whom only an administrator of the installation removes', async () => {
    const { id } = await app.createProject('owned');
    const owner = await join({ role: 'owner' }, id);
    const url = `${membersUrl(id)}/${owner.userID}`;
    for (const refused of [
      await call(owner.token, 'DELETE', url),
      await call(owner.token, 'PATCH', url, { role: 'viewer' }),
    ]) {
      expect([refused.status, refused.body]).toEqual([409, problemBody('last_owner')]);
    }
    expect((await call(owner.token, 'PATCH', url, { role: 'owner' })).status).toBe(200);
    const second = await join({ role: 'owner' }, id);
    expect((await call(owner.token, 'DELETE', url)).status).toBe(200);
    expect((await call(app.admin, 'DELETE', `${membersUrl(id)}/${second.userID}`)).status).toBe(200);
  });

  it('are one owner at least, if two owners remove each other at the same time', async () => {
    const { id } = await app.createProject('raced');
    const [one, other] = [await join({ role: 'owner' }, id), await join({ role: 'owner' }, id)];
    const answers = await Promise.all([
      call(one.token, 'DELETE', `${membersUrl(id)}/${other.userID}`),
      call(other.token, 'DELETE', `${membersUrl(id)}/${one.userID}`),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await call<Member[]>(app.admin, 'GET', membersUrl(id))).body).toHaveLength(1);
  });

  it.each<[string, 'POST' | 'PATCH' | 'DELETE', (id: string, userID: string) => string, object | undefined]>([
    ['member', 'POST', (id) => membersUrl(id), { userID: missingID, role: 'viewer' }],
    ['role', 'PATCH', (id, userID) => `${membersUrl(id)}/${userID}`, { role: 'owner' }],
    ['invitation', 'POST', (id) => `/v1/projects/${id}/invitations`, { role: 'owner' }],
    ['token', 'POST', (id) => `/v1/projects/${id}/tokens`, { name: 'late', permissions: [] }],
    ['access token', 'POST', () => '/v1/access_tokens', { name: 'late' }],
  ])('stay as they are if the session ends while a change waits: %s', async (_, method, urlOf, body) => {
    const { id } = await app.createProject('signed out');
    const { userID } = await join({ role: 'viewer' }, id);
    const browser = new TestBrowser(app);
    await browser.signIn(app.admin);
    // Both requests are admitted with what is remembered of the session; their transactions follow one another.
    expect((await browser.call('GET', `/v1/projects/${id}`)).status).toBe(200);
    const [signedOut, change] = await Promise.all([
      browser.call('DELETE', '/v1/sessions/self'),
      browser.call(method, urlOf(id, userID), { ...(body && { body }) }),
    ]);
    expect([signedOut.status, change.status, change.body]).toEqual([
      204,
      401,
      problemBody('revoked_credential'),
    ]);
  });

  it('are told of in events', async () => {
    const { id } = await app.createProject('told');
    const member = await join({ role: 'viewer' }, id);
    await call(app.admin, 'PATCH', `${membersUrl(id)}/${member.userID}`, { role: 'operator' });
    await call(app.admin, 'DELETE', `${membersUrl(id)}/${member.userID}`);
    await call(app.admin, 'GET', `/v1/projects/${id}/agent_error_groups`);
    const { text } = await app.request('GET', `/v1/projects/${id}/events?follow=false&types=member.*`, {
      as: { access: app.admin },
      headers: { 'last-event-id': '0' },
    });
    const told = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    const common = { at: expect.any(String), userID: member.userID, name: 'Grace' };
    expect(told).toEqual([
      { ...common, type: 'member.added', role: 'viewer' },
      { ...common, type: 'member.updated', role: 'operator' },
      { ...common, type: 'member.removed', role: 'operator' },
    ]);
  });

  it.each([
    [{ userID: missingID, role: 'viewer' }, 404, 'not_found'],
    [{ userID: missingID }, 422, 'invalid_body'],
    [{ userID: missingID, role: 'viewer', permissions: [] }, 422, 'invalid_body'],
    [{ userID: missingID, role: 'admin' }, 422, 'invalid_body'],
    [{ userID: missingID, permissions: ['read:agnt'] }, 422, 'invalid_permission'],
    [{ userID: 'ada', role: 'viewer' }, 422, 'invalid_body'],
  ])('are not added with %j', async (body, status, code) => {
    const answer = await call(app.admin, 'POST', membersUrl(), body);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code]);
  });

  it('are added once', async () => {
    const { userID } = await join({ role: 'viewer' });
    const answer = await call(app.admin, 'POST', membersUrl(), { userID, role: 'owner' });
    expect([answer.status, answer.body]).toEqual([409, problemBody('already_member')]);
  });
});

describe('an invitation', () => {
  it('is refused with 409 while 200 others to the project are open', async () => {
    const { id } = await app.createProject('crowded');
    const { body: first } = await invite(app.admin, { role: 'viewer' }, id);
    await changeRows(
      app.dataDirectory,
      `insert into invitations (id, project_id, role, permissions, digest, created_at, created_by_id, expires_at)
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 199)
      select ${testEngine === 'postgres' ? 'gen_random_uuid()' : 'lower(hex(randomblob(16)))'}, project_id, role, permissions,
        digest || number, created_at, created_by_id, expires_at
      from invitations, numbers where id = '${first.id}'`,
    );
    const refused = await invite(app.admin, { role: 'viewer' }, id);
    expect([refused.status, refused.body]).toEqual([409, problemBody('too_many_invitations')]);
    const other = await app.createProject('roomy');
    expect((await invite(app.admin, { role: 'viewer' }, other.id)).status).toBe(201);
    await call(app.admin, 'DELETE', `/v1/invitations/${first.id}`);
    expect((await invite(app.admin, { role: 'viewer' }, id)).status).toBe(201);
  });

  const accept = (access: string, code: string) => call(access, 'POST', '/v1/invitations/accept', { code });
  const signUp = (code: string) =>
    app.request<SignedUp>('POST', '/v1/invitations/sign_up', { body: { code, name: 'Ada' } });

  it('is not accepted by a narrowed access token, whose user would get more than the token has', async () => {
    const { body } = await invite(app.admin, { role: 'owner' });
    const user = await addUser(app);
    const { body: narrowed } = await call<{ token: string }>(user.token, 'POST', '/v1/access_tokens', {
      name: 'narrowed',
      permissions: ['read:*'],
    });
    const { status, body: refusal } = await accept(narrowed.token, body.code);
    expect([status, refusal]).toEqual([
      403,
      problemBody(
        'permission_denied',
        'A narrowed access token accepts no invitation, because its user would get a role that the token does not have. Sign in, or use an access token that is not narrowed.',
      ),
    ]);
    expect(await statusOf(user.token)).toBe(403);
    // The invitation was not used up, nor was it counted as an unknown code.
    expect((await accept(user.token, body.code)).status).toBe(200);
  });

  it('makes somebody a member once, and its code is in no other answer', async () => {
    const { status, body } = await invite(app.admin, { role: 'operator', email: 'ada@example.com' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      projectID: project.id,
      role: 'operator',
      permissions: expect.arrayContaining(['read:*', 'create:token']),
      email: 'ada@example.com',
      createdAt: new Date(app.clock.now()).toISOString(),
      expiresAt: new Date(app.clock.now() + 7 * day).toISOString(),
      createdBy: { kind: 'user', id: expect.any(String), name: 'administrator' },
      code: expect.stringMatching(/^mst_i_\w{49}$/),
    });
    const listed = await call<object[]>(app.admin, 'GET', `/v1/projects/${project.id}/invitations`);
    const { code, ...rest } = body;
    expect(listed.body[0]).toEqual(rest);
    expect(listed.text).not.toContain(code);
    const user = await addUser(app);
    const accepted = await accept(user.token, code);
    expect(accepted.body).toEqual({
      projectID: project.id,
      userID: user.userID,
      role: 'operator',
      permissions: body.permissions,
    });
    expect(await statusOf(user.token)).toBe(200);
    const again = await accept((await addUser(app)).token, code);
    expect([again.status, again.body]).toEqual([410, problemBody('invitation_ended')]);
    const after = await call<{ id: string }[]>(app.admin, 'GET', `/v1/projects/${project.id}/invitations`);
    expect(after.body.map(({ id }) => id)).not.toContain(body.id);
    expect(app.logs.join('')).not.toContain(code);
  });

  it('creates a user of the installation who has no other credential', async () => {
    const { body } = await invite(app.admin);
    const { status, body: signedUp } = await signUp(body.code);
    expect(status).toBe(201);
    expect(signedUp).toEqual({
      projectID: project.id,
      userID: expect.any(String),
      role: 'viewer',
      permissions: ['read:*'],
      token: expect.stringMatching(/^mst_u_/),
    });
    expect(await statusOf(signedUp.token)).toBe(200);
    expect((await signUp(body.code)).status).toBe(410);
    const { body: users } = await call<User[]>(app.admin, 'GET', '/v1/users');
    expect(users[0]).toEqual({
      id: signedUp.userID,
      name: 'Ada',
      issuer: null,
      subject: null,
      administrator: false,
      claimValues: [],
      projectsCount: 1,
      hasAccess: true,
      createdAt: new Date(app.clock.now()).toISOString(),
    });
  });

  it('is accepted by one of those who try at the same time', async () => {
    const { body } = await invite(app.admin);
    const answers = await Promise.all([1, 2, 3].map(() => signUp(body.code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 410, 410]);
  });

  it('ends after seven days, when it is revoked, and when its sender loses the role or leaves', async () => {
    const [expired, revoked] = [await invite(app.admin), await invite(app.admin)];
    const sender = await join({ role: 'owner' });
    const narrowed = await invite(sender.token);
    await call(app.admin, 'DELETE', `/v1/invitations/${revoked.body.id}`);
    await call(app.admin, 'PATCH', `${membersUrl()}/${sender.userID}`, { role: 'operator' });
    await call(app.admin, 'PATCH', `${membersUrl()}/${sender.userID}`, { role: 'owner' });
    const left = await invite(sender.token);
    await call(app.admin, 'DELETE', `${membersUrl()}/${sender.userID}`);
    for (const { body } of [revoked, narrowed, left]) expect((await signUp(body.code)).status).toBe(410);
    app.clock.advance(7 * day);
    expect((await signUp(expired.body.code)).status).toBe(410);
  });

  it('is revoked once, and not after it was accepted', async () => {
    const [revoked, accepted] = [await invite(app.admin), await invite(app.admin)];
    expect((await signUp(accepted.body.code)).status).toBe(201);
    const revoke = ({ body }: { body: CreatedInvitation }) =>
      call(app.admin, 'DELETE', `/v1/invitations/${body.id}`);
    const answers = [await revoke(revoked), await revoke(revoked), await revoke(accepted)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [204, undefined],
      [204, undefined],
      [409, problemBody('invitation_accepted')],
    ]);
    const { body: entries } = await call<AuditEntry[]>(
      app.admin,
      'GET',
      `/v1/projects/${project.id}/audit_log?action=invitation.revoked`,
    );
    expect(entries.map(({ target }) => target?.id).filter((id) => id === revoked.body.id)).toHaveLength(1);
    expect(entries.map(({ target }) => target?.id)).not.toContain(accepted.body.id);
  });

  it('is not used up by somebody who is a member already', async () => {
    const { body } = await invite(app.admin);
    const member = await join({ role: 'viewer' });
    const answer = await accept(member.token, body.code);
    expect([answer.status, answer.body]).toEqual([409, problemBody('already_member')]);
    expect((await signUp(body.code)).status).toBe(201);
  });

  it('with another code does not exist', async () => {
    const { body } = await invite(app.admin);
    for (const code of ['x', `${body.code.slice(0, -1)}!`, body.code.slice(0, -1)]) {
      expect((await signUp(code)).status).toBe(404);
    }
  });
});
