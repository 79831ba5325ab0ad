import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

function revoke(id: string) {
  return test.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: test.admin } });
}

function use(projectID: string, token: string) {
  return test.request('GET', `/v1/projects/${projectID}`, { as: { project: token } });
}

/** A token and one that it created, both in use, revoked by a change that this process has not noticed. */
async function startRevoked() {
  const project = await test.createProject();
  const parent = await test.createToken(project.id, ['*']);
  const { body: child } = await test.request<{ id: string; token: string }>(
    'POST',
    `/v1/projects/${project.id}/tokens`,
    { as: { project: parent.token }, body: { name: 'made', permissions: ['*'] } },
  );
  for (const { token } of [parent, child]) expect((await use(project.id, token)).status).toBe(200);
  for (const { id } of [parent, child]) {
    await changeRows(test.dataDirectory, `update project_tokens set revoked_at = 1 where id = '${id}'`);
  }
  return { project, parent, child };
}

describe('DELETE /v1/project_tokens/{tokenID} for a token that is already revoked in the database', () => {
  it('ends it and its descendants where they are still remembered', async () => {
    const { project, parent, child } = await startRevoked();
    expect((await revoke(parent.id)).status).toBe(204);
    for (const { token } of [parent, child]) {
      expect((await use(project.id, token)).body).toEqual(problemBody('revoked_credential'));
    }
  });

  it('keeps the original time of the revocation', async () => {
    const { parent, child } = await startRevoked();
    await revoke(parent.id);
    for (const { id } of [parent, child]) {
      const changed = await changeRows(
        test.dataDirectory,
        `update project_tokens set revoked_at = 1 where id = '${id}' and revoked_at = 1`,
      );
      expect(changed).toBe(1);
    }
  });
});
