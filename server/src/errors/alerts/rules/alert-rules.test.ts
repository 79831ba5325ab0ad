import type { AlertRule } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChannel } from '../../../testing/calls/alert-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import type { AlertReceiver } from '../../../testing/receivers/alert-receiver.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { AlertScene } from '../../../testing/stages/alert-scene.ts';
import { RolloutScene } from '../../../testing/stages/rollout-scene.ts';
import type { Replicas } from '../../../testing/start-replicas.ts';
import type { TestApp, TestProject } from '../../../testing/start-test-app.ts';

const alerts = new AlertScene();
const { admin, countOfAlerts, dismissAll, groups, links, look, report, rule, told } = alerts;
let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;
let replicas: Replicas;

beforeEach(async () => {
  ({ app, project, receiver, replicas } = await alerts.open());
});
afterEach(() => alerts.close());

const hour = 3_600_000;

const fleet = (size: number) =>
  Promise.all(Array.from({ length: size }, (_, index) => app.registerAgent(project, `web-${index}`)));

describe('a rule about new groups', () => {
  it('tells of a group once, with what a person needs, and when it is over', async () => {
    await rule({ kind: 'new_group' });
    const [one, two] = await fleet(4);
    if (one === undefined || two === undefined) expect.fail();
    const text = '[output:es:es.0] HTTP status=401 URI=/_bulk';
    await report(one, text);
    await report(two, text);
    await look();
    const [group] = await groups();
    expect(receiver.received[0]?.body.data).toEqual({
      project: { id: project.id, name: 'edge' },
      title: 'New error on 2 of 4 agents (50%)',
      alerts: [
        {
          id: expect.any(String),
          rule: 'new_group',
          ruleName: 'New errors',
          subject: group?.id,
          state: 'open',
          severity: 'warning',
          title: 'New error on 2 of 4 agents (50%)',
          text,
          facts: [
            { label: 'Agents', value: '2 of 4 agents (50%)' },
            { label: 'First seen', value: group?.firstSeenAt },
            { label: 'Since configuration', value: group?.firstConfigID },
          ],
          explanation: {
            title: group?.explanation?.title,
            meaning: group?.explanation?.meaning,
            actions: group?.explanation?.actions,
            link: group?.explanation?.link,
          },
          openedAt: expect.any(String),
          overAt: null,
          link: `https://muster.example.com/projects/${project.id}/causes/${group?.id}`,
          command: `muster error get ${group?.id}`,
        },
      ],
      moreAlerts: 0,
    });
    await report(one, text, `${text} again`.replace(' again', ''));
    await look();
    await dismissAll();
    await look();
    await look();
    expect(told()).toEqual([
      'opened: New error on 2 of 4 agents (50%)',
      'over: Over: New error on 2 of 4 agents (50%)',
    ]);
  });

  it('says nothing of what happened before it, of a muted group, or while it is disabled', async () => {
    const [agent] = await fleet(1);
    if (agent === undefined) expect.fail();
    await report(agent, 'happened before');
    await look();
    replicas.clock.advance(1);
    const { id } = await rule({ kind: 'new_group' });
    await report(agent, 'muted by somebody');
    const group = (await groups()).find(({ pattern }) => pattern.startsWith('muted'));
    await app.request('POST', `/v1/agent_error_groups/${group?.id}/mute`, {
      ...admin(),
      body: { until: '2999-01-01T00:00:00Z', reason: 'known' },
    });
    await look();
    await app.request<AlertRule>('PATCH', `/v1/alert_rules/${id}`, { ...admin(), body: { enabled: false } });
    await report(agent, 'reported while disabled');
    await look();
    expect(told()).toEqual([]);
  });
});

