import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  alertConfig,
  createChannel,
  getChannel,
  listDeliveries,
} from '../../../testing/calls/alert-calls.ts';
import { eventually } from '../../../testing/eventually.ts';
import {
  type AlertReceiver,
  answering,
  startAlertReceiver,
} from '../../../testing/receivers/alert-receiver.ts';
import { addNote } from '../../../testing/stages/alert-note-stage.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import { startTestApp, type TestAppOptions, type TestProject } from '../../../testing/start-test-app.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { dropTestDatabase } from '../../../testing/test-database.ts';

let replicas: Replicas;
let openReplicas: Replicas | undefined;
let project: TestProject;
let receiver: AlertReceiver;

const start = async (alerts: TestAppOptions['alerts'] = {}, config: object = {}) => {
  replicas = await startReplicas({ config: { ...alertConfig, ...config }, alerts });
  openReplicas = replicas;
  project = await replicas.other.createProject('edge');
};

beforeEach(async () => {
  receiver = await startAlertReceiver();
});
afterEach(async () => {
  await openReplicas?.close();
  openReplicas = undefined;
  await receiver.close();
});

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const stage = (channelID: string, number: number, more: Partial<Parameters<typeof addNote>[1]> = {}) =>
  addNote(replicas.other, { projectID: project.id, channelID, number, ...more });
const run = () => replicas.other.app.runAlerts();
const titles = () => receiver.received.map(({ body }) => body.data.title);

