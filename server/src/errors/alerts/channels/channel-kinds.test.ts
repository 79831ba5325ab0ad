import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../foundation/secret.ts';
import {
  alertConfig,
  createChannel,
  getChannel,
  listDeliveries,
  testChannel,
} from '../../../testing/calls/alert-calls.ts';
import { type AlertReceiver, startAlertReceiver } from '../../../testing/receivers/alert-receiver.ts';
import { type MailReceiver, startMailReceiver } from '../../../testing/receivers/mail-receiver.ts';
import { addNote } from '../../../testing/stages/alert-note-stage.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;
let mails: MailReceiver;
let number = 0;

beforeAll(async () => {
  receiver = await startAlertReceiver();
  mails = await startMailReceiver('muster', 'canary-password');
  app = await startTestApp({
    config: {
      ...alertConfig,
      publicUrl: 'https://muster.example.com',
      mail: {
        url: new Secret(`smtp://muster:canary-password@127.0.0.1:${mails.port}`),
        from: 'muster@example.com',
      },
    },
  });
  project = await app.createProject('edge');
});
afterAll(async () => {
  await app.close();
  await receiver.close();
  await mails.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  mails.received.length = 0;
  app.clock.advance(60_000);
});

const text = 'connection to db-1:5432 refused';
const link = 'https://muster.example.com/v1/projects';

/** Sends one message with these notes to a new channel of the kind. */
async function send(channel: Parameters<typeof createChannel>[2], notes: object[]): Promise<string> {
  const { id } = await createChannel(app, project, channel);
  for (const note of notes) {
    number += 1;
    await addNote(app, { projectID: project.id, channelID: id, number, title: 'Web is down', text, ...note });
  }
  await app.app.runAlerts();
  return id;
}

const hook = (path = '/hook') => ({ url: `${receiver.url}${path}` });
const bodies = () => receiver.received.map(({ body }) => body);

describe('a Slack channel', () => {
  it('gets an alert as blocks', async () => {
    await send({ kind: 'slack', ...hook() }, [{}]);
    const plain = (shown: string) => ({ type: 'plain_text', text: shown, emoji: false });
    const code = (shown: string) => ({
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: shown }] }],
    });
    expect(bodies()).toEqual([
      {
        text: 'edge: Web is down',
        mrkdwn: false,
        parse: 'none',
        unfurl_links: false,
        unfurl_media: false,
        blocks: [
          { type: 'header', text: plain('edge: Web is down') },
          { type: 'section', fields: [plain('Rule: errors')] },
          code(text),
          code('muster error list'),
          { type: 'actions', elements: [{ type: 'button', text: plain('Open in Muster'), url: link }] },
        ],
      },
    ]);
  });
});

describe('a Mattermost channel', () => {
  it('gets an alert as an attachment', async () => {
    await send({ kind: 'mattermost', ...hook() }, [{}]);
    expect(bodies()).toEqual([
      {
        attachments: [
          {
            fallback: 'edge: Web is down',
            title: 'edge: Web is down',
            title_link: link,
            text: `\`\`\`\n${text}\n\`\`\`\n\`muster error list\``,
            fields: [{ short: true, title: 'Rule', value: 'errors' }],
          },
        ],
      },
    ]);
  });
});

describe('a Discord channel', () => {
  it('gets an alert as an embed that may mention nobody', async () => {
    await send({ kind: 'discord', ...hook() }, [{}]);
    expect(bodies()).toEqual([
      {
        embeds: [
          {
            title: 'edge: Web is down',
            url: link,
            description: `\`\`\`\n${text}\n\`\`\`\n\`muster error list\``,
            fields: [{ name: 'Rule', value: 'errors', inline: true }],
          },
        ],
        allowed_mentions: { parse: [] },
      },
    ]);
  });
});

describe('a Teams channel', () => {
  it('gets an alert as an Adaptive Card', async () => {
    await send({ kind: 'teams', ...hook() }, [{}]);
    const run = (shown: string, style = {}) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text: shown, ...style }],
    });
    expect(bodies()).toEqual([
      {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                run('edge: Web is down', { weight: 'Bolder', size: 'Large' }),
                run('Rule: errors'),
                run(text, { fontType: 'Monospace' }),
                run('muster error list', { fontType: 'Monospace' }),
              ],
              actions: [{ type: 'Action.OpenUrl', title: 'Open in Muster', url: link }],
            },
          },
        ],
      },
    ]);
  });
});

