import type { AccessToken, Me, Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function me(as: Parameters<TestApp['request']>[2]) {
  return app.request<Me>('GET', '/v1/me', as);
}

describe('GET /v1/me', () => {
  describe('200', () => {
    it('returns the user, with every permission in all projects', async () => {
      const { status, body } = await me({ as: { access: app.admin } });
      expect(status).toBe(200);
      expect(body).toEqual({
        kind: 'access',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'administrator',
        permissions: ['*'],
        projectID: null,
        expiresAt: null,
        installationPermissions: ['*'],
        projects: [],
      });
    });

    it('tells an administrator of the backups that the service makes, and nobody else', async () => {
      const other = await startTestApp({
        config: { backupDirectory: '/nowhere' },
        runBackup: async () => undefined,
      });
      const as = { access: other.admin };
      const { body: whole } = await other.request<Me>('GET', '/v1/me', { as });
      expect(whole.backups).toEqual({ lastAt: null, everySeconds: 86_400 });
      const { body: made } = await other.request<AccessToken>('POST', '/v1/access_tokens', {
        as,
        body: { name: 'reader', permissions: ['read:*'] },
      });
      const { body: narrow } = await other.request<Me>('GET', '/v1/me', { as: { access: made.token } });
      expect([narrow.name, narrow.backups]).toEqual([whole.name, undefined]);
      await other.close();
    });

    it('returns the same user for another of their tokens, with its expiry', async () => {
      const made = await app.request<AccessToken>('POST', '/v1/access_tokens', {
        as: { access: app.admin },
        body: { name: 'laptop', expiresAt: '2099-01-01T00:00:00Z' },
      });
      const first = await me({ as: { access: app.admin } });
      const { body } = await me({ as: { access: made.body.token } });
      expect(body).toEqual({ ...first.body, expiresAt: '2099-01-01T00:00:00.000Z' });
    });

    it('returns the name, the project and the permissions of a project token', async () => {
      const project = await app.createProject();
      const { body: token } = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
        as: { access: app.admin },
        body: { name: 'ci', permissions: ['read:*', 'create:agent'], expiresAt: '2099-01-01T00:00:00Z' },
      });
      const told = {
        kind: 'project',
        id: token.id,
        name: 'ci',
        permissions: ['read:*', 'create:agent'],
        projectID: project.id,
        expiresAt: '2099-01-01T00:00:00.000Z',
      };
      expect((await me({ as: { project: token.token } })).body).toEqual(told);
      expect((await me({ headers: { authorization: `Bearer ${token.token}` } })).body).toEqual(told);
    });

    it('answers a project token without permissions', async () => {
      const project = await app.createProject();
      const { token } = await app.createToken(project.id, []);
      const { status, body } = await me({ as: { project: token } });
      expect([status, body.permissions]).toEqual([200, []]);
    });

    it('reflects a change of the token at once', async () => {
      const project = await app.createProject();
      const { id, token } = await app.createToken(project.id, []);
      await me({ as: { project: token } });
      await app.request('PATCH', `/v1/project_tokens/${id}`, {
        as: { access: app.admin },
        body: { name: 'renamed', permissions: ['read:agent'] },
      });
      expect((await me({ as: { project: token } })).body).toMatchObject({
        name: 'renamed',
        permissions: ['read:agent'],
      });
    });

    it('returns the agent and its permissions', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      expect((await me({ as: { agent: agent.token } })).body).toEqual({
        kind: 'agent',
        id: agent.id,
        name: 'web-01',
        permissions: ['create:agent_error', 'update:agent', 'read:fleet'],
        projectID: project.id,
        expiresAt: null,
      });
    });
  });

  describe('410', () => {
    it('answers 410 to a deleted agent, whether or not its token is remembered', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      const unused = await app.registerAgent(project);
      await me({ as: { agent: agent.token } });
      for (const { id, token } of [agent, unused]) {
        await app.request('DELETE', `/v1/agents/${id}`, { as: { access: app.admin } });
        const answer = await me({ as: { agent: token } });
        expect(answer.status).toBe(410);
        expect(answer.body).toEqual(problemBody('agent_deleted'));
      }
    });
  });

  describe('400', () => {
    it('refuses any query parameter', async () => {
      const answer = await app.request('GET', '/v1/me?verbose=true', { as: { access: app.admin } });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'unknown_query_parameter' });
    });
  });

  describe('401', () => {
    it('refuses the token of an agent whose project was deleted after the token was used', async () => {
      const project = await app.createProject();
      const agent = await app.registerAgent(project);
      expect((await me({ as: { agent: agent.token } })).status).toBe(200);
      // Directly in the database, while the service remembers the token.
      await changeRows(app.dataDirectory, `update projects set deleted_at = 1 where id = '${project.id}'`);
      const answer = await me({ as: { agent: agent.token } });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(problemBody('invalid_credential'));
    });

    it('names all four kinds of credentials if none is sent', async () => {
      const answer = await me({});
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer realm="muster", X-Project-Token realm="muster", X-Agent-Token realm="muster", X-Core-Instance-Token realm="muster"',
      );
      expect(answer.body).toEqual(
        problemBody(
          'missing_credential',
          'Send a credential as Authorization: Bearer or X-Project-Token or X-Agent-Token or X-Core-Instance-Token.',
        ),
      );
    });
  });
});