describe('a rule about regressions', () => {
  it('tells when a group is back, and is then silent for its cool-down', async () => {
    await rule({ kind: 'regression', cooldownSeconds: 3_600 });
    const [agent] = await fleet(1);
    if (agent === undefined) expect.fail();
    for (let time = 0; time < 4; time += 1) {
      await report(agent, 'disk full');
      await look();
      await dismissAll();
      await look();
    }
    const back = [
      'opened: An error is back on 1 of 1 agent (100%)',
      'over: Over: An error is back on 1 of 1 agent (100%)',
    ];
    expect(told()).toEqual(back);
    replicas.clock.advance(hour);
    await report(agent, 'disk full');
    await look();
    expect(told()).toEqual([...back, back[0]]);
  });

  it('tells after the cool-down if the group is still there', async () => {
    await rule({ kind: 'regression', cooldownSeconds: 3_600 });
    const [agent] = await fleet(1);
    if (agent === undefined) expect.fail();
    for (let time = 0; time < 3; time += 1) {
      await report(agent, 'disk full');
      await look();
      if (time < 2) await dismissAll();
      await look();
    }
    expect(told().length).toBe(2);
    const [{ told_at: toldAt } = { told_at: 0 }] = await readRows<{ told_at: number }>(
      app.dataDirectory,
      `select told_at from alerts where project_id = '${project.id}'`,
    );
    await look(Number(toldAt) + hour - replicas.clock.now());
    expect(told().slice(2)).toEqual(['opened: An error is back on 1 of 1 agent (100%)']);
  });
});

describe('a rule about regressions, of a group that was dismissed in part', () => {
  it.each([
    ['one agent', (ids: readonly string[]) => ({ agentIDs: ids.slice(0, 1) })],
    ['all but one agent', (ids: readonly string[]) => ({ agentIDs: ids.slice(0, 3) })],
  ])('tells once when what was dismissed on %s is back', async (_, filterOf) => {
    await rule({ kind: 'regression', cooldownSeconds: 60 });
    const agents = await fleet(4);
    for (const agent of agents) await report(agent, 'disk full');
    await look();
    await app.request('POST', `/v1/projects/${project.id}/dismissals`, {
      ...admin(),
      body: { reason: 'known', filter: filterOf(agents.map(({ id }) => id)) },
    });
    await look();
    expect(told()).toEqual([]);
    const regressedAt = new Date(replicas.clock.now()).toISOString();
    for (const agent of agents) await report(agent, 'disk full');
    for (let time = 0; time < 5; time += 1) await look();
    expect(told()).toEqual(['opened: An error is back on 4 of 4 agents (100%)']);
    expect(await groups()).toMatchObject([{ regressedAt, agentsCount: 4 }]);
  });
});

describe('a message about several groups', () => {
  it('begins with the one on the most agents', async () => {
    await rule({ kind: 'new_group' });
    const agents = await fleet(2);
    for (const agent of agents.slice(0, 1)) await report(agent, 'certificate expired');
    for (const agent of agents) await report(agent, 'connection refused');
    await look();
    expect(
      receiver.received.flatMap(({ body }) =>
        body.data.alerts.map((alert: { text: string | null }) => alert.text),
      ),
    ).toEqual(['connection refused', 'certificate expired']);
  });
});

describe('a rule about groups on many agents', () => {
  it('tells when enough agents have it within the time, and when they are fewer', async () => {
    await rule({ kind: 'widespread_group', share: 0.5, windowSeconds: 600 });
    const agents = await fleet(6);
    for (const [index, agent] of agents.entries()) {
      // The first two are too long ago when the third one follows.
      if (index < 4) await report(agent, 'disk full on 10.0.0.6:9200');
      // Errors of one agent count once.
      if (index === 3)
        await report(
          agent,
          'disk full on 10.0.0.7:9200',
          'disk full on 10.0.0.8:9200',
          'disk full on 10.0.0.9:9200',
        );
      await look();
      if (index === 1) replicas.clock.advance(hour);
    }
    expect(told()).toEqual([]);
    for (const agent of agents.slice(4)) await report(agent, 'disk full on 10.0.0.6:9200');
    await look();
    expect(told()).toEqual(['opened: An error is spreading: 6 of 6 agents (100%)']);
    await dismissAll();
    await look();
    expect(told().slice(1)).toEqual(['over: Over: An error is spreading: 6 of 6 agents (100%)']);
  });
});

