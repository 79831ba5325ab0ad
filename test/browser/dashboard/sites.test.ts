import { createClient, deleteCoreInstance, getCoreInstance, sendCoreInstanceBatch } from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { siteStatus } from '../../../server/src/testing/calls/site-calls.ts';
import { seedSites } from './seed-sites.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;
let project: string;
let ids: Awaited<ReturnType<typeof seedSites>>;

beforeAll(async () => {
  dashboard = await startDashboard();
  project = `/projects/${dashboard.app.project.id}`;
  ids = await seedSites(dashboard);
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

/** What is too wide for its place in a row. */
const cutTexts = `[...document.querySelectorAll('[data-row] *')]
  .filter((part) => part.children.length === 0 && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline')
  .map((part) => part.textContent)`;

const dialogOf = (page: Page) => page.getByRole('dialog');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

describe('the sites of a project', () => {
  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(`${project}/sites`, view);
    await page.getByRole('link', { name: 'plant-7' }).waitFor();
    await expectAccessible(page);
    for (const [id, text] of [
      [ids.unreachable, 'p7-press-04'],
      [ids.lagging, 'What it does meanwhile'],
      [ids.running, 'hq-01'],
      [ids.waiting, 'What to do'],
    ] as const) {
      await page.goto(`${dashboard.address}${project}/sites/${id}`);
      await page.getByText(text).first().waitFor();
      await expectAccessible(page);
    }
    expect(dashboard.faults).toEqual([]);
  });

  it('stand in the order of what is worst, each with its state', async () => {
    const page = await dashboard.open(`${project}/sites`);
    await page.getByRole('link', { name: 'plant-7' }).waitFor();
    const rows = await page.locator('[data-row]').allInnerTexts();
    expect(rows.map((row) => row.split('\n').filter((text) => text.trim() !== ''))).toEqual([
      [
        'plant-7',
        'Muster 0.1.0',
        'Unreachable',
        expect.stringMatching(/^since .+, agents unknown$/),
        '3',
        '29 min',
        'not known',
        '1,204',
        '29 min ago',
      ],
      ['store-north', 'Muster 0.1.0', 'Lagging', expect.stringMatching(/^delivers 3 each second, done at about \d\d:\d\d$/), '1', '4 min', '12,310', '0', 'now'],
      ['hq-frankfurt', 'Muster 0.1.0', 'Running', '1', '0 s', '0', '0', 'now'],
      ['lab', 'not started yet', 'Waiting', expect.stringMatching(/^created \d\d:\d\d by sites$/), '0', '–', '–', '–', 'never'],
    ]); // biome-ignore format: a row each
    await page.getByText('Of 4 sites, 1 is unreachable, 1 lags and 1 waits for its first start.').waitFor();
    await page.getByText('1 agent reports directly.').waitFor();
    const trends = page.locator('[data-row] svg');
    expect(await trends.count()).toBe(3);
    expect(await trends.evaluateAll((all) => all.map((one) => one.getAttribute('data-tone')))).toEqual([
      'bad',
      'quiet',
      'quiet',
    ]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/sites/${ids.unreachable}$`));
  });

  it('fold on a phone, with nothing cut', async () => {
    const page = await dashboard.open(`${project}/sites`, { colorScheme: 'light', width: 390 });
    await page.getByRole('link', { name: 'plant-7' }).waitFor();
    const rows = await page.locator('[data-row]').allInnerTexts();
    expect(rows.map((row) => row.split('\n').filter((text) => text.trim() !== ''))).toEqual([
      [
        'plant-7',
        'Lag 29 min',
        'Unreachable',
        expect.stringMatching(/^since \d\d:\d\d, agents unknown$/),
        '3 agents, 1,204 reports lost',
      ],
      [
        'store-north',
        'Lag 4 min',
        'Lagging',
        expect.stringMatching(/^delivers 3 each second, done at about \d\d:\d\d$/),
        '1 agent',
      ],
      ['hq-frankfurt', 'Lag 0 s', 'Running', '1 agent'],
      ['lab', 'Waiting', expect.stringMatching(/^created \d\d:\d\d by sites$/), '0 agents'],
    ]);
    expect(await page.evaluate(cutTexts)).toEqual([]);
  });

  it('show short numbers where long ones would be cut, and say of one that lags if hardly anything arrives', async () => {
    const { id, token } = await dashboard.app.test.createCoreInstance(dashboard.app.project, {
      name: 'drowned',
    });
    const now = dashboard.app.test.clock.now();
    await sendCoreInstanceBatch(
      createClient({ url: dashboard.address, credential: { coreInstanceToken: token } }),
      {
        body: {
          protocol: 1,
          sequence: 1,
          id: '0192f0a0-0000-7000-8000-000000000001',
          status: siteStatus(now, {
            spooledCount: 123_456_789,
            oldestSpooledAt: now - 5 * 86_400_000,
            lostCount: 9_876_543_210,
            lastLossAt: now,
          }),
          items: [],
        },
      },
    );
    const page = await dashboard.open(`${project}/sites`);
    await page.getByRole('link', { name: 'drowned' }).waitFor();
    const row = page.locator('[data-row]', { hasText: 'drowned' });
    expect((await row.innerText()).split('\n').filter((text) => text.trim() !== '')).toEqual([
      'drowned', 'Muster 0.1.0', 'Lagging', 'hardly anything arrives from it', '0', '5 days', '123M', '9.9B', 'now',
    ]); // biome-ignore format: a row
    expect(await row.getByText('9.9B').getAttribute('title')).toBe('9,876,543,210');
    await deleteCoreInstance(dashboard.admin, { coreInstanceID: id });
  });

  it('are added with a command, which stands there where no site is', async () => {
    const { id } = await dashboard.app.test.createProject();
    const page = await dashboard.open(`/projects/${id}/sites`);
    await page.getByText('muster core-instance create plant-7').waitFor();
    await expectAccessible(page);
    await page.goto(`${dashboard.address}${project}/sites`);
    await page.getByRole('button', { name: 'Add a site' }).click();
    await dialogOf(page).getByText('muster core-instance create plant-7').waitFor();
    await expectAccessible(page);
  });

  it('filter the list of agents, in which then nothing is deleted that matches', async () => {
    const page = await dashboard.open(`/projects/${dashboard.app.project.id}/agents?group=none`);
    await page.getByLabel('Site').selectOption({ label: 'store-north' });
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
    expect(new URL(page.url()).searchParams.has('site')).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete all that match…' }).count()).toBe(0);
  });

  it('filter the list of causes, in which then nothing is dismissed that matches', async () => {
    const page = await dashboard.open(`${project}/sites/${ids.unreachable}`);
    await page.getByRole('link', { name: 'Its causes' }).click();
    await page.waitForURL(new RegExp(`/causes\\?site=${ids.unreachable}$`));
    await page.getByText('HTTP status=').first().waitFor();
    expect(await page.locator('[data-row]').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Dismiss all that match…' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('Site').selectOption({ label: 'hq-frankfurt' });
    await page.getByText('No cause matches these filters').waitFor();
  });

  it.each(['causes', 'agents'])(
    'are said not to exist where the address of the %s has another text',
    async (list) => {
      const page = await dashboard.open(`${project}/${list}?site=nowhere`);
      await page.getByText('No such site').waitFor();
      await page.getByLabel('Site').selectOption({ label: 'plant-7' });
      await page.locator('[data-row]').first().waitFor();
    },
  );

  it('are found by name with the palette', async () => {
    const page = await dashboard.open(`${project}/sites`);
    await page.getByRole('link', { name: 'plant-7' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('store-n');
    await dialogOf(page).getByText('Lagging').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/sites/${ids.lagging}$`));
  });
});

