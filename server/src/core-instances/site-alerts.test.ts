import { randomUUID } from 'node:crypto';
import type { AlertRulePreview } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertConfig, createChannel, createRule } from '../testing/calls/alert-calls.ts';
import { siteStatus } from '../testing/calls/site-calls.ts';
import { type AlertReceiver, startAlertReceiver } from '../testing/receivers/alert-receiver.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;
let site: { readonly id: string; readonly token: string };
let tokenID: string;
let agents: readonly string[];
let sequence: number;

beforeEach(async () => {
  receiver = await startAlertReceiver();
  app = await startTestApp({ config: { ...alertConfig, publicUrl: 'https://muster.example.com' } });
  project = await app.createProject('edge');
  await createChannel(app, project, { url: receiver.url });
  await createRule(app, project, { kind: 'core_instance_unreachable' });
  await createRule(app, project, { kind: 'agents_offline', agents: 1 });
  site = await app.createCoreInstance(project, { name: 'plant-7' });
  const own = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
    as: { project: project.token },
  });
  tokenID = own.body.id;
  agents = await Promise.all([1, 2, 3, 4].map(async () => (await app.registerAgent(project)).id));
  sequence = 0;
});
afterEach(async () => {
  await app.close();
  await receiver.close();
});

const second = 1_000;
const minute = 60_000;

const admin = () => ({ as: { access: app.admin } });

/** The site passes on heartbeats from some time ago. @param waiting how long something else waits there */
async function pass(ids: readonly string[], { ago = 0, waiting }: { ago?: number; waiting?: number } = {}) {
  sequence += 1;
  const now = app.clock.now();
  const items = ids.map((agentID) => ({
    kind: 'heartbeat',
    at: now - ago,
    by: { tokenID },
    agentID,
    heartbeat: { heartbeatSeconds: 30 },
  }));
  const status = siteStatus(now, { oldestSpooledAt: waiting === undefined ? null : now - waiting });
  const answer = await app.request('POST', '/v1/core_instances/self/batches', {
    as: { core_instance: site.token },
    body: { protocol: 1, sequence, id: randomUUID(), status, items },
  });
  expect(answer.status).toBe(200);
}

/** Lets time pass in small steps, and tells what is to be told after each. */
async function wait(milliseconds: number, eachStep?: () => Promise<void>): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 10 * second) {
    app.clock.advance(10 * second);
    await eachStep?.();
    await app.request('GET', `/v1/projects/${project.id}/summary`, admin());
    await app.app.runAlerts();
  }
}

const told = (): string[] =>
  receiver.received.map(({ body }) => `${body.type.replace('alert.', '')}: ${body.data.title}`);

describe('a rule about unreachable sites', () => {
  it('tells of the site once, and nothing of each of its agents, also when it is back', async () => {
    for (let beat = 0; beat < 10; beat += 1) {
      await pass(agents);
      await wait(30 * second);
    }
    expect(told()).toEqual([]);
    // The line is cut right after the agents of a half have sent something.
    await pass(agents.slice(2));
    const heardAt = new Date(app.clock.now()).toISOString();
    await wait(10 * minute);
    expect(told()).toEqual(["opened: Site 'plant-7' is unreachable"]);
    expect(receiver.received[0]?.body.data.alerts).toMatchObject([
      {
        rule: 'core_instance_unreachable',
        ruleName: 'Sites unreachable',
        subject: site.id,
        state: 'open',
        severity: 'critical',
        facts: [
          { label: 'Last heard', value: heardAt },
          { label: 'Agents behind it', value: '4' },
        ],
        link: `https://muster.example.com/projects/${project.id}/sites/${site.id}`,
        command: `muster core-instance get ${site.id}`,
      },
    ]);
    // It is back, and sends what waits: what agents sent long ago comes first.
    await pass(agents, { ago: 9 * minute, waiting: 10 * minute });
    await wait(2 * minute, () => pass([], { waiting: 5 * minute }));
    expect(told().slice(1)).toEqual(["over: Over: Site 'plant-7' is unreachable"]);
    // At a busy site something always waits. The signs of life of some agents come a little later; one agent is gone.
    await pass([], { waiting: second });
    await wait(40 * second, () => pass([], { waiting: second }));
    for (let beat = 0; beat < 3; beat += 1) {
      await pass(agents.slice(1), { waiting: second });
      await wait(30 * second);
    }
    expect(told().slice(2)).toEqual(['opened: 1 of 4 agents (25%) is offline']);
  });

  it('says of an agent that is silent while its site is heard that it is offline', async () => {
    await pass(agents);
    await wait(4 * minute, () => pass(agents.slice(1)));
    expect(told()).toEqual(['opened: 1 of 4 agents (25%) is offline']);
  });

  it('calls it over when the site is deleted: its agents are judged by themselves then', async () => {
    await pass(agents);
    await wait(2 * minute);
    expect(told()).toEqual(["opened: Site 'plant-7' is unreachable"]);
    await app.request('DELETE', `/v1/core_instances/${site.id}`, admin());
    await wait(3 * minute);
    expect(told().slice(1)).toEqual(["over: Over: Site 'plant-7' is unreachable", expect.any(String)]);
    expect(told()[2]).toBe('opened: 4 of 4 agents (100%) are offline');
  });

  it('is previewed by what is so now', async () => {
    await pass(agents);
    const preview = async () => {
      const { body } = await app.request<AlertRulePreview>(
        'POST',
        `/v1/projects/${project.id}/alert_rules/preview`,
        { ...admin(), body: { kind: 'core_instance_unreachable' } },
      );
      return body;
    };
    expect(await preview()).toMatchObject({
      alertsCount: null,
      messagesCount: null,
      alerts: [],
      appliesNow: false,
      limits: [
        'Which core instances were unreachable earlier is not stored, so only the state of now is known.',
      ],
    });
    await wait(2 * minute);
    expect((await preview()).appliesNow).toBe(true);
  });
});