describe('a PagerDuty channel', () => {
  it('triggers an incident, and resolves it when the alert is over', async () => {
    const id = await send({ kind: 'pagerduty', key: 'integration-key', ...hook('/v2/enqueue') }, [{}]);
    const opened = number;
    number += 1;
    // The same alert again: notes with the same last three digits are about the same one.
    await addNote(app, { projectID: project.id, channelID: id, number: opened + 1_000, kind: 'over' });
    app.clock.advance(60_000);
    await app.app.runAlerts();
    const [trigger, resolve, ...others] = bodies();
    expect(others).toEqual([]);
    expect(trigger).toEqual({
      routing_key: 'integration-key',
      event_action: 'trigger',
      dedup_key: expect.stringMatching(/^muster-[0-9a-f-]{36}$/),
      payload: {
        summary: 'edge: Web is down',
        source: 'muster',
        severity: 'warning',
        timestamp: expect.any(String),
        custom_details: { Rule: 'errors', Error: text, Command: 'muster error list' },
      },
      client: 'Muster',
      client_url: 'https://muster.example.com',
      links: [{ href: link, text: 'Open in Muster' }],
    });
    expect(resolve).toEqual({
      routing_key: 'integration-key',
      event_action: 'resolve',
      dedup_key: trigger.dedup_key,
    });
  });

  it('triggers one incident for a digest, and resolves it when all of its alerts are over', async () => {
    const id = await send({ kind: 'pagerduty', key: 'integration-key', ...hook() }, [{}, {}]);
    const last = number;
    for (const over of [last - 1, last]) {
      await addNote(app, { projectID: project.id, channelID: id, number: over + 1_000, kind: 'over' });
      app.clock.advance(60_000);
      await app.app.runAlerts();
    }
    expect(bodies().map(({ event_action: action }) => action)).toEqual(['trigger', 'resolve']);
    expect(new Set(bodies().map(({ dedup_key: key }) => key)).size).toBe(1);
  });

  it('triggers one incident for each event, also of the same rollout', async () => {
    const id = await send({ kind: 'pagerduty', key: 'integration-key', ...hook() }, [{ kind: 'moment' }]);
    await addNote(app, { projectID: project.id, channelID: id, number: number + 1_000, kind: 'moment' });
    app.clock.advance(60_000);
    await app.app.runAlerts();
    const [first, second] = bodies();
    expect([first.event_action, second.event_action]).toEqual(['trigger', 'trigger']);
    expect(second.dedup_key).not.toBe(first.dedup_key);
  });

  it('resolves an incident from before it was disabled', async () => {
    const id = await send({ kind: 'pagerduty', key: 'integration-key', ...hook() }, [{}]);
    for (const enabled of [false, true])
      await app.request('PATCH', `/v1/alert_channels/${id}`, {
        as: { access: app.admin },
        body: { enabled },
      });
    await addNote(app, { projectID: project.id, channelID: id, number: number + 1_000, kind: 'over' });
    app.clock.advance(60_000);
    await app.app.runAlerts();
    expect(bodies().map(({ event_action: action }) => action)).toEqual(['trigger', 'resolve']);
  });
});

describe('an Opsgenie channel', () => {
  it('creates an alert, and closes it when it is over', async () => {
    const id = await send({ kind: 'opsgenie', key: 'api-key', ...hook('/v2/alerts') }, [{}]);
    await addNote(app, { projectID: project.id, channelID: id, number: number + 1_000, kind: 'over' });
    app.clock.advance(60_000);
    await app.app.runAlerts();
    const [create, close] = receiver.received;
    expect([create?.path, create?.headers.authorization]).toEqual(['/v2/alerts', 'GenieKey api-key']);
    expect(create?.body).toEqual({
      message: 'edge: Web is down',
      alias: expect.stringMatching(/^muster-[0-9a-f-]{36}$/),
      description: `edge: Web is down\n${text}\n${link}\nmuster error list`,
      priority: 'P3',
      source: 'muster',
      tags: ['muster'],
      details: { Rule: 'errors' },
    });
    expect([close?.path, close?.headers.authorization]).toEqual([
      `/v2/alerts/${create?.body.alias}/close?identifierType=alias`,
      'GenieKey api-key',
    ]);
  });
});

