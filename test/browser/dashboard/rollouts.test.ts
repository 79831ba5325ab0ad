import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RolloutScene } from '../../../server/src/testing/stages/rollout-scene.ts';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const dialogOf = (page: Page) => page.getByRole('dialog');

async function startScene(agents = 6) {
  const scene = await new RolloutScene(dashboard.app.test).start(agents);
  const fleet = `/projects/${scene.project.id}/fleets/${scene.fleetID}`;
  return { scene, fleet, list: `/projects/${scene.project.id}/fleets` };
}

describe('a rollout', () => {
  it('begins with a dry run, whose button says what happens first', async () => {
    const { scene, fleet } = await startScene();
    const page = await dashboard.open(fleet);
    await page.getByRole('button', { name: 'Deploy…' }).click();
    await dialogOf(page).getByText('Stage 3').waitFor();
    expect(await dialogOf(page).locator('ol > li').allInnerTexts()).toEqual([
      'Stage 1\n\n1 agent, watched 10 min',
      expect.stringMatching(/^Stage 2/),
      expect.stringMatching(/^Stage 3/),
    ]);
    const start = dialogOf(page).getByRole('button', { name: 'Start with 1 agent' });
    expect(await start.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Reason').fill('A new output');
    await expectAccessible(page);
    await start.click();
    await page.getByText('No agent runs it yet.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Version 2 on edge' }).waitFor();
    await scene.poll(2);
    await page.clock.fastForward(10_000);
    await page.getByText('So far nothing came with it: 1 agent runs it.').waitFor();
  });

  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const { scene, list, fleet } = await startScene();
    const id = await scene.deploy();
    await scene.poll(2);
    const page = await dashboard.open(`${fleet}/rollouts/${id}`, view);
    await page.getByText('So far nothing came with it').waitFor();
    await page.locator('[data-row="5"]').waitFor();
    await expectAccessible(page);
    await page.goto(`${dashboard.address}${list}`);
    await page.getByRole('link', { name: '2 on edge' }).click();
    await page.getByText('So far nothing came with it').waitFor();
    expect(dashboard.faults).toEqual([]);
  });

  it('is stopped and reverted with S and a reason', async () => {
    const { scene, fleet } = await startScene();
    const id = await scene.deploy();
    await scene.poll(2);
    const page = await dashboard.open(`${fleet}/rollouts/${id}`);
    await page.getByText('So far nothing came with it').waitFor();
    await page.keyboard.press('s');
    await dialogOf(page).getByText('get the one before again').waitFor();
    await dialogOf(page).getByLabel('Reason').fill('Wrong port');
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Stop and revert' }).click();
    await page.getByText('Somebody decided it: Wrong port').waitFor();
    expect((await scene.read(id)).state).toBe('reverting');
  });

  it('that stopped by itself says why', async () => {
    const { scene, fleet } = await startScene();
    const id = await scene.deploy();
    // The one that has it does not run it.
    for (let poll = 0; poll < 9; poll += 1) {
      dashboard.app.test.clock.advance(15_000);
      for (const agent of scene.agents) await agent.poll();
      await dashboard.app.test.app.runRollouts();
    }
    const page = await dashboard.open(`${fleet}/rollouts/${id}`);
    await page.getByText(/^Stopped by itself: 1 (of \d+ agents?|agent) refused it/).waitFor();
    await page.getByText('Not reached').first().waitFor();
  });
});
