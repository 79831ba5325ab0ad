import {
  createAgentError,
  createDismissal,
  createMachineError,
  getAgentErrorGroup,
  muteAgentErrorGroup,
  registerAgent,
  updateAgent,
} from '@muster/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wordOf } from '../../../server/src/testing/word-of.ts';
import { type Dashboard, expectAccessible, startDashboard } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;
let project: string;

beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
  project = `/projects/${dashboard.app.project.id}`;
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const second = 1_000;
const minute = 60 * second;

let reports = 0;
/** A second one needs a cause that is new again. */
let attempts = 0;

/** Reports an error of another agent, and returns the id of its cause. */
async function report(error: string): Promise<string> {
  dashboard.app.test.clock.advance(second);
  reports += 1;
  const machineID = `machine-${reports}`;
  const { id } = await createMachineError(dashboard.agents, { machineID, body: { error } });
  return waitUntilCounted(dashboard, id);
}

const mutedUntil = async (agentErrorGroupID: string) =>
  (await getAgentErrorGroup(dashboard.admin, { agentErrorGroupID })).mutedUntil;

const errorsOf = async (agentErrorGroupID: string) =>
  (await getAgentErrorGroup(dashboard.admin, { agentErrorGroupID })).errorsByState;

const muteAsColleague = (agentErrorGroupID: string) =>
  muteAgentErrorGroup(dashboard.admin, {
    agentErrorGroupID,
    body: { until: '2999-01-01T00:00:00.000Z', reason: 'Known to the supplier' },
  });

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') });

/** Opens the list of the causes with a word, and chooses all of them. */
async function choose(word: string, count: number, search = ''): Promise<Page> {
  const page = await dashboard.open(`${project}/causes?q=${word}${search}`);
  await expect.poll(() => rows(page).count()).toBe(count);
  for (const row of await rows(page).all()) await row.getByRole('checkbox').click();
  await page.getByText(`${count} selected`).waitFor();
  return page;
}