describe('a rule about agents that are offline', () => {
  it('tells of a number of them, and when they are back', async () => {
    await rule({ kind: 'agents_offline', agents: 2 });
    const machines = ['web-0', 'web-1', 'web-2'];
    const start = async () => {
      for (const machineID of machines) {
        await app.request('POST', '/v1/agents', {
          as: { project: project.token },
          body: { name: machineID, machineID, heartbeatSeconds: 30 },
        });
      }
    };
    await start();
    await look();
    expect(told()).toEqual([]);
    await look();
    await look();
    const title = '3 of 3 agents (100%) are offline';
    expect(told()).toEqual([`opened: ${title}`]);
    expect(links()).toEqual([`https://muster.example.com/projects/${project.id}/agents?status=offline`]);
    await start();
    await look();
    expect(told()).toEqual([`opened: ${title}`, `over: Over: ${title}`]);
  });
});

describe('a rollout', () => {
  const kind = 'rollout_stopped';
  const title =
    "Version 2 of fleet 'edge' stopped: agents that have it report an error that the others do not";

  it('is told of when it stops by itself, and not when a person stops it', async () => {
    const scene = await new RolloutScene(app).start(4);
    project = scene.project;
    await alerts.watch(project);
    await rule({ kind });
    const byPerson = await scene.deploy();
    await scene.call('POST', `/v1/rollouts/${byPerson}/stop`, { reason: 'a typing mistake' });
    const id = await scene.deploy();
    await scene.poll(2);
    const [first] = scene.updated;
    if (first === undefined) expect.fail();
    await scene.report(first, 'no route to the new output');
    await scene.poll(6);
    expect(await scene.read(id)).toMatchObject({ verdict: { rule: 'new_cause' } });
    await look();
    await look();
    expect(told()).toEqual([`opened: ${title}`]);
    expect(links()).toEqual([
      `https://muster.example.com/projects/${project.id}/fleets/${scene.fleetID}/rollouts/${id}`,
    ]);
    const previewed = await app.request('POST', `/v1/projects/${project.id}/alert_rules/preview`, {
      ...admin(),
      body: { kind },
    });
    expect(previewed.body).toMatchObject({ alertsCount: 1, alerts: [{ subject: id, title }] });
  });

  it('is told of when it stops soon after it waited for an approval', async () => {
    const scene = await new RolloutScene(app).start(4);
    project = scene.project;
    await alerts.watch(project);
    await rule({ kind });
    const id = await scene.deploy({ approval: 'each_stage' });
    await scene.poll(12);
    await look();
    const waits = "Version 2 of fleet 'edge' waits for you: the next stage needs an approval";
    expect(told()).toEqual([`opened: ${waits}`]);
    await scene.call('POST', `/v1/rollouts/${id}/approve`, { reason: 'it works' });
    await scene.poll(2);
    for (const agent of scene.updated) await scene.report(agent, 'no route to the new output');
    await scene.poll(6);
    await look();
    await look();
    expect(told()).toEqual([`opened: ${waits}`, `opened: ${title}`]);
  });
});

describe('a storm', () => {
  it('of old causes on further agents tells of each, however many come together', async () => {
    const [first, second] = await fleet(2);
    if (first === undefined || second === undefined) expect.fail();
    const letters = [...'abcdefghijklmnop'];
    const errors = letters.flatMap((one) => letters.map((other) => `plugin ${one}${other}x failed`));
    await report(first, ...errors);
    await look();
    await rule({ kind: 'widespread_group', agents: 2, windowSeconds: 3_600 });
    await report(second, ...errors);
    for (let passed = 0; passed < 3; passed += 1) await look();
    expect(countOfAlerts()).toBe(errors.length);
  });

  it('of 1,500 new groups gives one message a minute, that counts them all', async () => {
    await rule({ kind: 'new_group' });
    const agents = await fleet(2);
    const letter = (digit: number) => String.fromCharCode(97 + digit);
    const name = (number: number) =>
      [17_576, 676, 26, 1].map((unit) => letter(Math.floor(number / unit) % 26)).join('');
    for (let first = 0; first < 1_500; first += 500) {
      const errors = Array.from({ length: 500 }, (_, index) => `plugin ${name(first + index)}x failed`);
      for (const agent of agents) await report(agent, ...errors);
    }
    await groups();
    for (let passed = 0; passed < 3; passed += 1) await look();
    const count = (await groups()).length;
    expect(count).toBeGreaterThan(99);
    expect(receiver.received.length).toBeLessThanOrEqual(3);
    expect(countOfAlerts()).toBe(1_500);
  });
});

