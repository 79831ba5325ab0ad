import { createToken, getToken, registerAgent, updateFreezeWindows, updateToken } from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;
let projectID: string;
let path: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  projectID = dashboard.app.project.id;
  path = `/projects/${projectID}/tokens`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const dialogOf = (page: Page) => page.getByRole('dialog');

/** What a script, the address and the storage of the browser know. */
const kept = (page: Page) =>
  page.evaluate<string>(
    'JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])',
  );

describe('the tokens of a project', () => {
  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(path, view);
    await page.getByRole('link', { name: 'default' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create a token' }).click();
    await dialogOf(page).getByText('Choose', { exact: true }).click();
    await dialogOf(page).getByText('Report errors of agents.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'default' }).click();
    await page
      .getByText('Registers agents', { exact: false })
      .or(page.getByText('Register agents'))
      .waitFor();
    await page.getByText('Goes on with its own token').waitFor();
    await page.getByText('0 of 1 agent stops reporting if you revoke it.', { exact: true }).waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('are rotated on the overview when they are about to expire, and their new value is shown until it is stored', async () => {
    const expiresAt = new Date(dashboard.app.test.clock.now() + 3 * 24 * 3_600_000).toISOString();
    const { id: tokenID } = await createToken(dashboard.admin, {
      projectID,
      body: { name: 'soon', expiresAt },
    });
    const page = await dashboard.open(`/projects/${projectID}`);
    await page.getByRole('button', { name: 'Rotate… soon' }).click();
    await dialogOf(page).getByRole('button', { name: 'Rotate' }).click();
    await dialogOf(page).getByText('Copy the token now').waitFor();
    const shown = dialogOf(page).getByRole('region', { name: 'Value of soon' }).locator('code');
    const value = (await shown.textContent()) ?? '';
    // The token is no longer in the list, and its value still is on the screen.
    dashboard.app.test.clock.advance(1_000);
    await updateToken(dashboard.admin, { tokenID, body: { expiresAt: null } });
    await page
      .getByRole('link', { name: /^Token soon expires/, includeHidden: true })
      .waitFor({ state: 'detached' });
    expect(await shown.textContent()).toBe(value);
    const self = { headers: { 'X-Project-Token': value } };
    expect((await fetch(`${dashboard.address}/v1/project_tokens/self`, self)).status).toBe(200);
    await dialogOf(page).getByRole('button', { name: 'I have stored it' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
  });

  it('are warned of before they expire, unless they were made to end within a day', async () => {
    const { admin, app, agents } = dashboard;
    const hourMilliseconds = 3_600_000;
    const create = (name: string, hours: number) => {
      const expiresAt = new Date(app.test.clock.now() + hours * hourMilliseconds).toISOString();
      return createToken(admin, { projectID, body: { name, permissions: ['read:*'], expiresAt } });
    };
    const { id: tokenID } = await create('lasting', 48);
    await create('brief', 24);
    await registerAgent(agents, { body: { name: 'warned-1', machineID: 'warned-1' } });
    const page = await dashboard.open(`/projects/${projectID}`);
    await page.getByRole('link', { name: /^Token lasting expires/ }).waitFor();
    expect(await page.getByText('brief').count()).toBe(0);
    await updateToken(admin, { tokenID, body: { expiresAt: null } });
  });

  it('stand on the overview among what is coming up, as freezes do, the soonest first', async () => {
    const day = 86_400_000;
    const dateIn = (days: number) => new Date(dashboard.app.test.clock.now() + days * day).toISOString();
    await createToken(dashboard.admin, {
      projectID,
      body: { name: 'later', permissions: ['read:*'], expiresAt: dateIn(40) },
    });
    const launch = { name: 'launch', startsAt: dateIn(2), endsAt: dateIn(3) };
    await updateFreezeWindows(dashboard.admin, { projectID, body: { freezeWindows: [launch] } });
    await registerAgent(dashboard.agents, { body: { name: 'overview-1', machineID: 'overview-1' } });
    const page = await dashboard.open(`/projects/${projectID}`);
    await page.getByRole('heading', { name: 'Coming up' }).waitFor();
    const coming = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Coming up' }) });
    const items = coming.getByRole('listitem');
    await expect.poll(() => items.count()).toBe(2);
    expect((await items.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^\w+ \d+ No rollout may start, until \w+ \d+, \d\d:\d\d Freeze “launch”$/),
      expect.stringMatching(/^\w+ \d+ Token later expires Nobody has used it$/),
    ]);
    await expectAccessible(page);
  });

  it('are created with chosen permissions, and their value is shown once', async () => {
    const page = await dashboard.open(path);
    await page.getByRole('button', { name: 'Create a token' }).click();
    await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('edge-agents');
    await dialogOf(page).getByText('Choose', { exact: true }).click();
    await dialogOf(page).getByLabel('Report errors of agents.').check();
    await dialogOf(page).getByLabel('Register agents').check();
    await dialogOf(page).getByLabel('Valid for').selectOption('30 days');
    await dialogOf(page).getByRole('button', { name: 'Create a token' }).click();
    const shown = dialogOf(page).getByRole('region', { name: 'Value of edge-agents' }).locator('code');
    const value = (await shown.textContent()) ?? '';
    expect(value).toMatch(/^eyJ[\w-]+\.mst_p_\w{49}$/);
    await dialogOf(page).getByText('X-Project-Token').waitFor();
    for (const tab of ['Fluent Bit', 'muster report', 'Helm']) {
      await dialogOf(page).getByRole('tab', { name: tab }).click();
      await dialogOf(page).getByRole('tabpanel').getByText(value, { exact: false }).waitFor();
    }
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogOf(page).getByRole('button', { name: 'I have stored it' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'edge-agents' }).waitFor();
    expect(await kept(page)).not.toContain(value);
    const answer = await fetch(`${dashboard.address}/v1/project_tokens/self`, {
      headers: { 'X-Project-Token': value },
    });
    expect(await answer.json()).toMatchObject({
      name: 'edge-agents',
      permissions: ['create:agent_error', 'create:agent'],
      status: 'active',
      expiresAt: expect.any(String),
    });
  });

  it('are found by name and status, which stand in the address', async () => {
    await createToken(dashboard.admin, { projectID, body: { name: 'ci-deploy', permissions: ['read:*'] } });
    const page = await dashboard.open(path);
    await page.getByRole('link', { name: 'default' }).waitFor();
    await page.getByLabel('Search by name').fill('deploy');
    await page.getByRole('link', { name: 'default' }).waitFor({ state: 'detached' });
    await page.waitForURL(/\?q=deploy$/);
    await page.getByLabel('Status of tokens').selectOption('Revoked');
    await page.getByText('No token matches these filters').waitFor();
    expect(page.url()).toMatch(/\/tokens\?q=deploy&status=revoked$|\/tokens\?status=revoked&q=deploy$/);
  });

  it('are rotated with a grace, and revoked after it was shown who stops', async () => {
    const permissions = ['create:agent', 'create:agent_error'] as const;
    const token = await createToken(dashboard.admin, { projectID, body: { name: 'fleet', permissions } });
    const headers = { 'X-Project-Token': token.token, 'Content-Type': 'application/json' };
    await fetch(`${dashboard.address}/v1/machines/edge-1/errors`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ error: 'disk full' }),
    });
    const page = await dashboard.open(`${path}/${token.id}`);
    await page.getByText('edge-1').waitFor();
    await page.getByText('1 of 1 agent stops reporting if you revoke it.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await dialogOf(page).getByLabel('The earlier value is valid').selectOption('For another hour');
    await dialogOf(page).getByRole('button', { name: 'Rotate' }).click();
    await dialogOf(page).getByText('Copy the token now').waitFor();
    await dialogOf(page).getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Earlier value', { exact: true }).waitFor();
    const earlier = page.locator('section').filter({ hasText: 'Who still uses the earlier value' });
    await earlier.getByText('Nobody has used it since the rotation.').waitFor();
    const fact = page.getByRole('definition').filter({ hasText: /^mst_p_\S+ ends in / });
    expect(await fact.innerText({ timeout: 8_000 })).toMatch(
      /^mst_p_\S+ ends in \d+ (?:min|h)\nnot used since the rotation$/,
    );
    dashboard.app.test.clock.advance(60_000);
    await fetch(`${dashboard.address}/v1/project_tokens/self`, {
      headers: { ...headers, 'User-Agent': 'old-deploy/1.0' },
    });
    await page.reload();
    await earlier.getByText('old-deploy/1.0').waitFor();
    await earlier.getByText('127.0.0.1').waitFor();
    await earlier
      .getByText(/^At most the 1 agent that reports with this token; last used .+ from:$/)
      .waitFor();
    await expect.poll(() => fact.innerText()).toMatch(/\nlast used .+, from 127\.0\.0\.1$/);
    expect(await earlier.innerText()).toMatch(
      /^Who still uses the earlier value\s+mst_p_\S+ ends in \d+ (?:min|h)\s/,
    );
    const allTokens = /\/tokens\?.*last=1000/;
    await page.route(allTokens, (route) => route.fulfill({ status: 400, json: {} }));
    await page.reload();
    await page.getByRole('button', { name: 'Revoke' }).click();
    // What would end with it is not known.
    await dialogOf(page).getByRole('button', { name: 'Try again' }).waitFor();
    expect(await dialogOf(page).getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
    await page.unroute(allTokens);
    await dialogOf(page).getByRole('button', { name: 'Try again' }).click();
    await dialogOf(page).getByText('1 agent stops reporting:').waitFor();
    await dialogOf(page).getByText('edge-1').waitFor();
    await dialogOf(page).getByLabel('Reason').fill('Found in a repository');
    await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Found in a repository').waitFor();
    await page.getByText('administrator').first().waitFor();
    expect(await getToken(dashboard.admin, { tokenID: token.id })).toMatchObject({
      status: 'revoked',
      revokeReason: 'Found in a repository',
    });
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
  });

  it('are asked about in a dialog that stays open until what was confirmed has happened or failed', async () => {
    const { id: tokenID } = await createToken(dashboard.admin, {
      projectID,
      body: { name: 'slow', permissions: ['read:*'] },
    });
    const page = await dashboard.open(`${path}/${tokenID}`);
    let fail = () => {};
    const held = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/revoke', async (route) => {
      await held;
      await route.fulfill({ status: 400, json: {} });
    });
    await page.getByRole('button', { name: 'Revoke' }).click();
    const asked = page.waitForRequest('**/revoke');
    await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
    await asked;
    expect(await dialogOf(page).getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    fail();
    await dialogOf(page).getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
  });

  it('are changed after a preview of what differs then', async () => {
    const permissions = ['create:agent_error', '*:token'] as const;
    const { id: tokenID } = await createToken(dashboard.admin, {
      projectID,
      body: { name: 'ci', permissions, allowedNetworks: ['10.0.0.0/8'] },
    });
    const page = await dashboard.open(`${path}/${tokenID}`);
    await page.getByRole('button', { name: 'Change' }).click();
    const changes = dialogOf(page).getByRole('region', { name: 'What changes' });
    await changes.getByText('Nothing yet.').waitFor();
    const save = dialogOf(page).getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('ci-2');
    await dialogOf(page).getByLabel('See everything in the project').check();
    await dialogOf(page).getByLabel('Everything about tokens').uncheck();
    await dialogOf(page).getByLabel('Valid for').selectOption('30 days');
    await dialogOf(page).getByLabel('Only from these networks').fill('');
    await dialogOf(page).getByLabel('Maximum reports per second').fill('50');
    const shown = await changes.innerText();
    for (const text of ['ci → ci-2', 'read:*', '*:token', '10.0.0.0/8 → everywhere', 'no limit → 50 reports'])
      expect(shown).toContain(text);
    await expectAccessible(page);
    await save.click();
    await page.getByText('Saved').waitFor();
    expect(await getToken(dashboard.admin, { tokenID })).toMatchObject({
      name: 'ci-2',
      permissions: ['create:agent_error', 'read:*'],
      expiresAt: expect.any(String),
      allowedNetworks: null,
      reportsPerSecond: 50,
    });
    await page.getByText('50 reports per second').waitFor();
  });

  it('of an operator grant no more than they have', async () => {
    const operator = (await inviteUser(dashboard, { role: 'operator' }, 'operator')).token;
    const other = await (await dashboard.signIn(undefined, operator)).newPage();
    await other.goto(`${dashboard.address}${path}`);
    await other.getByRole('button', { name: 'Create a token' }).click();
    expect(await dialogOf(other).getByLabel('Operator').isDisabled()).toBe(true);
    await dialogOf(other).getByText('Choose', { exact: true }).click();
    expect(await dialogOf(other).getByLabel('Create everything').isDisabled()).toBe(true);
    expect(await dialogOf(other).getByLabel('See everything in the project').isDisabled()).toBe(false);
  });
});