describe('the page of a site', () => {
  it('says of an unreachable one what is not known, what to do, and what was lost', async () => {
    const page = await dashboard.open(`${project}/sites/${ids.unreachable}`);
    await page.getByText('Its 3 agents are unknown, not offline.').waitFor();
    expect(await heading(page).innerText()).toMatch(/^plant-7 is unreachable since /);
    await page.getByText('Nothing was heard for 29 min.').waitFor();
    await page.getByText('systemctl status muster-core-instance').waitFor();
    await page.getByText(`curl -sS ${dashboard.address}/healthz`).waitFor();
    await page.getByText('1,204 reports were lost there.').waitFor();
    const states = page.locator('[data-row] [data-tone]');
    // The first one sends no heartbeats: it is healthy until the service has noticed that the site is unreachable.
    const unknown = expect.stringMatching(/^(Healthy|Heard)$/);
    await expect.poll(() => states.allInnerTexts()).toEqual([unknown, 'Unhealthy', 'Heard']);
  });

  it('says how to start one that waits', async () => {
    const page = await dashboard.open(`${project}/sites/${ids.waiting}`);
    await page.getByText(`muster core-instance install --url ${dashboard.address}/ --name lab`).waitFor();
    expect(await heading(page).innerText()).toBe('lab waits for its first start');
  });

  it('renames it, and ends its token', async () => {
    const page = await dashboard.open(`${project}/sites/${ids.lagging}`);
    await page.getByRole('button', { name: 'Rename…' }).click();
    await dialogOf(page).getByLabel('Name').fill('store-south');
    await dialogOf(page).getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'store-south' }).waitFor();
    await page.getByRole('button', { name: 'Rotate…' }).click();
    await dialogOf(page).getByLabel('The earlier token ends').selectOption('Now');
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('Rotated', { exact: true }).waitFor();
    await dialogOf(page).waitFor({ state: 'detached' });
    const answer = await fetch(`${dashboard.address}/v1/me`, {
      headers: { 'X-Core-Instance-Token': ids.laggingToken },
    });
    expect(answer.status).toBe(401);
  });

  it('says before it deletes one what would be lost, and leads back to the list', async () => {
    const page = await dashboard.open(`${project}/sites/${ids.lagging}`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialogOf(page).getByText('12,310 items waited there. They would be lost.').waitFor();
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/^store-\w+ deleted$/).waitFor();
    await page.getByRole('link', { name: 'plant-7' }).waitFor();
    await expect.poll(() => page.locator('[data-row]').count()).toBe(3);
    await expect(getCoreInstance(dashboard.admin, { coreInstanceID: ids.lagging })).rejects.toMatchObject({
      code: 'core_instance_deleted',
    });
    await page.goto(`${dashboard.address}${project}/sites/${ids.lagging}`);
    await page.getByText('This site has been deleted').waitFor();
  });
});

