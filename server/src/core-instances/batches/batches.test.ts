import { hash, randomUUID } from 'node:crypto';
import { type Agent, type AgentError, type CoreInstance, formatToken } from '@muster/contract';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { idOfToken, siteBatchCalls } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let site: { readonly id: string; readonly token: string };
let tokenID: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  project = await app.createProject();
  site = await app.createCoreInstance(project);
  tokenID = await idOfToken(app, project);
});

const { admin, agent, batchOf, error, errors, errorsOf, iso, pass, registration, send } = siteBatchCalls(
  () => ({ app, site, tokenID }),
);

describe('a batch of errors', () => {
  it('stores errors with the times at which they happened, and their counts', async () => {
    const { id } = await app.registerAgent(project);
    const answer = await pass(
      errors(id, error('disk full', 7_200_000, 5, 3_600_000), error('timeout', 60_000)),
    );
    expect(answer).toEqual({
      sequence: 1,
      batchID: null,
      pendingID: null,
      nextPing: '30s',
      credentialsCursor: expect.any(String),
      fleetGeneration: expect.any(Number),
      rotateBefore: null,
      refused: [],
      aliases: [],
    });
    expect(
      (await errorsOf(id)).map(({ error: text, createdAt, lastSeenAt, occurrences }) => ({
        text,
        createdAt,
        lastSeenAt,
        occurrences,
      })),
    ).toEqual([
      { text: 'timeout', createdAt: iso(60_000), lastSeenAt: iso(60_000), occurrences: 1 },
      { text: 'disk full', createdAt: iso(7_200_000), lastSeenAt: iso(3_600_000), occurrences: 5 },
    ]);
  });

  it('counts repeats of an error that is open, also of one that the agent reported itself', async () => {
    const { id, token } = await app.registerAgent(project);
    await app.request('POST', `/v1/agents/${id}/errors`, {
      as: { agent: token },
      body: { error: 'disk full' },
    });
    await pass(errors(id, error('disk full', 1_000, 3)), errors(id, error('disk full', 500, 4)));
    expect(await errorsOf(id)).toMatchObject([{ error: 'disk full', occurrences: 8 }]);
  });

  it('registers an unknown machine, and redacts secrets', async () => {
    const { agentsOf } = await listAgents();
    const secret = formatToken('agent', new Uint8Array(32));
    await pass({
      kind: 'errors',
      by: { tokenID },
      machineID: 'web-77',
      errors: [error(`denied: ${secret}`)],
    });
    const [found] = await agentsOf();
    expect(found).toMatchObject({ machineID: 'web-77', name: 'web-77' });
    expect(await errorsOf(found?.id ?? '')).toMatchObject([{ error: 'denied: --redacted--' }]);
  });

  it('changes nothing when it is sent again, and gives the same answer', async () => {
    const { id } = await app.registerAgent(project);
    const batch = batchOf([errors(id, error('disk full', 1_000, 3)), errors(randomUUID(), error('x'))]);
    const first = await send(batch);
    expect(first.body.refused).toMatchObject([{ index: 1, error: { code: 'not_found' } }]);
    const again = await send({ ...batch, status: { ...batch.status, sentAt: app.clock.now() + 5 } });
    expect(again.body).toEqual(first.body);
    // Nor does it change anything without its items, which a site leaves out that knows that they are stored.
    expect((await send({ ...batch, items: [] })).body).toEqual(first.body);
    expect(await errorsOf(id)).toMatchObject([{ occurrences: 3 }]);
    const { body } = await app.request<CoreInstance>('GET', `/v1/core_instances/${site.id}`, { as: admin() });
    expect(body).toMatchObject({
      refusedCount: 1,
      lastRefusal: { at: iso(0), code: 'not_found', title: 'Not found' },
    });
    await pass(errors(id, error('disk full')));
    for (const items of [batch.items, []])
      expect((await send({ ...batch, items })).body).toMatchObject({ sequence: 2, refused: [] });
    expect(await errorsOf(id)).toMatchObject([{ occurrences: 4 }]);
  });

  it('is sent again with a new number if its number was that of another batch, as after a restored state folder', async () => {
    const { id } = await app.registerAgent(project);
    const before = { ...batchOf([errors(id, error('before'))]), id: randomUUID() };
    await send(before);
    const after = { ...batchOf([errors(id, error('after'))], { sequence: 1 }), id: randomUUID() };
    for (const _ of [1, 2]) expect((await send(after)).body).toMatchObject({ sequence: 2, refused: [] });
    expect((await errorsOf(id)).map((one) => one.error)).toEqual(['before']);
    // The number that was used up means no batch, also of a site that gives no ids.
    const { id: _id, ...unnamed } = after;
    expect((await send({ ...unnamed, sequence: 2 })).body.sequence).toBe(3);
    for (const _ of [1, 2]) expect((await send({ ...after, sequence: 4 })).body.sequence).toBe(4);
    expect((await send({ ...unnamed, sequence: 4 })).body.sequence).toBe(4);
    expect((await errorsOf(id)).map(({ error: text, occurrences }) => [text, occurrences]).sort()).toEqual([
      ['after', 1],
      ['before', 1],
    ]);
    expect(app.logs.some((line) => line.includes('left out batches') && line.includes(site.id))).toBe(false);
  });

  it('counts once in the minute in which it arrived, its reports with their repeats', async () => {
    const { id } = await app.registerAgent(project);
    const minutes = async () =>
      (await app.request<CoreInstance>('GET', `/v1/core_instances/${site.id}`, { as: admin() })).body
        .receivedPerMinute;
    const none = Array.from({ length: 57 }, () => 0);
    const batch = batchOf([
      registration('web-01').item,
      errors(id, error('disk full', 7_200_000, 5, 3_600_000), error('timeout')),
    ]);
    await send(batch);
    await send(batch);
    app.clock.advance(120_000);
    await pass();
    expect(await minutes()).toEqual([...none, 7, 0, 0]);
    await pass(errors(id, error('disk full', 0, 3)));
    await pass(errors(id, error('disk full')));
    expect(await minutes()).toEqual([...none, 7, 0, 4]);
  });

  it('is applied once if it is sent several times at once', async () => {
    const { id } = await app.registerAgent(project);
    const batch = batchOf([errors(id, error('disk full', 1_000, 3))]);
    const answers = await Promise.all([send(batch), send(batch), send(batch), send(batch), send(batch)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect(await errorsOf(id)).toMatchObject([{ occurrences: 3 }]);
  });

  it('accepts a gap, and tells the log', async () => {
    const { id } = await app.registerAgent(project);
    await pass(errors(id, error('a')));
    const { body } = await send(batchOf([errors(id, error('b'))], { sequence: 7 }));
    expect(body.sequence).toBe(7);
    expect((await errorsOf(id)).map((one) => one.error).sort()).toEqual(['a', 'b']);
    expect(app.logs.some((line) => line.includes('left out batches'))).toBe(true);
  });

  it('corrects the clock of the site, and takes no time of the future or of long ago', async () => {
    const { id } = await app.registerAgent(project);
    const ahead = 3_600_000;
    const now = app.clock.now();
    const at = (ago: number) => now + ahead - ago;
    await send(
      batchOf(
        [
          errors(id, { error: 'a', firstAt: at(60_000), lastAt: at(60_000), count: 1 }),
          errors(id, { error: 'future', firstAt: at(-9e9), lastAt: at(-9e9), count: 1 }),
          errors(id, { error: 'old', firstAt: 1, lastAt: 1, count: 1 }),
        ],
        { status: { sentAt: now + ahead } },
      ),
    );
    expect((await errorsOf(id)).map((one) => [one.error, one.createdAt])).toEqual([
      ['future', iso(0)],
      ['a', iso(60_000)],
      ['old', iso(7 * 86_400_000)],
    ]);
    const { body } = await app.request<CoreInstance>('GET', `/v1/core_instances/${site.id}`, { as: admin() });
    expect(body.clockOffsetMilliseconds).toBe(ahead);
  });

  it('opens a dismissed error anew, as a report does', async () => {
    const { id } = await app.registerAgent(project);
    await pass(errors(id, error('disk full', 5_000)));
    const [first] = await errorsOf(id);
    await app.request('POST', `/v1/agent_errors/${first?.id}/dismiss`, {
      as: admin(),
      body: { reason: 'x' },
    });
    await pass(errors(id, error('disk full', 1_000, 2)));
    expect((await errorsOf(id)).map(({ occurrences, dismissedAt }) => [occurrences, dismissedAt])).toEqual([
      [2, null],
      [1, iso(0)],
    ]);
  });

  it('opens what came after a mute, beside what came during it', async () => {
    const { id } = await app.registerAgent(project);
    await pass(errors(id, error('disk full', 90_000)));
    const [first] = await errorsOf(id);
    const groups = await app.request<{ id: string }[]>(
      'GET',
      `/v1/projects/${project.id}/agent_error_groups`,
      { as: admin() },
    );
    const path = `/v1/agent_error_groups/${groups.body[0]?.id}/mute`;
    const until = app.clock.now() + 60_000;
    const body = { until: new Date(until).toISOString(), reason: 'known' };
    expect((await app.request('POST', path, { as: admin(), body })).status).toBe(200);
    await app.request('POST', `/v1/agent_errors/${first?.id}/dismiss`, {
      as: admin(),
      body: { reason: 'x' },
    });
    app.clock.advance(90_000);
    await pass(
      errors(id, error('disk full', 40_000, 2)),
      errors(id, error('disk full', 20_000, 3)),
      errors(id, error('disk full', 50_000, 4), error('disk full', 10_000, 5)),
    );
    expect((await errorsOf(id)).map(({ occurrences, dismissedAt }) => [occurrences, dismissedAt])).toEqual([
      [12, null],
      [2, iso(40_000)],
      [1, iso(90_000)],
    ]);
  });
});

async function listAgents() {
  const agentsOf = async () =>
    (await app.request<Agent[]>('GET', `/v1/projects/${project.id}/agents`, { as: admin() })).body;
  return { agentsOf };
}

describe('a batch with a registration', () => {
  it('registers the agent with the id and the token that the site gave it', async () => {
    const { item, agentID, token } = registration('web-01');
    const answer = await pass(item, errors(agentID, error('a')), {
      kind: 'errors',
      by: { agentID },
      agentID,
      errors: [error('b')],
    });
    expect(answer).toMatchObject({ refused: [], aliases: [] });
    expect(await agent(agentID)).toMatchObject({ id: agentID, machineID: 'web-01', createdAt: iso(1_000) });
    expect(await errorsOf(agentID)).toHaveLength(2);
    expect((await app.request('GET', '/v1/me', { as: { agent: token } })).body).toMatchObject({
      id: agentID,
    });
  });

  it('answers the id of a machine that is known, and takes both ids from then on', async () => {
    const known = await app.registerAgent(project, 'web-02');
    const { item, agentID, token } = registration('web-02');
    const answer = await pass(item, errors(agentID, error('a')));
    expect(answer.aliases).toEqual([{ agentID, canonicalID: known.id }]);
    await pass({ kind: 'errors', by: { agentID }, agentID, errors: [error('b')] });
    expect((await errorsOf(known.id)).map((one) => one.error).sort()).toEqual(['a', 'b']);
    expect((await app.request('GET', '/v1/me', { as: { agent: token } })).body).toMatchObject({
      id: known.id,
    });
  });

  it('gives an agent an id that the service takes too, from that agent alone', async () => {
    const known = await app.registerAgent(project, 'web-03');
    const { item, agentID, token } = registration('web-03');
    await pass(item);
    const call = (method: string, path: string, body: object, agent = token) =>
      app.request(method, `/v1/agents/${agentID}${path}`, { as: { agent }, body });
    expect(await call('POST', '/errors', { error: 'c' })).toMatchObject({ status: 201 });
    expect((await errorsOf(known.id)).map((one) => one.error)).toEqual(['c']);
    expect((await call('PATCH', '', { version: '9' })).status).toBeLessThan(300);
    expect(await agent(known.id)).toMatchObject({ version: '9' });
    expect((await call('POST', '/heartbeat', { status: 'stopped' })).status).toBeLessThan(300);
    expect(await agent(known.id)).toMatchObject({ status: 'stopped' });
    const other = await app.registerAgent(project, 'web-04');
    for (const [method, path, body] of [
      ['POST', '/errors', { error: 'd' }],
      ['PATCH', '', { version: '10' }],
      ['POST', '/heartbeat', {}],
    ] as const)
      expect(await call(method, path, body, other.token)).toMatchObject({ status: 404 });
  });

  it('leads two sites where one machine registered to the same agent', async () => {
    const other = await app.createCoreInstance(project);
    const [here, there] = [registration('web-03'), registration('web-03')];
    await pass(here.item, errors(here.agentID, error('here')));
    const { body } = await send(
      batchOf([there.item, errors(there.agentID, error('there'))], { sequence: 1 }),
      other.token,
    );
    expect(body.aliases).toEqual([{ agentID: there.agentID, canonicalID: here.agentID }]);
    expect((await errorsOf(here.agentID)).map((one) => one.error).sort()).toEqual(['here', 'there']);
  });

  it('keeps the order of an agent: errors belong to the configuration that was before them', async () => {
    const { item, agentID } = registration('web-04');
    const update = (rawConfig: string) => ({
      kind: 'update',
      at: app.clock.now(),
      agentID,
      by: { agentID },
      agent: { rawConfig },
    });
    await pass(
      item,
      errors(agentID, error('x', 5, 2)),
      update('[INPUT]\n  name mem\n'),
      errors(agentID, error('x', 4, 3)),
      update('[INPUT]\n  name cpu\n'),
      errors(agentID, error('x', 3, 4)),
    );
    const list = await app.request<AgentError[]>('GET', `/v1/agents/${agentID}/errors?current=false`, {
      as: admin(),
    });
    const current = await app.request<AgentError[]>('GET', `/v1/agents/${agentID}/errors?current=true`, {
      as: admin(),
    });
    expect(list.body.map(({ occurrences }) => occurrences).sort()).toEqual([2, 3]);
    expect(current.body.map(({ occurrences }) => occurrences)).toEqual([4]);
    const configs = await app.request<unknown[]>('GET', `/v1/agents/${agentID}/config_history`, {
      as: admin(),
    });
    expect(configs.body).toHaveLength(3);
  });

  it('gives an agent another id if its own is of the future or no UUIDv7', async () => {
    const far = registration('web-05', { agentID: v7({ msecs: app.clock.now() + 86_400_000 }) });
    const odd = registration('web-06', { agentID: randomUUID() });
    const answer = await pass(far.item, odd.item);
    expect(answer.aliases.map(({ agentID }) => agentID)).toEqual([far.item.agentID, odd.item.agentID]);
  });
});

describe('what a site may not do', () => {
  it('refuses items of a credential that was revoked since, and takes the others', async () => {
    const { id } = await app.registerAgent(project);
    const other = await app.createToken(project.id, ['create:agent_error']);
    const by = { tokenID: other.id };
    await app.request('DELETE', `/v1/project_tokens/${other.id}`, { as: admin() });
    const answer = await pass({ ...errors(id, error('a')), by }, errors(id, error('b')));
    expect(answer.refused).toEqual([
      { index: 0, error: { ...problemBody('revoked_credential'), requestID: expect.any(String) } },
    ]);
    expect((await errorsOf(id)).map((one) => one.error)).toEqual(['b']);
  });

  it('takes what was sent before the token expired, and refuses what came later', async () => {
    const { id } = await app.registerAgent(project);
    const { body } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/tokens`, {
      as: admin(),
      body: { name: 'short', permissions: ['create:agent_error'], expiresAt: iso(-1_000) },
    });
    app.clock.advance(10_000);
    const by = { tokenID: body.id };
    const answer = await pass(
      { ...errors(id, error('before', 9_500)), by },
      { ...errors(id, error('after', 100)), by },
    );
    expect(answer.refused).toMatchObject([{ index: 1, error: { code: 'expired_credential' } }]);
  });

  it('refuses agents and tokens of another project as if they did not exist', async () => {
    const foreign = await app.createProject('foreign');
    const theirs = await app.registerAgent(foreign);
    const { body } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: foreign.token },
    });
    const answer = await pass(
      errors(theirs.id, error('a')),
      { kind: 'errors', by: { agentID: theirs.id }, agentID: theirs.id, errors: [error('b')] },
      { kind: 'errors', by: { tokenID: body.id }, agentID: theirs.id, errors: [error('c')] },
      { kind: 'update', at: 1, by: { tokenID }, agentID: theirs.id, agent: { name: 'mine' } },
      { kind: 'heartbeat', at: 1, by: { tokenID }, agentID: theirs.id },
      registration('x', { agentID: theirs.id }).item,
      registration('y', { tokenDigest: hash('sha256', theirs.token) }).item,
      registration('z', { tokenID: body.id }).item,
    );
    expect(answer.refused.map(({ index, error: { code } }) => [index, code])).toEqual([
      [0, 'not_found'],
      [1, 'invalid_credential'],
      [2, 'invalid_credential'],
      [3, 'not_found'],
      [4, 'not_found'],
      [5, 'invalid_body'],
      [6, 'invalid_body'],
      [7, 'invalid_credential'],
    ]);
    expect(await errorsOf(theirs.id)).toEqual([]);
    expect(await agent(theirs.id)).toMatchObject({ name: 'web-01' });
    expect((await app.request('GET', '/v1/me', { as: { agent: theirs.token } })).body).toMatchObject({
      id: theirs.id,
    });
  });

  it('refuses that an agent speaks for another one, and what a token may not do', async () => {
    const [one, other] = [await app.registerAgent(project), await app.registerAgent(project)];
    const narrow = await app.createToken(project.id, ['read:agent']);
    const answer = await pass(
      { kind: 'errors', by: { agentID: one.id }, agentID: other.id, errors: [error('a')] },
      { ...errors(one.id, error('b')), by: { tokenID: narrow.id } },
      registration('q', { tokenID: narrow.id }).item,
      registration('r', { agentID: one.id }).item,
    );
    expect(answer.refused.map(({ error: { code } }) => code)).toEqual([
      'not_found',
      'permission_denied',
      'permission_denied',
      'invalid_body',
    ]);
  });

  it('refuses a deleted agent with 410, and an agent whose tokens were revoked', async () => {
    const { id } = await app.registerAgent(project);
    await app.request('DELETE', `/v1/agents/${id}`, { as: admin() });
    const maker = await app.createToken(project.id, ['create:agent']);
    const ended = await app.registerAgent({ id: project.id, token: maker.token });
    await app.request('POST', `/v1/project_tokens/${maker.id}/revoke`, {
      as: admin(),
      body: { revokeAgents: true },
    });
    const answer = await pass(errors(id, error('a')), {
      kind: 'errors',
      by: { agentID: ended.id },
      agentID: ended.id,
      errors: [error('b')],
    });
    expect(answer.refused.map(({ error: { code } }) => code)).toEqual([
      'agent_deleted',
      'revoked_credential',
    ]);
  });

  it('refuses an item with a mistake alone, and names the field', async () => {
    const { id } = await app.registerAgent(project);
    const answer = await pass(
      errors(id, { ...error('a'), count: 0 }),
      { kind: 'nonsense' },
      errors(id, error('nul \u0000')),
      errors(id, error('fine')),
      { kind: 'errors', by: { tokenID }, errors: [error('nobody')] },
      { kind: 'errors', by: { agentID: id }, machineID: 'm', errors: [error('x')] },
    );
    expect(answer.refused.map(({ index, error: one }) => [index, one.code, one.fields?.[0]?.path])).toEqual([
      [0, 'invalid_body', '/errors/0/count'],
      [1, 'invalid_body', '/kind'],
      [2, 'invalid_body', '/errors/0/error'],
      [4, 'invalid_body', ''],
      [5, 'invalid_body', '/by'],
    ]);
    expect((await errorsOf(id)).map((one) => one.error)).toEqual(['fine']);
  });

  it('refuses a batch of another protocol, one with too many items, and one of a deleted core instance', async () => {
    const old = await send(batchOf([], { protocol: 0 }));
    expect([old.status, old.body]).toEqual([
      426,
      problemBody(
        'core_instance_too_old',
        'The core instance speaks protocol 0, and this service 1. Update the core instance. What waits at the site is kept until then.',
      ),
    ]);
    expect((await send(batchOf([], { protocol: 2 }))).status).toBe(426);
    const many = await send(batchOf(Array.from({ length: 501 }, () => ({}))));
    expect(many.body).toMatchObject({ code: 'invalid_body', fields: [{ path: '/items' }] });
    await app.request('DELETE', `/v1/core_instances/${site.id}`, { as: admin() });
    const gone = await send(batchOf([]));
    expect([gone.status, gone.body]).toEqual([410, problemBody('core_instance_deleted')]);
  });

  it('refuses the token of an agent and of a project', async () => {
    const { token } = await app.registerAgent(project);
    for (const as of [{ core_instance: token }, { agent: token }, { project: project.token }]) {
      const { status } = await app.request('POST', '/v1/core_instances/self/batches', {
        as,
        body: batchOf([]),
      });
      expect([401, 403]).toContain(status);
    }
  });
});
