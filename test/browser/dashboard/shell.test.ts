import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAgentError,
  createFleet,
  createProject,
  createToken,
  listTokens,
  registerAgent,
  updateAgent,
} from '@muster/client';
import type { Response, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inviteUser } from './invite-user.ts';
import {
  type Dashboard,
  dashboardDirectory,
  expectAccessible,
  startDashboard,
  views,
} from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;
let project: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  project = `/projects/${dashboard.app.project.id}`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

/** All that an empty browser fetches until the overview stands, with its chart: the page, scripts, styles, pictures. Not the data of the fleet. */
const maxFirstLoadBytes = 215_000;

/** Runs in the page, before the menu opens. */
const typeArrowAsSoonAsItemsAreThere = `new MutationObserver((_, observer) => {
  if (document.querySelector('[role="menuitem"]') === null) return;
  observer.disconnect();
  document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }),
  );
}).observe(document.body, { childList: true, subtree: true })`;

/** Runs in the page. Tells the role of what has the focus when the timers that an open menu sets are over. */
const roleOfFocus = `new Promise((resolve) => {
  const look = () => {
    if (document.activeElement.closest('[role="menu"]') === null) setTimeout(look);
    else setTimeout(() => setTimeout(() => resolve(document.activeElement.getAttribute('role'))));
  };
  look();
})`;

describe('the first load', () => {
  it(`takes at most ${maxFirstLoadBytes} bytes, compressed by gzip`, async () => {
    const page = await (await dashboard.signIn()).newPage();
    const responses: Response[] = [];
    page.on('response', (response) => responses.push(response));
    const picture = page.waitForResponse((response) => response.request().resourceType() === 'image');
    await page.goto(`${dashboard.address}${project}`);
    await page.locator('figure canvas').waitFor();
    await picture;
    const files = responses.filter((response) => !response.url().includes('/v1/'));
    const sizes = await Promise.all(files.map(compressedSize));
    expect(files.map((response) => response.request().resourceType())).toEqual(
      expect.arrayContaining(['document', 'script', 'stylesheet', 'image']),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxFirstLoadBytes);
  });

  it('asks for all data of the overview as soon as it knows who asks, and moves nothing when it comes', async () => {
    const page = await (await dashboard.signIn()).newPage();
    let held: Route[] | undefined = [];
    const parts = ['summary', 'history', 'agent_error_groups', 'tokens', 'alert_channels'];
    const asked = parts.map((part) => page.waitForRequest(new RegExp(`/projects/[^/]+/${part}\\b`)));
    await page.addInitScript(countShift);
    await page.route(/\/v1\/projects\//, async (route) => {
      if (held === undefined) await route.continue();
      else held.push(route);
    });
    await page.goto(`${dashboard.address}${project}`);
    await Promise.all(asked);
    const waiting = held;
    held = undefined;
    await Promise.all(waiting.map((route) => route.continue()));
    await page.locator('figure canvas').waitFor();
    expect(await page.evaluate('window.shift')).toBeLessThanOrEqual(maxShift);
  });
});

