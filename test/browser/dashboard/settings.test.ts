import { createClient, createProject, getMe } from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

/** Markup, a mark that turns the direction of text, and a thousand pictures: all of it is a name. */
const hostileName = '<script>alert(1)</script>\u202egnp\u202c';

let dashboard: Dashboard;
let settings: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  settings = `/projects/${dashboard.app.project.id}/settings`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

async function createToken(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create access token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Only what you choose').check();
  await dialog.getByLabel('See agents with their status').check();
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  const secret = await page.getByRole('dialog', { name: 'Your access token' }).locator('pre').textContent();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  return secret ?? '';
}

describe('the settings', () => {
  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(settings, view);
    await page.getByLabel('Name of the project').waitFor();
    await expectAccessible(page);
    for (const [section, shown] of [
      ['Access tokens', 'administrator'],
      ['Sessions', 'This browser'],
      ['Appearance', 'As the system'],
    ] as const) {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByText(shown).first().waitFor();
      await expectAccessible(page);
    }
    expect(dashboard.faults).toEqual([]);
  });

  it('create an access token that is shown once, and revoke it after showing what ends', async () => {
    const page = await dashboard.open(`${settings}?section=access_tokens`);
    const value = await createToken(page, hostileName);
    const client = createClient({ url: dashboard.address, credential: { accessToken: value } });
    expect((await getMe(client)).permissions).toEqual(['read:agent']);
    const row = page.getByRole('row').filter({ hasText: '<script>alert(1)</script>U+202EgnpU+202C' });
    await row.waitFor();
    expect(await page.content()).not.toContain(value);
    expect(
      JSON.stringify(await page.evaluate('[{...localStorage}, {...sessionStorage}, history.state]')),
    ).not.toContain(value);

    const other = await dashboard.signIn(undefined, value);
    expect((await other.request.get(`${dashboard.address}/v1/me`)).status()).toBe(200);
    await row.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One browser is signed out.').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await other.request.get(`${dashboard.address}/v1/me`)).status()).toBe(401);
  });

  it('rotate an access token, and keep the earlier value until the new one is used', async () => {
    const page = await dashboard.open('/account');
    const earlier = await createToken(page, 'rotated');
    const row = page.getByRole('row').filter({ hasText: 'rotated' });
    await row.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const value = await page.getByRole('dialog', { name: 'Your access token' }).locator('pre').textContent();
    const statusOf = async (token: string) =>
      (await dashboard.app.test.request('GET', '/v1/me', { as: { access: token } })).status;
    expect(value).not.toBe(earlier);
    expect(await statusOf(earlier)).toBe(200);
    expect(await statusOf(value ?? '')).toBe(200);
    expect(await statusOf(earlier)).toBe(401);
  });

  it('revoke the sessions of other browsers, and not of this one', async () => {
    const other = await dashboard.open(settings);
    await other.getByLabel('Name of the project').waitFor();
    const page = await dashboard.open(`${settings}?section=sessions`);
    await page.getByRole('button', { name: 'Revoke all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke all others' }).click();
    await page.getByText(/revoked\.$/).waitFor();
    // Its head, and this browser.
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(2);
    expect(await page.getByRole('table').getByText('This browser').count()).toBe(1);
    // Its dialog may lie above the link already, because of something that was read in the background.
    await other.getByRole('link', { name: 'Sessions' }).dispatchEvent('click');
    await other.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  });

  it('let a viewer see the project, and change only what is their own', async () => {
    const viewer = await inviteUser(dashboard, { role: 'viewer' }, 'Vera');
    const page = await (await dashboard.signIn(undefined, viewer.token)).newPage();
    await page.goto(`${dashboard.address}${settings}`);
    await page.getByText('Only owners rename a project.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete for ever' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Access tokens' }).click();
    await page.getByRole('button', { name: 'Create access token' }).waitFor();
  });

  it('rename a project, and delete it only after its name is typed', async () => {
    const faultsBefore = dashboard.faults.length;
    const project = await createProject(dashboard.admin, { body: { name: 'old' } });
    const page = await dashboard.open(`/projects/${project.id}/settings`);
    await page.getByLabel('Name of the project').fill(hostileName);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Switch project: ${hostileName}` }).waitFor();
    await page.getByRole('button', { name: 'Delete for ever' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Valid tokens').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete for ever' });
    await dialog.getByLabel('Name or ID of the project').fill('old');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Name or ID of the project').fill(hostileName);
    // Nothing that has happened makes the screens of the deleted project read it again, also if the answer comes late.
    await page.route(`**/v1/projects/${project.id}`, async (route) => {
      const response = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await route.fulfill({ response });
    });
    await confirm.click();
    await page.getByRole('button', { name: 'Switch project: test' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}/projects/${dashboard.app.project.id}`);
    expect(dashboard.faults.slice(faultsBefore)).toEqual([]);
  });
});
