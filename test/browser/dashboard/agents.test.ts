import {
  createAgentError,
  createDismissal,
  deleteAgent,
  listAgents,
  registerAgent,
  sendAgentHeartbeat,
  updateAgent,
} from '@muster/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, expectAccessible, startDashboard, views } from './start-dashboard.ts';

/** What a hostile agent could call itself: a script, a mark that turns the text around, a character that is not visible. */
const hostileName = '<script>alert(1)</script>\u202eegde\u200b';

let dashboard: Dashboard;
let agents: string;
let edgeID: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  agents = `/projects/${dashboard.app.project.id}/agents`;
  edgeID = await registerTroubled();
  for (let number = 1; number <= 130; number += 1) {
    const fleetID = number % 2 === 0 ? 'even' : 'odd';
    const body = { name: `node-${number}`, machineID: `node-${number}`, version: '5.1.1', fleetID };
    await registerAgent(dashboard.agents, { body });
  }
  await registerAgent(dashboard.agents, { body: { name: hostileName, machineID: 'hostile' } });
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

/** An agent whose second configuration brought one cause and healed another. */
async function registerTroubled(): Promise<string> {
  const { id: agentID } = await registerAgent(dashboard.agents, {
    body: { name: 'edge-1', machineID: 'edge-1', rawConfig: '[OUTPUT]\n    Host es-1\n', tags: ['lab'] },
  });
  await createAgentError(dashboard.agents, { agentID, body: { error: 'connection refused by es-1' } });
  dashboard.app.test.clock.advance(3_600_000);
  await updateAgent(dashboard.agents, { agentID, body: { rawConfig: '[OUTPUT]\n    Host es-2\n' } });
  await createAgentError(dashboard.agents, { agentID, body: { error: 'certificate of es-2 has expired' } });
  return agentID;
}

const unreachable = '[output:http:http.0] no upstream connections available to 10.21.160.1:9';

/** An agent whose second configuration has a wrong port. */
async function registerUnreachable(name = 'edge-2'): Promise<string> {
  const config = (release: number, port: number) =>
    `# release ${release}\n${'#\n'.repeat(10)}[OUTPUT]\n    name  http\n    port  ${port}\n`;
  const { id: agentID } = await registerAgent(dashboard.agents, {
    body: { name, machineID: name, rawConfig: config(41, 443) },
  });
  dashboard.app.test.clock.advance(60_000);
  await updateAgent(dashboard.agents, { agentID, body: { rawConfig: config(42, 9) } });
  dashboard.app.test.clock.advance(1_000);
  await createAgentError(dashboard.agents, { agentID, body: { error: unreachable } });
  return agentID;
}

describe('agents by what is wrong', () => {
  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(agents, view);
    await page.getByRole('link', { name: 'edge-1' }).waitFor();
    await expectAccessible(page);
    expect(dashboard.faults).toEqual([]);
  });

  it('shows the error itself below its cause, and opens the other agents', async () => {
    const page = await dashboard.open(agents);
    await page.getByText('1 of 133 agents is unhealthy, for 1 cause.').waitFor();
    await page.getByRole('link', { name: 'edge-1' }).waitFor();
    expect(await page.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/^Agent\s+What is wrong\s+Fleet/),
      expect.stringMatching(/^certificate of es-2 has expired\s+1 agent\s+See why/),
      expect.stringMatching(/^edge-1\s+certificate of es-2 has\s+expired/),
      expect.stringMatching(/^Healthy\s+132 agents/),
    ]);
    await page.getByRole('button', { name: 'Healthy' }).click();
    await page.getByRole('button', { name: 'Show 129 more' }).click();
    const more = page.getByRole('button', { name: 'Show 32 more' });
    // The end moves when the next agents have arrived.
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return more.isVisible();
      })
      .toBe(true);
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: 'See why' }).click();
    await page.getByRole('heading', { level: 1, name: '1 agent' }).waitFor();
  });

  it('opens and chooses rows with keys', async () => {
    const page = await dashboard.open(agents);
    await page.getByRole('link', { name: 'edge-1' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'edge-1' }).waitFor({ state: 'detached' });
  });
});

