import {
  createClient,
  createInvitation,
  createToken,
  getMe,
  listMembers,
  signUp,
  updateMember,
} from '@muster/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectFocus } from './expect-focus.ts';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

const hostileName = `<b onmouseover=alert(1)>Mallory</b>\u202egnp${'\u{1f9a0}'.repeat(30)}`;
const shownName = hostileName.replace('\u202e', 'U+202E');

let dashboard: Dashboard;
let projectID: string;
let members: string;

beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
  projectID = dashboard.app.project.id;
  members = `/projects/${projectID}/members`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

describe('the members of a project', () => {
  it('are none at first, and come by an invitation whose link is shown once', async () => {
    const page = await dashboard.open(members);
    await page.getByText('muster invite --role operator').waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('For whom').fill('ada@example.com');
    await page.getByLabel('Operator').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const shown = page.getByRole('dialog', { name: 'The link of the invitation' });
    await shown.waitFor();
    await shown
      .getByText(`127.0.0.1:${dashboard.app.port} is an address of this machine alone.`, { exact: false })
      .waitFor();
    await expectAccessible(page);
    const link = (await shown.locator('pre').first().textContent()) ?? '';
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link', { name: /^Invitations [1-9]/ }).click();
    await page.getByRole('row').filter({ hasText: 'ada@example.com' }).getByText('Operator').waitFor();
    expect(await page.content()).not.toContain(link);

    const context = await dashboard.signIn();
    await context.clearCookies();
    const guest = await context.newPage();
    await guest.goto(link);
    await guest.getByRole('heading', { name: 'Join' }).waitFor();
    expect(guest.url()).toBe(`${dashboard.address}/invitation`);
    await guest.getByLabel('Your name').fill('Ada');
    await guest.getByRole('button', { name: 'Create my account' }).click();
    const token = await guest.getByLabel('Your access token').inputValue();
    const ada = await getMe(createClient({ url: dashboard.address, credential: { accessToken: token } }));
    expect([ada.name, ada.projects?.map(({ id }) => id)]).toEqual(['Ada', [projectID]]);
    await guest.getByRole('link', { name: 'go to the project' }).click();
    await guest.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(guest.url()).toBe(`${dashboard.address}/projects/${projectID}`);
    await page.getByRole('link', { name: 'Members' }).last().click();
    await page.getByRole('row').filter({ hasText: 'Ada' }).getByText('Operator').waitFor();
  });

  it.each(views)('have no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    await inviteUser(dashboard, { role: 'viewer' }, hostileName);
    const page = await dashboard.open(members, view);
    await page.getByText(shownName).first().waitFor();
    await expectAccessible(page);
    await page
      .getByRole('button', { name: /Actions for .*Mallory/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await page.getByLabel('Chosen permissions').check();
    await page.getByLabel('See tokens and who uses them').waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('get another role, and leave after the owner has seen what ends and what stays', async () => {
    const owner = await inviteUser(dashboard, { role: 'owner' }, 'Olga');
    const grace = await inviteUser(dashboard, { role: 'operator' }, 'Grace');
    await createToken(grace.client, { projectID, body: { name: 'graces' } });
    const page = await (await dashboard.signIn(undefined, owner.token)).newPage();
    await page.goto(`${dashboard.address}${members}`);
    // The last owner stays.
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Olga').getByText('You').waitFor();
    expect(await row('Olga').getByRole('button').count()).toBe(0);

    await row('Grace').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('They created one project token').waitFor();
    await dialog.getByLabel('Also revoke the project tokens').check();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Grace is no longer a member. Revoked: one project token.').waitFor();
    await row('Grace').waitFor({ state: 'detached' });
    expect((await getMe(grace.client)).projects).toEqual([]);

    await row('Ada').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await expectFocus(page, dialog.getByLabel('Operator'));
    await dialog.getByLabel('Viewer').check();
    await page.keyboard.press('Enter');
    await row('Ada').getByText('Viewer').waitFor();
  });

  it('are followed by the screen of a viewer, whatever others change', async () => {
    const viewer = await inviteUser(dashboard, { role: 'viewer' }, 'Vera');
    const page = await (await dashboard.signIn(undefined, viewer.token)).newPage();
    await page.goto(`${dashboard.address}${members}`);
    const ada = page.getByRole('row').filter({ hasText: 'Ada' });
    await ada.waitFor();
    const { items } = await listMembers(dashboard.admin, { projectID, last: 100 }).first();
    const userID = items.find(({ name }) => name === 'Ada')?.userID ?? '';
    await updateMember(dashboard.admin, { projectID, userID, body: { role: 'owner' } });
    await ada.getByText('Owner').waitFor();
  });

  it('see what a lowered role shows, in the tab that is open, without an error', async () => {
    const owner = await inviteUser(dashboard, { role: 'owner' }, 'Lola');
    const page = await (await dashboard.signIn(undefined, owner.token)).newPage();
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    const listening = page.waitForResponse(/\/events\b/);
    await page.goto(`${dashboard.address}/projects/${projectID}/audit_log`);
    await page.getByRole('link', { name: 'Export' }).waitFor();
    await listening;
    const lower = async (body: Parameters<typeof updateMember>[1]['body']) => {
      await updateMember(dashboard.admin, { projectID, userID: owner.id, body });
      // The service looks once a second whether the callers of its streams may still listen.
      dashboard.app.test.clock.advance(1_000);
    };
    await lower({ role: 'viewer' });
    await page.getByText('Your role does not show this screen').waitFor();
    expect(await links.allInnerTexts()).not.toContain('Audit log');
    await links.getByText('Members').click();
    await page.getByRole('row').filter({ hasText: 'Lola' }).waitFor();
    // They hear no more of members, and so not of their own role.
    await lower({ permissions: ['read:agent'] });
    await page.getByText('Your role does not show this screen').waitFor();
    expect(await links.allInnerTexts()).toEqual(['Agents']);
    expect(await page.getByText('This did not work').count()).toBe(0);
  });

  it('come no more by an invitation that was revoked', async () => {
    const { code } = await createInvitation(dashboard.admin, {
      projectID,
      body: { role: 'viewer', email: 'eve@example.com' },
    });
    const page = await dashboard.open(`${members}?section=invitations`);
    const row = page.getByRole('row').filter({ hasText: 'eve@example.com' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    const signingUp = signUp(createClient({ url: dashboard.address }), { body: { code, name: 'Eve' } });
    await expect(signingUp).rejects.toMatchObject({ status: 410 });
  });
});
