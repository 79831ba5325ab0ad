import {
  createAlertChannel,
  createAlertRule,
  deleteAlertRule,
  listAlertChannels,
  listAlertRules,
} from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { alertConfig } from '../../../server/src/testing/calls/alert-calls.ts';
import {
  type AlertReceiver,
  startAlertReceiver,
} from '../../../server/src/testing/receivers/alert-receiver.ts';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;
let receiver: AlertReceiver;
let projectID: string;
let path: string;

beforeAll(async () => {
  receiver = await startAlertReceiver();
  dashboard = await startDashboard({ config: alertConfig });
  projectID = dashboard.app.project.id;
  path = `/projects/${projectID}/alerts`;
});
afterEach(() => dashboard.closePages());
afterAll(async () => {
  await dashboard.close();
  await receiver.close();
});

const dialogOf = (page: Page) => page.getByRole('dialog');

async function report(...errors: string[]): Promise<void> {
  const { address, app } = dashboard;
  const headers = { 'X-Project-Token': app.project.token, 'Content-Type': 'application/json' };
  const body = JSON.stringify(errors.map((error) => ({ error })));
  const answer = await fetch(`${address}/v1/machines/edge-1/errors`, { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
}

describe('the alerts of a project', () => {
  it('say how to begin, create a channel, show its secret once, and send a test', async () => {
    const page = await dashboard.open(path);
    await page.getByText('No rules yet').waitFor();
    const command = 'muster alert channel create ops --kind slack --url-file FILE --rule new_group';
    await page.getByText(command, { exact: true }).waitFor();
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Create/ })
        .allInnerTexts(),
    ).toEqual(['Create an alert…']);
    await page.getByText('Channels', { exact: true }).click();
    await page.getByText('No channels yet').waitFor();
    await page.getByText(command, { exact: true }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${path}?section=channels`);
    await page.getByRole('button', { name: 'Create an alert' }).click();
    await dialogOf(page).getByLabel('Webhook').check();
    await dialogOf(page).getByLabel('Name').fill('on-call');
    await dialogOf(page).getByLabel('Address').first().fill(receiver.url);
    await dialogOf(page).getByLabel('Tell it of new causes').uncheck();
    await dialogOf(page).getByRole('button', { name: 'Create an alert' }).click();
    const shown = dialogOf(page).getByRole('region', { name: 'Secret of the webhook' }).locator('code');
    const secret = (await shown.textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'I have stored it' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    const kept = await page.evaluate<string>(
      'JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])',
    );
    expect([kept.includes(secret), kept.includes(receiver.url)]).toEqual([false, false]);
    await page.getByText('Told of nothing yet', { exact: true }).waitFor();
    expect(await page.getByText('Active', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create a rule that tells on-call' }).click();
    await dialogOf(page).getByLabel('Alert about').selectOption('A new member');
    await dialogOf(page).getByRole('button', { name: 'Create a rule' }).click();
    await page.getByText('Told of: new members', { exact: true }).waitFor();
    await page.getByText('Active', { exact: true }).waitFor();
    const { items: rules } = await listAlertRules(dashboard.admin, { projectID }).first();
    const { items: channels } = await listAlertChannels(dashboard.admin, { projectID }).first();
    expect(rules.map(({ kind, channelIDs }) => ({ kind, channelIDs }))).toEqual([
      { kind: 'member_added', channelIDs: channels.map(({ id }) => id) },
    ]);
    await deleteAlertRule(dashboard.admin, { alertRuleID: rules[0]?.id ?? '' });
    await page.getByRole('button', { name: 'Send a test to on-call' }).click();
    await page.getByText('The test arrived').waitFor();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['alert.test']);
    await page.getByRole('link', { name: 'Messages to on-call' }).click();
    await page.getByRole('table', { name: 'Messages' }).getByText('Delivered').waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('No message matches these filters').waitFor();
    expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
    expect(dashboard.faults).toEqual([]);
  });

  it('show what a rule would have sent before it is created, and turn it off', async () => {
    await report('no route to 10.0.0.1', 'disk full');
    const page = await dashboard.open(path);
    await page.getByRole('button', { name: 'Create a rule' }).click();
    await dialogOf(page).getByLabel('All channels, also later ones').uncheck();
    await dialogOf(page).getByLabel('on-call').check();
    const preview = dialogOf(page).getByRole('region', { name: 'In the last 7 days' });
    await preview.getByText('It would have raised 2 alerts in 1 message.').waitFor();
    await preview.getByText('disk full').waitFor();
    await dialogOf(page).getByLabel('Alert about').selectOption('Agents that are offline');
    await preview.getByText('How many agents were offline earlier is not stored').waitFor();
    await dialogOf(page).getByLabel('Or minimum share of all agents').fill('');
    await preview.getByText('Complete the rule').waitFor();
    expect(await dialogOf(page).getByRole('button', { name: 'Create a rule' }).isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Minimum number of agents').fill('5');
    await preview.getByText('It would send nothing now.').waitFor();
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Create a rule' }).click();
    await page.getByText('When agents are offline: at least 5 agents.').waitFor();
    await page.getByText('To on-call').waitFor();
    await page.getByRole('switch', { name: 'Agents offline is on' }).press('Space');
    await expect
      .poll(async () => (await listAlertRules(dashboard.admin, { projectID }).first()).items)
      .toMatchObject([
        { kind: 'agents_offline', agents: 5, share: null, enabled: false, channelIDs: [expect.any(String)] },
      ]);
    await page.getByRole('button', { name: 'Delete Agents offline' }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No rules yet').waitFor();
  });

  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const body = { name: 'broken', kind: 'slack', url: 'http://127.0.0.1:9/services' } as const;
    const { id } = await createAlertChannel(dashboard.admin, { projectID, body });
    await createAlertRule(dashboard.admin, { projectID, body: { kind: 'new_group', channelIDs: [id] } });
    const page = await dashboard.open(`${path}?section=channels`, view);
    await page.getByRole('button', { name: 'Create a channel' }).click();
    await dialogOf(page).getByLabel('Tell it of new causes').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send a test to broken' }).first().click();
    await page.getByText('The test failed').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Change broken' }).first().click();
    await dialogOf(page).getByText('Hold messages during quiet hours').click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByText('Messages', { exact: true }).first().click();
    await page.getByRole('table', { name: 'Messages' }).getByText('Failed').first().waitFor();
    await expectAccessible(page);
    await page.keyboard.press('j');
    await page.locator('[data-row="0"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('Failure').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByText('Rules', { exact: true }).click();
    await page.getByText('When a cause has its first error.').first().waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('name a field that is refused by its label', async () => {
    const create = /^Create (?:an alert|a channel)…?$/; // the first of them in a project that has none
    const page = await (await dashboard.signIn()).newPage();
    await page.goto(`${dashboard.address}${path}`);
    await page.getByRole('button', { name: create }).click();
    await dialogOf(page).getByLabel('Name').fill('tickets');
    await dialogOf(page).getByLabel('Address').first().fill('http://hooks.example.com/');
    await dialogOf(page).getByRole('button', { name: create }).click();
    expect(await dialogOf(page).getByRole('alert').textContent()).toBe(
      'Address is refused: It begins with http://, which is allowed only for hosts that MUSTER_ALERT_ALLOWED_HOSTS names (a setting of the service; restart it). Use https://.',
    );
  });

  it('are turned off by an operator', async () => {
    const body = { name: 'chat', kind: 'slack', url: receiver.url } as const;
    const { id } = await createAlertChannel(dashboard.admin, { projectID, body });
    const { token } = await inviteUser(dashboard, { role: 'operator' }, 'operator');
    const operator = await (await dashboard.signIn(undefined, token)).newPage();
    await operator.goto(`${dashboard.address}${path}?section=channels`);
    await operator.getByRole('button', { name: 'Disable chat' }).click();
    await dialogOf(operator).getByRole('button', { name: 'Disable' }).click();
    await operator.getByRole('button', { name: 'Enable chat' }).waitFor();
    const { items } = await listAlertChannels(dashboard.admin, { projectID }).first();
    expect(items.find((channel) => channel.id === id)).toMatchObject({ status: 'disabled' });
  });
});
