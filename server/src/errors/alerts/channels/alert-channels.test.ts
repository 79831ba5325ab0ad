import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AlertChannel, RotatedAlertChannel } from '@muster/contract';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../foundation/secret.ts';
import {
  alertConfig,
  createChannel,
  getChannel,
  listDeliveries,
  testChannel,
} from '../../../testing/calls/alert-calls.ts';
import {
  type AlertReceiver,
  answering,
  startAlertReceiver,
} from '../../../testing/receivers/alert-receiver.ts';
import { readStored } from '../../../testing/rows/read-stored.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { testEngine } from '../../../testing/test-database.ts';

let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;

beforeAll(async () => {
  receiver = await startAlertReceiver();
  app = await startTestApp({ config: alertConfig });
  project = await app.createProject('edge');
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const create = (body: object) =>
  app.request('POST', `/v1/projects/${project.id}/alert_channels`, { as: { access: app.admin }, body });

describe('POST /v1/projects/{projectID}/alert_channels', () => {
  it('answers the secret of a webhook once, and shows only the host of its address', async () => {
    const { secret, ...channel } = await createChannel(app, project, {
      url: `${receiver.url}/hook-canary-1`,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(channel).toEqual({
      id: uuid,
      name: 'on-call',
      kind: 'webhook',
      target: new URL(receiver.url).host,
      quietHours: null,
      status: 'active',
      failingSince: null,
      lastFailure: null,
      lastDeliveredAt: null,
      disabledAt: null,
      disabledReason: null,
      createdAt: '2026-03-02T10:20:30.456Z',
      createdBy: { kind: 'user', id: uuid, name: 'administrator' },
    });
    expect(await getChannel(app, channel.id)).toEqual(channel);
    const { body, text } = await app.request<AlertChannel[]>(
      'GET',
      `/v1/projects/${project.id}/alert_channels`,
      { as: { access: app.admin } },
    );
    expect(body[0]).toEqual(channel);
    expect(text).not.toContain('canary');
  });

  it.each([
    ['webhook', {}, '/url', 'is missing'],
    ['pagerduty', {}, '/key', 'is missing'],
    ['opsgenie', { url: 'https://api.example.com/v2/alerts' }, '/key', 'is missing'],
    ['mail', {}, '/recipients', 'is missing'],
    [
      'slack',
      { key: 'x', url: 'https://hooks.slack.com/services/1' },
      '/key',
      "is not used by channels of the kind 'slack'",
    ],
    ['pagerduty', { key: 'a b' }, '/key', 'must be printable ASCII without spaces'],
    [
      'mail',
      { recipients: ['a@b\r\nBcc: c@d'] },
      '/recipients/0',
      'must be a mail address such as on-call@example.com',
    ],
    [
      'webhook',
      { url: 'ftp://hooks.example.com' },
      '/url',
      'is refused: It is not a URL that begins with https://',
    ],
    [
      'webhook',
      { url: 'https://user:pw@hooks.example.com' },
      '/url',
      'is refused: It contains a user or a password, which are not sent',
    ],
    [
      'webhook',
      {
        url: 'https://hooks.example.com',
        quietHours: { from: '22:00', until: '06:00', timeZone: 'Mars/Base' },
      },
      '/quietHours/timeZone',
      'is not in the IANA time zone database; write a name such as Europe/Berlin',
    ],
  ])('refuses %s with %o', async (kind, fields, path, message) => {
    const { status, body } = await create({ name: 'on-call', kind, ...fields });
    expect({ status, body }).toMatchObject({ status: 422, body: { fields: [{ path, message }] } });
  });

  it.each([
    'https://127.0.0.2/',
    'https://0x7f000002/',
    'https://2130706434/',
    'https://0177.0.0.2/',
    'https://127.2/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fec0::1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:a00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2001:0:a00:1::]/',
    'https://[100::1]/',
    'https://192.0.0.8/',
    'https://198.18.0.1/',
    'https://240.0.0.1/',
    'https://0.1.2.3/',
  ])('refuses the address %s', async (url) => {
    const { status, text } = await create({ name: 'on-call', kind: 'webhook', url });
    expect(status).toBe(422);
    expect(text).toContain(
      'which is not public. If alerts may be sent there, add it to MUSTER_ALERT_ALLOWED_HOSTS (a setting of the service; restart it)',
    );
  });

  it('refuses http:// for a host that the settings do not name', async () => {
    const { status, text } = await create({
      name: 'on-call',
      kind: 'webhook',
      url: 'http://hooks.example.com/',
    });
    expect(status).toBe(422);
    expect(text).toContain(
      'is allowed only for hosts that MUSTER_ALERT_ALLOWED_HOSTS names (a setting of the service; restart it). Use https://',
    );
  });

  it('refuses mail if the installation cannot send it', async () => {
    const { status, body } = await create({ name: 'ops', kind: 'mail', recipients: ['ops@example.com'] });
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'mail_not_set_up' } });
  });

  it('refuses channels with secrets on PostgreSQL without a key, and creates a key file on SQLite', async () => {
    const other = await startTestApp({ config: { secretKey: undefined } });
    const { id } = await other.createProject();
    const { status, body } = await other.request('POST', `/v1/projects/${id}/alert_channels`, {
      as: { access: other.admin },
      body: { name: 'on-call', kind: 'webhook', url: 'https://hooks.example.com/' },
    });
    const expected = testEngine === 'postgres' ? [409, { code: 'secret_key_missing' }] : [201, {}];
    expect([status, body]).toEqual([expected[0], expect.objectContaining(expected[1])]);
    await other.close();
  });
});

describe('PATCH /v1/alert_channels/{alertChannelID}', () => {
  it('replaces the address and keeps the secret', async () => {
    const { id, secret = '' } = await createChannel(app, project, { url: 'https://hooks.example.com/a' });
    const { body } = await app.request<AlertChannel>('PATCH', `/v1/alert_channels/${id}`, {
      as: { access: app.admin },
      body: {
        name: 'night',
        url: `${receiver.url}/b`,
        quietHours: { from: '22:00', until: '06:00', timeZone: 'Europe/Berlin' },
      },
    });
    expect(body).toMatchObject({
      name: 'night',
      target: new URL(receiver.url).host,
      quietHours: { from: '22:00', until: '06:00', timeZone: 'Europe/Berlin' },
    });
    await testChannel(app, id);
    const { text, headers, path } = receiver.received.at(-1) ?? expect.fail();
    expect(path).toBe('/b');
    const at = app.clock.now() / 1_000;
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(at)));
    const signed = new Webhook(secret).sign(
      String(headers['webhook-id']),
      new Date(Math.floor(at) * 1_000),
      text,
    );
    expect(headers['webhook-signature']).toBe(signed);
  });

  it.each(['pagerduty', 'opsgenie'] as const)(
    'sends the stored key of %s to no other address',
    async (kind) => {
      const { id } = await createChannel(app, project, { kind, key: 'canary-stored-key', url: receiver.url });
      const other = await startAlertReceiver();
      const change = (body: object) =>
        app.request<AlertChannel>('PATCH', `/v1/alert_channels/${id}`, { as: { access: app.admin }, body });
      const refused = await change({ url: other.url, name: 'night' });
      expect([refused.status, refused.body]).toEqual([
        422,
        expect.objectContaining({
          code: 'invalid_body',
          fields: [
            {
              path: '/key',
              message:
                'is needed with another url, because the stored key is not sent to it: send the key too',
            },
          ],
        }),
      ]);
      await testChannel(app, id);
      expect(await getChannel(app, id)).toMatchObject({
        name: 'on-call',
        target: new URL(receiver.url).host,
      });
      expect((await change({ url: other.url, key: 'another-key' })).body).toMatchObject({
        target: new URL(other.url).host,
      });
      app.clock.advance(5_000);
      await testChannel(app, id);
      const keysOf = ({ received }: AlertReceiver) =>
        received.map(({ body, headers }) => body.routing_key ?? headers.authorization);
      const written = (key: string) => (kind === 'pagerduty' ? key : `GenieKey ${key}`);
      expect([keysOf(receiver).at(-1), keysOf(other)]).toEqual([
        written('canary-stored-key'),
        [written('another-key')],
      ]);
      await other.close();
    },
  );

  it('disables and enables', async () => {
    const { id } = await createChannel(app, project, { url: receiver.url });
    const change = (enabled: boolean) =>
      app.request<AlertChannel>('PATCH', `/v1/alert_channels/${id}`, {
        as: { access: app.admin },
        body: { enabled },
      });
    expect((await change(false)).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'Somebody disabled it.',
    });
    expect((await change(true)).body).toMatchObject({ status: 'active', disabledReason: null });
  });
});