describe('chosen causes', () => {
  it('are muted but for those that are muted already, and undo ends only what was muted then', async () => {
    const [one, two, known] = [
      await report('fan one is stuck'),
      await report('fan two is stuck'),
      await report('fan three is stuck'),
    ];
    await muteAsColleague(known);
    const page = await choose('fan', 3);
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Mute 2 causes' });
    await dialog.getByText('One cause is muted already, and stays as it is.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Reason').fill('Known until Monday');
    await page.keyboard.press('Enter');
    await page.getByText('2 causes are muted until the next configuration.').waitFor();
    await muteAsColleague(two);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => mutedUntil(one)).toBeNull();
    expect([await mutedUntil(two), await mutedUntil(known)]).toEqual([
      '2999-01-01T00:00:00.000Z',
      '2999-01-01T00:00:00.000Z',
    ]);
  });

  it('of which only some could be muted offer to undo these', async () => {
    const ids = [await report('belt one is torn'), await report('belt two is torn')];
    const page = await choose('belt', 2);
    let calls = 0;
    await page.route('**/mute', (route) => {
      calls += 1;
      return calls === 1 ? route.continue() : route.abort();
    });
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Mute 2 causes' });
    await dialog.getByLabel('Reason').fill('Known');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await page.getByText('The cause is muted until the next configuration.').waitFor();
    const muted = async () => (await Promise.all(ids.map(mutedUntil))).filter((until) => until !== null);
    expect(await muted()).toHaveLength(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(muted).toEqual([]);
  });

  it('are muted if they are still reported, and dismissed otherwise, when they are dismissed', async () => {
    const [earlier, known] = [await report('pipe one is cold'), await report('pipe two is cold')];
    await muteAsColleague(known);
    dashboard.app.test.clock.advance(minute);
    const recent = await report('pipe three is cold');
    const page = await choose('pipe', 3);
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'This is still happening' });
    await dialog.getByText('1 of these 3 causes was reported in the last minute.').waitFor();
    await dialog.getByText('The other 2 are dismissed in any case.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Reason').fill('Repaired');
    await page.keyboard.press('Enter');
    await page.getByText('The cause is muted until the next configuration.').waitFor();
    await page.getByText('2 errors dismissed.').waitFor();
    expect(await Promise.all([recent, earlier, known].map(errorsOf))).toEqual([
      { current: 1, superseded: 0, dismissed: 0 },
      { current: 0, superseded: 0, dismissed: 1 },
      { current: 0, superseded: 0, dismissed: 1 },
    ]);
    expect([await mutedUntil(recent), await mutedUntil(earlier)]).toEqual([expect.any(String), null]);
  });

  it('are asked about as they were when the dialog opened', async () => {
    const id = await report('lamp one is dark');
    dashboard.app.test.clock.advance(50 * second);
    const page = await choose('lamp', 1);
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'This is still happening' });
    await dialog.getByLabel('How long').selectOption('An hour');
    await page.clock.setFixedTime(dashboard.app.test.clock.now() + 20 * second);
    await dialog.getByLabel('Reason').fill('Known');
    await page.keyboard.press('Enter');
    await page.getByText('The cause is muted.').waitFor();
    expect(await errorsOf(id)).toEqual({ current: 1, superseded: 0, dismissed: 0 });
  });

  it('among superseded errors lose these alone, and only when they are counted', async () => {
    attempts += 1;
    const gate = `gate${wordOf(attempts)}`;
    const agents = await Promise.all(
      [`${gate}-1`, `${gate}-2`].map((name) =>
        registerAgent(dashboard.agents, { body: { name, machineID: name, rawConfig: '[OUTPUT]' } }),
      ),
    );
    let causeID = '';
    for (const { id: agentID } of agents) {
      dashboard.app.test.clock.advance(second);
      const { id } = await createAgentError(dashboard.agents, {
        agentID,
        body: { error: `${gate} is shut` },
      });
      causeID = await waitUntilCounted(dashboard, id);
    }
    const [changed] = agents;
    await updateAgent(dashboard.agents, { agentID: changed?.id ?? '', body: { rawConfig: '[INPUT]' } });
    await expect.poll(() => errorsOf(causeID)).toEqual({ current: 1, superseded: 1, dismissed: 0 });
    const page = await choose(gate, 1, '&state=earlier');
    let count: () => void = () => undefined;
    const counting = new Promise<void>((resolve) => {
      count = resolve;
    });
    await page.route('**/dismissals', async (route) => {
      await counting;
      await route.continue();
    });
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Dismiss errors' });
    await dialog.getByText('Counting…').waitFor();
    await dialog.getByLabel('Reason').fill('Old');
    const dismiss = dialog.getByRole('button', { name: 'Dismiss' });
    await expect.poll(() => dismiss.isDisabled()).toBe(true);
    count();
    await dialog.getByText('This dismisses 1 error on 1 agent.').waitFor();
    await dismiss.click();
    await page.getByText('1 error dismissed.').waitFor();
    expect(await errorsOf(causeID)).toEqual({ current: 1, superseded: 0, dismissed: 1 });
  });

  it('are those that the list still shows', async () => {
    await report('rail one is bent');
    const gone = await report('rail two is bent');
    // What is new stands above.
    const page = await choose('rail', 2, '&sort=lastSeen');
    await createDismissal(dashboard.admin, {
      projectID: dashboard.app.project.id,
      body: { reason: 'Seen', filter: { groupIDs: [gone] } },
    });
    await page.locator('[data-gone]').waitFor();
    await report('rail three is bent');
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('1 selected').waitFor();
  });
});

describe('the screen of a cause', () => {
  it('takes nothing that was typed to another one', async () => {
    const causeID = await report('drum one is full');
    const otherID = await report('drum two is full');
    const page = await dashboard.open(`${project}/causes/${causeID}`);
    await page.getByText('drum one is full').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('drum two');
    await page.getByRole('dialog').getByRole('button', { name: 'drum two is full' }).first().click();
    await page.waitForURL(`**/causes/${otherID}`);
    await page.getByText('Example texts').waitFor();
    await page.keyboard.press('d');
    await page.getByRole('dialog').getByLabel('Reason').fill('Emptied');
    await page.goBack();
    await page.getByText('drum one is full').first().waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
