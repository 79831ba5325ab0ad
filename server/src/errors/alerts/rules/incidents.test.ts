import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChannel } from '../../../testing/calls/alert-calls.ts';
import type { AlertReceiver } from '../../../testing/receivers/alert-receiver.ts';
import { AlertScene } from '../../../testing/stages/alert-scene.ts';
import type { TestApp, TestProject } from '../../../testing/start-test-app.ts';

const alerts = new AlertScene();
const { admin, dismissAll, look, report, rule, told } = alerts;
let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;

beforeEach(async () => {
  ({ app, project, receiver } = await alerts.open());
});
afterEach(() => alerts.close());

describe('an incident of an on-call service', () => {
  const incidents = () =>
    receiver.received.flatMap(({ body }) => (body.event_action === undefined ? [] : [body.event_action]));
  const change = (path: string, body: object) => app.request('PATCH', path, { ...admin(), body });
  let agent: { id: string; token: string };
  let paging: string;
  let ruleID: string;

  beforeEach(async () => {
    const { id } = await createChannel(app, project, { kind: 'pagerduty', key: 'key', url: receiver.url });
    paging = `/v1/alert_channels/${id}`;
    ({ id: ruleID } = await rule({ kind: 'new_group', channelIDs: [id] }));
    agent = await app.registerAgent(project, 'web-1');
    await report(agent, 'disk full');
    await look();
    expect(incidents()).toEqual(['trigger']);
  });

  it('ends when its alert is over, also if the rule names other channels since then', async () => {
    const { id } = await createChannel(app, project, { url: receiver.url });
    await change(`/v1/alert_rules/${ruleID}`, { channelIDs: [id] });
    await dismissAll();
    await look();
    expect(incidents()).toEqual(['trigger', 'resolve']);
    // That it is over is said by the other channel too.
    expect(told().filter((title) => title.startsWith('over'))).toEqual([
      'over: Over: New error on 1 of 1 agent (100%)',
    ]);
  });

  it('ends after its channel is enabled again, if its alert was over meanwhile', async () => {
    await change(paging, { enabled: false });
    await dismissAll();
    await look();
    expect(incidents()).toEqual(['trigger']);
    await change(paging, { enabled: true });
    await look();
    expect(incidents()).toEqual(['trigger', 'resolve']);
  });

  it('ends after its channel is enabled again, if its alert was over just before', async () => {
    await change(paging, { quietHours: { from: '00:00', until: '23:59', timeZone: 'UTC' } });
    await dismissAll();
    await look();
    await change(paging, { enabled: false, quietHours: null });
    await change(paging, { enabled: true });
    await look();
    expect(incidents()).toEqual(['trigger', 'resolve']);
  });

  it('ends if the message that opens it waited while the rule was given other channels', async () => {
    await dismissAll();
    await change(paging, { quietHours: { from: '00:00', until: '23:59', timeZone: 'UTC' } });
    await report(agent, 'no route to 10.0.0.1');
    await look();
    await change(`/v1/alert_rules/${ruleID}`, { channelIDs: [] });
    await dismissAll();
    await look();
    await change(paging, { quietHours: null });
    await look();
    // The first one is over, and nobody was told of the second one.
    expect(incidents()).toEqual(['trigger', 'resolve']);
  });
});
