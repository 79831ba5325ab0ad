import { createMachineError, createProject } from '@muster/client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { watchCopies } from '../watch-copies.ts';
import { expectFocus } from './expect-focus.ts';
import { type Dashboard, startDashboard, views } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
  await createProject(dashboard.admin, { body: { name: 'staging' } });
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const maxSteps = 60;
const causes = ['disk full', 'no route to the collector', 'certificate has expired'];

it.each(views)('a day of work needs no mouse, and the focus is always seen, $width px wide', async (view) => {
  const { address, agents, app } = dashboard;
  for (const error of causes) {
    // The list is in the order of time.
    app.test.clock.advance(1_000);
    const machineID = `edge-${view.width}`;
    const { id } = await createMachineError(agents, { machineID, body: { error } });
    await waitUntilCounted(dashboard, id);
  }
  // What was reported in the last minute is asked about when it is dismissed.
  app.test.clock.advance(60_000);
  const context = await dashboard.signIn(view);
  await context.clearCookies();
  await context.grantPermissions(['clipboard-write'], { origin: address });
  const page = await context.newPage();
  const press = (key: string) => page.keyboard.press(key);
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  const dialog = page.getByRole('dialog');
  const noDialog = () => dialog.waitFor({ state: 'detached' });
  const goTo = async (typed: string, name: string) => {
    await press('Control+k');
    await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill(typed);
    await press('Enter');
    await expectFocus(page, heading(name));
  };

  await page.goto(`${address}/projects/${app.project.id}`);
  await tabTo(page, page.getByLabel('Access token'));
  await page.keyboard.type(app.test.admin);
  await press('Enter');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();

  await goTo('caus', 'Causes');
  await page.locator('[data-row="2"]').waitFor();
  for (const key of ['j', 'x', 'j', 'x']) await press(key);
  await page.getByText('2 selected').waitFor();
  await expectFocus(page, page.locator('[data-row="1"]'));
  await press('d');
  await expectFocus(page, dialog.getByLabel('Reason'));
  await press('Escape');
  await noDialog();
  await expectFocus(page, page.locator('[data-row="1"]'));
  await press('d');
  await page.getByText(/^This dismisses \d/).waitFor();
  await expectFocus(page, dialog.getByLabel('Reason'));
  await page.keyboard.type('Repaired');
  await press('Enter');
  await noDialog();
  // The row that had the focus is gone.
  await expectFocus(page, heading('Causes'));
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  // What offers it goes after a while, however long each key takes here.
  await page.clock.pauseAt(app.test.clock.now());
  await tabTo(page, undo);
  await page.clock.resume();
  await press('Enter');
  await page
    .getByText(/^The dismissal is undone: \d+ errors? on \d+ agents? (is|are) open again\.$/)
    .waitFor();
  await expectFocus(page, heading('Causes'));

  await goTo('toke', 'Tokens');
  const create = page.locator('main').getByRole('button', { name: 'Create a token' });
  await tabTo(page, create);
  await press('Enter');
  await expectFocus(page, dialog.getByRole('textbox', { name: 'Name' }));
  await press('Escape');
  await noDialog();
  await expectFocus(page, create);
  await press('Enter');
  await expectFocus(page, dialog.getByRole('textbox', { name: 'Name' }));
  const name = `ci-${view.width}`;
  await page.keyboard.type(name);
  await press('Enter');
  await dialog.getByText('Copy the token now').waitFor();
  // The button that was pressed is gone.
  await expectFocus(page, dialog);
  const copiedText = await watchCopies(page);
  await tabTo(page, dialog.getByRole('button', { name: 'Copy' }).first());
  await press('Enter');
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await copiedText()).toMatch(/\.mst_p_\w{49}$/);
  await tabTo(page, dialog.getByRole('button', { name: 'I have stored it' }));
  await press('Enter');
  await noDialog();
  await expectFocus(page, create);

  await tabTo(page, page.getByRole('link', { name }));
  await press('Enter');
  await expectFocus(page, heading(name));
  const revoke = page.locator('main').getByRole('button', { name: 'Revoke' });
  await tabTo(page, revoke);
  await press('Enter');
  await expectFocus(page, dialog.getByLabel('Reason'));
  await press('Escape');
  await noDialog();
  await expectFocus(page, revoke);
  await press('Enter');
  await expectFocus(page, dialog.getByLabel('Reason'));
  // Nobody can revoke it before they have seen this.
  await dialog.getByText('No agent uses this token').waitFor();
  await page.keyboard.type('No longer needed');
  await press('Enter');
  await noDialog();
  await page.getByText('No longer needed').waitFor();
  await expectFocus(page, heading(name));

  await press('Control+k');
  await expectFocus(page, page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action'));
  await press('Escape');
  await expectFocus(page, heading(name));
  await goTo('stagi', 'Let the first agent report');
  const projects = page.getByRole('button', { name: /^Switch project/ });
  await tabTo(page, projects, 'Shift+Tab');
  await press('Enter');
  const other = page.getByRole('menuitem', { name: 'test' });
  await other.waitFor();
  await stepTo(page, other, 'ArrowDown');
  await press('Enter');
  await page.waitForURL(`${address}/projects/${app.project.id}`);
  await expectFocus(page, heading(/^\d+ .*agents?/));

  await tabTo(page, page.getByRole('button', { name: /^Account of/ }), 'Shift+Tab');
  await press('Enter');
  const signOut = page.getByRole('menuitem', { name: 'Sign out' });
  await signOut.waitFor();
  await stepTo(page, signOut, 'ArrowDown');
  await press('Enter');
  await page.getByRole('status').getByText('You are signed out').waitFor();
  await page.goto(`${address}/projects/${app.project.id}`);
  await page.getByLabel('Access token').waitFor();
});