describe('a channel', () => {
  it('gets a message once, also if two replicas look for it at the same time', async () => {
    await start();
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1, { title: 'Web is down', text: 'connection refused' });
    await Promise.all(replicas.all.flatMap(({ app }) => [app.runAlerts(), app.runAlerts()]));
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        type: 'alert.opened',
        timestamp: '2026-03-02T10:20:30.456Z',
        data: {
          project: { id: project.id, name: 'edge' },
          title: 'Web is down',
          alerts: [
            {
              id: '01000000-0000-7000-8000-000000000001',
              rule: 'new_group',
              ruleName: 'errors',
              subject: '',
              state: 'open',
              severity: 'warning',
              title: 'Web is down',
              text: 'connection refused',
              facts: [],
              explanation: null,
              openedAt: '2026-03-02T10:20:30.456Z',
              overAt: null,
              link: null,
              command: 'muster error list',
            },
          ],
          moreAlerts: 0,
        },
      },
    ]);
    expect(await listDeliveries(replicas.other, project)).toMatchObject([
      {
        kind: 'alert',
        title: 'Web is down',
        state: 'delivered',
        attempts: 1,
        answerStatus: 200,
        answer: 'ok',
      },
    ]);
    expect(await getChannel(replicas.other, id)).toMatchObject({
      status: 'active',
      lastDeliveredAt: '2026-03-02T10:20:30.456Z',
    });
  });

  it('does not wait until all channels of another project have got theirs', async () => {
    await start();
    const other = await replicas.other.createProject('many');
    for (let number = 1; number <= 21; number += 1) {
      const { id } = await createChannel(replicas.other, other, { url: receiver.url, name: `c${number}` });
      await addNote(replicas.other, { projectID: other.id, channelID: id, number });
    }
    replicas.clock.advance(second);
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 100);
    await run();
    expect(receiver.received.slice(0, 20).map(({ body }) => body.data.project.name)).toContain('edge');
  });

  it('gets at most one message a minute, and the rest as a digest', async () => {
    await start();
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1);
    await run();
    for (let number = 2; number <= 15; number += 1) await stage(id, number, { weight: number });
    await stage(id, 1_001, { kind: 'over' });
    replicas.clock.advance(59 * second);
    await run();
    expect(titles()).toEqual(['Alert 1']);
    replicas.clock.advance(second);
    await run();
    await run();
    expect(titles()).toEqual(['Alert 1', '14 alerts, 1 over']);
    const { type, data } = receiver.received[1]?.body ?? expect.fail();
    expect(type).toBe('alert.digest');
    expect(data.moreAlerts).toBe(5);
    expect(data.alerts.map(({ title }: { title: string }) => title)).toEqual(
      [15, 14, 13, 12, 11, 10, 9, 8, 7, 6].map((number) => `Alert ${number}`),
    );
  });

  it('waits for the end of its quiet hours', async () => {
    await start();
    // 10:20 in UTC is 11:20 in Berlin.
    const quietHours = { from: '11:00', until: '13:00', timeZone: 'Europe/Berlin' };
    const { id } = await createChannel(replicas.other, project, { url: receiver.url, quietHours });
    await stage(id, 1);
    await stage(id, 2);
    for (let passed = 0; passed < 99; passed += 9) {
      await run();
      replicas.clock.advance(9 * minute);
    }
    await run();
    expect(titles()).toEqual([]);
    replicas.clock.advance(minute);
    await run();
    expect(titles()).toEqual(['2 alerts']);
  });

  it('that answers 500 for an hour gets each message when it is back, and what came meanwhile as one', async () => {
    await start();
    receiver.answer = answering(500, 'broken');
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1);
    const runAll = async () => {
      for (const { app } of replicas.all) await app.runAlerts();
    };
    let passed = 0;
    const pass = (seconds: number) => {
      replicas.clock.advance(seconds * second);
      passed += seconds;
    };
    const attempts = [0, 10, 40, 100, 220, 520, 1_120, 2_320];
    for (const [index, at] of attempts.entries()) {
      if (at > 0) pass(at - 1 - passed);
      await runAll();
      expect([passed, titles()]).toEqual([passed, new Array(at > 0 ? index : 1).fill('Alert 1')]);
      if (at > 0) pass(1);
      await runAll();
      expect([passed, titles()]).toEqual([at, new Array(index + 1).fill('Alert 1')]);
      if (at === 520 || at === 1_120) await stage(id, 1 + at);
    }
    pass(3_600 - passed);
    expect(await getChannel(replicas.other, id)).toMatchObject({
      status: 'failing',
      lastFailure: '127.0.0.1 answered 500.',
      failingSince: '2026-03-02T10:20:30.456Z',
    });
    expect(await listDeliveries(replicas.other, project)).toMatchObject([
      { state: 'waiting', attempts: 8, answerStatus: 500, answer: 'broken' },
    ]);
    receiver.answer = answering(200);
    for (const [seconds, sent] of [
      [519, []],
      [1, ['Alert 1']],
      [1, ['Alert 1', '2 alerts']],
      [3_600, ['Alert 1', '2 alerts']],
    ] as const) {
      pass(seconds);
      await runAll();
      expect([passed, titles().slice(8)]).toEqual([passed, sent]);
    }
    expect(new Set(receiver.received.slice(0, 9).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await getChannel(replicas.other, id)).toMatchObject({ status: 'active', lastFailure: null });
  });

  it('gives a message up after 24 hours, and is disabled with a warning after 5 days of failures', async () => {
    await start();
    receiver.answer = answering(503);
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    let number = 0;
    for (let passed = 0; passed <= 5 * 24 * hour; passed += 4 * hour) {
      expect(await getChannel(replicas.other, id)).toMatchObject({
        status: passed === 0 ? 'active' : 'failing',
      });
      if (passed % (12 * hour) === 0) await stage(id, ++number);
      await run();
      replicas.clock.advance(4 * hour);
    }
    const deliveries = await listDeliveries(replicas.other, project);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['failed']));
    const [newest, ...earlier] = deliveries;
    const lasted = earlier.map(({ createdAt, endedAt }) => Date.parse(endedAt ?? '') - Date.parse(createdAt));
    expect(new Set(lasted)).toEqual(new Set([24 * hour]));
    expect(newest?.failure).toBe('127.0.0.1 answered 503.');
    expect(await getChannel(replicas.other, id)).toMatchObject({
      status: 'disabled',
      disabledReason: 'The service disabled it: every attempt had failed for 5 days.',
    });
    const warnings = replicas.all.flatMap(({ logs }) => logs.filter((line) => line.includes('was disabled')));
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, channelID: id }]);
    const count = receiver.received.length;
    await stage(id, 900);
    replicas.clock.advance(hour);
    await run();
    expect(receiver.received.length).toBe(count);
  });

  it('that refuses a message does not keep the next one from being sent', async () => {
    await start();
    receiver.answer = answering(400, 'invalid_payload');
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1);
    for (let passed = 0; passed < 10; passed += 1) {
      await run();
      replicas.clock.advance(minute);
    }
    receiver.answer = answering(200);
    await stage(id, 2);
    await run();
    expect(titles()).toEqual([...new Array(5).fill('Alert 1'), 'Alert 2']);
  });

  it('gets its messages in order: a later one waits while an earlier one is tried again', async () => {
    await start();
    const { id } = await createChannel(replicas.other, project, {
      kind: 'pagerduty',
      key: 'integration-key',
      url: receiver.url,
    });
    const actions = () => receiver.received.map(({ body }) => [body.event_action, body.dedup_key]);
    const first = await stage(id, 1);
    await run();
    const opened = actions();
    replicas.clock.advance(minute);
    // One message says that another alert is open, the next one that the first is over.
    const later = await stage(id, 2);
    await stage(id, 1_001, { kind: 'over' });
    receiver.answer = answering(500);
    await run();
    expect(actions().slice(opened.length)).toEqual([['trigger', `muster-${later.alertID}`]]);
    receiver.answer = answering(202);
    replicas.clock.advance(minute);
    await run();
    expect(actions().slice(opened.length + 1)).toEqual([
      ['trigger', `muster-${later.alertID}`],
      ['resolve', `muster-${first.alertID}`],
    ]);
  });

  it('that says when to come again is left alone until then', async () => {
    await start();
    receiver.answer = answering(429, '', { 'retry-after': '600' });
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1);
    await run();
    replicas.clock.advance(599 * second);
    await run();
    expect(titles()).toEqual(['Alert 1']);
    replicas.clock.advance(second);
    await run();
    expect(titles()).toEqual(['Alert 1', 'Alert 1']);
  });

  it('that never answers fails after its time, and delays no other channel', async () => {
    await start({ timeoutMilliseconds: 7_000 });
    const other = await startAlertReceiver();
    receiver.answer = () => undefined;
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    const { id: well } = await createChannel(replicas.other, project, { url: other.url });
    await stage(id, 1);
    await stage(well, 2);
    const deadlines: AbortController[] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const deadline = new AbortController();
      deadlines.push(deadline);
      return deadline.signal;
    });
    const running = run();
    const states = async () => {
      const deliveries = await listDeliveries(replicas.other, project);
      return deliveries.map(({ title, state }) => [title, state]).sort();
    };
    await eventually(async () => {
      expect(await states()).toEqual([
        ['Alert 1', 'waiting'],
        ['Alert 2', 'delivered'],
      ]);
      expect(titles()).toEqual(['Alert 1']);
    });
    for (const deadline of deadlines) deadline.abort();
    await running;
    vi.restoreAllMocks();
    expect(await listDeliveries(replicas.other, project, `?channel_id=${id}`)).toMatchObject([
      { state: 'waiting', attempts: 1, failure: '127.0.0.1 did not answer within 7 seconds.' },
    ]);
    await other.close();
  });

  it('that answers without end is read no further than 4 KiB', async () => {
    await start();
    receiver.answer = (response) => {
      response.on('drain', () => response.write('x'.repeat(65_536)));
      response.writeHead(200).write('x'.repeat(65_536));
    };
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1);
    await run();
    const [delivery] = await listDeliveries(replicas.other, project);
    expect([delivery?.state, delivery?.answer?.length]).toEqual(['delivered', 1_024]);
  });
});

