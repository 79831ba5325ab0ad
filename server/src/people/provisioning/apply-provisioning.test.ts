import type { ApplyProvisioning, Me, Token, User } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provisioningCalls } from '../../testing/calls/provisioning-calls.ts';
import {
  type IdentityProvider,
  startIdentityProvider,
  testAudience,
} from '../../testing/receivers/identity-provider.ts';
import { readRows } from '../../testing/rows/read-rows.ts';
import { addUser } from '../../testing/stages/people-targets.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const day = 86_400_000;
const nobody = '0190c8d2-5f6a-7b3c-9d1e-2f4a6b8c0d1e';

let provider: IdentityProvider;
let app: TestApp;
/** People sign in through the identity provider. */
let withProvider: TestApp;

beforeAll(async () => {
  provider = await startIdentityProvider();
  app = await startTestApp();
  const oidc = { issuer: provider.issuer, audience: testAudience };
  withProvider = await startTestApp({ config: { oidc } });
});

afterAll(async () => {
  await app.close();
  await withProvider.close();
  await provider.close();
});

const { newID, newValue, apply, applied, asAdmin, provisioned } = provisioningCalls(() => app);

async function statusOf(project: string): Promise<number> {
  return (await app.request('GET', '/v1/me', { as: { project } })).status;
}

async function tokenOf(id: string): Promise<Token> {
  return (await app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: { access: app.admin } })).body;
}

/** What the audit log has recorded of a project: actions with what changed. */
async function auditOf(id: string) {
  const rows = await readRows<{ action: string; before_json: string; after_json: string }>(
    app.dataDirectory,
    `select action, before_json, after_json from audit_entries where chain_id = '${id}' order by sequence`,
  );
  return rows.map(({ action, before_json: before, after_json: after }) => [
    action,
    JSON.parse(before),
    JSON.parse(after),
  ]);
}

