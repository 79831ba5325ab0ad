import { type AccessToken, grantsOfRole, type Me, type Project } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsiderNote } from '../../foundation/credentials/principal.ts';
import { type MappedRole, parseOidcRoles } from '../../foundation/settings/oidc-roles.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import {
  type IdentityProvider,
  startIdentityProvider,
  testAudience,
} from '../../testing/receivers/identity-provider.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let provider: IdentityProvider;
let app: TestApp;
let own: TestProject;
let other: TestProject;
/** Read again by the app for each request, because it is changed when the projects have ids. */
const roles = new Map<string, MappedRole>();

beforeAll(async () => {
  provider = await startIdentityProvider();
  const oidc = { issuer: provider.issuer, audience: testAudience };
  app = await startTestApp({ config: { oidc, oidcRoles: roles } });
  own = await app.createProject('own');
  other = await app.createProject('other');
  const parsed = parseOidcRoles(
    JSON.stringify({
      admins: 'administrator',
      operators: { [own.id]: 'operator' },
      viewers: { '*': 'viewer' },
    }),
  );
  for (const [name, role] of parsed as Map<string, MappedRole>) roles.set(name, role); // it is valid
});

afterAll(async () => {
  await app.close();
  await provider.close();
});

function sign(sub: string, groups?: unknown, issuedAt = app.clock.now()): Promise<string> {
  return provider.sign({ sub, name: sub, ...(groups === undefined ? {} : { groups }) }, issuedAt);
}

async function ask<Body>(access: string, method: string, url: string, body?: unknown) {
  const answer = await app.request<Body>(method, url, {
    as: { access },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, body: answer.body };
}

async function visibleProjects(access: string): Promise<string[]> {
  const { body } = await ask<Project[]>(access, 'GET', '/v1/projects');
  return body.map(({ name }) => name).toSorted();
}

describe('a new user of the identity provider', () => {
  it('is told who they are and how to get in', async () => {
    const { status, body } = await ask<Me>(await sign('ada'), 'GET', '/v1/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      kind: 'access',
      id: expect.any(String),
      name: 'ada',
      permissions: [],
      projectID: null,
      expiresAt: expect.any(String),
      installationPermissions: [],
      projects: [],
      note: outsiderNote,
    });
  });

  it('has access to nothing, not even with an access token of their own', async () => {
    const signedIn = await sign('ada');
    const laptop = await ask<AccessToken>(signedIn, 'POST', '/v1/access_tokens', { name: 'laptop' });
    const agent = await app.registerAgent(own);
    for (const access of [signedIn, laptop.body.token]) {
      expect(await ask(access, 'GET', '/v1/projects')).toEqual({ status: 200, body: [] });
      for (const url of [
        `/v1/projects/${own.id}`,
        `/v1/projects/${own.id}/tokens`,
        `/v1/projects/${own.id}/agent_errors`,
        `/v1/agents/${agent.id}`,
      ]) {
        expect(await ask(access, 'GET', url)).toEqual({
          status: 403,
          body: problemBody('permission_denied', outsiderNote),
        });
      }
      expect((await ask(access, 'GET', `/v1/projects/${own.id}/events`)).status).toBe(404);
      expect((await ask(access, 'POST', '/v1/projects', { name: 'mine' })).status).toBe(403);
    }
  });
});

describe('a user of the identity provider with a role by a claim', () => {
  it('has the role in the projects that it names, and no part in others', async () => {
    const operator = await sign('grace', ['something else', 'operators']);
    expect(await visibleProjects(operator)).toEqual(['own']);
    expect((await ask(operator, 'GET', `/v1/projects/${own.id}/agents`)).status).toBe(200);
    expect((await ask(operator, 'GET', `/v1/projects/${other.id}/agents`)).status).toBe(404);
    expect((await ask(operator, 'PATCH', `/v1/projects/${own.id}`, { name: 'x' })).status).toBe(403);
    const { body } = await ask<Me>(operator, 'GET', '/v1/me');
    expect(body.projects).toEqual([{ id: own.id, name: 'own', permissions: [...grantsOfRole('operator')] }]);
  });

  it('has the roles of all values together, and of a claim with one text', async () => {
    const both = await sign('lin', ['operators', 'viewers']);
    expect(await visibleProjects(both)).toEqual(['default', 'other', 'own']);
    const token = { name: 'x', permissions: [] };
    expect((await ask(both, 'POST', `/v1/projects/${own.id}/tokens`, token)).status).toBe(201);
    expect((await ask(both, 'POST', `/v1/projects/${other.id}/tokens`, token)).status).toBe(403);
    expect(await visibleProjects(await sign('joan', 'viewers'))).toEqual(['default', 'other', 'own']);
  });

  it('is an administrator of the installation', async () => {
    const administrator = await sign('barbara', ['admins']);
    expect((await ask(administrator, 'POST', '/v1/projects', { name: 'made' })).status).toBe(201);
    const { body } = await ask<Me>(administrator, 'GET', '/v1/me');
    expect(body).toMatchObject({ permissions: ['*'], installationPermissions: ['*'], projects: [] });
    expect(body).not.toHaveProperty('note');
  });

  it('has an access token that follows the newest token of the provider', async () => {
    const sub = 'radia';
    const first = await sign(sub, ['operators']);
    const laptop = (await ask<AccessToken>(first, 'POST', '/v1/access_tokens', { name: 'laptop' })).body
      .token;
    expect(await visibleProjects(laptop)).toEqual(['own']);
    app.clock.advance(10_000);
    expect(await visibleProjects(await sign(sub, []))).toEqual([]);
    expect(await visibleProjects(laptop)).toEqual([]);
    // The older token does not bring back what the newer one has taken away, although it is still valid.
    expect(await visibleProjects(first)).toEqual([]);
    expect(await visibleProjects(laptop)).toEqual([]);
    app.clock.advance(1_000);
    expect(await visibleProjects(await sign(sub, ['viewers']))).toContain('other');
    expect(await visibleProjects(laptop)).toContain('other');
  });

  it('does not get back by an older token what a newer one with the same values as before did not have', async () => {
    const sub = 'ivan';
    expect(await visibleProjects(await sign(sub, []))).toEqual([]);
    app.clock.advance(10_000);
    const between = await sign(sub, ['admins']);
    app.clock.advance(10_000);
    expect(await visibleProjects(await sign(sub, []))).toEqual([]);
    // It was issued before the newest token that was seen, and is used for the first time.
    expect(await visibleProjects(between)).toEqual([]);
  });

  it('grants no more with a project token than they have in the project', async () => {
    const operator = await sign('margaret', ['operators']);
    const create = (permissions: string[]) =>
      ask(operator, 'POST', `/v1/projects/${own.id}/tokens`, { name: 'x', permissions });
    expect((await create(['read:*', 'update:agent'])).status).toBe(201);
    expect(await create(['create:*', 'read:*'])).toEqual({
      status: 403,
      body: problemBody(
        'permissions_exceed_own',
        "This credential does not have 'create:*' in the project, so it cannot grant that. Leave it out, or ask an owner of the project.",
      ),
    });
    const weak = await app.createToken(own.id, []);
    const widen = (permissions: string[]) =>
      ask(operator, 'PATCH', `/v1/project_tokens/${weak.id}`, { permissions });
    expect((await widen(['*'])).status).toBe(403);
    expect((await widen(['read:*'])).status).toBe(200);
  });
});
