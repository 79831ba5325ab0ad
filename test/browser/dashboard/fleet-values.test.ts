import {
  createFleet,
  listFleetSecrets,
  listFleetVariables,
  registerAgent,
  updateAgent,
  updateFleet,
  updateFleetSecrets,
  updateFleetVariables,
  updateFreezeWindows,
} from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;
let fleetID: string;
let path: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  const { admin, agents, app } = dashboard;
  const projectID = app.project.id;
  fleetID = (await createFleet(admin, { projectID, body: { name: 'edge' } })).id;
  path = `/projects/${projectID}/fleets/${fleetID}`;
  const set = [
    { name: 'port', value: '24224' },
    { name: 'region', value: 'eu-1' },
  ];
  await updateFleetVariables(admin, { fleetID, body: { set } });
  await updateFleetSecrets(admin, {
    fleetID,
    body: { set: [{ name: 'db_password', value: 'correct horse battery' }] },
  });
  const rawConfig =
    '[INPUT]\n    name cpu\n    tag  {{vars.region}}\n\n[OUTPUT]\n    name  es\n    match *\n    http_passwd {{secrets.db_password}}\n';
  await updateFleet(admin, { fleetID, body: { rawConfig } });
  for (const name of ['web-1', 'web-2']) {
    const body = { name, machineID: name, rawConfig: '[INPUT]\n    name cpu\n', fleetID };
    const { id: agentID } = await registerAgent(agents, { body });
    if (name === 'web-1') await updateAgent(admin, { agentID, body: { tags: ['canary'] } });
  }
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const menuOf = (page: Page, written: string) => page.getByRole('button', { name: `Actions for ${written}` });
const dialogOf = (page: Page) => page.getByRole('dialog');
const rowsOf = async (page: Page) =>
  (await page.locator('[data-row]').allInnerTexts()).map((row) =>
    row.split('\n').filter((text) => text.trim() !== '').slice(0, 4),
  ); // biome-ignore format: a chain

async function closed(page: Page): Promise<void> {
  await dialogOf(page).waitFor({ state: 'detached' });
}

describe('variables and secrets of a fleet', () => {
  it('are listed with whom they are for and whether agents use them, and no secret is shown', async () => {
    const page = await dashboard.open(path);
    await page.getByRole('link', { name: 'Variables and secrets' }).click();
    await menuOf(page, '{{secrets.db_password}}').waitFor();
    expect((await rowsOf(page)).toSorted()).toEqual([
      ['secrets.db_password', 'for the fleet', 'nobody can read it', 'used'],
      ['vars.port', 'for the fleet', '24224', 'not used'],
      ['vars.region', 'for the fleet', 'eu-1', 'used'],
    ]);
    expect(await page.content()).not.toContain('correct horse');
  });

  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(`${path}/values`, view);
    await menuOf(page, '{{secrets.db_password}}').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Set a secret…' }).click();
    await dialogOf(page).getByLabel('Name').fill('db_password');
    await dialogOf(page).getByText('All 2 agents get it at once').waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('are set after it is said on how many agents, for a tag or for an agent that is found by its name', async () => {
    const page = await dashboard.open(`${path}/values`);
    const set = page.getByRole('button', { name: 'Set a variable…' });
    await set.click();
    await dialogOf(page).getByLabel('Name').fill('region');
    await dialogOf(page).getByLabel('Value').fill('eu-2');
    await dialogOf(page).getByRole('button', { name: 'Set it on 2 agents' }).click();
    await closed(page);

    await set.click();
    await dialogOf(page).getByLabel('Name').fill('region');
    await dialogOf(page).getByLabel('Value').fill('eu-3');
    await dialogOf(page).getByLabel('For').selectOption('tag');
    await dialogOf(page).getByLabel('Tag').fill('nobody-has-it');
    await dialogOf(page).getByText('No agent of the fleet has the tag “nobody-has-it” yet.').waitFor();
    await dialogOf(page).getByLabel('Tag').fill('canary');
    await dialogOf(page).getByText('Its agents with the tag get it at once').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Set', exact: true }).click();
    await closed(page);

    await set.click();
    await dialogOf(page).getByLabel('Name').fill('port');
    await dialogOf(page).getByLabel('Value').fill('443');
    await dialogOf(page).getByLabel('For').selectOption('agent');
    await dialogOf(page).getByLabel('Agent').fill('web');
    await dialogOf(page).getByText('No agent of the fleet has this name.').waitFor();
    await dialogOf(page).getByLabel('Agent').fill('web-2');
    await dialogOf(page).getByText('No configuration that agents get uses it').waitFor();
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Set', exact: true }).click();
    await closed(page);
    await page.getByRole('link', { name: 'web-2' }).waitFor();
    const stored = await listFleetVariables(dashboard.admin, { fleetID }).first();
    expect(stored.items.map(({ name, value, tag, agentName }) => [name, value, tag, agentName])).toEqual([
      ['port', '443', null, 'web-2'],
      ['region', 'eu-3', 'canary', null],
      ['region', 'eu-2', null, null],
      ['port', '24224', null, null],
    ]);
  });

  it('are changed and removed in the menu of a row, and stay while the configuration uses them', async () => {
    const page = await dashboard.open(`${path}/values`);
    await menuOf(page, '{{secrets.db_password}}').click();
    await page.getByRole('menuitem', { name: 'Change…' }).click();
    await dialogOf(page).getByRole('textbox', { name: 'Value' }).fill('another one');
    await dialogOf(page).getByRole('button', { name: 'Set it on 2 agents' }).click();
    await closed(page);
    await menuOf(page, '{{secrets.db_password}}').click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await dialogOf(page).getByText('Change the configuration first.').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    await closed(page);
    expect((await listFleetSecrets(dashboard.admin, { fleetID })).secrets).toHaveLength(1);
    await menuOf(page, '{{vars.port}}').last().click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialogOf(page).getByText('nothing changes for them').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await closed(page);
    await expect
      .poll(
        async () =>
          (await listFleetVariables(dashboard.admin, { fleetID, name: 'port' }).first()).items.length,
      )
      .toBe(1);
  });

  it('say which freeze keeps agents from getting them', async () => {
    const { admin, app } = dashboard;
    const at = (minutes: number) => new Date(app.test.clock.now() + minutes * 60_000).toISOString();
    await updateFreezeWindows(admin, {
      projectID: app.project.id,
      body: { freezeWindows: [{ name: 'launch', startsAt: at(-1), endsAt: at(60) }] },
    });
    const page = await dashboard.open(`${path}/values`);
    await page.getByRole('button', { name: 'Set a variable…' }).click();
    await dialogOf(page).getByLabel('Name').fill('region');
    await dialogOf(page).getByLabel('Value').fill('us-1');
    const confirm = dialogOf(page).getByRole('button', { name: 'Set it on 2 agents' });
    await dialogOf(page).getByText('launch').waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Do it despite the freeze').check();
    await confirm.click();
    await closed(page);
    const { items } = await listFleetVariables(admin, { fleetID, name: 'region' }).first();
    expect(items.map(({ value }) => value)).toContain('us-1');
  });
});
