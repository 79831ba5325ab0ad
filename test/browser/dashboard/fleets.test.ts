import { createFleet, createFleetVersion, getFleet, listAgents, listFleetVersions } from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seedFleets } from './seed-fleets.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;
let fleets: string;
let ids: Awaited<ReturnType<typeof seedFleets>>;

beforeAll(async () => {
  dashboard = await startDashboard();
  fleets = `/projects/${dashboard.app.project.id}/fleets`;
  ids = await seedFleets(dashboard);
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const dialogOf = (page: Page) => page.getByRole('dialog');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const editorOf = (page: Page) => page.getByLabel('Text of fluent-bit.conf');
const save = (page: Page, number: number) => page.getByRole('button', { name: `Save as version ${number}` });

describe('the fleets of a project', () => {
  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(fleets, view);
    await page.getByRole('link', { name: 'eu-central-1' }).waitFor();
    await expectAccessible(page);
    for (const [path, text] of [
      [ids.drifted, 'Encrypt what is sent'],
      [ids.calm, 'Version 2 is saved, and no agent gets it.'],
      [ids.unserved, 'This fleet serves nothing yet.'],
      [`${ids.drifted}/edit`, 'Nothing is wrong with it.'],
    ] as const) {
      await page.goto(`${dashboard.address}${fleets}/${path}`);
      await page.getByText(text).first().waitFor();
      await expect.poll(() => page.locator('main .mantine-Skeleton-root').count()).toBe(0);
      await expectAccessible(page);
    }
    expect(dashboard.faults).toEqual([]);
  });

  it('stand in the order of what is worst, each with what its agents run', async () => {
    const page = await dashboard.open(fleets);
    await page.getByRole('link', { name: 'eu-central-1' }).waitFor();
    const rows = await page.locator('[data-row]').allInnerTexts();
    expect(rows.map((row) => row.split('\n').filter((text) => text.trim() !== ''))).toEqual([
      ['eu-central-1', 'version 2', '5', '1 drifted', '3 on 2', '1 on 1', '1 agent runs something else', expect.stringMatching(/^served since /), '0'],
      ['eu-west-1', 'version 1', '2', '2 on 1', 'All run version 1', expect.stringMatching(/^served since /), '0'],
      ['lab', 'no version yet', '0', 'no agent', 'Serves nothing yet', '0'],
    ]); // biome-ignore format: a row each
    await page.getByText('1 agent runs something else. 1 agent refused its version.').waitFor();
  });

  it('are created in a dialog, which leads to how an agent joins', async () => {
    const { id } = await dashboard.app.test.createProject();
    const page = await dashboard.open(`/projects/${id}/fleets`);
    await page.getByText('fleet_name       edge').waitFor();
    await expectAccessible(page);
    await page.locator('main').getByRole('button', { name: 'Create a fleet' }).click();
    const create = dialogOf(page).getByRole('button', { name: 'Create the fleet' });
    await dialogOf(page).getByLabel('Name').fill('with space');
    expect(await create.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Name').fill('plant-7');
    await expectAccessible(page);
    await create.click();
    await page.getByText('No agent has asked for this fleet yet.').waitFor();
    await page.getByText('fleet_name       plant-7').first().waitFor();
    expect(await heading(page).innerText()).toBe('plant-7 serves nothing yet');
  });

  it('are found by name with the palette', async () => {
    const page = await dashboard.open(fleets);
    await page.getByRole('link', { name: 'eu-central-1' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('eu-w');
    await dialogOf(page).getByText('All run version 1').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/fleets/${ids.calm}$`));
  });

  it('are looked for anew when the palette is opened while it closes', async () => {
    const page = await dashboard.open(fleets);
    await page.getByRole('link', { name: 'eu-central-1' }).waitFor();
    const typed = page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action');
    await page.keyboard.press('Control+k');
    await typed.fill('eu-w');
    await dialogOf(page).getByRole('button', { name: 'All 2 agents of eu-west-1' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await dialogOf(page).getByRole('button', { name: 'Overview' }).waitFor();
    expect(await typed.inputValue()).toBe('');
  });

  it('offer their causes and their agents in the palette, below the best one', async () => {
    const page = await dashboard.open(fleets);
    await page.getByRole('link', { name: 'eu-central-1' }).waitFor();
    for (const [keys, address] of [
      [['ArrowDown'], `/causes?fleet=${ids.calm}`],
      [['ArrowDown', 'ArrowDown'], `/agents?fleet=${ids.calm}`],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('eu-w');
      await dialogOf(page).getByRole('button', { name: 'All 2 agents of eu-west-1' }).waitFor();
      expect(await dialogOf(page).locator('[data-action]').allInnerTexts()).toEqual([
        expect.stringMatching(/^eu-west-1/),
        'Causes of eu-west-1',
        'All 2 agents of eu-west-1',
        'Write a version of eu-west-1…',
      ]);
      for (const key of keys) await page.keyboard.press(key);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${address}`);
    }
  });
});

describe('the page of a fleet', () => {
  it('says what it serves, what is wrong, and who runs what', async () => {
    const page = await dashboard.open(`${fleets}/${ids.drifted}`);
    await page.getByText('1 agent runs a configuration that this fleet did not serve.').waitFor();
    await page.getByText('1 agent refused version 2.').waitFor();
    expect(await heading(page).innerText()).toBe('eu-central-1 serves version 2 to 5 agents');
    const rows = await page.getByRole('table').getByRole('row').allInnerTexts();
    expect(rows.slice(1).map((row) => row.split(/\s*\t\s*|\s*\n\s*/).filter((text) => text !== ''))).toEqual([
      ['Drift got version 2', '1 20%', '0'],
      ['Version 2 served', '3 60%', '0'],
      ['Version 1', '1 20%', '0'],
    ]);
    await page.getByRole('link', { name: 'Show its agents' }).click();
    await page.getByRole('link', { name: 'edge-3' }).waitFor();
    await expect.poll(() => page.locator('[data-row]').count()).toBe(5);
  });

  it('goes through its versions with [ and ], and shows what each has changed', async () => {
    const page = await dashboard.open(`${fleets}/${ids.drifted}`);
    const difference = page.getByRole('region', { name: 'Difference' });
    await difference.getByText('24224').waitFor();
    await difference.getByText('2 lines added, 1 line removed').waitFor();
    await page.keyboard.press('[');
    await difference.getByText('The first version: all of its lines are new.').waitFor();
    expect(new URL(page.url()).searchParams.has('version')).toBe(true);
    await page.keyboard.press(']');
    await difference.getByText('2 lines added, 1 line removed').waitFor();
  });

  it('serves its first version once somebody has seen it', async () => {
    const { id } = await dashboard.app.test.createProject();
    const body = { name: 'plant-7' };
    const { id: fleetID } = await createFleet(dashboard.admin, { projectID: id, body });
    const rawConfig = '[INPUT]\n    name cpu\n\n[OUTPUT]\n    name  stdout\n    match *\n';
    const version = await createFleetVersion(dashboard.admin, { fleetID, body: { rawConfig } });
    const page = await dashboard.open(`/projects/${id}/fleets/${fleetID}`);
    await page.getByRole('button', { name: 'Serve it…' }).click();
    await dialogOf(page).getByText('Those that join get this version.').waitFor();
    await dialogOf(page).getByText('stdout').waitFor();
    await expectAccessible(page);
    expect((await getFleet(dashboard.admin, { fleetID })).currentVersion).toBeNull();
    await dialogOf(page).getByRole('button', { name: 'Serve it' }).click();
    await page.getByRole('heading', { level: 1, name: 'plant-7 serves version 1 to no agent yet' }).waitFor();
    expect((await getFleet(dashboard.admin, { fleetID })).currentVersion?.id).toBe(version.id);
  });

  it('changes its settings, and says before a rename what it means for agents', async () => {
    const page = await dashboard.open(`${fleets}/${ids.unserved}`);
    await page.getByRole('button', { name: 'Settings…' }).click();
    await dialogOf(page).getByLabel('Name').fill('laboratory');
    await dialogOf(page).getByText('Agents look for the new name').waitFor();
    await dialogOf(page).getByLabel('Tags').fill('eu, test,eu');
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'laboratory serves nothing yet' }).waitFor();
    expect(await getFleet(dashboard.admin, { fleetID: ids.unserved })).toMatchObject({
      name: 'laboratory',
      tags: ['eu', 'test'],
      reporting: 'on',
    });
  });
});

