import { formatInvitationCode } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  guardedRows,
  type Kind,
  send,
  type Target,
  titled,
} from '../../../testing/calls/credential-table.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

/** All requests come from one address, which has exceeded its limit. */
let app: TestApp;
let project: TestProject;
let revoked: string;

beforeAll(async () => {
  app = await startTestApp({ config: { invalidCredentialsPerAddressPerMinute: 1 } });
  project = await app.createProject();
  const { id, token } = await app.createToken(project.id, ['*']);
  revoked = token;
  await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
  await app.request('GET', '/v1/me', { as: { project: 'nonsense' } });
});

afterAll(() => app.close());

const nonsense: Readonly<Record<Kind, string>> = {
  access: 'mst_u_nonsense',
  project: 'nonsense',
  agent: 'nonsense',
  core_instance: 'nonsense',
};
const detail =
  'This credential is not valid, and more than 1 such attempts came from this address within a minute. Correct it, and wait for the seconds in Retry-After.';

it('beyond the limit on invalid credentials, refuses codes of invitations that nobody has', async () => {
  const signUp = (code: string) =>
    app.request('POST', '/v1/invitations/sign_up', { body: { code, name: 'Ada' } });
  const unknown = await signUp(formatInvitationCode(new Uint8Array(32)));
  expect([unknown.status, unknown.headers['retry-after']]).toEqual([429, '60']);
  expect(unknown.body).toEqual(problemBody('too_many_invalid_credentials', detail));
  const { body } = await app.request<{ code: string }>('POST', `/v1/projects/${project.id}/invitations`, {
    as: { access: app.admin },
    body: { role: 'viewer' },
  });
  expect((await signUp(body.code)).status).toBe(201);
});

describe.each(titled(guardedRows))('%s, beyond the limit on invalid credentials', (_, row) => {
  let target: Target;

  beforeAll(async () => {
    target = await row.target(app, project);
  });

  it('refuses invalid credentials of a listed kind with 429', async () => {
    for (const kind of row.takes) {
      const answer = await send(app, row, target, { as: { [kind]: nonsense[kind] } });
      expect(answer.status).toBe(429);
      expect(answer.headers['retry-after']).toBe('60');
      expect(answer.body).toEqual(problemBody('too_many_invalid_credentials', detail));
    }
  });

  it('accepts valid credentials, and refuses all others with their own reason', async () => {
    expect((await send(app, row, target)).body).toMatchObject({ code: 'missing_credential' });
    if (row.takes.includes('project')) {
      const answer = await send(app, row, target, { as: { project: revoked } });
      expect(answer.body).toEqual(problemBody('revoked_credential'));
    }
    const { token } = await app.createToken(project.id, ['*']);
    const valid: Readonly<Record<Kind, string>> = {
      access: app.admin,
      project: token,
      agent: target.agentToken ?? '',
      core_instance: (await app.createCoreInstance(project)).token,
    };
    for (const kind of row.takes) {
      if (valid[kind] === '') continue;
      const answer = await send(app, row, await row.target(app, project), { as: { [kind]: valid[kind] } });
      // The token of another agent or core instance is valid, but may not see this one.
      expect([row.success, 404]).toContain(answer.status);
      if (kind !== 'agent' && kind !== 'core_instance') expect(answer.status).toBe(row.success);
    }
  });
});