describe('the target of a channel', () => {
  it('is checked again after a redirect', async () => {
    await start();
    const secretPlace = await startAlertReceiver();
    const port = new URL(secretPlace.url).port;
    for (const place of [
      `http://127.0.0.2:${port}/`,
      'http://169.254.169.254/latest/',
      `http://[::1]:${port}/`,
    ]) {
      receiver.answer = answering(307, '', { location: place });
      const { id } = await createChannel(replicas.other, project, { url: receiver.url });
      const { body } = await replicas.other.request('POST', `/v1/alert_channels/${id}/test`, {
        as: { access: replicas.admin },
      });
      expect(body).toMatchObject({
        state: 'failed',
        failure: expect.stringContaining('MUSTER_ALERT_ALLOWED_HOSTS'),
      });
    }
    expect(secretPlace.received).toEqual([]);
    receiver.answer = answering(308, '', { location: `${secretPlace.url}/moved` });
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    await stage(id, 1);
    await run();
    expect(secretPlace.received.map(({ path }) => path)).toEqual(['/moved']);
    await secretPlace.close();
  });

  it('is not followed by a redirect that would change the method, or for ever', async () => {
    await start();
    const { id } = await createChannel(replicas.other, project, { url: receiver.url });
    receiver.answer = answering(302, '', { location: receiver.url });
    await stage(id, 1);
    await run();
    receiver.answer = answering(307, '', { location: receiver.url });
    replicas.clock.advance(10 * second);
    await run();
    expect(receiver.received.length).toBe(1 + 4);
    expect(await listDeliveries(replicas.other, project)).toMatchObject([
      { failure: 'It answered with too many redirects.' },
    ]);
  });

  it('is refused if one address of its name is private, and is not resolved again for the connection', async () => {
    const asked: string[] = [];
    const answers = [
      // The first two: a name server that answers a public address first, and a private one for the connection.
      [{ address: '192.0.2.1', family: 4 }],
      [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ],
      [{ address: '::ffff:127.0.0.2', family: 6 }],
    ];
    await start({
      resolve: async (host) => {
        asked.push(host);
        return answers[asked.length - 1] ?? [];
      },
    });
    for (const _ of answers) {
      const { id } = await createChannel(replicas.other, project, { url: 'https://rebinding.example.com/' });
      const { body } = await replicas.other.request('POST', `/v1/alert_channels/${id}/test`, {
        as: { access: replicas.admin },
      });
      expect(body).toMatchObject({
        state: 'failed',
        failure:
          'rebinding.example.com has an address which is not public. The log of the service names it. If alerts may be sent there, add it to MUSTER_ALERT_ALLOWED_HOSTS (a setting of the service; restart it).',
      });
    }
    expect(asked.length).toBe(3);
    // The operator learns the addresses, and whoever may create a channel does not.
    const logged = replicas.other.logs
      .map((line) => JSON.parse(line))
      .filter(({ host }) => host === 'rebinding.example.com');
    expect(logged.map(({ level, address }) => [level, address])).toEqual([
      [40, '192.0.2.1'],
      [40, '127.0.0.2'],
      [40, '::ffff:127.0.0.2'],
    ]);
    for (const path of [`alert_deliveries`, `alert_channels`, 'audit_log']) {
      const { status, text } = await replicas.other.request('GET', `/v1/projects/${project.id}/${path}`, {
        as: { access: replicas.admin },
      });
      expect([path, status, /127\.0\.0\.2|192\.0\.2\.1/.test(text)]).toEqual([path, 200, false]);
    }
  });

  it('gets the connection at the address that was checked', async () => {
    const asked: string[] = [];
    await start(
      {
        resolve: async (host) => {
          asked.push(host);
          // Asked again for the connection, it would answer another address.
          return [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
        },
      },
      { alertAllowedHosts: ['hooks.internal'] },
    );
    const { port } = new URL(receiver.url);
    const { id } = await createChannel(replicas.other, project, { url: `http://hooks.internal:${port}/x` });
    await stage(id, 1);
    await run();
    expect(receiver.received.map(({ path, headers }) => [path, headers.host])).toEqual([
      ['/x', `hooks.internal:${port}`],
    ]);
    expect(asked).toEqual(['hooks.internal']);
  });
});

describe('a restart of the service', () => {
  it('loses no message, and removes the old part of the log', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
    const clock = createTestClock();
    const open = () =>
      startTestApp({ config: { ...alertConfig, alertDeliveriesDays: 2 }, clock, dataDirectory });
    let app = await open();
    const edge = await app.createProject('edge');
    const { id: channelID } = await createChannel(app, edge, { url: receiver.url });
    const places = { projectID: edge.id, channelID };
    await addNote(app, { ...places, number: 1 });
    await app.app.runAlerts();
    clock.advance(3 * 24 * hour);
    await addNote(app, { ...places, number: 2 });
    /** The service stops while the channel takes its time. */
    const stop = async () => {
      const arrived = new Promise<void>((resolve) => {
        receiver.answer = () => resolve();
      });
      const running = app.app.runAlerts();
      await arrived;
      await app.close();
      await running;
      receiver.answer = answering(200);
    };
    await stop();
    app = await open();
    expect(await listDeliveries(app, edge)).toMatchObject([{ title: 'Alert 2', state: 'waiting' }]);
    await app.app.runAlerts();
    expect(await listDeliveries(app, edge)).toMatchObject([
      { title: 'Alert 2', state: 'delivered', attempts: 2 },
    ]);
    const [, first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(second).toBe(first);
    await addNote(app, { ...places, number: 3 });
    clock.advance(hour);
    await stop();
    clock.advance(3 * 24 * hour);
    app = await open();
    await eventually(async () =>
      expect(await listDeliveries(app, edge)).toMatchObject([{ title: 'Alert 3', state: 'waiting' }]),
    );
    await app.close();
    rmSync(dataDirectory, { recursive: true });
    await dropTestDatabase(dataDirectory);
  });
});