describe('the editor', () => {
  it('checks what is written, offers the right word, and saves nothing before it is clean', async () => {
    const page = await dashboard.open(`${fleets}/${ids.drifted}`);
    await page.getByRole('link', { name: 'Edit configuration' }).click();
    await page.getByText('Nothing is wrong with it.').waitFor();
    expect(await save(page, 3).isDisabled()).toBe(true);
    const text = await editorOf(page).inputValue();
    await editorOf(page).fill(text.replace('name  cpu', 'name  cpuu'));
    const use = page.getByRole('button', { name: 'Use cpu' });
    await use.first().waitFor();
    await page.getByRole('button', { name: 'Line 2' }).waitFor();
    expect(await save(page, 3).isDisabled()).toBe(true);
    await expectAccessible(page);
    await use.first().click();
    expect(await editorOf(page).inputValue()).toBe(text);
    await editorOf(page).fill(text.replace('port  443', 'port  8443'));
    await page.getByText('1 line added, 1 removed against version 2.').waitFor();
    await page.getByLabel('Note').fill('Another port');
    await save(page, 3).click();
    await page.getByText('Version 3 is saved, and no agent gets it.').waitFor();
    const { items } = await listFleetVersions(dashboard.admin, { fleetID: ids.drifted }).first();
    expect(items.map(({ number, note, isCurrent }) => [number, note, isCurrent])).toEqual([
      [3, 'Another port', false],
      [2, 'Encrypt what is sent', true],
      [1, 'Send to the old collector', false],
    ]);
  });

  it('keeps the draft with its files in the tab until it is discarded', async () => {
    const page = await dashboard.open(`${fleets}/${ids.calm}/edit`);
    const text = await editorOf(page).inputValue();
    await editorOf(page).fill(`# mine\n${text}`);
    await page.getByRole('button', { name: 'Add a file' }).click();
    await dialogOf(page).getByLabel('Name of the file').fill('parsers.conf');
    await dialogOf(page).getByRole('button', { name: 'Add a file' }).click();
    await page
      .getByLabel('Text of parsers.conf')
      .fill('[PARSER]\n    name  plain\n    format regex\n    regex ^(?<log>.*)$\n');
    await page.reload();
    await page.getByText('This is your draft from before.').waitFor();
    await page.getByText('parsers.conf', { exact: true }).waitFor();
    expect(await editorOf(page).inputValue()).toBe(`# mine\n${text}`);
    const drafts = (storage: string) =>
      page.evaluate(`Object.keys(${storage}).filter((key) => key.includes('draft')).length`);
    expect([await drafts('localStorage'), await drafts('sessionStorage')]).toEqual([0, 1]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialogOf(page).getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => editorOf(page).inputValue()).toBe(text);
    expect(await drafts('sessionStorage')).toBe(0);
  });
});