describe('POST /v1/provisioning', () => {
  it('creates a project with the id of its tokens, members and tokens, and nothing a second time', async () => {
    const id = newID();
    const { tokenID, value } = newValue(id);
    const [{ userID }, ada] = [await addUser(app), await addUser(app)];
    expect(await statusOf(value)).toBe(401);
    const request: ApplyProvisioning = {
      projects: [
        {
          name: 'edge',
          members: [
            { userID, role: 'operator' },
            { userID: ada.userID.toUpperCase(), permissions: ['read:agent'] },
          ],
          tokens: [{ name: 'agents', value, reportsPerSecond: 5, allowedNetworks: ['127.0.0.1'] }],
        },
      ],
    };
    const { body: planned } = await apply({ ...request, dryRun: true });
    const { body } = await apply(request);
    const common = { projectID: id, project: 'edge', reason: null, action: 'create' };
    expect(body).toEqual({
      dryRun: false,
      changes: [
        {
          ...common,
          resource: 'project',
          path: '/projects/0',
          id,
          name: 'edge',
          fields: [{ field: 'name', before: null, after: 'edge' }],
        },
        {
          ...common,
          resource: 'member',
          path: '/projects/0/members/0',
          id: userID,
          name: 'Grace',
          fields: [{ field: 'role', before: null, after: 'operator' }],
        },
        {
          ...common,
          resource: 'member',
          path: '/projects/0/members/1',
          id: ada.userID,
          name: 'Grace',
          fields: [
            { field: 'role', before: null, after: 'custom' },
            { field: 'permissions', before: null, after: 'read:agent' },
          ],
        },
        {
          ...common,
          resource: 'token',
          path: '/projects/0/tokens/0',
          id: tokenID,
          name: 'agents',
          fields: [
            { field: 'name', before: null, after: 'agents' },
            {
              field: 'permissions',
              before: null,
              after: 'create:agent, create:agent_error, update:agent, read:fleet',
            },
            { field: 'allowedNetworks', before: null, after: '127.0.0.1/32' },
            { field: 'reportsPerSecond', before: null, after: '5' },
          ],
        },
      ],
    });
    expect(planned).toEqual({ ...body, dryRun: true });
    // It was unknown a moment ago, and is valid with the answer.
    expect(await statusOf(value)).toBe(200);
    expect(await applied(request)).toEqual([]);
    expect(await auditOf(id)).toEqual([
      ['project.created', null, { name: 'edge' }],
      ['member.added', null, { role: 'operator' }],
      ['member.added', null, { role: 'custom', permissions: ['read:agent'] }],
      [
        'token.created',
        null,
        {
          name: 'agents',
          permissions: ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'],
          allowedNetworks: ['127.0.0.1/32'],
          reportsPerSecond: 5,
        },
      ],
    ]);
    expect((await asAdmin<unknown[]>('GET', `/v1/projects/${id}/tokens`)).body).toHaveLength(1);
    expect(JSON.stringify(app.logs)).not.toContain(value.slice(137));
  });

  it('lets in a user of the identity provider at the first sign-in', async () => {
    const name = 'for bob';
    const request = { projects: [{ name, members: [{ subject: 'bob-1', role: 'viewer' as const }] }] };
    const { admin: administrator } = withProvider;
    const planned = ['create project for bob', 'create member bob-1'];
    expect(await applied({ ...request, dryRun: true }, administrator, withProvider)).toEqual(planned);
    expect(await applied(request, administrator, withProvider)).toEqual(planned);
    const bob = await provider.sign({ sub: 'bob-1', name: 'Bob' }, withProvider.clock.now());
    const { body } = await withProvider.request<Me>('GET', '/v1/me', { as: { access: bob } });
    expect(body).toMatchObject({ name: 'Bob', projects: [{ name, permissions: ['read:*'] }] });
    expect(await applied(request, administrator, withProvider)).toEqual([]);
    const { body: users } = await withProvider.request<User[]>('GET', '/v1/users', {
      as: { access: administrator },
    });
    expect(users.filter(({ subject }) => subject === 'bob-1')).toMatchObject([
      { name: 'Bob', projectsCount: 1 },
    ]);
  });

  it.each([
    [{}, 422, 'userID', 'is missing; give userID or subject'],
    [{ userID: nobody, subject: 'bob-1' }, 422, 'subject', 'cannot be given together with userID'],
    [{ userID: nobody }, 404, 'userID', "names no user of this installation. 'muster user list' lists them"],
    [
      { subject: 'bob-1' },
      422,
      'subject',
      'needs an identity provider, but MUSTER_OIDC_ISSUER is not set. Without one, give the userID',
    ],
  ])('refuses a member who is %j', async (who, status, field, message) => {
    const refused = await apply({ projects: [{ name: 'refused', members: [{ ...who, role: 'viewer' }] }] });
    expect(refused).toMatchObject({
      status,
      body: { fields: [{ path: `/projects/0/members/0/${field}`, message }] },
    });
  });

  it('changes what differs, and nothing that it does not name', async () => {
    const { id, tokenID, project, value } = await provisioned({ reportsPerSecond: 5 });
    await asAdmin('PATCH', `/v1/project_tokens/${tokenID}`, { name: 'renamed' });
    const other = await app.createToken(id, ['read:*']);
    const { body } = await apply({
      projects: [
        {
          id,
          name: 'new name',
          tokens: [{ name: 'agents', value, permissions: ['read:agent'], allowedNetworks: ['10.0.0.0/8'] }],
        },
      ],
    });
    const fields = body.changes.map(({ action, resource, fields: changed }) => ({
      action,
      resource,
      changed,
    }));
    expect(fields).toEqual([
      {
        action: 'update',
        resource: 'project',
        changed: [{ field: 'name', before: project.name, after: 'new name' }],
      },
      {
        action: 'update',
        resource: 'token',
        changed: [
          { field: 'name', before: 'renamed', after: 'agents' },
          {
            field: 'permissions',
            before: 'create:agent, create:agent_error, update:agent, read:fleet',
            after: 'read:agent',
          },
          { field: 'allowedNetworks', before: null, after: '10.0.0.0/8' },
        ],
      },
    ]);
    expect(await tokenOf(tokenID)).toMatchObject({ permissions: ['read:agent'], reportsPerSecond: 5 });
    expect(await statusOf(other.token)).toBe(200);
    expect(await statusOf(value)).toBe(403);
  });

  it('changes nothing in a dry run', async () => {
    const { id, tokenID, value } = await provisioned();
    const before = await tokenOf(tokenID);
    const next = newValue(id, tokenID).value;
    const request = {
      projects: [
        { id, name: 'other', tokens: [{ name: 'agents', value: next, permissions: [], graceSeconds: 0 }] },
      ],
    };
    const planned = ['update project other', 'update token agents', 'rotate token agents'];
    expect(await applied({ ...request, dryRun: true })).toEqual(planned);
    expect(await tokenOf(tokenID)).toEqual(before);
    expect([await statusOf(value), await statusOf(next)]).toEqual([200, 401]);
    expect(await applied(request)).toEqual(planned);
    expect([await statusOf(value), await statusOf(next)]).toEqual([401, 200]);
  });

  it('rotates a token whose value has changed, with a day of grace unless the file says otherwise', async () => {
    const { id, tokenID, value, project } = await provisioned();
    const second = newValue(id, tokenID).value;
    const withValue = (one: string, fields: object = {}) => ({
      projects: [{ ...project, tokens: [{ name: 'agents', value: one, ...fields }] }],
    });
    expect(await applied(withValue(second))).toEqual(['rotate token agents']);
    expect([await statusOf(value), await statusOf(second)]).toEqual([200, 200]);
    expect((await tokenOf(tokenID)).earlierValues).toMatchObject([
      { endsAt: new Date(app.clock.now() + day).toISOString(), retiresOnUse: false },
    ]);
    const third = newValue(id, tokenID).value;
    expect(await applied(withValue(third, { graceSeconds: 0 }))).toEqual(['rotate token agents']);
    expect([await statusOf(value), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 200]);
  });

  it('never returns to a value from before a rotation, whoever has rotated', async () => {
    const { id, tokenID, value, project } = await provisioned();
    const second = newValue(id, tokenID).value;
    const stale =
      'skip token agents the value in the file is from before a rotation; put the newest value there, or another new one';
    await applied({
      projects: [{ ...project, tokens: [{ name: 'agents', value: second, graceSeconds: 0 }] }],
    });
    expect(await applied({ projects: [project] })).toEqual([stale]);
    app.clock.advance(100 * day);
    expect(await applied({ projects: [project] })).toEqual([stale]);
    expect([await statusOf(value), await statusOf(second)]).toEqual([401, 200]);
    const { body } = await asAdmin<Token>('POST', `/v1/project_tokens/${tokenID}/rotate`, {});
    expect(
      await applied({ projects: [{ ...project, tokens: [{ name: 'agents', value: second }] }] }),
    ).toEqual([stale]);
    expect(await statusOf(body.token)).toBe(200);
  });

  it('does not bring back what a person has ended', async () => {
    const { userID } = await addUser(app);
    const { id, tokenID, value, project } = await provisioned();
    const whole = { projects: [{ ...project, members: [{ userID, role: 'viewer' as const }] }] };
    expect(await applied(whole)).toEqual(['create member Grace']);
    await asAdmin('POST', `/v1/project_tokens/${tokenID}/revoke`, { reason: 'leaked' });
    await asAdmin('DELETE', `/v1/projects/${id}/members/${userID}`);
    const at = new Date(app.clock.now()).toISOString();
    expect(await applied(whole)).toEqual([
      'skip member Grace a person has removed this member since; add them again with muster member add',
      `skip token agents it was revoked by administrator at ${at} (leaked); choose another value for a new token`,
    ]);
    expect(await statusOf(value)).toBe(401);
    // Also with another value of the same token.
    const next = newValue(id, tokenID).value;
    expect(await applied({ projects: [{ ...project, tokens: [{ name: 'agents', value: next }] }] })).toEqual([
      expect.stringContaining('skip token agents it was revoked'),
    ]);
    expect(await statusOf(next)).toBe(401);
    await asAdmin('DELETE', `/v1/projects/${id}`);
    expect(await applied(whole)).toEqual([`skip project ${project.name} it has been deleted`]);
  });

  it('finds a project by its name, and remembers it when it is renamed', async () => {
    const name = 'by name';
    expect(await applied({ projects: [{ name }] })).toEqual(['create project by name']);
    expect(await applied({ projects: [{ name }] })).toEqual([]);
    const { body } = await asAdmin<{ id: string }[]>('GET', `/v1/projects?name=by%20name`);
    expect(body).toHaveLength(1);
    await asAdmin('PATCH', `/v1/projects/${body[0]?.id}`, { name: 'elsewhere now' });
    expect(await applied({ projects: [{ name }] })).toEqual([
      'skip project by name it was created from a file and has been renamed or deleted since; give the id of the project',
    ]);
    await app.createProject('twice');
    await app.createProject('twice');
    expect((await apply({ projects: [{ name: 'twice' }] })).body).toMatchObject({
      status: 422,
      fields: [
        {
          path: '/projects/0/name',
          message: 'is the name of several projects: give the id of the project too',
        },
      ],
    });
  });

  it('follows the project that it has made, and no other one that gets its name', async () => {
    const [name, reporter] = ['followed', await addUser(app)];
    const idOf = async (body: ApplyProvisioning) => (await apply(body)).body.changes[0]?.projectID ?? '';
    const own = await idOf({ projects: [{ name }] });
    const [first, second] = [await app.createProject(name), await app.createProject(name)];
    const member = { userID: reporter.userID, role: 'viewer' as const };
    const withMember = { projects: [{ name, members: [member] }] };
    expect(await idOf(withMember)).toBe(own);
    await asAdmin('PATCH', `/v1/projects/${own}`, { name: 'not followed' });
    for (const { id } of [first, second]) {
      expect(await applied(withMember)).toEqual([expect.stringContaining(`skip project ${name} `)]);
      await asAdmin('DELETE', `/v1/projects/${id}`);
    }
  });

  it('remembers nothing for members of a project, who may name it as they like', async () => {
    const { id } = await app.createProject('mine');
    const owner = await addUser(app);
    await asAdmin('POST', `/v1/projects/${id}/members`, { userID: owner.userID, role: 'owner' });
    const remembered = () =>
      readRows(
        app.dataDirectory,
        `select key from provisioned where key like '%mine%' or key like '%${id}%'`,
      );
    expect(await applied({ projects: [{ id, name: 'mine' }] }, owner.token)).toEqual([]);
    expect(await applied({ projects: [{ id, name: 'mine too' }] }, owner.token)).toEqual([
      'update project mine too',
    ]);
    expect(await remembered()).toEqual([]);
  });

  it('does not create or extend what has expired', async () => {
    const expiresAt = new Date(app.clock.now() + day).toISOString();
    const { project, value } = await provisioned({ expiresAt });
    expect(await applied({ projects: [project] })).toEqual([]);
    app.clock.advance(2 * day);
    expect(await applied({ projects: [project] })).toEqual([]);
    expect(await statusOf(value)).toBe(401);
    const id = newID();
    const late = { name: `late ${id}`, tokens: [{ name: 'agents', value: newValue(id).value, expiresAt }] };
    expect(await applied({ projects: [late] })).toEqual([
      `create project ${late.name}`,
      `skip token agents it would have expired at ${expiresAt}`,
    ]);
  });
});