describe('a mail channel', () => {
  it('gets a mail with a plain and an HTML part', async () => {
    const recipients = ['ada@example.com', 'grace@example.com'];
    const id = await send({ kind: 'mail', recipients }, [{}]);
    const [mail, ...others] = mails.received;
    expect([others, mail?.from, mail?.to, mail?.user]).toEqual([
      [],
      'muster@example.com',
      recipients,
      'muster',
    ]);
    const [delivery] = await listDeliveries(app, project, `?channel_id=${id}`);
    expect(delivery).toMatchObject({ state: 'delivered', answer: expect.stringContaining('250') });
    const headers = mail?.text.split('\r\n\r\n', 1)[0];
    expect(headers).toContain('From: Muster <muster@example.com>\r\n');
    expect(headers).toContain('To: ada@example.com, grace@example.com\r\n');
    expect(headers).toContain('Subject: [Muster] edge: Web is down\r\n');
    expect(headers).toContain(`Message-ID: <${delivery?.id}@example.com>\r\n`);
    expect(headers).toContain('Auto-Submitted: auto-generated\r\n');
    expect(mail?.text).toContain(
      `edge: Web is down\r\n\r\nRule: errors\r\n\r\n  ${text}\r\n\r\n${link}\r\n\r\nmuster error list\r\n`,
    );
    expect(mail?.text).toContain('<p><strong>edge: Web is down</strong></p>');
    expect(await getChannel(app, id)).toMatchObject({ target: recipients.join(', ') });
  });

  it('says for whom the mail server refused a mail that others got, and is failing without being disabled', async () => {
    const id = await send({ kind: 'mail', recipients: ['ada@example.com', 'refused@example.com'] }, [{}]);
    expect(mails.received.map(({ to }) => to)).toEqual([['ada@example.com']]);
    const failure =
      'The mail server refused the mail for 1 of 2 recipients, for good: correct their addresses. The message names them.';
    expect(await listDeliveries(app, project, `?channel_id=${id}`)).toMatchObject([
      {
        state: 'delivered',
        failure,
        answer: expect.stringMatching(/^Refused for refused@example\.com\. For/),
      },
    ]);
    const failingSince = new Date(app.clock.now()).toISOString();
    expect(await getChannel(app, id)).toMatchObject({
      status: 'failing',
      failingSince,
      lastFailure: failure,
      lastDeliveredAt: failingSince,
    });
    app.clock.advance(6 * 86_400_000);
    expect((await testChannel(app, id)).body).toMatchObject({ state: 'failed', failure });
    number += 1;
    await addNote(app, { projectID: project.id, channelID: id, number, title: 'Web is down', text });
    await app.app.runAlerts();
    expect(mails.received).toHaveLength(3);
    expect(await getChannel(app, id)).toMatchObject({ status: 'failing' });
  });

  it('says what the mail server refused, without the password', async () => {
    const { id } = await createChannel(app, project, { kind: 'mail', recipients: ['ada@example.com'] });
    await mails.close();
    const { body } = await testChannel(app, id);
    expect(body).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/^The mail server could not be reached/),
    });
    mails = await startMailReceiver('muster', 'another-password');
    expect(app.logs.join('')).not.toContain('canary-password');
  });
});

/** Texts with which an agent could make a message say something else. */
const hostileText = [
  '@everyone @here <!channel> <@U123> <https://evil.example.com|click> [click](https://evil.example.com)',
  '``` \n**bold** _it_ ~~x~~ `code` # head',
  '<script>alert(1)</script> <img src=x onerror=alert(1)> &amp; "quotes\'',
  '\r\nBcc: victim@example.com\r\n\r\nbody',
  '\u202e\u2066reversed\u2069 \u200b\u0007\u001b[31m\u0000',
  '👩‍🚒'.repeat(1_024),
].join('\n');