describe('POST /v1/projects/{projectID}/alert_rules', () => {
  it.each([
    [{ kind: 'widespread_group' }, '/agents', "is missing; give it or '/share'"],
    [{ kind: 'new_group', agents: 3 }, '/agents', "is not used by rules of the kind 'new_group'"],
  ])('refuses %o', async (body, path, message) => {
    const answer = await app.request('POST', `/v1/projects/${project.id}/alert_rules`, { ...admin(), body });
    expect(answer).toMatchObject({ status: 422, body: { fields: [{ path, message }] } });
  });

  it('names a channel until the channel is deleted', async () => {
    const { id } = await createChannel(app, project, { url: receiver.url });
    const made = await rule({ kind: 'new_group', channelIDs: [id] });
    expect(made.channelIDs).toEqual([id]);
    await app.request('DELETE', `/v1/alert_channels/${id}`, admin());
    const { body } = await app.request<AlertRule>('GET', `/v1/alert_rules/${made.id}`, admin());
    expect(body).toEqual({ ...made, channelIDs: [] });
  });

  it('is refused if another one finds the same and tells the same channels, made or changed', async () => {
    const first = await rule({ kind: 'widespread_group', agents: 3 });
    const refusal = problemBody(
      'alert_rule_exists',
      `The rule 'Errors on many agents' (${first.id}) has the same kind, conditions and channels.`,
    );
    const create = (body: object) =>
      app.request<AlertRule>('POST', `/v1/projects/${project.id}/alert_rules`, { ...admin(), body });
    const change = (id: string, body: object) =>
      app.request('PATCH', `/v1/alert_rules/${id}`, { ...admin(), body });
    const alike = { kind: 'widespread_group', agents: 3, name: 'Again', cooldownSeconds: 60 };
    expect(await create(alike)).toMatchObject({ status: 409, body: refusal });
    const other = await rule({ kind: 'widespread_group', agents: 4 });
    expect(await change(other.id, { agents: 3 })).toMatchObject({ status: 409, body: refusal });
    expect(await change(other.id, { name: 'Four agents' })).toMatchObject({ status: 200 });
    expect(await change(first.id, { agents: 5 })).toMatchObject({ status: 200 });
    expect(await create(alike)).toMatchObject({ status: 201 });
  });

  it('refuses more than a hundred rules of a project', async () => {
    for (let agents = 1; agents <= 100; agents += 1) await rule({ kind: 'agents_offline', agents });
    const answer = await app.request('POST', `/v1/projects/${project.id}/alert_rules`, {
      ...admin(),
      body: { kind: 'new_group' },
    });
    const refusal = problemBody(
      'too_many_alert_rules',
      'A project has at most 100 alert rules. Delete one first.',
    );
    expect(answer).toMatchObject({ status: 409, body: refusal });
  });

  it('refuses a channel of another project', async () => {
    const elsewhere = await app.createProject('elsewhere');
    const { id } = await createChannel(app, elsewhere, { url: receiver.url });
    const answer = await app.request('POST', `/v1/projects/${project.id}/alert_rules`, {
      ...admin(),
      body: { kind: 'new_group', channelIDs: [id] },
    });
    expect(answer).toMatchObject({ status: 404 });
  });
});
