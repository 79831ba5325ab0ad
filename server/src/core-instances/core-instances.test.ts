import { gzipSync } from 'node:zlib';
import type {
  CoreInstance,
  CoreInstanceBatchResult,
  CoreInstanceWithToken,
  ProjectSummary,
} from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../testing/calls/problem-body.ts';
import { siteStatus } from '../testing/calls/site-calls.ts';
import { eventually } from '../testing/eventually.ts';
import { readAuditLog } from '../testing/rows/read-audit-log.ts';
import { readRows } from '../testing/rows/read-rows.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let maker: { readonly id: string; readonly token: string };

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
  maker = await app.createToken(project.id, ['create:core_instance']);
});

afterAll(() => app.close());

const key = 'k'.repeat(32);

function create(body: object, token = maker.token) {
  return app.request<CoreInstanceWithToken>('POST', '/v1/core_instances', { as: { project: token }, body });
}

function get(id: string) {
  return app.request<CoreInstance>('GET', `/v1/core_instances/${id}`, { as: { access: app.admin } });
}

function me(token: string) {
  return app.request('GET', '/v1/me', { as: { core_instance: token } });
}

function rotate(id: string, body: object = {}) {
  return app.request<CoreInstance>('POST', `/v1/core_instances/${id}/rotate`, {
    as: { access: app.admin },
    body,
  });
}

function rotateOwn(token: string) {
  return app.request<CoreInstanceWithToken>('POST', '/v1/core_instances/self/rotate', {
    as: { core_instance: token },
    body: {},
  });
}

/** A batch with nothing in it. */
function sendBatch(token: string, changes: object = { id: '0192f0a0-0000-7000-8000-000000000001' }) {
  const body = { protocol: 1, sequence: 1, status: siteStatus(app.clock.now()), items: [], ...changes };
  return app.request<CoreInstanceBatchResult>('POST', '/v1/core_instances/self/batches', {
    as: { core_instance: token },
    body,
  });
}

/** A question is a sign of life too. */
function ask(token: string) {
  return sendBatch(token, {});
}