describe('a hostile text of an agent', () => {
  const kinds = ['slack', 'mattermost', 'discord', 'teams', 'pagerduty', 'opsgenie', 'webhook'] as const;

  it.each(kinds)('is harmless in %s, and within the limits of the service', async (kind) => {
    const key = kind === 'pagerduty' || kind === 'opsgenie' ? { key: 'k' } : {};
    // As a text, as a title, and ten of them in a digest.
    const hostile = {
      title: hostileText,
      text: hostileText,
      ruleName: hostileText.slice(0, 128),
      facts: [{ label: 'User', value: hostileText }],
    };
    const channelID = await send({ kind, ...key, ...hook() }, [hostile]);
    await send(
      { kind, ...key, ...hook() },
      Array.from({ length: 12 }, () => hostile),
    );
    const over = { projectID: project.id, channelID, number: number - 12 + 1_000 };
    await addNote(app, { ...hostile, ...over, kind: 'over' });
    app.clock.advance(60_000);
    await app.app.runAlerts();
    expect(receiver.received.length).toBe(3);
    for (const { text: sent, body } of receiver.received) {
      expect(Buffer.byteLength(sent)).toBeLessThan(kind === 'webhook' ? 256_000 : 28_000);
      expect(sent).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]|\\u00(07|1b)/u);
      expect(sent.isWellFormed()).toBe(true);
      const strings = stringsOf(body);
      if (kind === 'slack') {
        expect(body.text).not.toMatch(/<[!@#h]/);
        expect(strings.filter(({ path }) => path.endsWith('.type')).map(({ value }) => value)).not.toContain(
          'mrkdwn',
        );
        expect(body.blocks[0].text.text.length).toBeLessThanOrEqual(150);
        expect(body.blocks.length).toBeLessThanOrEqual(50);
        for (const { value } of strings) expect(value.length).toBeLessThanOrEqual(3_000);
      }
      if (kind === 'mattermost' || kind === 'discord') {
        for (const { path, value } of strings) {
          expect([path, /@(everyone|here|channel)/.test(value)]).toEqual([path, false]);
          const shown = value.replaceAll(/\\[^\w\s]/g, '').replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
          expect([path, shown.includes('[click')]).toEqual([path, false]);
        }
      }
      if (kind === 'discord') {
        const [embed] = body.embeds;
        expect(embed.title.length).toBeLessThanOrEqual(256);
        expect(embed.description.length).toBeLessThanOrEqual(4_096);
        expect(strings.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThanOrEqual(6_000);
      }
      if (kind === 'pagerduty' && body.event_action === 'trigger')
        expect(body.payload.summary.length).toBeLessThanOrEqual(1_024);
      if (kind === 'opsgenie') {
        expect((body.message ?? body.note).length).toBeLessThanOrEqual(130);
        expect((body.description ?? '').length).toBeLessThanOrEqual(15_000);
      }
    }
  });

  it('is harmless in mail', async () => {
    mails.received.length = 0;
    const other = await startMailReceiver('muster', 'canary-password');
    const mailing = await startTestApp({
      config: {
        mail: {
          url: new Secret(`smtp://muster:canary-password@127.0.0.1:${other.port}`),
          from: 'm@example.com',
        },
      },
    });
    const edge = await mailing.createProject('edge\r\nBcc: victim@example.com');
    const { id } = await createChannel(mailing, edge, { kind: 'mail', recipients: ['ada@example.com'] });
    await addNote(mailing, {
      projectID: edge.id,
      channelID: id,
      number: 1,
      title: hostileText,
      text: hostileText,
    });
    await mailing.app.runAlerts();
    const [mail] = other.received;
    expect(mail?.to).toEqual(['ada@example.com']);
    const [headers = ''] = mail?.text.split('\r\n\r\n', 1) ?? [];
    expect(headers).not.toMatch(/^bcc:/im);
    expect(mail?.text).not.toContain('<script>');
    expect(mail?.text).not.toContain('<img');
    await mailing.close();
    await other.close();
  });
});

function stringsOf(value: unknown, path = ''): { readonly path: string; readonly value: string }[] {
  if (typeof value === 'string') return [{ path, value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => stringsOf(member, `${path}.${name}`));
}

describe('a channel of the dashboard', () => {
  it('needs nothing, sends nothing, and has its messages in the list', async () => {
    const channelID = await send({ kind: 'dashboard' }, [{}]);
    expect([bodies(), mails.received]).toEqual([[], []]);
    expect(await getChannel(app, channelID)).toMatchObject({ target: 'Muster', status: 'active' });
    const [delivery] = await listDeliveries(app, project, `?channel_id=${channelID}`);
    expect(delivery).toMatchObject({ title: 'Web is down', state: 'delivered', attempts: 1, failure: null });
    expect((await testChannel(app, channelID)).body).toMatchObject({ state: 'delivered' });
  });

  it('takes no address', async () => {
    const { status, body } = await app.request('POST', `/v1/projects/${project.id}/alert_channels`, {
      as: { access: app.admin },
      body: { name: 'list', kind: 'dashboard', url: 'https://example.com' },
    });
    expect([status, body]).toMatchObject([
      422,
      { fields: [{ path: '/url', message: "is not used by channels of the kind 'dashboard'" }] },
    ]);
  });
});
