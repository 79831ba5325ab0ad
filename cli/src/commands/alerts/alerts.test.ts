import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AlertChannel, AlertDelivery, AlertRule, AlertRulePreview } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../../server/src/foundation/secret.ts';
import { alertConfig } from '../../../../server/src/testing/calls/alert-calls.ts';
import {
  type AlertReceiver,
  answering,
  startAlertReceiver,
} from '../../../../server/src/testing/receivers/alert-receiver.ts';
import { type CliTest, type RunOptions, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let receiver: AlertReceiver;

beforeAll(async () => {
  receiver = await startAlertReceiver();
  cli = await startCliTest({
    ...alertConfig,
    mail: { url: new Secret('smtp://127.0.0.1:1'), from: 'muster@example.com' },
  });
});
afterAll(async () => {
  await cli.close();
  await receiver.close();
});

const alert = (args: readonly string[], options?: RunOptions) => cli.runAsAdmin(['alert', ...args], options);

async function json<Body>(args: readonly string[], options?: RunOptions): Promise<Body> {
  const { exitCode, stdout, stderr } = await alert([...args, '--json'], options);
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function file(name: string, text: string): string {
  const path = join(cli.home, name);
  writeFileSync(path, text);
  return path;
}

describe('muster alert channel', () => {
  it('creates a webhook, shows its secret once, tests, rotates, disables and deletes it', async () => {
    const created = await alert(['channel', 'create', 'tickets', '--kind', 'webhook', '--url', receiver.url]);
    expect(created.exitCode).toBe(0);
    expect(created.stdout).toMatch(/\nsecret +whsec_\S{44}\n$/);
    expect(created.stderr).toBe(
      'The secret is shown once: keep it now.\nTo try it, run: muster alert channel test tickets\nNo rule tells this channel of anything. To create one, run: muster alert rule create --kind new_group --channel tickets\n',
    );
    const shown = await alert(['channel', 'get', 'tickets']);
    expect(shown.stdout).toMatch(
      /^id .*\nname +tickets\nkind +webhook\ntarget +127\.0\.0\.1:\d+\nstatus +active\n/,
    );
    expect(shown.stdout).not.toContain('whsec_');
    const tested = await alert(['channel', 'test', 'tickets']);
    expect(tested.stdout).toMatch(/\nstate +delivered\nstatus +200\nanswer +ok\n/);
    expect(receiver.received).toHaveLength(1);
    const rotated = await alert(['channel', 'rotate', 'tickets', '--grace', '0s', '--quiet']);
    expect(rotated.stdout).toMatch(/^whsec_\S{44}\n$/);
    const disabled = await json<AlertChannel>(['channel', 'disable', 'tickets']);
    expect(disabled.status).toBe('disabled');
    expect((await json<AlertChannel>(['channel', 'enable', 'tickets'])).status).toBe('active');
    const { stderr } = await alert(['channel', 'delete', 'tickets', '--yes']);
    expect(stderr).toBe("Deleted the alert channel 'tickets'.\n");
    expect((await alert(['channel', 'get', 'tickets'])).exitCode).toBe(5);
  });

  it('creates the rules that tell it in the same command', async () => {
    const args = ['channel', 'create', 'told', '--kind', 'dashboard', '--rule', 'new_group'];
    const created = await alert([...args, '--rule', 'regression', '--rule', 'new_group']);
    expect([created.exitCode, created.stderr]).toEqual([
      0,
      "It is told by the rule 'New errors'.\nIt is told by the rule 'Errors that are back'.\nTo try it, run: muster alert channel test told\n",
    ]);
    const channel = await json<AlertChannel>(['channel', 'get', 'told']);
    const rules = await json<AlertRule[]>(['rule', 'list']);
    expect(rules.map(({ kind, channelIDs }) => [kind, channelIDs])).toEqual([
      ['regression', [channel.id]],
      ['new_group', [channel.id]],
    ]);
    const untold = await alert(['channel', 'create', 'on call', '--kind', 'dashboard']);
    expect(untold.stderr).toBe(
      "To try it, run: muster alert channel test 'on call'\nNo rule tells this channel of anything. To create one, run: muster alert rule create --kind new_group --channel 'on call'\n",
    );
    const ofAll = await json<AlertRule>(['rule', 'create', '--kind', 'member_added']);
    const toldToo = await alert(['channel', 'create', 'third', '--kind', 'dashboard']);
    expect(toldToo.stderr).toBe('To try it, run: muster alert channel test third\n');
    for (const name of ['on call', 'third']) await alert(['channel', 'delete', name, '--yes']);
    for (const { id } of [ofAll, ...rules]) await alert(['rule', 'delete', id, '--yes']);
    const refused = await alert(['channel', 'create', 'other', '--kind', 'dashboard', '--rule', 'new']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('It is one of: new_group, '),
    ]);
  });

  it('exits with 1 and says why when a test message was not delivered', async () => {
    await json(['channel', 'create', 'broken', '--kind', 'slack', '--url', receiver.url]);
    receiver.answer = answering(404, 'no_team');
    const { exitCode, stderr } = await alert(['channel', 'test', 'broken']);
    receiver.answer = answering(200, 'ok');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('was not delivered: 127.0.0.1')]);
    const listed = await alert(['delivery', 'list', '--channel', 'broken', '--state', 'failed', '--quiet']);
    expect(listed.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    const shown = (await alert(['delivery', 'list', '--channel', 'broken'])).stdout.split('\n');
    expect(shown).toEqual([
      expect.stringMatching(/^CREATED +CHANNEL +KIND /),
      expect.stringMatching(/^\S+ +broken +test +failed +1 /),
      '',
    ]);
    const [delivery] = await json<AlertDelivery[]>(['delivery', 'list']);
    expect(delivery).toMatchObject({ state: 'failed', kind: 'test', answer: 'no_team', answerStatus: 404 });
  });

  it.each(['slack', 'mattermost', 'discord', 'teams'])(
    'reads the address of %s from a file',
    async (kind) => {
      const path = file('address', `${receiver.url}/secret-path\n`);
      const created = await alert(['channel', 'create', kind, '--kind', kind, '--url-file', path]);
      expect(created).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('secret-path') });
      const before = receiver.received.length;
      await alert(['channel', 'test', kind]);
      expect(receiver.received.slice(before).map(({ path: received }) => received)).toEqual(['/secret-path']);
    },
  );

  it.each(['pagerduty', 'opsgenie'])(
    'reads the key of %s from standard input, and never prints it',
    async (kind) => {
      const args = ['channel', 'create', kind, '--kind', kind, '--url', receiver.url, '--key-file', '-'];
      const created = await alert(args, { stdin: 'key-canary\n' });
      expect(created.exitCode).toBe(0);
      await alert(['channel', 'test', kind]);
      const last = receiver.received.at(-1);
      expect(`${last?.text}${last?.headers.authorization}`).toContain('key-canary');
      const listed = await alert(['channel', 'list', '--json']);
      expect(`${created.stdout}${created.stderr}${listed.stdout}`).not.toContain('canary');
    },
  );

  it('wants the key again with another address, and asks for it at a terminal', async () => {
    const args = ['channel', 'create', 'duty', '--kind', 'pagerduty', '--url', receiver.url];
    await alert([...args, '--key-file', '-'], { stdin: 'key-canary\n' });
    const update = ['channel', 'update', 'duty', '--url', `${receiver.url}/other`];
    const refused = await alert(update);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      "muster: Another address of a channel of the kind 'pagerduty' needs the key too: the stored key is not sent to it.\n  Add --key-file FILE, or --key-file - and write it to standard input.\n",
    ]);
    const { exitCode } = await alert(update, {
      columns: 100,
      answer: { to: /The key for pagerduty\?/, keys: 'typed-canary\r' },
    });
    expect(exitCode).toBe(0);
    await alert(['channel', 'test', 'duty']);
    expect(receiver.received.at(-1)).toMatchObject({ path: '/other', body: { routing_key: 'typed-canary' } });
  });

  it('asks for the address at a terminal without showing it', async () => {
    const { exitCode, stdout, stderr } = await alert(['channel', 'create', 'asked', '--kind', 'teams'], {
      columns: 100,
      answer: { to: /The address for teams\?/, keys: `${receiver.url}/typed-canary\r` },
    });
    expect(exitCode).toBe(0);
    expect(`${stdout}${stderr}`).not.toContain('canary');
  });

  it('creates a mail channel with recipients and quiet hours, and changes them', async () => {
    const args = ['channel', 'create', 'team', '--kind', 'mail', '--to', 'ada@example.com'];
    const hours = '22:00-06:00 Europe/Berlin';
    const created = await json<AlertChannel>([...args, '--to', 'bob@example.com', '--quiet-hours', hours]);
    expect(created).toMatchObject({
      target: 'ada@example.com, bob@example.com',
      quietHours: { from: '22:00', until: '06:00', timeZone: 'Europe/Berlin' },
    });
    expect((await alert(['channel', 'get', 'team'])).stdout).toContain(hours);
    const changed = await json<AlertChannel>([
      ...['channel', 'update', 'team', '--name', 'crew'],
      ...['--to', 'eve@example.com', '--quiet-hours', 'never'],
    ]);
    expect(changed).toEqual({ ...created, name: 'crew', target: 'eve@example.com', quietHours: null });
  });

  it.each([
    [['create', 'x'], "required option '--kind <kind>' not specified"],
    [['create', 'x', '--kind', 'sms'], "argument 'sms' is invalid"],
    [
      ['create', 'x', '--kind', 'slack'],
      "A channel of the kind 'slack' needs an address.\n  Add --url-file FILE",
    ],
    [
      ['create', 'x', '--kind', 'opsgenie'],
      "A channel of the kind 'opsgenie' needs a key.\n  Add --key-file FILE",
    ],
    [['create', 'x', '--kind', 'mail'], 'A mail channel needs recipients.\n  Add --to ADDRESS.'],
    [['create', 'x', '--kind', 'slack', '--url-file', '/nonexistent'], '/nonexistent cannot be read'],
    [
      ['create', 'x', '--kind', 'slack', '--url-file', '/dev/zero'],
      '/dev/zero cannot be read: it has more than 4194304 bytes.',
    ],
    [['create', 'x', '--kind', 'slack', '--url-file', '-'], 'Standard input is empty.'],
    [['create', 'x', '--kind', 'slack', '--url-file', '-', '--key-file', '-'], 'Only one of --url-file'],
    [['update', 'x'], 'There is nothing to change.'],
    [['update', 'x', '--quiet-hours', '22-06'], 'It takes two times and a time zone'],
  ])('refuses %j', async (args, text) => {
    const { exitCode, stderr } = await alert(['channel', ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('names the channels that exist when a name is wrong', async () => {
    const { exitCode, stderr } = await alert(['channel', 'get', 'brokn']);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining("Did you mean 'broken'?")]);
  });
});

