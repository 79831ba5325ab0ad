import type { AlertRulePreview, CreateAlertRule } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../../testing/calls/agent-error-calls.ts';
import { listDeliveries } from '../../../testing/calls/alert-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let app: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  app = await startTestApp();
  errors = callAgentErrors(app);
});

afterAll(() => app.close());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const timestamp = (milliseconds: number) => new Date(milliseconds).toISOString();

function preview(project: TestProject, body: CreateAlertRule) {
  return app.request<AlertRulePreview>('POST', `/v1/projects/${project.id}/alert_rules/preview`, {
    as: { access: app.admin },
    body,
  });
}

async function fleet(project: TestProject, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < size; index += 1)
    ids.push((await app.registerAgent(project, `web-${index}`)).id);
  return ids;
}

async function dismissAll(project: TestProject): Promise<void> {
  await app.request('POST', `/v1/projects/${project.id}/dismissals`, {
    as: { access: app.admin },
    body: { reason: 'fixed', filter: { all: true } },
  });
}

describe('POST /v1/projects/{projectID}/alert_rules/preview', () => {
  it('tells what a rule about new groups would have told in the last week, and stores nothing', async () => {
    const project = await app.createProject();
    const [one = '', two = ''] = await fleet(project, 2);
    await errors.report(project, one, 'longer ago');
    app.clock.advance(7 * day);
    app.clock.advance(1);
    const times = [];
    for (const [agent, text] of [
      [one, 'disk full'],
      [two, 'no route to 10.0.0.1'],
    ] as const) {
      await errors.report(project, agent, text);
      times.push(timestamp(app.clock.now()));
      app.clock.advance(20_000);
    }
    await errors.report(project, one, 'no route to 10.0.0.2');
    app.clock.advance(hour);
    const now = app.clock.now();
    const { status, body } = await preview(project, { kind: 'new_group' });
    expect(status).toBe(200);
    expect(body).toEqual({
      since: timestamp(now + 1 - 7 * day),
      until: timestamp(now + 1),
      alertsCount: 2,
      messagesCount: 2,
      alerts: [
        {
          at: times[1],
          subject: expect.any(String),
          title: 'New error on 2 of 2 agents (100%)',
          text: 'no route to 10.0.0.1',
        },
        {
          at: times[0],
          subject: expect.any(String),
          title: 'New error on 1 of 2 agents (50%)',
          text: 'disk full',
        },
      ],
      appliesNow: null,
      limits: [expect.stringContaining('as they are now')],
    });
    const { body: rules } = await app.request('GET', `/v1/projects/${project.id}/alert_rules`, {
      as: { access: app.admin },
    });
    expect([rules, await listDeliveries(app, project)]).toEqual([[], []]);
  });

  it('counts what happens within a minute as one more message', async () => {
    const project = await app.createProject();
    const [agent = ''] = await fleet(project, 1);
    for (const letter of 'abcdef') {
      await errors.report(project, agent, `broken ${letter}`);
      app.clock.advance(15_000);
    }
    // At 0 s; at 60 s with those of 15 to 60 s; at 120 s with that of 75 s.
    expect((await preview(project, { kind: 'new_group' })).body).toMatchObject({
      alertsCount: 6,
      messagesCount: 3,
    });
  });

  it('tells of groups that came back', async () => {
    const project = await app.createProject();
    const [agent = ''] = await fleet(project, 1);
    await errors.report(project, agent, 'disk full');
    await dismissAll(project);
    expect((await preview(project, { kind: 'regression' })).body).toMatchObject({ alertsCount: 0 });
    app.clock.advance(hour);
    await errors.report(project, agent, 'disk full');
    expect((await preview(project, { kind: 'regression' })).body).toMatchObject({
      alertsCount: 1,
      messagesCount: 1,
      alerts: [{ at: timestamp(app.clock.now()), title: 'An error is back on 1 of 1 agent (100%)' }],
      limits: [expect.stringContaining('counted once'), expect.any(String)],
    });
  });

  it('tells when a group was on enough agents within the window, once in a cool-down', async () => {
    const project = await app.createProject();
    const ids = await fleet(project, 4);
    const rule = { kind: 'widespread_group', agents: 2, windowSeconds: 600, cooldownSeconds: 3_600 } as const;
    const times: string[] = [];
    for (const [index, id] of ids.entries()) {
      await errors.report(project, id, `no route to 10.0.0.${index}`);
      times.push(timestamp(app.clock.now()));
      app.clock.advance(11 * minute);
    }
    expect((await preview(project, rule)).body).toMatchObject({ alertsCount: 0 });
    app.clock.advance(day);
    for (const id of ids) await errors.report(project, id, `no route to 10.0.1.1`);
    const spreadAt = timestamp(app.clock.now());
    await dismissAll(project);
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(40 * minute);
      for (const id of ids) await errors.report(project, id, `no route to 10.1.${round}.1`);
    }
    const again = timestamp(app.clock.now() - 40 * minute);
    expect((await preview(project, rule)).body).toMatchObject({
      alertsCount: 2,
      messagesCount: 2,
      alerts: [
        { at: again, title: 'An error is spreading: 2 of 4 agents (50%)', text: 'no route to 10.0.0.0' },
        { at: spreadAt, title: 'An error is spreading: 2 of 4 agents (50%)' },
      ],
      limits: [expect.stringContaining('the share is that of the agents that the project has now')],
    });
    const { share } = { share: 0.9 };
    expect((await preview(project, { kind: 'widespread_group', share })).body).toMatchObject({
      alertsCount: 3,
    });
  });

  it('says that earlier numbers of offline agents are not stored, and whether enough are offline now', async () => {
    const project = await app.createProject();
    await callAgents(app).register(project, { name: 'a', machineID: 'a', heartbeatSeconds: 30 });
    const expected = {
      alertsCount: null,
      messagesCount: null,
      alerts: [],
      limits: ['How many agents were offline earlier is not stored, so only the state of now is known.'],
    };
    const rule = { kind: 'agents_offline', agents: 1 } as const;
    expect((await preview(project, rule)).body).toMatchObject({ ...expected, appliesNow: false });
    app.clock.advance(hour);
    expect((await preview(project, rule)).body).toMatchObject({ ...expected, appliesNow: true });
  });

  it('tells of tokens about to expire, of tokens with wildcards and of members', async () => {
    const project = await app.createProject();
    const create = (name: string, permissions: readonly string[], expiresAt: string | null) =>
      app.request<{ id: string }>('POST', `/v1/projects/${project.id}/tokens`, {
        as: { access: app.admin },
        body: { name, permissions, expiresAt },
      });
    const createdAt = app.clock.now();
    const { body: soon } = await create('soon', ['read:*'], timestamp(createdAt + 9 * day));
    await create('later', [], timestamp(createdAt + 30 * day));
    app.clock.advance(3 * day);
    const expiring = { kind: 'token_expiring', days: 7 } as const;
    expect((await preview(project, expiring)).body).toMatchObject({
      alertsCount: 1,
      alerts: [{ at: timestamp(createdAt + 2 * day), subject: soon.id, text: null }],
      appliesNow: true,
    });
    expect((await preview(project, { ...expiring, days: 5 })).body).toMatchObject({
      alertsCount: 0,
      appliesNow: false,
    });
    expect((await preview(project, { kind: 'wildcard_token' })).body).toMatchObject({
      alertsCount: 1,
      alerts: [{ at: timestamp(createdAt), title: "Token 'soon' has wildcard permissions" }],
    });
    expect((await preview(project, { kind: 'member_added' })).body).toMatchObject({ alertsCount: 0 });
  });

  it('refuses what could not be stored as a rule', async () => {
    const project = await app.createProject();
    const answer = await preview(project, { kind: 'agents_offline' });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'invalid_body', fields: [{ path: '/agents' }] },
    });
    const other = await app.createToken((await app.createProject()).id, ['*']);
    const foreign = await app.request('POST', `/v1/projects/${project.id}/alert_rules/preview`, {
      as: { project: other.token },
      body: { kind: 'new_group' },
    });
    const detail = `There is no project ${project.id} that this credential can see.`;
    expect([foreign.status, foreign.body]).toEqual([404, problemBody('not_found', detail)]);
  });
});