describe('POST /v1/core_instances', () => {
  it('creates a core instance in the project of the token, and answers its token once', async () => {
    const { status, body } = await create({
      name: 'plant-1',
      version: '0.1.0',
      tags: ['eu'],
      metadata: { rack: '7', password: 'hunter2hunter2' },
      addHealthCheckPipeline: true,
    });
    expect(status).toBe(201);
    const now = new Date(app.clock.now()).toISOString();
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      projectID: project.id,
      name: 'plant-1',
      version: '0.1.0',
      tags: ['eu'],
      metadata: { rack: '7', password: '--redacted--' },
      token: expect.stringMatching(/^mst_c_[0-9A-Za-z]{49}$/),
      status: 'waiting',
      createdAt: now,
      createdBy: { kind: 'project_token', id: maker.id, name: 'test' },
      updatedAt: now,
      lastContactAt: null,
      startedAt: null,
      agentsCount: 0,
      spooledCount: 0,
      spooledBytes: 0,
      oldestSpooledAt: null,
      lagSeconds: 0,
      lostCount: 0,
      lastLossAt: null,
      refusedCount: 0,
      lastRefusal: null,
      receivedPerMinute: Array.from({ length: 60 }, () => 0),
      clockOffsetMilliseconds: null,
      rotatedAt: null,
      revokedAt: null,
    });
    expect((await get(body.id)).body).toEqual({ ...body, token: `mst_c_…${body.token.slice(-4)}` });
    expect((await me(body.token)).body).toEqual({
      kind: 'core_instance',
      id: body.id,
      name: 'plant-1',
      permissions: ['update:core_instance'],
      projectID: project.id,
      expiresAt: null,
    });
  });

  it('makes a name if it gets none', async () => {
    const { body } = await create({ name: null });
    expect(body.name).toMatch(/^core-instance-[0-9a-f]{8}$/);
  });

  it('finds the same one again by its key, with another token, and ends the earlier one', async () => {
    const first = (await create({ name: 'plant-2', instanceKey: key })).body;
    expect((await me(first.token)).status).toBe(200);
    const again = await create({ name: 'plant-2', instanceKey: key });
    expect(again.status).toBe(201);
    expect(again.body.id).toBe(first.id);
    expect(again.body.token).not.toBe(first.token);
    expect((await me(first.token)).body).toEqual(problemBody('rotated_credential'));
    expect((await me(again.body.token)).status).toBe(200);
  });

  it('gives one that was created without a key, and was never heard, to the first that joins with its name', async () => {
    const planned = (await create({ name: 'planned-1', tags: ['eu'] })).body;
    const joined = await create({ name: 'planned-1', version: '0.1.0', instanceKey: 'd'.repeat(32) });
    expect([joined.status, joined.body.id, joined.body.tags]).toEqual([201, planned.id, ['eu']]);
    expect((await me(planned.token)).body).toEqual(problemBody('rotated_credential'));
    const again = await create({ name: 'planned-1', instanceKey: 'd'.repeat(32) });
    expect(again.body.id).toBe(planned.id);
    expect(await create({ name: 'planned-1', instanceKey: 'e'.repeat(32) })).toMatchObject({
      status: 409,
      body: { code: 'core_instance_name_taken' },
    });
  });

  it('refuses the name of one that was created without a key and has been heard', async () => {
    const planned = (await create({ name: 'planned-2' })).body;
    await ask(planned.token);
    const other = await create({ name: 'planned-2', instanceKey: 'f'.repeat(32) });
    expect([other.status, other.body]).toMatchObject([409, { code: 'core_instance_name_taken' }]);
  });

  it('refuses a name that another one has', async () => {
    const first = (await create({ name: 'plant-3', instanceKey: 'a'.repeat(40) })).body;
    const other = await create({ name: 'plant-3', instanceKey: 'b'.repeat(40) });
    expect(other.status).toBe(409);
    expect(other.body).toEqual(
      problemBody(
        'core_instance_name_taken',
        `The core instance ${first.id} of this project is called 'plant-3'. Choose another name. If it is the same one and its state folder was lost, delete that one first: muster core-instance delete plant-3`,
      ),
    );
  });

  it('takes the name of one of another project', async () => {
    const other = await app.createProject('other');
    await create({ name: 'plant-4' });
    const { token } = await app.createToken(other.id, ['create:core_instance']);
    expect((await create({ name: 'plant-4' }, token)).status).toBe(201);
  });

  it('refuses a token of an agent, which must not pose as a site', async () => {
    const answer = await create({ name: 'plant-5' }, project.token);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 'permission_denied' });
  });

  it('refuses a short key by its name', async () => {
    const answer = await create({ instanceKey: 'short' });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'invalid_body', fields: [{ path: '/instanceKey' }] });
  });

  it('goes on when the token that created it is revoked', async () => {
    const { id, token } = await app.createToken(project.id, ['create:core_instance']);
    const { body } = await create({ name: 'plant-6' }, token);
    await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
    expect((await ask(body.token)).body).toMatchObject({ sequence: 0, pendingID: null, nextPing: '30s' });
  });

  it('is removed with its project, and no other one is', async () => {
    const deleted = await app.createProject();
    const { id } = await app.createCoreInstance(deleted);
    const { body: kept } = await create({});
    await app.request('DELETE', `/v1/projects/${deleted.id}`, { as: { access: app.admin } });
    const left = () =>
      readRows(app.dataDirectory, `select id from core_instances where id in ('${id}', '${kept.id}')`);
    await eventually(async () => expect(await left()).toEqual([{ id: kept.id }]));
    expect((await me(kept.token)).status).toBe(200);
  });

  it('creates one of many that ask at once with the same key', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => create({ name: 'plant-7', instanceKey: 'c'.repeat(32) })),
    );
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
    const answers = await Promise.all(all.map(({ body }) => me(body.token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('the status of a core instance', () => {
  it('is waiting, running after its first contact, and unreachable 90 seconds later', async () => {
    const { body } = await create({ name: 'status-1' });
    expect((await get(body.id)).body.status).toBe('waiting');
    await ask(body.token);
    const heardAt = new Date(app.clock.now()).toISOString();
    expect((await get(body.id)).body).toMatchObject({ status: 'running', lastContactAt: heardAt });
    app.clock.advance(90_000);
    expect((await get(body.id)).body.status).toBe('running');
    app.clock.advance(1);
    expect((await get(body.id)).body.status).toBe('unreachable');
    const listed = await app.request<CoreInstance[]>(
      'GET',
      `/v1/projects/${project.id}/core_instances?status=unreachable&name=status-*`,
      { as: { access: app.admin } },
    );
    expect(listed.body.map(({ id }) => id)).toEqual([body.id]);
    await ask(body.token);
    expect((await get(body.id)).body.status).toBe('running');
  });

  it('does not catch up by a question alone', async () => {
    const { body } = await create({ name: 'asks-1' });
    await sendBatch(body.token);
    const heardAt = new Date(app.clock.now()).toISOString();
    app.clock.advance(120_000);
    await ask(body.token);
    expect((await get(body.id)).body).toMatchObject({ oldestSpooledAt: heardAt, lagSeconds: 120 });
    await app.request('DELETE', `/v1/core_instances/${body.id}`, { as: { access: app.admin } });
  });

  it('stays as it was while the service has not listened for as long itself', async () => {
    const { body } = await create({ name: 'slept-1' });
    const shown = async () => {
      const { body: figures } = await app.request<ProjectSummary>(
        'GET',
        `/v1/projects/${project.id}/summary`,
        {
          as: { access: app.admin },
        },
      );
      return [(await get(body.id)).body.status, figures.coreInstances.unreachable];
    };
    await ask(body.token);
    app.clock.advance(91_000);
    await app.app.runAlerts();
    const [status, before] = await shown();
    expect(status).toBe('unreachable');
    // The machine sleeps.
    app.clock.set(3_600_000);
    expect(await shown()).toEqual(['unreachable', before]);
    await ask(body.token);
    await app.app.runAlerts();
    app.clock.set(3_600_000);
    expect((await shown())[0]).toBe('running');
    app.clock.advance(90_001);
    expect((await shown())[0]).toBe('unreachable');
  });
});

describe('a compressed batch', () => {
  it('is taken', async () => {
    const { body } = await create({ name: 'gzip-1' });
    const id = '0192f0a0-0000-7000-8000-000000000001';
    const batch = { protocol: 1, sequence: 1, id, status: siteStatus(app.clock.now()), items: [] };
    const answer = await app.app.http.inject({
      method: 'POST',
      url: '/v1/core_instances/self/batches',
      headers: {
        'x-core-instance-token': body.token,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      payload: gzipSync(JSON.stringify(batch)),
    });
    expect([answer.statusCode, answer.json().sequence]).toEqual([200, 1]);
  });
});

describe('the figures of core instances', () => {
  it('are in the summary of the project and in the metrics', async () => {
    // The metrics are of all projects, and what waits at others is older.
    const { body: others } = await app.request<CoreInstance[]>(
      'GET',
      `/v1/projects/${project.id}/core_instances`,
      { as: { access: app.admin } },
    );
    for (const { id } of others)
      await app.request('DELETE', `/v1/core_instances/${id}`, { as: { access: app.admin } });
    const own = await app.createProject();
    await app.createCoreInstance(own);
    const running = await app.createCoreInstance(own);
    const now = app.clock.now();
    const status = siteStatus(now, { spooledCount: 5, oldestSpooledAt: now - 40_000, lostCount: 2 });
    await app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: running.token },
      body: { protocol: 1, sequence: 1, id: '0192f0a0-0000-7000-8000-000000000001', status, items: [] },
    });
    const { body } = await app.request<ProjectSummary>('GET', `/v1/projects/${own.id}/summary`, {
      as: { access: app.admin },
    });
    expect(body.coreInstances).toEqual({ waiting: 1, running: 1, unreachable: 0, maxLagSeconds: 40 });
    const { text } = await app.request('GET', '/metrics');
    expect(text).toContain('muster_core_instance_max_lag_seconds 40\n');
    expect(text).toContain('muster_core_instance_spooled_items 5\n');
    expect(text).toContain('muster_core_instance_lost_reports 2\n');
    expect(text).toMatch(/muster_core_instances\{status="running"\} [1-9]/);
  });
});

describe('PATCH and DELETE /v1/core_instances/{coreInstanceID}', () => {
  it('changes the given fields, and tells the audit log', async () => {
    const { body } = await create({ name: 'change-1', tags: ['a'] });
    const url = `/v1/core_instances/${body.id}`;
    const changed = await app.request<CoreInstance>('PATCH', url, {
      as: { access: app.admin },
      body: { name: 'change-2', tags: null },
    });
    expect(changed.body).toMatchObject({ name: 'change-2', tags: ['a'] });
    expect((await me(body.token)).body).toMatchObject({ name: 'change-2' });
    const entries = await readAuditLog(app);
    expect(entries.find(({ action }) => action === 'core_instance.updated')).toMatchObject({
      action: 'core_instance.updated',
      target: { kind: 'core_instance', id: body.id, name: 'change-1' },
      before: { name: 'change-1' },
      after: { name: 'change-2' },
    });
  });

  it('refuses a name that is taken', async () => {
    await create({ name: 'change-3' });
    const { body } = await create({ name: 'change-4' });
    const answer = await app.request('PATCH', `/v1/core_instances/${body.id}`, {
      as: { access: app.admin },
      body: { name: 'change-3' },
    });
    expect(answer.status).toBe(409);
  });

  it('deletes: whoever has its token gets 410 from then on, and its name is free', async () => {
    const { body } = await create({ name: 'delete-1' });
    await me(body.token);
    const url = `/v1/core_instances/${body.id}`;
    const as = { access: app.admin };
    expect((await app.request('DELETE', url, { as })).status).toBe(204);
    const refused = await ask(body.token);
    expect([refused.status, refused.body]).toEqual([410, problemBody('core_instance_deleted')]);
    expect((await app.request('GET', url, { as })).status).toBe(410);
    expect((await create({ name: 'delete-1' })).status).toBe(201);
  });
});

describe('rotation', () => {
  it('by an operator tells the core instance to get another token, and ends the earlier one when that is used', async () => {
    const { body } = await create({ name: 'rotate-1' });
    expect((await ask(body.token)).status).toBe(200);
    const answer = await rotate(body.id);
    expect([answer.status, answer.body]).toEqual([200, (await get(body.id)).body]);
    expect(answer.body).toMatchObject({
      token: expect.stringMatching(/^mst_c_…/),
      rotatedAt: new Date(app.clock.now()).toISOString(),
    });
    expect((await sendBatch(body.token)).body.rotateBefore).toBe(app.clock.now() + 86_400_000);
    const own = await rotateOwn(body.token);
    expect(own.status).toBe(200);
    expect((await sendBatch(body.token)).body.rotateBefore).toBe(app.clock.now() + 86_400_000);
    expect((await sendBatch(own.body.token)).body.rotateBefore).toBeNull();
    expect((await me(body.token)).body).toEqual(problemBody('rotated_credential'));
    const entries = await readAuditLog(app);
    expect(
      entries
        .filter(({ target }) => target?.id === body.id)
        .map(({ action, actor }) => [action, actor.kind])
        .reverse(),
    ).toEqual([
      ['core_instance.created', 'project_token'],
      ['core_instance.rotated', 'user'],
      ['core_instance.rotated', 'core_instance'],
      ['core_instance.earlier_values_ended', 'system'],
    ]);
  });

  it('by an operator ends the token of one that is not heard in time, and at once if asked: then it joins again', async () => {
    const joined = { name: 'rotate-4', instanceKey: 'r'.repeat(40) };
    const { body } = await create(joined);
    await rotate(body.id, { graceSeconds: 60 });
    app.clock.advance(59_999);
    expect((await sendBatch(body.token)).body.rotateBefore).toBe(app.clock.now() + 1);
    app.clock.advance(1);
    expect((await sendBatch(body.token)).body).toEqual(problemBody('rotated_credential'));
    expect((await rotateOwn(body.token)).body).toEqual(problemBody('rotated_credential'));
    const again = await create(joined);
    expect(again.body.id).toBe(body.id);
    expect((await sendBatch(again.body.token)).body.rotateBefore).toBeNull();
    await rotate(body.id, { graceSeconds: 0 });
    expect((await sendBatch(again.body.token)).body).toEqual(problemBody('rotated_credential'));
    expect((await create(joined)).body.id).toBe(body.id);
  });

  it('by an operator locks out no core instance that does not have the newest token yet', async () => {
    const { body } = await create({ name: 'rotate-5' });
    // The answer of its own rotation was lost, and then the operator asks twice.
    const lost = await rotateOwn(body.token);
    await rotate(body.id);
    await rotate(body.id, { graceSeconds: 600 });
    expect((await me(lost.body.token)).body).toEqual(problemBody('invalid_credential'));
    expect((await sendBatch(body.token)).body.rotateBefore).toBe(app.clock.now() + 600_000);
    const own = await rotateOwn(body.token);
    expect((await me(own.body.token)).status).toBe(200);
    await rotate(body.id);
    await rotate(body.id, { graceSeconds: 0 });
    expect((await me(own.body.token)).body).toEqual(problemBody('rotated_credential'));
  });

  it('by itself ends the earlier token at the first use of the new one', async () => {
    const { body } = await create({ name: 'rotate-2' });
    const lost = await rotateOwn(body.token);
    expect(lost.status).toBe(200);
    // The answer was lost: the earlier token asks again.
    const rotated = await rotateOwn(body.token);
    expect(rotated.status).toBe(200);
    expect((await me(lost.body.token)).body).toEqual(problemBody('invalid_credential'));
    expect((await me(body.token)).status).toBe(200);
    expect((await me(rotated.body.token)).status).toBe(200);
    expect((await me(body.token)).body).toEqual(problemBody('rotated_credential'));
  });

  it('by itself twice at once leaves the earlier token valid until one of the new ones is used', async () => {
    const { body } = await create({ name: 'rotate-6' });
    const both = await Promise.all([rotateOwn(body.token), rotateOwn(body.token)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await me(body.token)).status).toBe(200);
    const statuses = [];
    for (const { body: own } of both) statuses.push((await me(own.token)).status);
    expect(statuses.toSorted()).toEqual([200, 401]);
    expect((await me(body.token)).body).toEqual(problemBody('rotated_credential'));
  });

  it('gives whoever has the earlier token no other one after the new one was used', async () => {
    const { body } = await create({ name: 'rotate-3' });
    await rotate(body.id);
    const { body: own } = await rotateOwn(body.token);
    expect((await me(own.token)).status).toBe(200);
    const late = await rotateOwn(body.token);
    expect([late.status, late.body]).toEqual([401, problemBody('rotated_credential')]);
  });
});

describe('a token of a core instance that was found in public', () => {
  it('is revoked, and the core instance joins again', async () => {
    const joined = { name: 'leak-1', instanceKey: 'l'.repeat(40) };
    const { body } = await create(joined);
    await me(body.token);
    await app.request('POST', '/v1/token_leaks', { body: [{ token: body.token, source: 'an image' }] });
    await expect.poll(async () => (await me(body.token)).body).toEqual(problemBody('revoked_credential'));
    expect((await get(body.id)).body.revokedAt).toBe(new Date(app.clock.now()).toISOString());
    const again = await create(joined);
    expect((await me(again.body.token)).status).toBe(200);
    expect((await me(body.token)).body).toEqual(problemBody('rotated_credential'));
    expect((await get(body.id)).body.revokedAt).toBeNull();
  });
});

describe('the older name', () => {
  it('leads to the same', async () => {
    const as = { project: maker.token };
    const { body } = await app.request<CoreInstanceWithToken>('POST', '/v1/core_instances', { as, body: {} });
    const answer = await app.app.http.inject({
      method: 'GET',
      url: `/v1/aggregators/${body.id}`,
      headers: { authorization: `Bearer ${app.admin}` },
    });
    expect(answer.json()).toEqual((await get(body.id)).body);
    const list = await app.app.http.inject({
      method: 'GET',
      url: `/v1/projects/${project.id}/aggregators?last=1`,
      headers: { authorization: `Bearer ${app.admin}` },
    });
    expect(list.json()).toMatchObject([{ id: body.id }]);
    expect(list.headers.link).toContain(`/v1/projects/${project.id}/core_instances?`);
  });
});