describe('POST /v1/alert_channels/{alertChannelID}/rotate', () => {
  it('signs with both secrets until the grace ends', async () => {
    const { id, secret: first = '' } = await createChannel(app, project, { url: receiver.url });
    const { body } = await app.request<RotatedAlertChannel>('POST', `/v1/alert_channels/${id}/rotate`, {
      as: { access: app.admin },
      body: { graceSeconds: 60 },
    });
    expect(body.secret).not.toBe(first);
    expect(Date.parse(body.earlierSecretEndsAt)).toBe(app.clock.now() + 60_000);
    const secretsOf = async () => {
      await testChannel(app, id);
      const { text, headers } = receiver.received.at(-1) ?? expect.fail();
      const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
      const sign = (secret: string) => new Webhook(secret).sign(String(headers['webhook-id']), sentAt, text);
      const signatures = String(headers['webhook-signature']).split(' ');
      return [body.secret, first].map((secret) => signatures.includes(sign(secret)));
    };
    expect(await secretsOf()).toEqual([true, true]);
    app.clock.advance(60_000);
    expect(await secretsOf()).toEqual([true, false]);
  });

  it('is refused for other kinds', async () => {
    const { id } = await createChannel(app, project, { kind: 'slack', url: receiver.url });
    const { status, body } = await app.request('POST', `/v1/alert_channels/${id}/rotate`, {
      as: { access: app.admin },
      body: {},
    });
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'alert_channel_has_no_secret' } });
  });
});

