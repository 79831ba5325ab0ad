import { createAccessToken, createToken, revokeTokenWithReason, updateToken } from '@muster/client';
import { grants } from '@muster/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

const hostileName = `<img src=x onerror=alert(1)>\u202e${'\u{1f4a5}'.repeat(40)}`;

let dashboard: Dashboard;
let projectID: string;
let log: string;

beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
  projectID = dashboard.app.project.id;
  log = `/projects/${projectID}/audit_log`;
  const { id: tokenID } = await createToken(dashboard.admin, { projectID, body: { name: hostileName } });
  await updateToken(dashboard.admin, { tokenID, body: { permissions: ['read:*'] } });
  await revokeTokenWithReason(dashboard.admin, { tokenID, body: { reason: 'found in public' } });
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const shownName = hostileName.replace('\u202e', 'U+202E');

describe('the audit log', () => {
  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(log, view);
    await page.getByRole('button', { name: `administrator revoked the token ${shownName}` }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    // A row gets the focus when it is drawn, and Enter opens the row with the focus.
    await page.locator('[data-row="1"]:focus').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const permissions = dialog.getByRole('row').filter({ hasText: 'permissions' });
    await permissions.waitFor();
    expect(await permissions.getByRole('cell').allTextContents()).toEqual([
      'create:agent, create:agent_error, update:agent, read:fleet',
      'read:*',
    ]);
    await dialog.getByText('127.0.0.1').waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('keeps its filters in the address', async () => {
    const page = await dashboard.open(log);
    const sentences = page.getByRole('cell').getByRole('button');
    await page.getByLabel('Action').selectOption('project.*');
    await page.getByText('created the project').waitFor();
    await page.getByText('revoked the token').waitFor({ state: 'detached' });
    expect(await sentences.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('action')).toBe('project.*');

    await page.getByLabel('Done by').selectOption({ label: 'default' });
    await page.getByText('No entry matches these filters').waitFor();
    await page.getByLabel('Done by').selectOption({ label: 'administrator' });
    await page.getByText('created the project').waitFor();
    await page.getByLabel('Done to').selectOption({ label: 'test' });
    expect([...new URL(page.url()).searchParams.keys()].sort()).toEqual(['action', 'actor', 'target']);

    await page.getByLabel('From').fill('2999-01-01');
    await page.getByText('No entry matches these filters').waitFor();
    await page.reload();
    await page.getByText('No entry matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();

    await page.getByRole('button', { name: `revoked the token ${shownName}` }).click();
    await page.getByRole('button', { name: 'Show all that was done to it' }).click();
    await page.getByText('created the project').waitFor({ state: 'detached' });
    expect(await sentences.count()).toBe(3);
  });

  it('offers what is new without moving the rows, and downloads the whole log', async () => {
    const page = await dashboard.open(log);
    await page.getByText('revoked the token').waitFor();
    await createToken(dashboard.admin, { projectID, body: { name: 'later' } });
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('button', { name: 'administrator created the token later' }).waitFor();

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('audit.jsonl');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer); // of a file
    const [chain, ...entries] = Buffer.concat(chunks)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; sequence?: number }); // JSON lines of the service
    expect(chain?.id).toBe(projectID);
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, place) => place + 1));
  });

  it('shows the beginning of a long list, and all of it on demand', async () => {
    const permissions = grants.filter((grant) => !grant.includes('*')).slice(0, 30);
    await createToken(dashboard.admin, { projectID, body: { name: 'wide', permissions } });
    const page = await dashboard.open(log);
    await page
      .getByRole('button', { name: 'administrator created the token wide with 30 permissions' })
      .click();
    const list = page.getByRole('dialog').getByRole('row').filter({ hasText: 'create:agent' }).locator('bdi');
    await list.first().waitFor();
    expect(await list.count()).toBe(6);
    await page.getByRole('button', { name: 'Show all 30' }).click();
    await expect.poll(() => list.count()).toBe(30);
  });

  it('of the installation shows administrators what belongs to no project', async () => {
    await createAccessToken(dashboard.admin, { body: { name: 'laptop' } });
    const page = await dashboard.open('/');
    await page.getByRole('button', { name: 'Account of administrator' }).click();
    await page.getByRole('menuitem', { name: 'Audit log of the installation' }).click();
    await page.getByRole('button', { name: 'administrator created the access token laptop' }).waitFor();
    await page.getByRole('button', { name: 'administrator created the project test' }).waitFor();
    await expectAccessible(page);
  });

  it('is for owners, and not for viewers', async () => {
    for (const [role, isShown] of [
      ['owner', true],
      ['viewer', false],
    ] as const) {
      const { token } = await inviteUser(dashboard, { role }, `the ${role}`);
      const page = await (await dashboard.signIn(undefined, token)).newPage();
      await page.goto(`${dashboard.address}${log}`);
      await page
        .getByText(isShown ? 'revoked the token' : 'Your role does not show this screen')
        .first()
        .waitFor();
      expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(isShown ? 1 : 0);
      await page.getByRole('button', { name: `Account of the ${role}` }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Audit log of the installation' }).count()).toBe(0);
    }
  });
});
