import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function revoke(id: string, token?: string) {
  return app.request('DELETE', `/v1/project_tokens/${id}`, {
    as: token === undefined ? { access: app.admin } : { project: token },
  });
}

async function use(projectID: string, token: string) {
  return app.request('GET', `/v1/projects/${projectID}`, { as: { project: token } });
}

describe('DELETE /v1/project_tokens/{tokenID}', () => {
  describe('204', () => {
    it('answers without a body', async () => {
      const project = await app.createProject();
      const { id } = await app.createToken(project.id, []);
      const { status, text, headers } = await revoke(id);
      expect([status, text, headers['content-type']]).toEqual([204, '', undefined]);
    });

    it('refuses the token in every request that starts after the answer, even if it was in use', async () => {
      const project = await app.createProject();
      const { id, token } = await app.createToken(project.id, ['read:project']);
      expect((await use(project.id, token)).status).toBe(200);
      await revoke(id);
      const refused = await use(project.id, token);
      expect(refused.status).toBe(401);
      expect(refused.body).toEqual(problemBody('revoked_credential'));
      expect(refused.headers['www-authenticate']).toBe(
        'Bearer realm="muster", X-Project-Token realm="muster"',
      );
    });

    it('refuses a token that was never used', async () => {
      const project = await app.createProject();
      const { id, token } = await app.createToken(project.id, ['read:project']);
      await revoke(id);
      expect((await use(project.id, token)).body).toEqual(problemBody('revoked_credential'));
    });

    it('revokes the token while requests with it are under way, and admits none afterwards', async () => {
      const project = await app.createProject();
      for (let round = 0; round < 20; round += 1) {
        const { id, token } = await app.createToken(project.id, ['read:project']);
        const before = Array.from({ length: 5 }, () => use(project.id, token));
        const revoked = revoke(id);
        const alongside = Array.from({ length: 5 }, () => use(project.id, token));
        expect((await revoked).status).toBe(204);
        expect((await use(project.id, token)).status).toBe(401);
        for (const { status } of await Promise.all([...before, ...alongside]))
          expect([200, 401]).toContain(status);
        expect((await use(project.id, token)).status).toBe(401);
      }
    });

    it('gives the same answer when it is repeated', async () => {
      const project = await app.createProject();
      const { id } = await app.createToken(project.id, []);
      expect((await revoke(id)).status).toBe(204);
      expect((await revoke(id)).status).toBe(204);
    });

    it('still shows the token, as revoked', async () => {
      const project = await app.createProject();
      const { id } = await app.createToken(project.id, ['read:*']);
      const shown = () =>
        app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
      const before = await shown();
      await revoke(id);
      expect((await shown()).body).toEqual({
        ...before.body,
        status: 'revoked',
        revokedAt: new Date(app.clock.now()).toISOString(),
        revokedBy: before.body.createdBy,
      });
    });

    it('does not affect other tokens of the project', async () => {
      const project = await app.createProject();
      const one = await app.createToken(project.id, ['read:project']);
      const other = await app.createToken(project.id, ['read:project']);
      await revoke(one.id);
      expect((await use(project.id, other.token)).status).toBe(200);
    });

    it('can be done with a project token, to other tokens and to itself', async () => {
      const project = await app.createProject();
      const revoker = await app.createToken(project.id, ['delete:token']);
      const other = await app.createToken(project.id, ['*']);
      expect((await revoke(other.id, revoker.token)).status).toBe(204);
      expect((await use(project.id, other.token)).status).toBe(401);
      expect((await revoke(revoker.id, revoker.token)).status).toBe(204);
      expect((await revoke(revoker.id, revoker.token)).status).toBe(401);
    });

    it('does not affect agents that registered with the token, because they have their own tokens', async () => {
      const project = await app.createProject();
      const { id, token } = await app.createToken(project.id, ['create:agent']);
      const agent = await app.registerAgent({ id: project.id, token });
      await revoke(id);
      const answer = await app.request('GET', '/v1/me', { as: { agent: agent.token } });
      expect(answer.status).toBe(200);
    });
  });

  describe('400', () => {
    it('refuses an invalid id', async () => {
      const answer = await revoke('ci');
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_path_parameter', fields: [{ path: 'tokenID' }] });
    });
  });

  describe('404', () => {
    it('refuses a token that does not exist', async () => {
      const answer = await revoke(missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no token ${missingID} that this credential can see.`),
      );
    });

    it('refuses a token of another project, which remains valid', async () => {
      const [own, other] = [await app.createProject(), await app.createProject()];
      const revoker = await app.createToken(own.id, ['*']);
      const victim = await app.createToken(other.id, ['read:project']);
      expect((await revoke(victim.id, revoker.token)).status).toBe(404);
      expect((await use(other.id, victim.token)).status).toBe(200);
    });
  });
});