describe('POST /v1/alert_channels/{alertChannelID}/test', () => {
  it('answers what the channel answered, without its secrets', async () => {
    const { id } = await createChannel(app, project, { url: `${receiver.url}/services/T00/hook-canary-2` });
    receiver.answer = answering(404, `no hook at ${receiver.url}/services/T00/hook-canary-2 (hook-canary-2)`);
    const { body } = await testChannel(app, id);
    expect(body).toEqual({
      id: uuid,
      channelID: id,
      kind: 'test',
      title: "This is a test of the channel 'on-call'. Nothing happened",
      state: 'failed',
      attempts: 1,
      createdAt: expect.any(String),
      lastAttemptAt: expect.any(String),
      nextAttemptAt: null,
      endedAt: expect.any(String),
      answerStatus: 404,
      answer: 'no hook at [secret] ([secret])',
      failure: '127.0.0.1 answered 404.',
      milliseconds: 0,
    });
    receiver.answer = answering(200, 'ok');
    const again = await testChannel(app, id);
    expect([again.status, again.headers['retry-after'], again.body]).toEqual([
      429,
      '5',
      expect.objectContaining({ code: 'too_many_alert_tests' }),
    ]);
    app.clock.advance(5_000);
    expect((await testChannel(app, id)).body).toMatchObject({
      state: 'delivered',
      answer: 'ok',
      failure: null,
    });
    const [newest, older] = await listDeliveries(app, project, `?channel_id=${id}`);
    expect([newest?.state, older?.state]).toEqual(['delivered', 'failed']);
    expect(await listDeliveries(app, project, `?channel_id=${id}&state=failed`)).toEqual([older]);
  });
});

describe.runIf(testEngine === 'sqlite')('the key file', () => {
  it('is what a channel is sealed with, also after a restart, and after a setting has replaced it', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-key-'));
    const clock = createTestClock();
    const start = (secretKey: Secret | undefined) =>
      startTestApp({ dataDirectory, clock, config: { ...alertConfig, secretKey } });
    const first = await start(undefined);
    const { id } = await createChannel(first, await first.createProject(), { url: `${receiver.url}/sealed` });
    await first.close();
    for (const secretKey of [undefined, new Secret('the-secret-key-of-a-later-setting')]) {
      const later = await start(secretKey);
      clock.advance(10_000);
      expect((await testChannel(later, id)).body).toMatchObject({ state: 'delivered', failure: null });
      await later.close();
    }
    rmSync(dataDirectory, { recursive: true });
  });
});

describe('secrets of channels', () => {
  it('are in no list, no log line and nothing that is stored', async () => {
    const canary = `${receiver.url}/services/canary-in-the-path?token=canary-in-the-query`;
    const { id, secret = '' } = await createChannel(app, project, { url: canary });
    const { id: paging } = await createChannel(app, project, {
      kind: 'pagerduty',
      url: `${receiver.url}/v2/enqueue`,
      key: 'canary-integration-key',
    });
    receiver.answer = answering(500, `failed: ${canary} canary-in-the-query ${secret}`);
    expect((await testChannel(app, id)).body.state).toBe('failed');
    receiver.answer = answering(500, '{"key": "canary-integration-key"}');
    expect((await testChannel(app, paging)).body.state).toBe('failed');
    receiver.answer = answering(200);
    const canaries = ['canary-in-the', 'canary-integration-key', secret];
    const lists = await Promise.all(
      ['alert_channels', 'alert_deliveries'].map(async (list) => {
        const { text } = await app.request('GET', `/v1/projects/${project.id}/${list}`, {
          as: { access: app.admin },
        });
        return text;
      }),
    );
    const stored = await readStored(app.dataDirectory);
    for (const one of canaries) {
      expect([one, lists.join('').includes(one)]).toEqual([one, false]);
      expect([one, app.logs.join('').includes(one)]).toEqual([one, false]);
      expect([one, stored.includes(one)]).toEqual([one, false]);
    }
  });
});

describe('DELETE /v1/alert_channels/{alertChannelID}', () => {
  it('removes the channel and its log', async () => {
    const { id } = await createChannel(app, project, { url: receiver.url });
    await testChannel(app, id);
    const path = `/v1/alert_channels/${id}`;
    expect((await app.request('DELETE', path, { as: { access: app.admin } })).status).toBe(204);
    expect((await app.request('GET', path, { as: { access: app.admin } })).status).toBe(404);
    expect(await listDeliveries(app, project, `?channel_id=${id}`)).toEqual([]);
  });
});