describe('a fleet that is deleted', () => {
  it('leaves its agents as they are', async () => {
    const page = await dashboard.open(`${fleets}/${ids.unserved}`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialogOf(page).getByText('Its agents stay').waitFor();
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'eu-central-1' }).waitFor();
    await expect.poll(() => page.locator('[data-row]').count()).toBe(2);
    await page.goto(`${dashboard.address}${fleets}/${ids.unserved}`);
    await page.getByText('This fleet has been deleted').waitFor();
  });
});

it.each(views)(
  'an agent that drifted says what it should run, and what it runs, $width px wide',
  async (view) => {
    const page = await dashboard.open(
      `/projects/${dashboard.app.project.id}/agents/${ids.driftedAgent}`,
      view,
    );
    const fact = (name: string) =>
      page
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('dd');
    await expect.poll(() => fact('Should run').innerText()).toBe('version 2');
    expect(await fact('Runs').innerText()).toMatch(/^\w{8} drift$/);
    await page.getByText(/^Healthy (all the time|for \d+ (s|min))\.$/).waitFor();
    await expectAccessible(page);
  },
);

it('agents that are selected are moved to another fleet, after it is said what they get', async () => {
  const page = await dashboard.open(`/projects/${dashboard.app.project.id}/agents?fleet=${ids.drifted}`);
  await page.getByLabel('Select edge-4').check();
  await page.getByRole('button', { name: 'Move to another fleet…' }).click();
  await dialogOf(page).getByLabel('To the fleet').selectOption({ label: 'eu-west-1' });
  await dialogOf(page).getByText('1 agent gets version 1 of this fleet with its next request.').waitFor();
  await expectAccessible(page);
  await dialogOf(page).getByRole('button', { name: 'Move 1 agent' }).click();
  await page.getByText('1 agent moved to eu-west-1').waitFor();
  await expect.poll(() => page.locator('[data-row]').count()).toBe(4);
  const { items } = await listAgents(dashboard.admin, {
    projectID: dashboard.app.project.id,
    fleet_id: ids.calm,
  }).first();
  expect(items.map(({ name }) => name)).toContain('edge-4');
});