describe('keys that are typed fast', () => {
  const [, , newest = ''] = causes;
  let path: string;

  beforeAll(async () => {
    const { agents, app } = dashboard;
    // The newest first.
    path = `/projects/${app.project.id}/causes?sort=lastSeen`;
    for (const error of causes) {
      app.test.clock.advance(1_000);
      const { id } = await createMachineError(agents, { machineID: 'edge-fast', body: { error } });
      await waitUntilCounted(dashboard, id);
    }
  });

  it('choose each row once', async () => {
    const page = await dashboard.open(path);
    await page.locator('[data-row="2"]').waitFor();
    await page.evaluate(typeJxjxAroundOneFrame);
    await page.getByText('2 selected').waitFor();
    await expectFocus(page, page.locator('[data-row="1"]'));
  });

  it('open the row that they have just reached', async () => {
    const page = await dashboard.open(path);
    await page.locator('[data-row="2"]').waitFor();
    await page.evaluate(typeJEnterWithinOneFrame);
    await page.getByRole('heading', { level: 1, name: /^\d+ agents? ha(s|ve) / }).waitFor();
    await page.getByText(newest).first().waitFor();
  });
});

async function hasFocus(page: Page, target: Locator): Promise<boolean> {
  return (await target.and(page.locator(':focus')).count()) > 0;
}

/** Presses a key until something has the focus. */
async function stepTo(page: Page, target: Locator, key: string): Promise<void> {
  for (let step = 0; step < maxSteps; step += 1) {
    if (await hasFocus(page, target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${maxSteps} times ${key} do not lead to ${target}`);
}

/** Presses Tab until something has the focus, and looks at all that has it on the way. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let step = 0; step < maxSteps; step += 1) {
    if (await hasFocus(page, target)) return;
    await page.keyboard.press(key);
    expect(await page.evaluate(unseenFocus)).toBeNull();
  }
  throw new Error(`${maxSteps} times ${key} do not lead to ${target}`);
}

/** The element that has the focus, if it stands outside of the window, or if nothing shows that it has it. */
const unseenFocus = `(() => {
  const part = document.activeElement;
  const { left, top, right, bottom } = part.getBoundingClientRect();
  const isInside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const { outlineStyle, outlineWidth } = getComputedStyle(part);
  const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  return part !== document.body && isInside && isMarked ? null : part.outerHTML.slice(0, 200);
})()`;

/** The second key comes before the frame in which the first one is drawn, as on a busy browser. */
const typeJEnterWithinOneFrame = `(() => {
  const press = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('j');
  press('Enter');
})()`;

/** The second `j` comes in the frame in which the first row gets the focus, just before it, and the second `x` just after it. */
const typeJxjxAroundOneFrame = `(() => {
  const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key }));
  requestAnimationFrame(() => press('j'));
  press('j');
  press('x');
  requestAnimationFrame(() => press('x'));
})()`;
