import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { eventually } from '../../testing/eventually.ts';
import {
  type EventStream,
  listen,
  openEventStream,
  parseEvents,
} from '../../testing/receivers/event-stream.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

let app: TestApp;
let project: TestProject;
const streams: EventStream[] = [];

beforeEach(async () => {
  app = await startTestApp({
    groupIntervalMilliseconds: 5,
    eventPollMilliseconds: 5,
    config: { maxEventListeners: 4, maxEventListenersPerProject: 3, maxEventListenersPerCredential: 2 },
  });
  await listen(app);
  project = await app.createProject();
});
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  await app.close();
});

async function open(options: Partial<Parameters<typeof openEventStream>[2]> = {}): Promise<EventStream> {
  const stream = await openEventStream(app, project.id, { as: { access: app.admin }, ...options });
  streams.push(stream);
  return stream;
}

async function report(agentID: string, ...texts: string[]): Promise<string[]> {
  const { body } = await app.request<{ id: string }[]>('POST', `/v1/agents/${agentID}/errors`, {
    as: { project: project.token },
    body: texts.map((error) => ({ error })),
  });
  return body.map(({ id }) => id);
}

const withoutIDs = (stream: { events: EventStream['events'] }) =>
  stream.events.map(({ type, data }) => ({ type, ...data }));