describe('the list of agents', () => {
  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    const page = await dashboard.open(`${agents}?group=none`, view);
    await page.getByText('node-130', { exact: true }).waitFor();
    await expectAccessible(page);
    expect(await page.getByText('<script>alert(1)</script>').isVisible()).toBe(true);
    expect(await page.getByText('U+202E').isVisible()).toBe(true);
    expect(dashboard.faults).toEqual([]);
  });

  it('filters by what stands in the address, and reads on while somebody scrolls', async () => {
    const page = await dashboard.open(`${agents}?status=unhealthy&group=none`);
    await page.getByRole('link', { name: 'edge-1' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    const byStatus = page.getByRole('group', { name: 'Status' });
    expect((await byStatus.innerText()).replace(/\s+/g, ' ')).toBe(
      'Status All 133 Unhealthy 1 Unknown 0 Offline 0 Stopped 0 Healthy 132',
    );
    await byStatus.getByText(/^All/).click();
    await page.getByRole('link', { name: 'node-130', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('NODE-12');
    await page.getByRole('link', { name: 'node-12', exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=NODE-12&group=none');
    await page.goto(`${dashboard.address}${agents}?group=none`);
    await page.getByRole('link', { name: 'node-130', exact: true }).waitFor();
    await page.keyboard.press('End');
    // The table knows how long it is as soon as its last page has arrived: these agents and the head.
    await page.locator('[aria-rowcount="134"]').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'edge-1', exact: true }).waitFor();
  });

  it('shows what to run where no agent is', async () => {
    const { id } = await dashboard.app.test.createProject();
    const page = await dashboard.open(`/projects/${id}/agents`);
    await page.getByText('muster agent register').waitFor();
    await expectAccessible(page);
  });

  it('deletes what was chosen with keys, after a preview', async () => {
    const page = await dashboard.open(`${agents}?q=node-13`);
    await page.getByRole('link', { name: 'node-130', exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delete 1 agent?').waitFor();
    await dialog.getByText('node-130').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 agent deleted').waitFor();
    await page.getByRole('link', { name: 'node-130', exact: true }).waitFor({ state: 'detached' });
    expect(await namesOf('node-13')).toEqual(['node-13']);
  });

  it('deletes all that match only after their number was typed', async () => {
    const page = await dashboard.open(`${agents}?fleet=odd&q=node-11`);
    await page.getByRole('button', { name: 'Delete all that match' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delete 6 agents?').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Search by name or machine').fill('node-1');
    await page.getByRole('link', { name: 'node-1', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete all that match' }).click();
    await dialog.getByText('Delete 21 agents?').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 21 to confirm').fill('21');
    await registerAgent(dashboard.agents, {
      body: { name: 'node-1b', machineID: 'node-1b', fleetID: 'odd' },
    });
    await confirm.click();
    await dialog.getByText('22 agents match now, and at most 21 may be deleted. None was.').waitFor();
    await dialog.getByText('Delete 22 agents?').waitFor();
    await dialog.getByLabel('Type 22 to confirm').fill('22');
    await confirm.click();
    await page.getByText('No agent matches these filters').waitFor();
  });

  async function namesOf(q: string): Promise<string[]> {
    const { items } = await listAgents(dashboard.admin, { projectID: dashboard.app.project.id, q }).first();
    return items.map(({ name }) => name);
  }
});

describe('the screen of an agent', () => {
  it.each(views)('has no fault that axe finds, $colorScheme, $width px wide', async (view) => {
    // A refused deletion before is one.
    const faultsBefore = dashboard.faults.length;
    const page = await dashboard.open(`${agents}/${edgeID}`, view);
    await page.getByRole('heading', { level: 1, name: 'edge-1 has this error' }).waitFor();
    await page.getByText('Host es-2').waitFor();
    await expectAccessible(page);
    expect(dashboard.faults.slice(faultsBefore)).toEqual([]);
  });

  it('says in its heading what is wrong and since which change, with the first thing to try', async () => {
    const page = await dashboard.open(`${agents}/${await registerUnreachable()}`);
    await page.getByRole('heading', { level: 1, name: 'edge-2 cannot reach 10.21.160.1:9' }).waitFor();
    expect(await page.locator('main p').first().innerText()).toMatch(
      /^Since \d\d:\d\d:\d\d, when it changed to release 42\. Last heard now\.$/,
    );
    await page.getByText('nc -vz 10.21.160.1 9', { exact: true }).waitFor();
    await page.getByText('6 equal lines').waitFor();
    const rows = page.getByRole('list').filter({ hasText: 'Registered' }).getByRole('listitem');
    expect((await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d no upstream connections available to 10\.21\.160\.1:9 http\.0 Reported once$/,
      ),
      expect.stringMatching(/^\d\d:\d\d Got configuration \w{8} 1 new cause, runs now$/),
      expect.stringMatching(/^\d\d:\d\d Got configuration \w{8} no cause changed$/),
      expect.stringMatching(/^\d\d:\d\d Registered$/),
    ]);
    await page.getByRole('group', { name: 'What happened' }).getByText('Errors').click();
    expect(await rows.count()).toBe(2);
  });

  it('stands in the list with the name of what it runs', async () => {
    await registerUnreachable('edge-4');
    const page = await dashboard.open(agents);
    const row = page.getByRole('row').filter({ hasText: 'edge-4' });
    await row.getByRole('cell', { name: 'release 42', exact: true }).waitFor();
  });

  it('says when it changed if its error came back later', async () => {
    const agentID = await registerUnreachable('edge-3');
    const filter = { agentIDs: [agentID] };
    await createDismissal(dashboard.admin, {
      projectID: dashboard.app.project.id,
      body: { filter, reason: 'Put back' },
    });
    dashboard.app.test.clock.advance(300_000);
    await createAgentError(dashboard.agents, { agentID, body: { error: unreachable } });
    const page = await dashboard.open(`${agents}/${agentID}`);
    await page.getByRole('heading', { level: 1, name: 'edge-3 cannot reach 10.21.160.1:9' }).waitFor();
    expect(await page.locator('main p').first().innerText()).toMatch(
      /^Since \d\d:\d\d:\d\d, after it changed to release 42 at \d\d:\d\d\. Last heard now\.$/,
    );
  });

  it('shows what each configuration changed, and the causes that came and went with it', async () => {
    const page = await dashboard.open(`${agents}/${edgeID}`);
    await page.getByText('1 new cause, 1 cause gone').waitFor();
    await page.getByText('Host es-2').waitFor();
    const change = page.getByRole('region', { name: 'What changed', exact: true });
    expect(await change.getByRole('listitem').allInnerTexts()).toEqual([
      'certificate of es-2 has expired\n1 error',
      'connection refused by es-1\n1 error',
    ]);
    await page
      .getByRole('link', { name: /^configuration / })
      .last()
      .click();
    await page.getByText('The first configuration that is kept').waitFor();
    expect(new URL(page.url()).searchParams.has('config')).toBe(true);
  });

  it('says what could not be read, and not that there is nothing', async () => {
    const page = await (await dashboard.signIn()).newPage();
    await page.route(/\/config_changes/, (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`${dashboard.address}${agents}/${edgeID}`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByText('The agent has sent no configuration').count()).toBe(0);
    await page.unroute(/\/config_changes/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'edge-1 has this error' }).waitFor();
  });

  it('keeps what somebody has chosen on it when the agent gets another configuration and another error', async () => {
    const { id: agentID } = await registerAgent(dashboard.agents, {
      body: { name: 'changing', machineID: 'changing', rawConfig: '[OUTPUT]\n    Host es-1\n' },
    });
    const page = await dashboard.open(`${agents}/${agentID}`);
    const choice = page.getByRole('group', { name: 'Errors' });
    await choice.getByText('Dismissed', { exact: true }).click();
    dashboard.app.test.clock.advance(1_000);
    await updateAgent(dashboard.agents, { agentID, body: { rawConfig: '[OUTPUT]\n    Host es-2\n' } });
    await createAgentError(dashboard.agents, { agentID, body: { error: 'es-2 is unknown to this test' } });
    await page.getByRole('heading', { level: 1, name: 'changing has this error' }).waitFor();
    expect(await choice.getByRole('radio', { name: 'Dismissed' }).isChecked()).toBe(true);
  });

  it('says that the agent is gone when another person deletes it', async () => {
    const { id: agentID } = await registerAgent(dashboard.agents, {
      body: { name: 'short', machineID: 'short' },
    });
    const page = await dashboard.open(`${agents}/${agentID}`);
    await page.getByRole('heading', { name: 'short' }).waitFor();
    await deleteAgent(dashboard.admin, { agentID });
    await page.getByText('This agent has been deleted').waitFor();
  });

  it('follows the status without a reload', async () => {
    const { id: agentID } = await registerAgent(dashboard.agents, {
      body: { name: 'quick', machineID: 'quick' },
    });
    const page = await dashboard.open(`${agents}/${agentID}`);
    await page.getByText('Healthy', { exact: true }).waitFor();
    await sendAgentHeartbeat(dashboard.agents, { agentID, body: { status: 'stopped', exitCode: 3 } });
    await page.getByText('Stopped with exit code 3.').waitFor();
  });
});

describe('a list that stays open', () => {
  it('is read again while nothing happens, so that an agent that is heard is not shown as silent', async () => {
    const { clock } = dashboard.app.test;
    const { id: agentID } = await registerAgent(dashboard.agents, {
      body: { name: 'beating', machineID: 'beating', heartbeatSeconds: 60 },
    });
    const page = await dashboard.open(`${agents}?q=beating`);
    const row = page.getByRole('row').filter({ hasText: 'beating' });
    await row.getByText('now', { exact: true }).waitFor();
    // No event makes the list read again.
    await page.route('**/events*', (route) => route.abort());
    dashboard.app.test.app.http.server.closeAllConnections();
    await page.getByText('No connection since').waitFor();
    for (let minute = 1; minute <= 5; minute += 1) {
      clock.advance(60_000);
      await sendAgentHeartbeat(dashboard.agents, { agentID });
    }
    await page.clock.setFixedTime(clock.now());
    for (const times of ['once', 'and again']) {
      const read = page.waitForResponse((response) => response.url().includes('/agents?'));
      await page.clock.fastForward(30_000);
      expect([times, (await read).status()]).toEqual([times, 200]);
    }
    await row.getByText('now', { exact: true }).waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toContain('Healthy');
    await row.getByText('Healthy').click();
    await page.getByRole('heading', { level: 1, name: 'beating' }).waitFor();
  });
});
