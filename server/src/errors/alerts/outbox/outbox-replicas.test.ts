import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withResolvers } from '../../../foundation/with-resolvers.ts';
import {
  alertConfig,
  createChannel,
  getChannel,
  listDeliveries,
} from '../../../testing/calls/alert-calls.ts';
import {
  type AlertReceiver,
  answering,
  startAlertReceiver,
} from '../../../testing/receivers/alert-receiver.ts';
import { addNote } from '../../../testing/stages/alert-note-stage.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestProject } from '../../../testing/start-test-app.ts';

const hour = 3_600_000;

let replicas: Replicas;
let project: TestProject;
let receiver: AlertReceiver;

beforeEach(async () => {
  receiver = await startAlertReceiver();
  replicas = await startReplicas({ config: alertConfig });
  project = await replicas.other.createProject('edge');
});
afterEach(async () => {
  await replicas.close();
  await receiver.close();
});

describe('a message whose replica was killed while it sent it', () => {
  it('is sent by another one, with the same id', async () => {
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await addNote(replicas.other, { projectID: project.id, channelID: id, number: 1 });
    // It hangs instead, which stores as much as a kill.
    const stopped = new Promise<void>((resolve) => {
      receiver.answer = () => resolve();
    });
    const { one: killed, other: survivor } = replicas;
    void killed.app.runAlerts();
    await stopped;
    receiver.answer = answering(200);
    // The lease is still valid.
    await survivor.app.runAlerts();
    expect(receiver.received.length).toBe(1);
    replicas.clock.advance(60_000);
    await survivor.app.runAlerts();
    const [first, again] = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(again).toBe(first);
    expect(await listDeliveries(survivor, project)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });
});

describe('a channel', () => {
  it('gets what waits for it although the clock was hours ahead at the last attempt', async () => {
    receiver.answer = answering(500);
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await addNote(replicas.other, { projectID: project.id, channelID: id, number: 1 });
    await replicas.other.app.runAlerts();
    replicas.clock.set(-3 * hour);
    receiver.answer = answering(200);
    await replicas.other.app.runAlerts();
    expect(receiver.received.length).toBe(2);
    expect(await listDeliveries(replicas.other, project)).toMatchObject([
      { state: 'delivered', attempts: 2 },
    ]);
  });

  it('that somebody repairs during its last attempt stays enabled', async () => {
    receiver.answer = answering(500);
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await addNote(replicas.other, { projectID: project.id, channelID: id, number: 1 });
    await replicas.other.app.runAlerts();
    replicas.clock.advance(5 * 24 * hour);
    const repaired = withResolvers<void>();
    receiver.answer = (response) => {
      replicas.clock.advance(1);
      const { admin } = replicas.other;
      const change = { as: { access: admin }, body: { url: `${receiver.url}/repaired`, enabled: true } };
      void replicas.other
        .request('PATCH', `/v1/alert_channels/${id}`, change)
        .then(() => answering(500)(response))
        .then(repaired.resolve, repaired.reject);
    };
    await replicas.other.app.runAlerts();
    await repaired.promise;
    expect(await getChannel(replicas.other, id)).toMatchObject({ status: 'active', disabledReason: null });
  });
});