describe('an agent behind an unreachable site', () => {
  it.each(views)('is unknown, and its page names the site, $width px wide', async (view) => {
    const page = await dashboard.open(`${project}/agents/${ids.silentAgent}`, view);
    await page.getByText('Its site plant-7 is unreachable').waitFor();
    await page.getByText('Unknown', { exact: true }).waitFor();
    expect(await page.getByText('Offline', { exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'plant-7' }).first().click();
    await page.getByText('Its 3 agents are unknown, not offline.').waitFor();
  });
});

describe('the overview', () => {
  it.each(views)('names unreachable sites before all else, $width px wide', async (view) => {
    const page = await dashboard.open(project, view);
    await page.getByText('Site plant-7 is unreachable').waitFor();
    const attention = page.locator('section', {
      has: page.getByRole('heading', { name: 'Needs attention' }),
    });
    expect(await attention.locator('li').first().innerText()).toMatch(
      /^Site plant-7 is unreachable\s+3 agents behind it are unknown, not offline\. Last heard /,
    );
    await expectAccessible(page);
  });
});

it('a site that is created while somebody looks appears', async () => {
  const { app } = dashboard;
  const page = await dashboard.open(`${project}/sites`);
  await page.getByRole('link', { name: 'plant-7' }).waitFor();
  await app.test.createCoreInstance(app.project, { name: 'plant-9' });
  await page.getByRole('link', { name: 'plant-9' }).waitFor();
});