describe('muster alert rule', () => {
  it.each([
    [['new_group'], {}],
    [['regression', '--cooldown', '0s'], { cooldownSeconds: 0 }],
    [
      ['widespread_group', '--agents', '10', '--share', '2.5%', '--window', '30min'],
      { agents: 10, share: 0.025, windowSeconds: 1_800 },
    ],
    [['agents_offline', '--share', '10%', '--name', 'silence'], { share: 0.1, name: 'silence' }],
    [['token_expiring', '--days', '14'], { days: 14 }],
    [['wildcard_token'], {}],
    [['member_added'], {}],
  ])('creates %j', async ([kind = '', ...flags], fields) => {
    const created = await json<AlertRule>(['rule', 'create', '--kind', kind, ...flags]);
    expect(created).toMatchObject({ kind, enabled: true, channelIDs: null, ...fields });
  });

  it('lists, shows, changes, mutes, enables and deletes a rule by its name', async () => {
    const { id } = await json<AlertChannel>([
      'channel',
      'create',
      'here',
      '--kind',
      'teams',
      '--url',
      receiver.url,
    ]);
    await json(['rule', 'create', '--kind', 'widespread_group', '--name', 'spread', '--share', '5%']);
    const changed = await json<AlertRule>([
      ...['rule', 'update', 'spread', '--agents', '3', '--share', 'none'],
      ...['--channel', 'here', '--cooldown', '6h'],
    ]);
    expect(changed).toMatchObject({ agents: 3, share: null, channelIDs: [id], cooldownSeconds: 21_600 });
    expect((await alert(['rule', 'get', 'spread'])).stdout).toMatch(
      /\ncondition +3 agents within 1 h\nchannels +here\ncool-down +6 h\nstate +enabled\n/,
    );
    expect((await json<AlertRule>(['rule', 'update', 'spread', '--all-channels'])).channelIDs).toBeNull();
    expect((await json<AlertRule>(['rule', 'mute', 'spread'])).enabled).toBe(false);
    expect((await alert(['rule', 'list'])).stdout).toMatch(
      /spread +widespread_group +3 agents.* all +disabled/,
    );
    expect((await json<AlertRule>(['rule', 'enable', 'spread'])).enabled).toBe(true);
    expect((await alert(['rule', 'delete', 'spread', '--yes'])).stderr).toBe(
      "Deleted the alert rule 'spread'.\n",
    );
    expect((await alert(['rule', 'update', 'spread', '--agents', '1'])).exitCode).toBe(5);
  });

  it.each([
    [['create'], "required option '--kind <kind>' not specified"],
    [['create', '--kind', 'agents_offline', '--share', '0.1'], 'It takes a share of all agents in percent'],
    [['create', '--kind', 'agents_offline', '--share', '0%'], 'It takes a share of all agents in percent'],
    [['create', '--kind', 'agents_offline', '--share', '101%'], 'It takes a share of all agents in percent'],
    [['update', 'Members added', '--channel', 'x', '--all-channels'], 'cannot be used with'],
  ])('refuses %j', async (args, text) => {
    const { exitCode, stderr } = await alert(['rule', ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });
});

describe('muster alert rule preview', () => {
  const preview = (args: readonly string[], options?: RunOptions) =>
    alert(['rule', 'preview', '--project', 'previewed', ...args], options);

  it('shows what a rule that does not exist yet would have sent', async () => {
    const project = await cli.app.createProject('previewed');
    for (const machine of ['web-1', 'web-2', 'web-3']) {
      const as = { project: project.token };
      await cli.app.request('POST', '/v1/agents', { as, body: { name: machine, machineID: machine } });
      await cli.app.request('POST', `/v1/machines/${machine}/errors`, { as, body: [{ error: 'disk full' }] });
    }
    const args = ['--kind', 'widespread_group', '--agents', '2'];
    expect(await preview(args)).toEqual({
      exitCode: 0,
      stdout: [
        'since                  2026-02-23T10:20:30.457Z',
        'until                  2026-03-02T10:20:30.457Z',
        'alerts                 1',
        'messages to a channel  1',
        '',
        'AT                        TITLE                                         ERROR',
        '2026-03-02T10:20:30.456Z  An error is spreading: 2 of 3 agents (66.7%)  disk full',
        '',
      ].join('\n'),
      stderr:
        'Dismissed errors count as if they had been open, and the share is that of the agents that the project has now.\n',
    });
    const printed: AlertRulePreview = JSON.parse((await preview([...args, '--json'])).stdout);
    expect(printed).toEqual({
      since: '2026-02-23T10:20:30.457Z',
      until: '2026-03-02T10:20:30.457Z',
      alertsCount: 1,
      messagesCount: 1,
      alerts: [
        {
          at: '2026-03-02T10:20:30.456Z',
          subject: expect.any(String),
          title: 'An error is spreading: 2 of 3 agents (66.7%)',
          text: 'disk full',
        },
      ],
      appliesNow: null,
      limits: [expect.stringContaining('Dismissed errors count')],
    });
    expect((await preview(['--kind', 'agents_offline', '--agents', '1'])).stdout).toMatch(
      /\nalerts +unknown\nmessages to a channel +unknown\napplies now +no\n$/,
    );
  });

  it('shows what a rule of the project would have sent, also with other conditions, and leaves it as it is', async () => {
    const flags = ['--project', 'previewed', '--name', 'spread', '--agents', '3'];
    const created = await json<AlertRule>(['rule', 'create', '--kind', 'widespread_group', ...flags]);
    const count = async (...args: string[]) =>
      (JSON.parse((await preview(['spread', ...args, '--json'])).stdout) as AlertRulePreview).alertsCount;
    expect(await count()).toBe(1);
    expect(await count('--agents', '4')).toBe(0);
    expect(await count('--agents', 'none', '--share', '50%')).toBe(1);
    expect(await json<AlertRule>(['rule', 'get', 'spread', '--project', 'previewed'])).toEqual(created);
  });

  it.each([
    [[], 'Neither a rule nor --kind is given.'],
    [['spread', '--kind', 'new_group'], 'A rule and --kind are given. The kind of a rule cannot be changed.'],
    [['--kind', 'disk_full'], "argument 'disk_full' is invalid"],
  ])('refuses %j', async (args, text) => {
    const { exitCode, stderr } = await preview(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('names the flag of a condition that does not fit the kind', async () => {
    const { exitCode, stderr } = await preview(['--kind', 'new_group', '--days', '3']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--days')]);
  });
});
