import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertConfig, createChannel, listDeliveries } from '../../../testing/calls/alert-calls.ts';
import {
  type AlertReceiver,
  answering,
  startAlertReceiver,
} from '../../../testing/receivers/alert-receiver.ts';
import { addNote } from '../../../testing/stages/alert-note-stage.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestProject } from '../../../testing/start-test-app.ts';

let replicas: Replicas;
let project: TestProject;
let receiver: AlertReceiver;

beforeAll(async () => {
  receiver = await startAlertReceiver();
  replicas = await startReplicas({ config: alertConfig });
  project = await replicas.other.createProject('edge');
});
afterAll(async () => {
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
