import {
  createAgentError,
  createMachineError,
  listSessions,
  registerAgent,
  revokeSession,
  updateAgent,
} from '@muster/client';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectFocus } from './expect-focus.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;
let project: string;

beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
  project = `/projects/${dashboard.app.project.id}`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

let reports = 0;
const minute = 60_000;

/** Reports an error with a cause of its own, and returns its text when the error is counted: until then, the list may come without it. */
async function report(
  error = `cause ${'abcdefghijklmnopqrstuvwxyz'.charAt(reports).repeat(5)} has failed`,
  ageMilliseconds = minute,
): Promise<string> {
  reports += 1;
  // The list is in the order of time.
  dashboard.app.test.clock.advance(1_000);
  const { id } = await createMachineError(dashboard.agents, {
    machineID: `machine-${reports}`,
    body: { error },
  });
  await waitUntilCounted(dashboard, id);
  // What was reported in the last minute is asked about when it is dismissed.
  dashboard.app.test.clock.advance(ageMilliseconds);
  return error;
}

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') });

describe('causes', () => {
  it.each(views)(
    'are found on the overview, dismissed and opened again, $colorScheme, $width px wide',
    async (view) => {
      const text = await report();
      const page = await dashboard.open('/', view);
      await page.getByRole('link', { name: text }).first().click();
      await page.getByRole('heading', { level: 1, name: '1 agent has this error' }).waitFor();
      await page.getByText('Example texts').waitFor();
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Dismiss…' }).click();
      await page.getByText('This dismisses 1 error on 1 agent.').waitFor();
      await expectAccessible(page);
      await expectFocus(page, page.getByRole('dialog').getByLabel('Reason'));
      await page.keyboard.type('It was repaired');
      await page.keyboard.press('Enter');
      await page.getByText('1 error dismissed.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The dismissal is undone: 1 error on 1 agent is open again.').waitFor();

      await page.goto(`${dashboard.address}${project}/dismissals`);
      await rows(page).first().getByText('It was repaired').waitFor();
      await expectAccessible(page);
      await page.goto(`${dashboard.address}${project}/causes`);
      await rows(page).getByText(text).waitFor();
      await expectAccessible(page);
      expect(dashboard.faults).toEqual([]);
    },
  );

  it('say how old their counts are if that is more than 5 s', async () => {
    const text = await report();
    const page = await dashboard.open(`${project}/causes`);
    const late = page.getByText('Counts are 12 s old');
    await rows(page).getByText(text).waitFor();
    expect(await late.count()).toBe(0);
    // As if the service had counted nothing for so long.
    await page.clock.setFixedTime(dashboard.app.test.clock.now() + 12_000);
    await page.reload();
    await late.waitFor();
    await expectAccessible(page);
  });

  it('are muted, listed as such, and unmuted', async () => {
    const text = await report();
    const page = await dashboard.open(`${project}/causes`);
    await rows(page).getByText(text).click();
    await page.getByRole('button', { name: 'Mute…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How long').selectOption('A week');
    await dialog.getByLabel('Reason').fill('Known until Monday');
    await dialog.getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByText('The cause is muted.').waitFor();
    await page.getByText('Known until Monday').waitFor();
    await page.goto(`${dashboard.address}${project}/causes`);
    await page.getByText('Muted', { exact: true }).first().click();
    await expect.poll(() => new URL(page.url()).search).toBe('?state=muted');
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await rows(page).getByText(text).click();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByRole('button', { name: 'Mute…' }).waitFor();
  });

  it('that are reported just now are muted until the next configuration, which the dialog offers first', async () => {
    const text = await report(undefined, 0);
    const page = await dashboard.open(`${project}/causes?sort=lastSeen`);
    await rows(page).getByText(text).click();
    await page.getByRole('button', { name: 'Dismiss…' }).click();
    const dialog = page.getByRole('dialog', { name: 'This is still happening' });
    await dialog.getByText('It was reported in the last minute, and is on 1 agent.').waitFor();
    await dialog.getByText('This dismisses 1 error on 1 agent.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Agents or more').fill('1');
    await dialog.getByLabel('Reason').fill('Known');
    const ofAgents = dialog.getByRole('button', { name: 'Mute until it is on more agents' });
    expect(await ofAgents.isDisabled()).toBe(true);
    await dialog.getByLabel('Agents or more').fill('3');
    expect(await ofAgents.isDisabled()).toBe(false);
    await dialog.getByRole('radio', { name: 'Mute until the next configuration' }).check();
    await dialog.getByRole('button', { name: 'Mute until the next configuration' }).click();
    await page.getByText('The cause is muted until the next configuration.').waitFor();
    await page.getByText('or until the next configuration').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Mute…' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss…' }).click();
    await dialog.getByRole('radio', { name: 'Dismiss anyway' }).check();
    await dialog.getByLabel('Reason').fill('Seen');
    await dialog.getByRole('button', { name: 'Dismiss anyway' }).click();
    await page.getByText('1 error dismissed.').waitFor();
    dashboard.app.test.clock.advance(minute);
    await createMachineError(dashboard.agents, { machineID: `machine-${reports}`, body: { error: text } });
    await page.getByText('Came back').first().waitFor();
    expect(await page.getByText('New', { exact: true }).count()).toBe(0);
  });

  it('are opened by a click anywhere on the row, but not by choosing it or selecting a text', async () => {
    const text = await report();
    const page = await dashboard.open(`${project}/causes`);
    const row = rows(page).filter({ hasText: text });
    await row
      .getByRole('cell')
      .first()
      .click({ position: { x: 1, y: 1 } });
    await row.getByRole('checkbox').click();
    await page.getByText('1 selected').waitFor();
    const seen = row.getByRole('cell', { name: '1 min ago' }).last();
    const time = await seen.boundingBox();
    const { x = 0, y = 0, width = 0, height = 0 } = time ?? {};
    await page.mouse.move(x + 1, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + height / 2);
    await page.mouse.up();
    expect(await page.evaluate('String(getSelection())')).toBe('1 min ago');
    await seen.click({ modifiers: ['ControlOrMeta'] });
    await page.getByText('1 selected').waitFor();
    await seen.click();
    await page.getByText('Example texts').waitFor();
    expect(await page.getByText(text).count()).toBeGreaterThan(0);
  });

  it('are printed without the link to their list', async () => {
    const text = await report();
    const page = await dashboard.open(`${project}/causes`);
    await rows(page).getByText(text).click();
    const parent = page.getByRole('navigation', { name: 'Where this screen belongs' });
    await parent.waitFor();
    await page.emulateMedia({ media: 'print' });
    await parent.waitFor({ state: 'hidden' });
  });

  it('are selected and dismissed with the keyboard alone', async () => {
    const text = await report();
    const page = await dashboard.open(`${project}/causes`);
    await rows(page).getByText(text).waitFor();
    await page.keyboard.press('?');
    // It has its name as soon as it listens to keys.
    const keys = page.getByRole('dialog', { name: 'Keys of this screen' });
    await keys.getByText('Select the row').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.waitForURL(/q=cause/);
    await page.keyboard.press('Tab');
    await page.getByRole('heading', { level: 1 }).focus();
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('d');
    await page.getByText('This dismisses 1 error on 1 agent.').waitFor();
    await expectFocus(page, page.getByRole('dialog').getByLabel('Reason'));
    await page.keyboard.type('Repaired too');
    await page.keyboard.press('Enter');
    await page.getByText('No cause matches these filters').waitFor();
  });

  it('have what can be done with the selected ones in a bar that is seen whole on a phone', async () => {
    await report('valve one is stuck');
    const width = 360;
    const page = await dashboard.open(`${project}/causes?q=valve`, { width, colorScheme: 'dark' });
    await rows(page).getByRole('checkbox').first().click();
    await page.getByText('1 selected').waitFor();
    for (const name of ['Assign…', 'Mute…', 'Dismiss…', 'Clear']) {
      const button = page.getByRole('button', { name, exact: true });
      const { x = -1, y = -1, width: own = 0, height = 0 } = (await button.boundingBox()) ?? {};
      expect([name, x >= 0, x + own <= width, y >= 0, y + height <= 900]).toEqual([
        name,
        true,
        true,
        true,
        true,
      ]);
      expect(await button.evaluate((shown) => shown.scrollWidth <= shown.clientWidth)).toBe(true);
    }
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
  });

  it('say after which configuration they began, and how many agents the selected ones are on, each counted once', async () => {
    const config = (release: number, port: number) => `# release ${release}\n[OUTPUT]\n  port ${port}\n`;
    const errors = ['crane one is stuck', 'crane two is stuck'];
    for (const name of ['crane-1', 'crane-2']) {
      const { id: agentID } = await registerAgent(dashboard.agents, {
        body: { name, machineID: name, rawConfig: config(41, 443) },
      });
      await updateAgent(dashboard.agents, { agentID, body: { rawConfig: config(42, 9) } });
      for (const error of name === 'crane-1' ? errors : errors.slice(0, 1)) {
        dashboard.app.test.clock.advance(1_000);
        const { id } = await createAgentError(dashboard.agents, { agentID, body: { error } });
        await waitUntilCounted(dashboard, id);
      }
    }
    const page = await dashboard.open(`${project}/causes?q=crane`);
    const since = rows(page).getByRole('cell', { name: /^\d\d:\d\d\s*release 42$/ });
    await expect.poll(() => since.count()).toBe(2);
    for (const row of await rows(page).all()) await row.getByRole('checkbox').click();
    const bar = page.getByRole('status').filter({ hasText: 'selected' });
    await bar.getByText('2 selected, 2 agents').waitFor();
    await rows(page).getByRole('checkbox').last().click();
    await bar.getByText('1 selected, 2 agents').waitFor();
    await expectAccessible(page);
  });

  it('give no advice to undo a configuration that no agent which has them runs any more', async () => {
    const config = (release: number, port: number) => `# release ${release}\n[OUTPUT]\n  port ${port}\n`;
    const register = async (name: string, rawConfig: string | undefined) =>
      (
        await registerAgent(dashboard.agents, {
          body: { name, machineID: name, ...(rawConfig && { rawConfig }) },
        })
      ).id;
    const reportFrom = async (agentID: string, address: string) => {
      dashboard.app.test.clock.advance(1_000);
      const error = `[output:http:http.0] no upstream connections available to ${address}:9`;
      const { id } = await createAgentError(dashboard.agents, { agentID, body: { error } });
      return waitUntilCounted(dashboard, id);
    };
    const first = await register('winch-1', config(41, 443));
    await updateAgent(dashboard.agents, { agentID: first, body: { rawConfig: config(42, 9) } });
    const causeID = await reportFrom(first, '10.7.0.1');
    const page = await dashboard.open(`${project}/causes/${causeID}`);
    await page.getByText('put back what was before release 42').waitFor();
    await page.getByText('nc -vz 10.7.0.1 9').waitFor();
    await reportFrom(await register('winch-2', undefined), '10.7.0.2');
    await updateAgent(dashboard.agents, { agentID: first, body: { rawConfig: config(43, 443) } });
    await page.getByText('It began with release 42').waitFor();
    await page.getByText('None of its agents runs it now.').waitFor();
    await page.getByText('nc -vz 10.7.0.2 9').waitFor();
    expect(await page.getByText('put back what was before').count()).toBe(0);
    expect(await page.getByText('port 443').count()).toBe(0);
  });

  it('are assigned and noted with keys, many at once, and show that on their pages', async () => {
    const texts = [await report('pump one is dry'), await report('pump two is dry')];
    const page = await dashboard.open(`${project}/causes?q=dry`);
    await expect.poll(() => rows(page).count()).toBe(2);
    for (const _ of texts) {
      await page.keyboard.press('j');
      await page.keyboard.press('x');
    }
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Assign and note 2 causes').waitFor();
    await dialog.getByLabel('Assigned to').selectOption('administrator');
    await dialog.getByLabel('Link').fill('https://tickets.example.com/4711');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 causes are changed').waitFor();
    await rows(page).getByText('administrator').nth(1).waitFor();
    await rows(page).getByText('pump one').click();
    await page.getByRole('link', { name: 'https://tickets.example.com/4711' }).waitFor();
    await page.keyboard.press('a');
    expect(await dialog.getByLabel('Link').inputValue()).toBe('https://tickets.example.com/4711');
    await dialog.getByLabel('Note').fill('The supplier knows');
    await dialog.getByLabel('Assigned to').selectOption('Nobody');
    await dialog.getByRole('button', { name: 'Save' }).click();
    // The dialog holds the note too.
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The supplier knows').waitFor();
    await page.getByRole('button', { name: 'Assign…' }).waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('show a hostile text as text', async () => {
    const text = `<script>document.title='x'</script><img src=x onerror=alert(1)> \u202egnissim\u0007\u001b[31m ${'👩‍👩‍👧‍👦'.repeat(120)}`;
    await report(text);
    const page = await dashboard.open(`${project}/causes?q=onerror`);
    const name = rows(page).getByRole('link');
    await name.waitFor();
    expect(await name.innerText()).toMatch(
      /^<script>document\.title='x'<\/script><img src=x onerror=alert\(/,
    );
    expect(await name.innerText()).toContain('U+202E');
    await expectAccessible(page);
    await name.click();
    await page.getByText('Example texts').waitFor();
    await expectAccessible(page);
    expect(await page.title()).toContain('<script>');
    expect(dashboard.faults).toEqual([]);
  });
});

describe('two browsers that watch one project', () => {
  it('offer what is new, and never move the rows below it', async () => {
    const earlier = await report();
    const watching = await dashboard.open(`${project}/causes?sort=lastSeen`);
    const acting = await dashboard.open(`${project}/causes?sort=lastSeen`);
    await rows(acting).getByText(earlier).waitFor();
    await rows(watching).getByText(earlier).waitFor();
    const before = await rows(watching).count();
    const text = await report();
    await watching.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows(watching).count()).toBe(before);
    await watching.getByRole('button', { name: '1 new' }).click();
    await rows(watching).getByText(text).waitFor();

    await rows(acting).getByText(earlier).click();
    await acting.getByRole('button', { name: 'Dismiss…' }).click();
    await acting.getByText('This dismisses 1 error on 1 agent.').waitFor();
    await expectFocus(acting, acting.getByRole('dialog').getByLabel('Reason'));
    await acting.keyboard.type('Seen by both');
    await acting.keyboard.press('Enter');
    await watching.locator('[data-gone]').getByText(earlier).waitFor();
  });
});

describe('the stream of events', () => {
  it('says that it is cut, and catches up when it is back', async () => {
    await report();
    const page = await dashboard.open(`${project}/causes?sort=lastSeen`);
    await rows(page).first().waitFor();
    await page.route('**/events*', (route) => route.abort());
    dashboard.app.test.app.http.server.closeAllConnections();
    await page.getByText('No connection since').waitFor();
    const text = await report();
    await page.unroute('**/events*');
    await page.getByText('No connection since').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '1 new' }).click();
    await rows(page).getByText(text).waitFor();
  });
});

describe('a session that ends in mid-work', () => {
  it('leads to the sign-in page and back to the same screen', async () => {
    await report();
    const page = await dashboard.open(`${project}/causes?state=dismissed`);
    await page.getByRole('heading', { name: 'Causes' }).waitFor();
    const endSessions = async (route: Route) => {
      for await (const { id } of listSessions(dashboard.admin))
        await revokeSession(dashboard.admin, { sessionID: id });
      await route.continue();
    };
    // With the request of the click, because something that is read in the background would say it before, above what is to be clicked.
    await page.route(/\/agent_error_groups\?.*current=false/, endSessions, { times: 1 });
    await page.getByText('Superseded').click();
    await page.getByRole('dialog').getByText('Your session has ended').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByLabel('Access token').fill(dashboard.app.test.admin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Causes' }).waitFor();
    expect(page.url()).toBe(`${dashboard.address}${project}/causes?state=earlier`);
  });
});
