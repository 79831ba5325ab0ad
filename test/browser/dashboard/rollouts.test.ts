import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../../server/src/testing/calls/stock-agent.ts';
import { RolloutScene, versionedConfig } from '../../../server/src/testing/stages/rollout-scene.ts';
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

/** The agent of its first stage does not run it, so that the rollout stops by itself. */
async function deployRejected(scene: RolloutScene): Promise<string> {
  const id = await scene.deploy();
  for (let poll = 0; poll < 9; poll += 1) {
    dashboard.app.test.clock.advance(15_000);
    for (const agent of scene.agents) await agent.poll();
    await dashboard.app.test.app.runRollouts();
  }
  return id;
}

/** Starts so many rollouts of another fleet of the project, each of which supersedes the one before. */
async function deployToAnother(scene: RolloutScene, times: number): Promise<void> {
  const { body: fleet } = await scene.call<{ id: string }>(
    'POST',
    `/v1/projects/${scene.project.id}/fleets`,
    { name: 'another', rawConfig: versionedConfig(1), reporting: 'off' },
  );
  const { project } = scene;
  await new StockAgent(dashboard.app.test, { project, machineID: 'another' }).startByName('another');
  const { body: version } = await scene.call<{ id: string }>('POST', `/v1/fleets/${fleet.id}/versions`, {
    rawConfig: versionedConfig(2),
  });
  for (let time = 0; time < times; time += 1) {
    const body = { versionID: version.id, reason: 'again', stages: [{ agents: '100%', soakSeconds: 120 }] };
    expect((await scene.call('POST', `/v1/fleets/${fleet.id}/rollouts`, body)).status).toBe(200);
  }
}

