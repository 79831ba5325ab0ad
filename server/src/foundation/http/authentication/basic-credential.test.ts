import type { IncomingHttpHeaders } from 'node:http';
import { takeBasicCredential } from '@muster/http/credentials/basic-credential';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('takeBasicCredential', () => {
  it.each<[string, IncomingHttpHeaders, IncomingHttpHeaders]>([
    ['a project token', { authorization: basic('user:P.mst_p_x') }, { 'x-project-token': 'P.mst_p_x' }],
    ['an agent token', { authorization: basic('user:mst_a_x') }, { 'x-agent-token': 'mst_a_x' }],
    ['no user name', { authorization: basic(':mst_a_x') }, { 'x-agent-token': 'mst_a_x' }],
    ['a colon in the password', { authorization: basic('user:a:b') }, { 'x-project-token': 'a:b' }],
    [
      'the scheme in another case',
      { authorization: `bASIC  ${basic('u:x').slice(6)} ` },
      { 'x-project-token': 'x' },
    ],
    ['no password', { authorization: basic('P.mst_p_x:') }, {}],
    ['no colon', { authorization: basic('P.mst_p_x') }, {}],
    ['no base64', { authorization: 'Basic ?!' }, {}],
    ['nothing', { authorization: 'Basic' }, { authorization: 'Basic' }],
    ['another scheme', { authorization: 'Bearer x' }, { authorization: 'Bearer x' }],
    [
      'a token that was sent in its own header too, which wins',
      { authorization: basic('u:P.mst_p_x'), 'x-project-token': 'y' },
      { 'x-project-token': 'y' },
    ],
    [
      'an empty header beside it',
      { authorization: basic('u:P.mst_p_x'), 'x-project-token': '' },
      { 'x-project-token': 'P.mst_p_x' },
    ],
  ])('%s', (_, headers, expected) => {
    takeBasicCredential(headers);
    expect(headers).toEqual(expected);
  });
});

describe('a token as the password of Basic', () => {
  let test: TestApp;
  let project: TestProject;

  beforeAll(async () => {
    test = await startTestApp({ config: { invalidCredentialsPerAddressPerMinute: 2 } });
    project = await test.createProject();
  });

  afterAll(() => test.close());

  const report = (password: string) =>
    test.request('POST', '/v1/machines/db-01/errors', {
      headers: { authorization: basic(`rsyslog:${password}`) },
      body: { error: 'disk full' },
    });

  it('is checked, limited and revoked like the header', async () => {
    expect((await report(project.token)).status).toBe(201);
    const statuses = [await report('wrong'), await report('wrong'), await report('wrong')];
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect((await report(project.token)).status).toBe(201);
    const { id, token } = await test.createToken(project.id, ['create:*']);
    expect((await report(token)).status).toBe(201);
    await test.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: test.admin } });
    const revoked = await report(token);
    expect(revoked.status).toBe(401);
    expect(revoked.body).toEqual(problemBody('revoked_credential'));
  });

  it('needs the permissions of the route', async () => {
    const { token } = await test.createToken(project.id, ['read:*']);
    expect(await report(token)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('is in no log line', () => {
    const secrets = [project.token, Buffer.from(`rsyslog:${project.token}`).toString('base64')];
    for (const secret of secrets) expect(test.logs.filter((line) => line.includes(secret))).toEqual([]);
  });
});