describe('GET /v1/projects/{projectID}/events', () => {
  it('sends what happens, numbered without a gap, and nothing from before', async () => {
    const stream = await open();
    expect([stream.status, stream.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
        connection: 'close',
      },
    ]);
    // That of the project's first token may be noted before or after the stream begins.
    const { id: agentID } = await app.registerAgent(project, 'web-01', '[INPUT]\n  name cpu\n');
    const [errorID = ''] = await report(agentID, 'upstream 10.0.0.1 refused');
    await eventually(() => expect(stream.text()).toContain('agent_error.created'));
    await app.request('POST', `/v1/agent_errors/${errorID}/dismiss`, {
      as: { access: app.admin },
      body: { reason: 'seen' },
    });
    await eventually(() => expect(stream.text()).toContain('agent_error.dismissed'));
    await app.request('POST', `/v1/agent_errors/${errorID}/reopen`, { as: { access: app.admin } });
    await eventually(() => expect(stream.text()).toContain('agent_error.reopened'));
    await app.request('PATCH', `/v1/agents/${agentID}`, {
      as: { access: app.admin },
      body: { rawConfig: '[INPUT]\n  name mem\n' },
    });
    await eventually(() => expect(stream.text()).toContain('agent.configuration_changed'));
    const { id: tokenID } = await app.createToken(project.id, ['read:*']);
    await app.request('PATCH', `/v1/project_tokens/${tokenID}`, {
      as: { access: app.admin },
      body: { name: 'renamed' },
    });
    await app.request('DELETE', `/v1/project_tokens/${tokenID}`, { as: { access: app.admin } });
    await app.request('DELETE', `/v1/agents/${agentID}`, { as: { access: app.admin } });
    await eventually(() => expect(stream.text()).toContain('agent.deleted'));
    const events = withoutIDs(stream).filter(
      // How many changes of its status are seen depends on when they are counted.
      (one) => !('name' in one && one.name === 'default') && one.type !== 'agent.status_changed',
    );
    const { groupID } = stream.events.find(({ type }) => type === 'agent_error_group.new')?.data ?? {};
    const agent = { agentID, name: 'web-01', machineID: 'web-01' };
    expect(events).toEqual([
      { type: 'agent.registered', ...agent },
      { type: 'agent_error_group.new', groupID, pattern: expect.stringContaining('upstream') },
      { type: 'agent_error.created', groupID, count: 1, newestErrorID: errorID },
      { type: 'agent_error.dismissed', groupID, count: 1 },
      { type: 'agent_error.reopened', groupID, count: 1 },
      { type: 'agent.configuration_changed', ...agent },
      { type: 'token.created', tokenID, name: 'test' },
      { type: 'token.updated', tokenID, name: 'renamed', permissionsBefore: ['read:*'] },
      { type: 'token.revoked', tokenID, name: 'renamed' },
      { type: 'agent.deleted', ...agent, reason: null },
    ]);
    const ids = stream.events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index));
  });

  it('counts as one request of its token, however often its credential is checked', async () => {
    const { id, token } = await app.createToken(project.id, ['read:*']);
    const stream = await open({ as: { project: token }, query: '?types=agent.registered' });
    for (const machineID of ['web-01', 'web-02', 'web-03']) {
      await app.registerAgent(project, machineID);
      await eventually(() => expect(stream.text()).toContain(machineID));
    }
    const usage = await app.request<{ requestsByDay: unknown }>('GET', `/v1/project_tokens/${id}/usage`, {
      as: { access: app.admin },
    });
    expect(usage.body.requestsByDay).toEqual([
      { day: new Date(app.clock.now()).toISOString().slice(0, 10), requests: 1 },
    ]);
  });

  it('folds the errors of a group that are created within a second into one event', async () => {
    const stream = await open({ query: '?types=agent_error.*' });
    const { id: agentID } = await app.registerAgent(project);
    await report(agentID, 'connection to 10.0.0.1 refused');
    await stream.take(1);
    await report(agentID, 'connection to 10.0.0.2 refused', 'connection to 10.0.0.3 refused');
    const [newest] = await report(agentID, 'connection to 10.0.0.4 refused');
    // Of another group, so that the errors before it are surely counted.
    await report(agentID, 'disk is full');
    await stream.take(2);
    app.clock.advance(1_000);
    const events = await stream.take(3);
    expect(events.map(({ data }) => [data.count, data.newestErrorID === newest])).toEqual([
      [1, false],
      [1, false],
      [3, true],
    ]);
  });

  it('resumes after every event without a gap', async () => {
    const { id: agentID } = await app.registerAgent(project);
    for (let number = 1; number <= 5; number += 1) {
      await app.createToken(project.id, []);
      await report(agentID, `cause ${'abcdef'[number]} without a number`);
    }
    const whole = await open({ lastEventID: '0' });
    const all = await eventually(() => {
      expect(whole.events.length).toBe(18);
      return whole.events;
    });
    for (const [index, { id }] of all.entries()) {
      const resumed = await open({ lastEventID: id });
      expect((await resumed.take(all.length - index - 1)).slice(0, all.length - index - 1)).toEqual(
        all.slice(index + 1),
      );
      resumed.close();
      await resumed.ended;
      await eventually(() => expect(openListeners()).resolves.toBe(1));
    }
    const listed = await app.request('GET', `/v1/projects/${project.id}/events?follow=false`, {
      as: { access: app.admin },
      headers: { 'last-event-id': '0' },
    });
    expect(parseEvents(listed.text)).toEqual(all);
  });

  async function openListeners(): Promise<number> {
    const { text } = await app.request('GET', '/metrics');
    return Number(/^muster_event_listeners (\d+)$/m.exec(text)?.[1]);
  }

  it('begins with a reset where events are gone, or the id is of another database', async () => {
    await app.createToken(project.id, []);
    const first = await open({ lastEventID: '0' });
    await first.take(2);
    app.clock.advance(25 * 3_600_000);
    const future = await open({ lastEventID: '999999' });
    expect(await future.take(1)).toEqual([{ id: '2', type: 'reset', data: {} }]);
    first.close();
    future.close();
    await Promise.all([first.ended, future.ended]);
    const { dataDirectory } = app;
    await app.app.close();
    onTestFinished(async () => {
      rmSync(dataDirectory, { recursive: true });
      await dropTestDatabase(dataDirectory);
    });
    app = await startTestApp({
      dataDirectory,
      clock: app.clock,
      groupIntervalMilliseconds: 5,
      eventPollMilliseconds: 5,
    });
    await listen(app);
    // The start has removed what is too old.
    const old = await eventually(async () => {
      const stream = await open({ lastEventID: '1' });
      const [event] = await stream.take(1);
      expect(event?.type).toBe('reset');
      return event;
    });
    expect(old?.id).toBe('2');
    const current = await open({ lastEventID: '2' });
    await app.createToken(project.id, []);
    expect((await current.take(1))[0]).toMatchObject({ id: '3', type: 'token.created' });
  });

  it('refuses an id that is no number, an unknown type, and types that the credential may not read', async () => {
    const url = `/v1/projects/${project.id}/events`;
    const as = { project: (await app.createToken(project.id, ['read:agent'])).token };
    const bad = await app.request('GET', url, { as, headers: { 'last-event-id': 'x1' } });
    expect([bad.status, bad.body]).toEqual([
      400,
      problemBody(
        'invalid_last_event_id',
        'Send the id of the last event exactly as it was received: a whole number. Without the header, the stream begins now.',
      ),
    ]);
    const unknown = await app.request<{ code: string }>('GET', `${url}?types=agent.*,tokens`, { as });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'invalid_query_parameter']);
    const foreign = await app.request<{ code: string }>('GET', `${url}?types=agent.*,token.created`, { as });
    expect([foreign.status, foreign.body.code]).toEqual([403, 'permission_denied']);
    const nothing = { project: (await app.createToken(project.id, [])).token };
    expect((await app.request('GET', url, { as: nothing })).status).toBe(403);
  });

  it('leaves out types that the credential may not read, unless it names them', async () => {
    const as = { project: (await app.createToken(project.id, ['read:agent'])).token };
    const stream = await open({ as, lastEventID: '0' });
    const { id: agentID } = await app.registerAgent(project);
    await report(agentID, 'disk is full');
    await app.request('DELETE', `/v1/agents/${agentID}`, { as: { access: app.admin } });
    await eventually(() => expect(stream.text()).toContain('agent.deleted'));
    const types = stream.events.map(({ type }) => type).filter((type) => type !== 'agent.status_changed');
    expect(types).toEqual(['agent.registered', 'agent.deleted']);
  });

  it('ends when the credential is revoked, loses its permission or expires, and when the project is deleted', async () => {
    const revoked = await app.createToken(project.id, ['read:*']);
    const narrowed = await app.createToken(project.id, ['read:*']);
    const first = await open({ as: { project: revoked.token } });
    const second = await open({ as: { project: narrowed.token }, query: '?types=agent.*' });
    await app.request('DELETE', `/v1/project_tokens/${revoked.id}`, { as: { access: app.admin } });
    app.clock.advance(1_000);
    await first.ended;
    expect(first.text()).not.toContain('token.revoked');
    await app.request('PATCH', `/v1/project_tokens/${narrowed.id}`, {
      as: { access: app.admin },
      body: { permissions: ['read:token'] },
    });
    app.clock.advance(1_000);
    await second.ended;
    const expiring = await app.createToken(project.id, ['read:*']);
    await app.request('PATCH', `/v1/project_tokens/${expiring.id}`, {
      as: { access: app.admin },
      body: { expiresAt: new Date(app.clock.now() + 5_000).toISOString() },
    });
    const third = await open({ as: { project: expiring.token } });
    app.clock.advance(6_000);
    await third.ended;
    const fourth = await open();
    await app.request('DELETE', `/v1/projects/${project.id}`, { as: { access: app.admin } });
    app.clock.advance(1_000);
    await fourth.ended;
    const { text } = await app.request('GET', '/metrics');
    expect(text).toContain('muster_event_streams_ended_total{reason="refused"} 4');
  });

  it('ends when a role is lowered, before any event that the lower role may not read, and resumes with the others', async () => {
    const invited = await app.request<{ code: string }>('POST', `/v1/projects/${project.id}/invitations`, {
      as: { access: app.admin },
      body: { role: 'owner' },
    });
    const { body: user } = await app.request<{ userID: string; token: string }>(
      'POST',
      '/v1/invitations/sign_up',
      { body: { code: invited.body.code, name: 'Ada' } },
    );
    const as = { access: user.token };
    const stream = await open({ as });
    const { id: earlierID } = await app.createToken(project.id, []);
    await eventually(() => expect(stream.text()).toContain(earlierID));
    await app.request('PATCH', `/v1/projects/${project.id}/members/${user.userID}`, {
      as: { access: app.admin },
      body: { permissions: ['read:agent'] },
    });
    const { id: laterID } = await app.createToken(project.id, []);
    const { id: agentID } = await app.registerAgent(project);
    app.clock.advance(1_000);
    await stream.ended;
    expect(stream.text()).not.toMatch(new RegExp(`member\\.updated|${laterID}|${agentID}`));
    const again = await open({ as, lastEventID: stream.events.at(-1)?.id });
    await eventually(() => expect(again.text()).toContain(agentID));
    expect(again.text()).not.toContain(laterID);
  });

  it('sends a comment every 15 seconds, with the id from which the listener resumes', async () => {
    const stream = await open({ query: '?types=agent.*' });
    await app.createToken(project.id, []);
    app.clock.advance(14_000);
    await app.registerAgent(project);
    await stream.take(1);
    expect(stream.text()).not.toContain(': still here');
    app.clock.advance(15_000);
    await eventually(() => expect(stream.text()).toContain(': still here\nid: 3\n\n'));
  });

  it('limits the streams of a credential, of a project and of the process', async () => {
    const tokens = [];
    for (let count = 0; count < 3; count += 1) tokens.push(await app.createToken(project.id, ['read:*']));
    const [one, two, three] = tokens.map(({ token }) => ({ project: token }));
    if (one === undefined || two === undefined || three === undefined) throw new Error('there are three');
    const first = await open({ as: one });
    await open({ as: one });
    const ofCredential = await open({ as: one });
    expect([ofCredential.status, ofCredential.headers['retry-after']]).toEqual([429, '30']);
    await open({ as: two });
    expect((await open({ as: three })).status).toBe(429);
    const other = await app.createProject('other');
    const inOther = () => openEventStream(app, other.id, { as: { access: app.admin } });
    streams.push(await inOther());
    const ofAll = await inOther();
    streams.push(ofAll);
    expect([ofAll.status, ofAll.headers['retry-after']]).toEqual([503, '30']);
    first.close();
    await eventually(async () => {
      const again = await open({ as: three });
      if (again.status !== 200) again.close();
      expect(again.status).toBe(200);
    });
  });

  it('keeps the format whatever texts contain', async () => {
    const stream = await open({ query: '?types=token.created' });
    const name = 'a\n\nevent: reset\r\rdata: {}\u2028"\\';
    const { body } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/tokens`, {
      as: { access: app.admin },
      body: { name, permissions: [] },
    });
    await eventually(() => expect(stream.text()).toContain(body.id));
    expect(stream.events.at(-1)).toMatchObject({ type: 'token.created', data: { tokenID: body.id, name } });
  });

  it('answers HEAD without a stream', async () => {
    const answer = await app.request('HEAD', `/v1/projects/${project.id}/events`, {
      as: { access: app.admin },
    });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      200,
      '',
      'text/event-stream',
    ]);
  });

  it('ends at once when the service stops', async () => {
    const stream = await open();
    await app.close();
    await stream.ended;
    app = await startTestApp();
  });
});
