import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import type { TestApp, TestProject } from '../../testing/start-test-app.ts';

let replicas: Replicas;
let project: TestProject;

beforeAll(async () => {
  // At the log level of a real service, so that reports take the same path as there.
  replicas = await startReplicas({ logLevel: 'info', config: { trustProxy: '127.0.0.1' } });
  const { body } = await replicas.one.request<TestProject>('POST', '/v1/projects', {
    as: { access: replicas.admin },
    body: { name: 'edge' },
  });
  project = body;
});

afterAll(() => replicas.close());

const permissions = ['create:agent', 'create:agent_error', 'read:project', 'create:token', 'update:token'];

function create(body: object, as: object = { access: replicas.admin }) {
  return replicas.one.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
    as,
    body: { name: 'ci', permissions, ...body },
  });
}

function update({ id }: Token, body: object, as: object = { access: replicas.admin }) {
  return replicas.one.request<Token>('PATCH', `/v1/project_tokens/${id}`, { as, body });
}

function read({ token }: Token, from: string, on: TestApp = replicas.one) {
  return on.request<{ code?: string; detail?: string }>('GET', `/v1/projects/${project.id}`, {
    as: { project: token },
    headers: { 'x-forwarded-for': from },
  });
}

function report(
  { token }: Token,
  from: string,
  on: TestApp = replicas.one,
  body: unknown = { error: 'disk full' },
) {
  return on.request<{ code?: string }>('POST', '/v1/machines/edge-7/errors', {
    as: { project: token },
    headers: { 'x-forwarded-for': from },
    body,
  });
}

describe('allowedNetworks', () => {
  it('are shown in their usual form', async () => {
    const { status, body } = await create({ allowedNetworks: ['10.1.2.3/8', '10.0.0.0/8', '2001:db8::7'] });
    expect([status, body.allowedNetworks]).toEqual([201, ['10.0.0.0/8', '2001:db8::7/128']]);
  });

  it('refuse every request and report from elsewhere with 403, which names the address', async () => {
    const { body: made } = await create({ allowedNetworks: ['10.0.0.0/8'] });
    expect([(await read(made, '10.0.0.1')).status, (await report(made, '10.0.0.1')).status]).toEqual([
      200, 201,
    ]);
    const refused = await read(made, '192.0.2.1');
    expect([refused.status, refused.body]).toEqual([
      403,
      problemBody('network_not_allowed', expect.stringContaining('192.0.2.1')),
    ]);
    // The same, in which the credential and the machine are remembered.
    expect((await report(made, '192.0.2.1')).body.code).toBe('network_not_allowed');
    expect((await report(made, '::ffff:10.0.0.2')).status).toBe(201);
  });

  it('apply to the next request after a change, on every replica', async () => {
    const { body: made } = await create({});
    for (const on of replicas.all) {
      expect((await read(made, '192.0.2.1', on)).status).toBe(200);
      expect((await report(made, '192.0.2.1', on)).status).toBe(201);
    }
    await update(made, { allowedNetworks: ['10.0.0.0/8'] });
    for (const on of replicas.all) {
      expect((await report(made, '192.0.2.1', on)).status).toBe(403);
      expect((await read(made, '192.0.2.1', on)).status).toBe(403);
    }
    expect((await update(made, { allowedNetworks: null })).body.allowedNetworks).toBeNull();
    for (const on of replicas.all) expect((await read(made, '192.0.2.1', on)).status).toBe(200);
  });

  it('limit the tokens that it creates', async () => {
    const { body: made } = await create({ allowedNetworks: ['127.0.0.0/8', '10.0.0.0/8'] });
    const { body: child } = await create({}, { project: made.token });
    expect((await read(child, '10.0.0.1')).status).toBe(200);
    expect((await read(child, '192.0.2.1')).status).toBe(403);
  });

  it('are not changed with a project token, not even its own', async () => {
    const { body: made } = await create({ allowedNetworks: ['127.0.0.0/8'] });
    for (const body of [{ allowedNetworks: null }, { reportsPerSecond: null }]) {
      const { status } = await update(made, body, { project: made.token });
      expect(status).toBe(403);
    }
    expect((await update(made, { name: 'renamed' }, { project: made.token })).status).toBe(200);
  });

  it.each([[['10.0.0.0/33']], [['example.com']], [[]]])('%j: 422', async (allowedNetworks) => {
    expect((await create({ allowedNetworks })).status).toBe(422);
  });

  it('name the one that is wrong', async () => {
    const { body } = await create({ allowedNetworks: ['10.0.0.0/8', '10.0.0.0/33'] });
    expect(body).toMatchObject({ code: 'invalid_body', fields: [{ path: '/allowedNetworks/1' }] });
  });
});

describe('reportsPerSecond', () => {
  it('refuses further reports with 429 and Retry-After, remembered or not, and nothing else', async () => {
    const { body: made } = await create({ reportsPerSecond: 2 });
    expect(made.reportsPerSecond).toBe(2);
    replicas.clock.advance(10_000);
    expect([(await report(made, '10.0.0.1')).status, (await report(made, '10.0.0.1')).status]).toEqual([
      201, 201,
    ]);
    const refused = await report(made, '10.0.0.1');
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([
      429,
      problemBody('too_many_reports_of_token'),
      '1',
    ]);
    expect((await read(made, '10.0.0.1')).status).toBe(200);
    replicas.clock.advance(501);
    expect([(await report(made, '10.0.0.1')).status, (await report(made, '10.0.0.1')).status]).toEqual([
      201, 429,
    ]);
  });

  it('counts each report of an array, and reports with tokens that it created', async () => {
    const { body: made } = await create({ reportsPerSecond: 10 });
    const { body: child } = await create({}, { project: made.token });
    replicas.clock.advance(10_000);
    const many = Array.from({ length: 30 }, () => ({ error: 'disk full' }));
    expect((await report(child, '10.0.0.1', replicas.one, many)).status).toBe(201);
    replicas.clock.advance(2_099);
    expect((await report(made, '10.0.0.1')).status).toBe(429);
    replicas.clock.advance(1);
    expect((await report(made, '10.0.0.1')).status).toBe(201);
  });

  it('survives a change of another credential, after which this one is read again', async () => {
    const { body: made } = await create({ reportsPerSecond: 1 });
    replicas.clock.advance(10_000);
    expect((await report(made, '10.0.0.1')).status).toBe(201);
    const { body: other } = await create({});
    await replicas.one.request('DELETE', `/v1/project_tokens/${other.id}`, {
      as: { access: replicas.admin },
    });
    expect((await report(made, '10.0.0.1')).status).toBe(429);
  });
});