describe('the page of one thing', () => {
  it.each(views)('moves nothing when its parts come, $width px wide', async (view) => {
    const { app, admin, agents, address } = dashboard;
    const name = `edge-${view.width}`;
    const registered = await registerAgent(agents, {
      body: { name, machineID: name, rawConfig: '[OUTPUT]' },
    });
    const error = '[output:http:http.0] no upstream connections available to 10.0.0.2:9';
    // The list is in the order of time.
    app.test.clock.advance(1_000);
    const { id: errorID } = await createAgentError(agents, { agentID: registered.id, body: { error } });
    const causeID = await waitUntilCounted(dashboard, errorID);
    const projectID = app.project.id;
    const [token] = (await listTokens(admin, { projectID }).first()).items;
    const context = await dashboard.signIn(view);
    const pages = {
      [`causes/${causeID}`]: 'Documentation of the agent',
      [`agents/${registered.id}`]: 'Came with it',
      [`tokens/${token?.id}`]: name,
    };
    for (const [path, lastText] of Object.entries(pages)) {
      const page = await context.newPage();
      await page.addInitScript(countShift);
      let held: Route[] | undefined = [];
      await page.route(/\/v1\/(agents|agent_error_groups|project_tokens)\//, async (route) => {
        if (held === undefined) await route.continue();
        else held.push(route);
      });
      await page.goto(`${address}${project}/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
      );
      const waiting = held;
      held = undefined;
      await Promise.all(waiting.map((route) => route.continue()));
      await page.getByText(lastText).first().waitFor();
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
      );
      expect([path, await page.evaluate('window.shift <= 0.05 || window.shift')]).toEqual([path, true]);
      await page.close();
    }
  });
});

/** The sum that web.dev/cls calls good is 0.1. */
const maxShift = 0.05;
const countShift = `window.shift = 0;
new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value)))
  .observe({ type: 'layout-shift', buffered: true });`;

/** What the service sends to a browser that accepts gzip alone: assets are compressed when they are built, the rest is sent as it is. */
async function compressedSize(response: Response): Promise<number> {
  const [, name] = /\/assets\/(.+)$/.exec(response.url()) ?? [];
  if (name !== undefined) return statSync(join(dashboardDirectory, 'assets', `${name}.gz`)).size;
  return (await response.body()).length;
}

describe('the shell of the dashboard', () => {
  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open('/', view);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${project}`);
    await page.getByText('unhealthy').first().waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('leads to the sign-in page without a session, and then to the address that was asked for', async () => {
    const context = await dashboard.signIn();
    await context.clearCookies();
    const page = await context.newPage();
    await page.goto(`${dashboard.address}${project}/causes?q=refused`);
    await page.getByLabel('Access token').fill(dashboard.app.test.admin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Causes' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${project}/causes?q=refused`);
  });

  it('finds causes, agents and tokens in the palette, and opens what a screen would open', async () => {
    const { agents, app } = dashboard;
    app.test.clock.advance(1_000);
    const error = '[output:http:http.0] no upstream connections available to 10.9.9.9:9';
    const registered = await registerAgent(agents, {
      body: { name: 'palette-agent', machineID: 'palette-1' },
    });
    const { id } = await createAgentError(agents, { agentID: registered.id, body: { error } });
    await waitUntilCounted(dashboard, id);
    const page = await dashboard.open(project);
    await page.getByText('unhealthy').first().waitFor();
    const find = async (typed: string) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill(typed);
    };
    await find('not reach');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Destination not reachable/ })
      .waitFor();
    await expectAccessible(page);
    const mute = page
      .getByRole('dialog')
      .getByRole('button', { name: 'Mute “Destination not reachable (http)”…' });
    await mute.click();
    await page.getByRole('dialog', { name: 'Mute this cause' }).getByLabel('Reason').waitFor();
    await page.keyboard.press('Escape');
    const { name: tokenName } = await createToken(dashboard.admin, {
      projectID: app.project.id,
      body: { name: 'palette-token' },
    });
    await find(tokenName);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Rotate ${tokenName}…` })
      .click();
    await page.getByRole('dialog', { name: `Rotate ${tokenName}` }).waitFor();
    await page.keyboard.press('Escape');
    const offered = page.getByRole('dialog').getByRole('button');
    await find('rotate palette');
    await offered.filter({ hasText: `Rotate ${tokenName}…` }).waitFor();
    expect(await offered.filter({ hasText: /^Mute/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await find('mute');
    await offered.filter({ hasText: 'Mute “Destination not reachable (http)”…' }).waitFor();
    expect(await offered.filter({ hasText: /^Rotate/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await find('palette-ag');
    await page.getByRole('dialog').getByText('palette-agent').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'palette-agent' }).waitFor();
    await find('create a tok');
    await page.getByRole('dialog').getByText('Create a token…').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.press('Escape');
    await find('');
    await page.getByRole('dialog').getByRole('button', { name: 'palette-agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'palette-agent' }).waitFor();
    await find('create a proj');
    await page.getByRole('dialog').getByText('Create a project…').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('made here');
    await page.keyboard.press('Enter');
    const token = page.getByRole('dialog', { name: 'The first token of the project' });
    await token.getByRole('button', { name: 'Copy' }).waitFor();
    await token.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Switch project: made here' }).waitFor();
    await page.getByRole('heading', { name: 'Let the first agent report' }).waitFor();
  });

  it('counts in the navigation what its screens show', async () => {
    const { admin, app, agents } = dashboard;
    const page = await dashboard.open(project);
    const link = (name: string) =>
      page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name });
    const countOf = async (name: string) => Number((await link(name).innerText()).replace(/\D/g, ''));
    await expect.poll(() => countOf('Agents')).toBeGreaterThan(0);
    const before = await countOf('Agents');
    await registerAgent(agents, { body: { name: 'counted', machineID: 'counted' } });
    await expect.poll(() => countOf('Agents')).toBe(before + 1);
    expect(await link('Fleets').innerText()).toBe('Fleets');
    await createFleet(admin, { projectID: app.project.id, body: { name: 'counted' } });
    await expect.poll(() => countOf('Fleets')).toBe(1);
    expect(await link('Tokens').innerText()).toBe('Tokens');
  });

  it('tells of configurations that each agent has alone in one line', async () => {
    const { agents } = dashboard;
    for (const name of ['own-1', 'own-2', 'own-3']) {
      const rawConfig = `[OUTPUT]\n    host gateway-of-${name.slice(-1)}\n`;
      const { id: agentID } = await registerAgent(agents, { body: { name, machineID: name, rawConfig } });
      await updateAgent(agents, { agentID, body: { rawConfig: `${rawConfig}    port 9\n` } });
    }
    const page = await dashboard.open(project);
    await page.getByText('3 configurations, each on one agent').waitFor();
    expect(await page.getByText(/^first on own-/).count()).toBe(0);
  });

  it('is not called live while the browser is offline', async () => {
    const page = await dashboard.open(project);
    await page.getByText(/^Live, /).waitFor();
    await page.context().setOffline(true);
    await page.getByText('This browser is offline.').waitFor();
    await page.getByText(/^Live, /).waitFor({ state: 'detached' });
    await page.context().setOffline(false);
    await page.getByText(/^Live, /).waitFor();
  });

  it.each(views)('leads to the first report, $colorScheme, $width px wide', async (view) => {
    const { id } = await createProject(dashboard.admin, { body: { name: 'without agents' } });
    const page = await dashboard.open(`/projects/${id}`, view);
    await page.getByText('Waiting for the first report').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show the commands' }).click();
    const command = page.getByRole('region', { name: 'The commands' }).locator('pre').first();
    const [, token = ''] = /X-Project-Token: (\S+)'/.exec(await command.innerText()) ?? [];
    await expectAccessible(page);
    const answer = await fetch(`${dashboard.address}/v1/machines/first/errors`, {
      method: 'POST',
      headers: { 'X-Project-Token': token, 'Content-Type': 'application/json' },
      body: '{"error":"a first error"}',
    });
    expect(answer.status).toBe(201);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    const { items } = await listTokens(dashboard.admin, { projectID: id }).first();
    const expiresAt = new Date(dashboard.app.test.clock.now() + 24 * 3_600_000).toISOString();
    expect(items.find(({ name }) => name === 'first-agent')).toMatchObject({
      permissions: ['create:agent', 'create:agent_error'],
      expiresAt,
    });
  });

  it('says of a mistyped project that there is none', async () => {
    const page = await dashboard.open('/projects/0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d/causes');
    await page.getByText('There is no such project').waitFor();
    await expectAccessible(page);
  });

  it('waits for a service that is away when the code of a screen is needed, and then shows the screen', async () => {
    const page = await dashboard.open(project);
    await page.getByText('unhealthy').first().waitFor();
    await page.route(/\/assets\/|docs\/icon\.svg|\/events/, (route) => route.abort());
    const asked = page.waitForRequest(/docs\/icon\.svg/);
    await page.getByRole('link', { name: 'Alerts' }).click();
    await asked;
    expect(await page.getByText('This screen stopped working').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Needs attention' }).isVisible()).toBe(true);
    await page.unroute(/\/assets\/|docs\/icon\.svg|\/events/);
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
  });

  it('goes to a screen by its name, with the keyboard alone, and moves the focus to its heading', async () => {
    const page = await dashboard.open(project);
    await page.getByText('unhealthy').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('caus');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Causes' }).waitFor();
    await page.locator('h1:focus').waitFor();
    expect(await page.title()).toBe('Causes · Muster');
  });

  it('shows its charts in a browser whose language is no language tag, as on hosts without a locale', async () => {
    const context = await dashboard.signIn();
    await context.addInitScript(
      "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
    );
    const page = await context.newPage();
    await page.goto(`${dashboard.address}${project}`);
    await page.locator('figure canvas').waitFor();
  });

  it('ignores filters in an address that no screen has', async () => {
    const page = await (await dashboard.signIn()).newPage();
    for (const [screen, operation] of [
      ['?range=year', '/history?'],
      ['/agents?status=broken&utm_source=mail', '/agents?'],
      ['/causes?state=broken&sort=broken', '/agent_error_groups?'],
      ['/tokens?status=broken', '/tokens?'],
      ['/alerts?section=broken', '/alert_rules?'],
      ['/members?section=broken', '/members?'],
      ['/audit_log?action=everything', '/audit_log?'],
    ] as const) {
      const [response] = await Promise.all([
        page.waitForResponse((one) => one.url().includes(`/v1${project}${operation}`)),
        page.goto(`${dashboard.address}${project}${screen}`),
      ]);
      expect([screen, response.status()]).toEqual([screen, 200]);
    }
  });

  it('keeps the colours that somebody has chosen', async () => {
    const page = await dashboard.open(project);
    await page.getByRole('button', { name: 'Account of administrator' }).click();
    await page.getByText('Dark', { exact: true }).click();
    await page.reload();
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  });

  it('opens the menus of its header with the keyboard, and gives the focus back', async () => {
    const page = await dashboard.open(project);
    for (const { button, item } of [
      { button: /^Switch project/, item: 'test' },
      { button: /^Account of/, item: 'Your account' },
    ]) {
      await page.getByRole('button', { name: button }).focus();
      for (let opening = 1; opening <= 2; opening += 1) {
        await page.keyboard.press('Enter');
        await page.getByRole('menuitem', { name: item }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.locator('[role="menuitem"]:focus').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: button }).and(page.locator(':focus')).waitFor();
      }
    }
  });

  it('chooses the first item of a menu also when the arrow key is typed before the menu has the focus', async () => {
    const page = await dashboard.open(project);
    for (const button of [/^Switch project/, /^Account of/]) {
      for (let opening = 1; opening <= 2; opening += 1) {
        await page.getByRole('button', { name: button }).focus();
        await page.evaluate(typeArrowAsSoonAsItemsAreThere);
        await page.keyboard.press('Enter');
        await page.getByRole('menuitem').first().waitFor();
        expect(await page.evaluate(roleOfFocus)).toBe('menuitem');
        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'detached' });
      }
    }
  });

  it('begins with the first screen of somebody who may not see the overview', async () => {
    const user = await inviteUser(dashboard, { permissions: ['read:agent_error'] }, 'Erin');
    const page = await (await dashboard.signIn(undefined, user.token)).newPage();
    await page.goto(dashboard.address);
    await page.getByRole('heading', { name: 'Causes' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${project}/causes`);
  });

  it('shows nothing of the earlier user when somebody else signs in in another tab', async () => {
    const [faye, gus] = [
      await inviteUser(dashboard, { role: 'viewer' }, 'Faye'),
      await inviteUser(dashboard, { role: 'owner' }, 'Gus'),
    ];
    const context = await dashboard.signIn(undefined, faye.token);
    const page = await context.newPage();
    const listening = page.waitForResponse(/\/events\b/);
    await page.goto(`${dashboard.address}${project}`);
    await page.getByRole('button', { name: 'Account of Faye' }).waitFor();
    await page.getByText('unhealthy').first().waitFor();
    await listening;
    await context.request.post(`${dashboard.address}/sign_in`, {
      form: { token: gus.token },
      headers: { origin: dashboard.address },
    });
    // The service looks once a second whether the callers of its streams may still listen.
    dashboard.app.test.clock.advance(1_000);
    await page.getByRole('button', { name: 'Account of Gus' }).waitFor();
    expect(await page.getByRole('button', { name: 'Account of Faye' }).count()).toBe(0);
  });

  it('keeps nothing secret in the browser', async () => {
    const page = await dashboard.open(project);
    await page.getByText('unhealthy').first().waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toMatch(/mst_/);
    expect(stored).not.toContain(dashboard.app.test.admin);
    expect(page.url()).toBe(`${dashboard.address}${project}`);
  });
});
