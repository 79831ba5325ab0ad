import {
  createMachineError,
  getToken,
  listAgents,
  listDismissals,
  listMembers,
  registerAgent,
} from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { alertConfig } from '../../../server/src/testing/calls/alert-calls.ts';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

/*
 * The main journey of each screen whose other tests run on SQLite alone: the answers of the service must lead as far on PostgreSQL.
 */

let dashboard: Dashboard;
let projectID: string;

beforeAll(async () => {
  dashboard = await startDashboard({ config: alertConfig, groupIntervalMilliseconds: 50 });
  projectID = dashboard.app.project.id;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const open = (screen: string) => dashboard.open(`/projects/${projectID}/${screen}`);
const dialogOf = (page: Page) => page.getByRole('dialog');

it('agents: one is found by its name, released and deleted', async () => {
  for (const name of ['edge-1', 'edge-2'])
    await registerAgent(dashboard.agents, { body: { name, machineID: name, rawConfig: '[INPUT]' } });
  const page = await open('agents?q=edge');
  await page.getByRole('link', { name: 'edge-2' }).waitFor();
  await page.getByRole('link', { name: 'edge-1' }).click();
  const more = page.getByRole('button', { name: 'Actions for edge-1' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Release…' }).click();
  await dialogOf(page).getByRole('button', { name: 'Release' }).click();
  await page.getByText('The machine is released for its next registration').waitFor();
  await dialogOf(page).waitFor({ state: 'detached' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Delete…']);
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('edge-1 deleted').waitFor();
  await page.getByRole('link', { name: 'edge-2' }).waitFor();
  const { items } = await listAgents(dashboard.admin, { projectID, q: 'edge' }).first();
  expect(items.map(({ name }) => name)).toEqual(['edge-2']);
});

it('tokens: one is created, changed, rotated and revoked', async () => {
  const page = await open('tokens');
  await page.getByRole('button', { name: 'Create a token' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('fleet');
  await dialogOf(page).getByRole('button', { name: 'Create a token' }).click();
  await dialogOf(page).getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: 'fleet', exact: true }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('fleet-2');
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'fleet-2' }).waitFor();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await dialogOf(page).getByRole('button', { name: 'Rotate' }).click();
  await dialogOf(page).getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialogOf(page).getByLabel('Reason').fill('Not used any more');
  await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
  // The dialog holds the reason too.
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.getByText('Not used any more').waitFor();
  const tokenID = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await getToken(dashboard.admin, { tokenID })).toMatchObject({ name: 'fleet-2', status: 'revoked' });
});

it('members: one gets another role, and is removed', async () => {
  await inviteUser(dashboard, { role: 'operator' }, 'Grace');
  const page = await open('members');
  const row = page.getByRole('row').filter({ hasText: 'Grace' });
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await dialogOf(page).getByLabel('Viewer').check();
  await dialogOf(page).getByRole('button', { name: 'Change role' }).click();
  await row.getByText('Viewer').waitFor();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await listMembers(dashboard.admin, { projectID }).first()).items).toEqual([]);
});

it('alerts: a channel is created with its rule, which is turned off, and another rule is previewed', async () => {
  const page = await open('alerts');
  await page.getByRole('button', { name: 'Create an alert' }).click();
  await dialogOf(page).getByLabel('Only the list of messages').check();
  await dialogOf(page).getByLabel('Name').fill('list');
  await dialogOf(page).getByRole('button', { name: 'Create an alert' }).click();
  await page.getByText('When a cause has its first error.').waitFor();
  await page.getByText('To list', { exact: true }).waitFor();
  await page.getByRole('switch', { name: 'New errors is on' }).press('Space');
  await expect.poll(() => page.getByRole('switch', { name: 'New errors is on' }).isChecked()).toBe(false);
  await page.getByRole('button', { name: 'Create a rule' }).click();
  const preview = dialogOf(page).getByRole('region', { name: 'In the last 7 days' });
  await preview.getByText('It would have sent nothing.').waitFor();
});

it('audit log: it tells what was done, and filters it', async () => {
  const page = await open('audit_log?action=token.*');
  for (const done of ['revoked', 'rotated', 'created'])
    await page
      .getByText(new RegExp(`administrator ${done} the token fleet`))
      .first()
      .waitFor();
  await page.getByLabel('Action').selectOption('member.*');
  await page.getByText(/administrator removed the member Grace/).waitFor();
});

it('overview: the chart has a table, and printed pages have no navigation', async () => {
  const body = { error: 'disk full' };
  const { id } = await createMachineError(dashboard.agents, { machineID: 'edge-9', body });
  await waitUntilCounted(dashboard, id);
  const page = await open('');
  await page.getByText('Show as a table').click();
  const table = page.getByRole('table', { name: 'New errors' });
  expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(['Time', 'errors']);
  await expect.poll(() => table.getByRole('cell', { name: '1', exact: true }).count()).toBe(1);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation', { name: 'Screens' }).isVisible()).toBe(false);
  expect(await page.locator('header').first().isVisible()).toBe(false);
  expect(await table.isVisible()).toBe(true);
});

it('causes: a new one is offered, and one is muted, dismissed and opened again, which another browser follows', async () => {
  const text = 'certificate has expired';
  const body = { error: text };
  const { id } = await createMachineError(dashboard.agents, { machineID: 'edge-10', body });
  await waitUntilCounted(dashboard, id);
  const watching = await open('causes?sort=lastSeen');
  const rows = watching.getByRole('row').filter({ has: watching.getByRole('cell') });
  await rows.getByText(text).waitFor();
  // The list is in the order of time.
  dashboard.app.test.clock.advance(1_000);
  const later = await createMachineError(dashboard.agents, {
    machineID: 'edge-10',
    body: { error: 'no route to the collector' },
  });
  await waitUntilCounted(dashboard, later.id);
  await watching.getByRole('button', { name: '1 new' }).click();
  await rows.getByText('no route to the collector').waitFor();
  const page = await open('causes');
  await page.getByRole('link', { name: text }).click();
  await page.getByRole('button', { name: 'Mute…' }).click();
  await dialogOf(page).getByLabel('Reason').fill('Known until Monday');
  await dialogOf(page).getByRole('button', { name: 'Mute until the next configuration' }).click();
  await page.getByText('The cause is muted until the next configuration.').waitFor();
  await page.getByRole('button', { name: 'Unmute' }).click();
  await page.getByRole('button', { name: 'Mute…' }).waitFor();
  await page.getByRole('button', { name: 'Dismiss…' }).click();
  await dialogOf(page).getByRole('radio', { name: 'Dismiss anyway' }).check();
  await page.getByText('This dismisses 1 error on 1 agent.').waitFor();
  await dialogOf(page).getByLabel('Reason').fill('It was repaired');
  await page.keyboard.press('Enter');
  await page.getByText('1 error dismissed.').waitFor();
  // What offers to undo it goes after a while, and stays as long as somebody points at it.
  const dismissed = page.getByRole('alert').filter({ hasText: '1 error dismissed.' });
  await dismissed.getByRole('button', { name: 'Undo' }).hover();
  await watching.locator('[data-gone]').getByText(text).waitFor();
  await dismissed.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The dismissal is undone: 1 error on 1 agent is open again.').waitFor();
  const [dismissal] = (await listDismissals(dashboard.admin, { projectID }).first()).items;
  expect(dismissal).toMatchObject({
    reason: 'It was repaired',
    state: 'undone',
    undo: { reopenedCount: 1 },
  });
});
