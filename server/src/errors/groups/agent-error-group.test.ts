import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;
let project: TestProject;
let first: string;
let second: string;
let groupID: string;
let startedAt: number;

const hour = 3_600_000;
const timestamp = (milliseconds: number) => new Date(milliseconds).toISOString();

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  groups = callErrorGroups(test);
  project = await test.createProject();
  first = (await test.registerAgent(project, 'web-01')).id;
  second = (await test.registerAgent(project, 'web-02')).id;
  // The middle of an hour.
  test.clock.advance(hour - (test.clock.now() % hour) + hour / 2);
  startedAt = test.clock.now();
  await errors.report(project, first, 'no route to 10.0.0.1');
  await errors.report(project, second, 'no route to 10.0.0.2');
  test.clock.advance(2 * hour);
  await errors.report(project, first, 'no route to 10.0.0.3');
  await errors.configure(second, '[OUTPUT]');
  groupID = (await groups.list(project.id)).body[0]?.id ?? '';
});

afterAll(() => test.close());

describe('GET /v1/agent_error_groups/{agentErrorGroupID}', () => {
  it('returns the group as the list does', async () => {
    const { status, body } = await groups.get(groupID);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      agentsCount: 1,
      errorsByState: { current: 2, superseded: 1, dismissed: 0 },
      storedAgentsCount: 2,
    });
    expect([body]).toEqual((await groups.list(project.id)).body);
  });

  it('answers the same 404 for an unknown group and for one of another project', async () => {
    const { id } = await test.createProject();
    const { token } = await test.createToken(id, ['read:agent_error', 'update:agent_error']);
    const unknown = randomUUID();
    for (const path of ['', '/agents', '/errors', '/history', '/origin']) {
      const ofOther = await test.request('GET', `/v1/agent_error_groups/${groupID}${path}`, {
        as: { project: token },
      });
      const ofNobody = await test.request('GET', `/v1/agent_error_groups/${unknown}${path}`, {
        as: { project: token },
      });
      expect([ofOther.status, ofNobody.status]).toEqual([404, 404]);
      expect(ofNobody.body).toMatchObject({
        code: 'not_found',
        detail: `There is no group of agent errors ${unknown} that this credential can see.`,
      });
    }
    expect((await groups.get('x')).status).toBe(400);
  });
});

describe('GET /v1/agent_error_groups/{agentErrorGroupID}/agents', () => {
  it('returns agents with such errors, newest agent first', async () => {
    const [ofFirst] = (await groups.listAgents(groupID)).body;
    expect(ofFirst).toEqual({
      id: first,
      name: 'web-01',
      machineID: 'web-01',
      version: null,
      fleetID: null,
      configID: expect.stringMatching(/-7/),
      fleet: null,
      lastSeenAt: timestamp(startedAt + 2 * hour),
      errorsCount: 2,
      openError: {
        id: expect.stringMatching(/-7/),
        error: 'no route to 10.0.0.1',
        groupID,
        createdAt: timestamp(startedAt),
        occurrences: 1,
        lastSeenAt: timestamp(startedAt),
      },
    });
    // Its error is of an earlier configuration.
    expect((await groups.listAgents(groupID, '?current=false')).body[0]?.openError).toBeNull();
    const list = async (query: string) =>
      (await groups.listAgents(groupID, query)).body.map(({ id, errorsCount }) => [id, errorsCount]);
    expect(await list('')).toEqual([[first, 2]]);
    expect(await list('?current=false')).toEqual([[second, 1]]);
    expect(await list('?dismissed=false')).toEqual([
      [second, 1],
      [first, 2],
    ]);
    expect(await list('?dismissed=true')).toEqual([]);
    expect(await list('?dismissed=false&last=1')).toEqual([[second, 1]]);
    expect((await groups.listAgents(groupID, '?dismissed=true&current=true')).status).toBe(400);
  });
});

describe('GET /v1/agent_error_groups/{agentErrorGroupID}/errors', () => {
  it('returns its errors, newest first', async () => {
    const list = async (query: string) =>
      (await groups.listErrors(groupID, query)).body.map(({ error }) => error.slice(-1));
    expect(await list('')).toEqual(['3', '2', '1']);
    expect(await list('?current=true')).toEqual(['3', '1']);
    expect(await list('?current=false&dismissed=false')).toEqual(['2']);
    expect(await list('?dismissed=true')).toEqual([]);
    expect(await list('?last=2')).toEqual(['3', '2']);
    expect((await groups.listErrors(groupID)).body).toEqual((await errors.listOfProject(project.id)).body);
  });
});

