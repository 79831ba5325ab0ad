import { createMachineError } from '@muster/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { expectFocus } from './expect-focus.ts';
import { inviteUser } from './invite-user.ts';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

it('offers what a verb is for, also if it is typed before the palette is there', async () => {
  const { agents, app } = dashboard;
  const project = `/projects/${app.project.id}`;
  app.test.clock.advance(1_000);
  const error = 'the tank of verbs is full';
  const { id } = await createMachineError(agents, { machineID: 'verbs-1', body: { error } });
  await waitUntilCounted(dashboard, id);
  const page = await dashboard.open(project);
  await page.getByText('unhealthy').first().waitFor();
  const typed = page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action');
  const offered = page.getByRole('dialog').getByRole('button');
  let letIn = () => {};
  const held = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  const askedFor = page.waitForRequest(/palette-dialog.*\.js/);
  await page.route(/palette-dialog.*\.js/, async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await askedFor;
  await page.keyboard.type('rot');
  letIn();
  await expectFocus(page, typed);
  await page.keyboard.type('ate');
  expect(await typed.inputValue()).toBe('rotate');
  await offered
    .filter({ hasText: /^Rotate / })
    .first()
    .waitFor();
  expect(await offered.filter({ hasText: /^Create / }).count()).toBe(0);
  await typed.fill('ate a');
  await page.getByRole('dialog').getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  const choose = async (words: string, name: string) => {
    await page.keyboard.press('Control+k');
    await typed.fill(words);
    await offered.filter({ hasText: name }).click();
  };
  const dialog = page.getByRole('dialog');
  await choose('dismiss', `Dismiss “${error}”…`);
  await dialog.getByText('This dismisses 1 error on 1 agent.').waitFor();
  await page.keyboard.press('Escape');
  const channel = ['Create a channel…', dialog.getByRole('textbox', { name: 'Name' })] as const;
  const invitation = ['Invite somebody…', dialog.getByRole('radiogroup', { name: 'Role' })] as const;
  // Also again on the screen on which it is already.
  const found = {
    webhook: channel,
    slack: channel,
    colleague: invitation,
    invite: invitation,
    alert: channel,
  };
  for (const [words, [name, field]] of Object.entries(found)) {
    await choose(words, name);
    await field.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }

  const { token } = await inviteUser(dashboard, { role: 'viewer' }, 'Hal');
  const viewers = await (await dashboard.signIn(undefined, token)).newPage();
  await viewers.goto(`${dashboard.address}${project}`);
  await viewers.getByText('unhealthy').first().waitFor();
  await viewers.keyboard.press('Control+k');
  for (const words of ['rotate', 'dismiss', 'mute', 'webhook', 'colleague']) {
    await viewers.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill(words);
    await viewers.getByRole('dialog').getByText('Nothing found').waitFor();
  }
});
