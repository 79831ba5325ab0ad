import type { ApplyProvisioning, Member } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { provisioningCalls } from '../../testing/calls/provisioning-calls.ts';
import { addUser } from '../../testing/stages/people-targets.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const { newID, newValue, apply, applied, asAdmin, provisioned } = provisioningCalls(() => app);

describe('POST /v1/provisioning', () => {
  it('refuses the whole file, and says where the fault is', async () => {
    const id = newID();
    const { value } = newValue(id);
    const { body } = await apply({
      projects: [{ name: `half ${id}`, tokens: [{ name: 'agents', value, permissions: ['creat:*'] }] }],
    });
    expect(body).toMatchObject({
      status: 422,
      code: 'invalid_permission',
      detail: "projects[0].tokens[0] ('agents'): 'creat:*' is not a permission: did you mean 'create:*'?",
      fields: [{ path: '/projects/0/tokens/0/permissions/0' }],
    });
    expect((await asAdmin('GET', `/v1/projects/${id}`)).status).toBe(404);
  });

  it.each<[string, (id: string) => ApplyProvisioning['projects'], string, string]>([
    [
      'a value of another project',
      (id) => [{ id, name: 'x', tokens: [{ name: 'a', value: newValue(newID()).value }] }],
      '/projects/0/tokens/0/value',
      'is not a complete token of this project',
    ],
    [
      'a value that is no token',
      (id) => [{ id, name: 'x', tokens: [{ name: 'a', value: 'canary-of-a-value' }] }],
      '/projects/0/tokens/0/value',
      'is not a complete token of this project',
    ],
    [
      'values of two projects',
      () => [
        {
          name: 'x',
          tokens: [newValue(newID()), newValue(newID())].map(({ value }) => ({ name: 'a', value })),
        },
      ],
      '/projects/0/tokens',
      'contains values for different projects',
    ],
    [
      'one project twice',
      (id) => [
        { id, name: 'x' },
        { id, name: 'y' },
      ],
      '/projects/1',
      'names a project for the second time',
    ],
    [
      'an id that is no UUIDv7',
      () => [{ id: '0192f0a0-7b1c-4c3a-9d52-3f1e8a6b4c2d', name: 'x' }],
      '/projects/0/id',
      'must be a UUIDv7',
    ],
    [
      'a member without a name',
      (id) => [{ id, name: 'x', members: [{ role: 'viewer' }] }],
      '/projects/0/members/0/userID',
      'is missing; give userID or subject',
    ],
    [
      'a member without a role',
      (id) => [{ id, name: 'x', members: [{ userID: newID() }] }],
      '/projects/0/members/0/role',
      'is missing',
    ],
    [
      'a subject without an identity provider',
      (id) => [{ id, name: 'x', members: [{ subject: 'ada', role: 'viewer' }] }],
      '/projects/0/members/0/subject',
      'MUSTER_OIDC_ISSUER is not set',
    ],
    [
      'an unknown user',
      (id) => [{ id, name: 'x', members: [{ userID: newID(), role: 'viewer' }] }],
      '/projects/0/members/0/userID',
      'names no user',
    ],
    [
      'an invalid network',
      (id) => [{ id, name: 'x', tokens: [{ name: 'a', value: newValue(id).value, allowedNetworks: ['x'] }] }],
      '/projects/0/tokens/0/allowedNetworks/0',
      'must be a network',
    ],
    [
      'an invalid time',
      (id) => [{ id, name: 'x', tokens: [{ name: 'a', value: newValue(id).value, expiresAt: 'soon' }] }],
      '/projects/0/tokens/0/expiresAt',
      'must be an ISO 8601 time',
    ],
  ])('refuses %s', async (_, projects, path, message) => {
    const { status, body, text } = await apply({ projects: projects(newID()) });
    expect(body.fields).toEqual([{ path, message: expect.stringContaining(message) }]);
    expect([404, 422]).toContain(status);
    expect(text).not.toContain('canary');
  });

  it('refuses to set one token or one member twice, because each application would change it to and fro', async () => {
    const { id, value, project } = await provisioned();
    const { userID } = await addUser(app);
    const twice = (part: object) => apply({ projects: [{ id, name: project.name, ...part }] });
    expect(
      (
        await twice({
          tokens: [
            { name: 'agents', value },
            { name: 'another name', value },
          ],
        })
      ).body,
    ).toEqual(
      problemBody(
        'invalid_body',
        "projects[0].tokens[1] ('another name'): '/value' names a token for the second time.",
        [{ path: '/projects/0/tokens/1/value', message: 'names a token for the second time' }],
      ),
    );
    expect(
      (
        await twice({
          members: [
            { userID, role: 'viewer' },
            { userID: userID.toUpperCase(), role: 'owner' },
          ],
        })
      ).body,
    ).toMatchObject({
      status: 422,
      fields: [{ path: '/projects/0/members/1/userID', message: 'names a member for the second time' }],
    });
  });

  it('refuses values for another project of the same name, and another id for a token of the same name', async () => {
    const { id, project, tokenID } = await provisioned();
    const other = newID();
    const ofOther = [{ name: 'agents', value: newValue(other).value }];
    expect((await apply({ projects: [{ name: project.name, tokens: ofOther }] })).body.fields).toEqual([
      {
        path: '/projects/0/tokens',
        message: expect.stringContaining(`muster token generate --project ${id}`),
      },
    ]);
    const second = [{ name: 'agents', value: newValue(id).value }];
    expect((await apply({ projects: [{ ...project, tokens: second }] })).body.fields).toEqual([
      {
        path: '/projects/0/tokens/0/value',
        message: expect.stringContaining(`muster token generate --project ${id} --token ${tokenID}`),
      },
    ]);
  });

  it('gives no more than the caller has, and shows nothing of other projects', async () => {
    const { id, project } = await provisioned();
    const operator = await addUser(app);
    await asAdmin('POST', `/v1/projects/${id}/members`, { userID: operator.userID, role: 'operator' });
    const withToken = (permissions: string[]) => ({
      projects: [
        {
          id,
          name: project.name,
          tokens: [{ name: `x${permissions}`, value: newValue(id).value, permissions }],
        },
      ],
    });
    expect(await applied(withToken(['read:*']), operator.token)).toEqual(['create token xread:*']);
    expect((await apply(withToken(['create:member']), operator.token)).body).toMatchObject({
      status: 403,
      code: 'permissions_exceed_own',
    });
    const viewer = await addUser(app);
    await asAdmin('POST', `/v1/projects/${id}/members`, { userID: viewer.userID, role: 'viewer' });
    expect((await apply(withToken(['read:agent']), viewer.token)).body).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
    const owning = {
      projects: [{ id, name: project.name, members: [{ userID: operator.userID, role: 'owner' as const }] }],
    };
    expect((await apply(owning, operator.token)).body).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
    expect((await apply({ projects: [{ id, name: 'mine' }] }, operator.token)).body).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
    const stranger = await addUser(app);
    const [foreign, missing] = [id, newID()].map((one) =>
      apply({ projects: [{ id: one, name: 'any' }] }, stranger.token).then(({ body }) => ({
        ...body,
        requestID: '',
        detail: body.detail.replaceAll(one, 'ID'),
        fields: (body.fields ?? []).map(({ path, message }) => ({
          path,
          message: message.replaceAll(one, 'ID'),
        })),
      })),
    );
    expect(await foreign).toEqual(await missing);
    expect(await foreign).toMatchObject({ status: 404, code: 'not_found' });
    expect((await apply({ projects: [{ name: project.name }] }, stranger.token)).status).toBe(404);
  });

  it('tells nothing of tokens, members and fleets that the caller may not read, also in a dry run', async () => {
    const { id, tokenID, project } = await provisioned();
    const fleet = { name: 'edge', rawConfig: '[INPUT]\n    name cpu\n' };
    await applied({ projects: [{ id, name: project.name, fleets: [fleet] }] });
    const member = await addUser(app);
    await asAdmin('POST', `/v1/projects/${id}/members`, { userID: member.userID, role: 'viewer' });
    const blind = await addUser(app);
    await asAdmin('POST', `/v1/projects/${id}/members`, {
      userID: blind.userID,
      permissions: ['create:*', 'update:*'],
    });
    await asAdmin('DELETE', `/v1/project_tokens/${tokenID}`);
    for (const part of [
      { tokens: [{ name: 'agents', value: newValue(id, tokenID).value }] },
      { members: [{ userID: member.userID, role: 'viewer' as const }] },
      { fleets: [fleet] },
    ]) {
      const request = { dryRun: true, projects: [{ id, name: project.name, ...part }] };
      expect((await apply(request)).status).toBe(200);
      const { body, text } = await apply(request, blind.token);
      expect(body).toMatchObject({ status: 403, code: 'permission_denied' });
      expect(text).not.toMatch(/revoked|administrator|Grace/);
    }
  });

  it('does not let an operator get the value of a token that may do more', async () => {
    const { id, tokenID, project } = await provisioned({ permissions: ['*'] });
    const operator = await addUser(app);
    await asAdmin('POST', `/v1/projects/${id}/members`, { userID: operator.userID, role: 'operator' });
    const tokens = [{ name: 'agents', value: newValue(id, tokenID).value }];
    expect((await apply({ projects: [{ ...project, tokens }] }, operator.token)).body).toMatchObject({
      status: 403,
      code: 'permissions_exceed_own',
    });
  });

  it('keeps the last owner, also a member that may do more than the caller', async () => {
    const { id, project } = await provisioned();
    const owner = await addUser(app);
    const demoting = {
      projects: [{ id, name: project.name, members: [{ userID: owner.userID, role: 'viewer' as const }] }],
    };
    await asAdmin('POST', `/v1/projects/${id}/members`, { userID: owner.userID, role: 'owner' });
    expect((await apply(demoting, owner.token)).body).toMatchObject({ status: 409, code: 'last_owner' });
    const { body } = await asAdmin<Member[]>('GET', `/v1/projects/${id}/members`);
    expect(body).toMatchObject([{ userID: owner.userID, role: 'owner' }]);
    expect(await applied(demoting)).toEqual(['update member Grace']);
    const may = await app.request('POST', `/v1/projects/${id}/tokens`, {
      as: { access: owner.token },
      body: { name: 'x', permissions: [] },
    });
    expect(may.status).toBe(403);
  });

  it('refuses more than a thousand things', async () => {
    const projects = Array.from({ length: 501 }, (_, place) => ({
      name: `p${place}`,
      members: [{ userID: newID(), role: 'viewer' as const }],
    }));
    expect((await apply({ projects })).body).toMatchObject({ status: 422, fields: [{ path: '/projects' }] });
  });
});