describe('GET /v1/agent_error_groups/{agentErrorGroupID}/history', () => {
  it('counts what was created in each hour, minute or day', async () => {
    const [since, until] = [timestamp(startedAt), timestamp(startedAt + 2 * hour + 1)];
    const { status, body } = await groups.history(groupID, `?since=${since}&until=${until}`);
    expect(status).toBe(200);
    expect(body.bucket).toBe('hour');
    expect(body.buckets).toEqual([
      { startsAt: timestamp(startedAt - hour / 2), errorsCount: 2, agentsCount: 2 },
      { startsAt: timestamp(startedAt + hour / 2), errorsCount: 0, agentsCount: 0 },
      { startsAt: timestamp(startedAt + 1.5 * hour), errorsCount: 1, agentsCount: 1 },
    ]);
    const total = async (query: string) => {
      const { buckets } = (await groups.history(groupID, query)).body;
      return [buckets.length, buckets.reduce((sum, { errorsCount }) => sum + errorsCount, 0)];
    };
    expect(await total('')).toEqual([25, 3]);
    expect(await total('?bucket=minute')).toEqual([61, 1]);
    expect(await total('?bucket=day')).toEqual([31, 3]);
    expect(await total(`?until=${timestamp(startedAt)}`)).toEqual([25, 0]);
  });

  it.each([
    ['?bucket=second', 'bucket'],
    ['?bucket=minute&since=2020-01-01T00:00:00Z', 'since'],
    ['?since=2999-01-01T00:00:00Z', 'since'],
    ['?until=now', 'until'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await groups.history(groupID, query);
    expect([status, body]).toMatchObject([400, { fields: [{ path: field }] }]);
  });
});

describe('POST /v1/agent_error_groups/{agentErrorGroupID}/mute', () => {
  it('mutes until a time, and again until another one', async () => {
    const before = (await groups.get(groupID)).body;
    const until = timestamp(test.clock.now() + hour);
    const { status, body } = await groups.mute(groupID, { until, reason: 'known' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      mutedUntil: until,
      muteReason: 'known',
      mutedBy: { kind: 'user', id: expect.stringMatching(/-7/), name: 'administrator' },
    });
    const later = timestamp(test.clock.now() + 2 * hour);
    expect((await groups.mute(groupID, { until: later, reason: 'still' })).body).toMatchObject({
      mutedUntil: later,
      muteReason: 'still',
    });
    expect((await groups.unmute(groupID)).body).toEqual(before);
    expect((await groups.unmute(groupID)).body).toEqual(before);
  });

  it('is ended by whoever began it only if nobody has replaced it since', async () => {
    const [until, later] = [timestamp(test.clock.now() + hour), timestamp(test.clock.now() + 2 * hour)];
    await groups.mute(groupID, { until, reason: 'known' });
    const replaced = await groups.mute(groupID, { until: later, reason: 'still' });
    expect((await groups.unmute(groupID, `?muted_until=${until}`)).body).toEqual(replaced.body);
    expect((await groups.unmute(groupID, `?muted_until=${later}`)).body).toMatchObject({ mutedUntil: null });
    expect(await groups.unmute(groupID, '?muted_until=tomorrow')).toMatchObject({ status: 400 });
  });

  it('stores further errors as dismissed until it ends, and then open again', async () => {
    const other = await test.createProject();
    const [known, silent] = [await test.registerAgent(other), await test.registerAgent(other)];
    await errors.report(other, known.id, 'lost host 1');
    const [group] = (await groups.list(other.id)).body;
    await groups.mute(group?.id ?? '', { until: timestamp(test.clock.now() + hour), reason: 'known' });
    const muted = await errors.report(other, silent.id, 'lost host 2');
    expect(muted).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    const repeated = await errors.report(other, silent.id, 'lost host 2');
    expect(repeated).toMatchObject({ status: 201, body: muted.body });
    expect((await errors.listOfAgent(silent.id)).body).toMatchObject([
      {
        error: 'lost host 2',
        groupID: group?.id,
        dismissedBy: { kind: 'system' },
        dismissReason: expect.stringMatching(/^muted until .*: known$/),
      },
    ]);
    expect((await errors.listOfAgent(known.id)).body).toMatchObject([{ dismissedAt: null }]);
    await groups.unmute(group?.id ?? '');
    await errors.report(other, silent.id, 'lost host 2');
    expect((await errors.listOfAgent(silent.id, '?dismissed=false')).body).toMatchObject([
      { error: 'lost host 2', dismissedAt: null },
    ]);
  });

  it('is recorded with what was so before, also of two at once, and ended once', async () => {
    const other = await test.createProject();
    await errors.report(other, (await test.registerAgent(other)).id, 'lost host 1');
    const [group] = (await groups.list(other.id)).body;
    const until = timestamp(test.clock.now() + hour);
    await Promise.all(['one', 'two'].map((reason) => groups.mute(group?.id ?? '', { until, reason })));
    for (let call = 0; call < 3; call += 1) await groups.unmute(group?.id ?? '');
    const { body } = await test.request<{ action: string; before: object; after: object }[]>(
      'GET',
      `/v1/projects/${other.id}/audit_log?last=3`,
      { as: { access: test.admin } },
    );
    const [ended, second, first] = body;
    expect(body.map(({ action }) => action)).toEqual([
      'agent_error_group.unmuted',
      'agent_error_group.muted',
      'agent_error_group.muted',
    ]);
    expect(first?.before).toEqual({ mutedUntil: null, reason: null });
    expect(second?.before).toEqual(first?.after);
    expect(ended?.before).toEqual(second?.after);
  });

  it('is over when the time has come', async () => {
    await groups.mute(groupID, { until: timestamp(test.clock.now() + hour), reason: 'known' });
    test.clock.advance(hour);
    expect((await groups.get(groupID)).body).toMatchObject({
      mutedUntil: null,
      muteReason: null,
      mutedBy: null,
      muteEndsWithConfiguration: false,
      muteEndsAtAgentsCount: null,
    });
  });

  it.each([
    [{ until: '2020-01-01T00:00:00Z', reason: 'x' }, '/until'],
    [{ until: 'tomorrow', reason: 'x' }, '/until'],
    [{ until: '2999-01-01T00:00:00Z', reason: '' }, '/reason'],
    [{ until: '2999-01-01T00:00:00Z', reason: 'x'.repeat(101) }, '/reason'],
  ])('refuses %j', async (sent, path) => {
    const { status, body } = await groups.mute(groupID, sent);
    expect([status, body]).toMatchObject([422, { fields: [{ path }] }]);
  });
});