describe('a rollout', () => {
  it('begins with a dry run, whose button says what happens first', async () => {
    const { scene, fleet } = await startScene();
    const page = await dashboard.open(fleet);
    await page.getByRole('button', { name: 'Deploy…' }).click();
    await dialogOf(page).getByText('Stage 3').waitFor();
    const stages = async () => {
      const texts = await dialogOf(page).locator('ol > li').allInnerTexts();
      return texts.map((text) => text.split(/\s*\n\s*/));
    };
    expect(await stages()).toEqual([
      ['Stage 1', '17%', '1 agent', 'watched 10 min'],
      ['Stage 2', '50%', '2 agents', 'watched 10 min'],
      ['Stage 3', '100%', '3 agents', 'watched 10 min'],
    ]);
    const start = dialogOf(page).getByRole('button', { name: 'Start with 1 agent' });
    expect(await start.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Reason').fill('A new output');
    await dialogOf(page).getByLabel('Agents with this tag first').fill('canary');
    await dialogOf(page).getByText('No agent of this fleet has the tag “canary”.').waitFor();
    expect(
      await dialogOf(page)
        .getByRole('button', { name: /^Start with/ })
        .isDisabled(),
    ).toBe(true);
    await dialogOf(page).getByLabel('Agents with this tag first').fill('');
    await dialogOf(page).getByLabel('At most so many agents a minute').fill('2');
    await dialogOf(page).getByLabel('Each stage but the first waits until somebody approves it').check();
    await expectAccessible(page);
    await start.click();
    await page.getByText('No agent runs it yet.').waitFor();
    await page.getByText('At most 2 agents a minute. Each stage but the first has to be approved.').waitFor();
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

  it('says what may have come with it while it is held, also on the page of its fleet', async () => {
    const { scene, fleet } = await startScene();
    const id = await scene.deploy();
    const page = await dashboard.open(fleet);
    await page.getByRole('link', { name: 'Version 2 is being rolled out: 0 of 6' }).waitFor();
    expect(await page.getByRole('button', { name: 'Deploy…' }).count()).toBe(0);
    await scene.poll(3);
    const [first] = scene.updated;
    if (first === undefined) throw new Error('no agent has the version');
    await scene.report(first, '[output:http:http.0] no upstream connections available to 10.0.0.7:9');
    await dashboard.app.test.app.runRollouts();
    await page.goto(`${dashboard.address}${fleet}`);
    await page.getByText('on 1 agent').waitFor();
    await page.getByRole('link', { name: 'Version 2 is being rolled out: 1 of 6' }).click();
    const status = page.getByRole('region', { name: 'State' });
    await status.getByRole('link', { name: 'cannot reach its destination' }).waitFor();
    expect((await scene.read(id)).heldUntil).not.toBeNull();
    expect((await status.innerText()).replace(/\s+/g, ' ')).toMatch(
      /^The one updated agent cannot reach its destination ?\. None of the 5 other agents of the fleet has this\. Nobody further gets it\. It stops by itself at \S+( [AP]M)? if that is still so\.$/,
    );
    await expectAccessible(page);
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
    await page.getByText(/^(?!Somebody).+ decided it: Wrong port/).waitFor();
    expect((await scene.read(id)).state).toBe('reverting');
  });

  it('waits until somebody approves its next stage, and keeps who did and why', async () => {
    const { scene } = await startScene();
    const id = await scene.deploy({ approval: 'each_stage' });
    await scene.poll(12);
    await deployToAnother(scene, 11);
    const page = await dashboard.open(`/projects/${scene.project.id}`);
    const coming = page.getByRole('listitem').filter({ hasText: 'waits for an approval' });
    expect((await coming.innerText()).replace(/\s+/g, ' ')).toBe(
      'now Stage 2 of 3 of version 2 on edge waits for an approval',
    );
    await coming.getByRole('link', { name: 'version 2' }).click();
    await page.getByText('Stage 1 has passed. Stage 2 waits for approval.').waitFor();
    await page.getByText('2 agents get it then.').waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await dialogOf(page).getByText('Stage 2 begins, and 2 agents get the version.').waitFor();
    await dialogOf(page).getByLabel('Reason').fill('The first one looks well');
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Stage 2 was approved by administrator').waitFor();
    await page.getByText('“The first one looks well”').waitFor();
    expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 2 });
  });

  it('begins no stage after another one than the one that was shown', async () => {
    const { scene, fleet } = await startScene();
    const id = await scene.deploy();
    const page = await dashboard.open(`${fleet}/rollouts/${id}`);
    await page.getByRole('button', { name: 'Skip the wait…' }).click();
    await dialogOf(page).getByText('Stage 2 begins, and 2 agents get the version').waitFor();
    await dialogOf(page).getByLabel('Reason').fill('It looks well');
    await scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'It looks well' });
    await page.clock.fastForward(10_000);
    await page.getByText(/^Stage 2 passes when/).waitFor();
    await dialogOf(page).getByText('Stage 2 begins, and 2 agents get the version').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Skip the wait' }).click();
    await dialogOf(page).getByText('is in stage 2 of 3, and not in stage 1 as when you saw it').waitFor();
    expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 2 });
  });

  it('waits in a freeze, which is added and removed in the settings, and goes on despite it', async () => {
    const { scene, fleet } = await startScene();
    const id = await scene.deploy();
    const settings = `/projects/${scene.project.id}/settings`;
    const page = await dashboard.open(settings);
    await page.getByText('There is none: rollouts start at any time.').waitFor();
    await page.getByRole('button', { name: 'Add a freeze window…' }).click();
    await dialogOf(page).getByLabel('Name').fill('launch');
    await expectAccessible(page);
    await dialogOf(page).getByText('Once', { exact: true }).click();
    const day = (days: number) =>
      new Date(dashboard.app.test.clock.now() + days * 86_400_000).toISOString().slice(0, 16);
    await dialogOf(page).getByLabel('Begins').fill(day(-1));
    await dialogOf(page).getByLabel('Ends').fill(day(2));
    await dialogOf(page).getByRole('button', { name: 'Add the window' }).click();
    await page.getByText(/^Holds now, until/).waitFor();
    await expectAccessible(page);
    await scene.poll(12);
    await page.goto(`${dashboard.address}${fleet}/rollouts/${id}`);
    await page.getByText('Stage 2 begins when the freeze “launch” ends.').waitFor();
    await page.getByText(/^It lasts until .*2 agents get it then\./).waitFor();
    await page.getByRole('button', { name: 'Begin it despite the freeze…' }).click();
    await dialogOf(page).getByLabel('Reason').fill('It burns');
    const begin = dialogOf(page).getByRole('button', { name: 'Begin the stage' });
    await dialogOf(page)
      .getByText(/^The freeze “launch” lets no stage begin until/)
      .waitFor();
    expect(await begin.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Do it despite the freeze').check();
    await expectAccessible(page);
    await begin.click();
    await page.getByText('The wait of stage 1 was skipped by administrator').waitFor();
    expect(await scene.read(id)).toMatchObject({ state: 'running', stage: 2 });
    await page.goto(`${dashboard.address}${settings}`);
    await page.getByRole('button', { name: 'Remove launch…' }).click();
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There is none: rollouts start at any time.').waitFor();
  });

  it('that stopped by itself says why', async () => {
    const { scene, fleet } = await startScene();
    const id = await deployRejected(scene);
    const page = await dashboard.open(`${fleet}/rollouts/${id}`);
    await page.getByText(/^Stopped by itself: 1 (of \d+ agents?|agent) refused it/).waitFor();
    await page.getByText('Not reached').first().waitFor();
    const overview = await dashboard.open(`/projects/${scene.project.id}`);
    const happened = overview
      .getByRole('listitem')
      .filter({ hasText: /^.*Rollout of version \d+ on .+ was stopped/s });
    await happened.getByRole('link', { name: /^Rollout of version \d+$/ }).click();
    await overview.waitForURL(`**${fleet}/rollouts/${id}`);
  });

  it('that stopped by itself leaves a version that nobody deploys by mistake', async () => {
    const { scene, fleet } = await startScene();
    await deployRejected(scene);
    const page = await dashboard.open(`${fleet}?version=${scene.versionID}`);
    await page.getByRole('button', { name: 'Deploy…' }).click();
    await dialogOf(page).getByLabel('Reason').fill('It was the network');
    const start = dialogOf(page).getByRole('button', { name: 'Start with 1 agent' });
    await start.waitFor();
    expect(await start.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Deploy it although a rollout of it stopped by itself').check();
    // Once it is known again who gets it.
    await dialogOf(page).locator('button:enabled', { hasText: 'Start with 1 agent' }).click();
    await page.getByText('No agent runs it yet.').waitFor();
  });

  it('that a cause has stopped names the line by what its agents said, and not by what others had said before', async () => {
    const { scene, fleet } = await startScene();
    const { body } = await scene.call<{ id: string }>('POST', `/v1/fleets/${scene.fleetID}/versions`, {
      rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name http\n    Match *\n    Port 9\n',
    });
    const id = await scene.deploy({ versionID: body.id });
    await scene.poll(2);
    const text = (address: string) => `[output:http:http.0] no upstream connections available to ${address}`;
    const { test } = dashboard.app;
    const elsewhere = await test.registerAgent(scene.project, 'another host');
    await test.request('POST', `/v1/agents/${elsewhere.id}/errors`, {
      as: { agent: elsewhere.token },
      body: { error: text('10.0.0.7:24224') },
    });
    for (const agent of scene.agents)
      if (agent.config.includes('Port 9')) await scene.report(agent, text('10.0.0.1:9'));
    await scene.poll(7);
    const page = await dashboard.open(`${fleet}/rollouts/${id}`);
    const verdict = page.getByRole('status').filter({ hasText: 'Stopped by itself at' });
    await verdict
      .getByText(/: line 7 sends to port 9, and the one updated agent could not reach its destination\.$/)
      .waitFor();
    await page.getByText(text('10.0.0.1:9')).waitFor();
    await page.goto(`${dashboard.address}${fleet.replace(/\/[^/]+$/, '')}`);
    await page.getByText(/^Version 3 stopped at/).waitFor();
    const rollout = page.getByRole('row').filter({ has: page.locator(`a[href$="/rollouts/${id}"]`) });
    await rollout.getByRole('link', { name: 'Destination not reachable' }).click();
    await page
      .getByText(/^It came with fleet .+ version 3: its rollout of version 3 stopped by itself\.$/)
      .waitFor();
    await page.goto(`${dashboard.address}${fleet}`);
    // Not the version that is marked bad.
    await page.getByText('The first version: all of its lines are new.').waitFor();
  });
});

describe('a cause that a version brought', () => {
  const error = '[output:http:http.0] no upstream connections available to 10.31.4.7:9';

  /** The page of the cause that these agents report. */
  async function openCause(scene: RolloutScene, agents: RolloutScene['updated']) {
    for (const agent of agents) await scene.report(agent, error);
    const groups = `/v1/projects/${scene.project.id}/agent_error_groups`;
    const [cause] = (await scene.call<{ id: string }[]>('GET', groups)).body;
    return dashboard.open(`/projects/${scene.project.id}/causes/${cause?.id}`);
  }

  it('is ended by reverting the rollout of the version', async () => {
    const { scene } = await startScene();
    const id = await scene.deploy();
    await scene.poll(2);
    const page = await openCause(scene, scene.updated);
    await page.getByRole('button', { name: 'Put version 1 back…' }).click();
    await dialogOf(page).getByText('1 agent of edge that has the newer one gets it at once.').waitFor();
    await dialogOf(page).getByLabel('Reason').fill('Wrong port');
    await dialogOf(page).getByText('version2').waitFor();
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Put it back' }).click();
    await page.getByText('Its agents are going back to version 1.').waitFor();
    expect((await scene.read(id)).state).toBe('reverting');
  });

  it('is ended from the page of an agent of that fleet too, which says what it runs', async () => {
    const { scene } = await startScene();
    const id = await scene.deploy();
    await scene.poll(2);
    for (const agent of scene.updated) await scene.report(agent, error);
    const page = await dashboard.open(
      `/projects/${scene.project.id}/agents/${scene.updated[0]?.agent?.id ?? ''}`,
    );
    await page.getByText(/^version 2 \w{8}$/).waitFor();
    await page.goto(`${dashboard.address}/projects/${scene.project.id}/agents`);
    const row = page
      .getByRole('row')
      .filter({ has: page.locator(`a[href$="${scene.updated[0]?.agent?.id ?? ''}"]`) });
    await row.getByRole('cell', { name: 'version 2', exact: true }).waitFor();
    await row.getByRole('link').click();
    await page.getByText(/^Unhealthy for \d+ s\.$|^Unhealthy all the time\.$/).waitFor();
    const ask = page.getByRole('button', { name: 'Put version 1 back on edge…' });
    await ask.click();
    await dialogOf(page).getByLabel('Reason').fill('Wrong port');
    // What is wrong goes away meanwhile, and the button with it. What is written stays.
    await scene.call('POST', `/v1/projects/${scene.project.id}/dismissals`, {
      reason: 'Known',
      filter: { current: true },
    });
    await page.locator('button', { hasText: 'Put version 1 back on edge…' }).waitFor({ state: 'detached' });
    expect(await dialogOf(page).getByLabel('Reason').inputValue()).toBe('Wrong port');
    await dialogOf(page).getByRole('button', { name: 'Put it back' }).click();
    await page.getByText('Its agents are going back to version 1.').waitFor();
    expect((await scene.read(id)).state).toBe('reverting');
  });

  it('is ended by a rollout of the version before, if all agents have got it', async () => {
    const { scene } = await startScene();
    // It tells that all agents had version 1.
    await scene.deploy();
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { versionID: scene.versionID });
    await scene.poll(2);
    const page = await openCause(scene, scene.agents);
    await page.getByRole('button', { name: 'Put version 1 back…' }).click();
    await dialogOf(page).getByText('6 agents of edge get it.').waitFor();
    await dialogOf(page).getByLabel('Reason').fill('Wrong port');
    await dialogOf(page).getByRole('button', { name: 'Start with 1 agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'Version 1 on edge' }).waitFor();
    await page.getByText('No agent runs it yet.').waitFor();
  });
});
