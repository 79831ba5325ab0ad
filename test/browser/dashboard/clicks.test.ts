import { createAgentError, createClient, createToken, registerAgent, updateAgent } from '@muster/client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;
let project: string;

const config = (release: number, port: number) =>
  `# release ${release}\n[OUTPUT]\n    name  http\n    host  10.21.160.1\n    port  ${port}\n    tls   on\n`;

/** Three of four agents get a configuration with a wrong port, and report it. */
beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
  const { agents, app, address, admin } = dashboard;
  project = `/projects/${app.project.id}`;
  const registered = [];
  for (const name of ['edge-1', 'edge-2', 'edge-3', 'edge-4'])
    registered.push(
      await registerAgent(agents, {
        body: { name, machineID: name, fleetID: 'eu', rawConfig: config(41, 443) },
      }),
    );
  app.test.clock.advance(60_000);
  for (const { id: agentID, token } of registered.slice(0, 3)) {
    const agent = createClient({ url: address, credential: { agentToken: token } });
    await updateAgent(agent, { agentID, body: { rawConfig: config(42, 9) } });
    app.test.clock.advance(1_000);
    const error = '[output:http:http.0] no upstream connections available to 10.21.160.1:9';
    const { id } = await createAgentError(agent, { agentID, body: { error } });
    await waitUntilCounted(dashboard, id);
  }
  await createToken(admin, { projectID: app.project.id, body: { name: 'ci-deploy' } });
});
afterEach(() => dashboard.closePages());
afterAll(() => dashboard.close());

const maxClicks = 3;

interface Task {
  readonly task: string;
  /** Where a choice more is needed. */
  readonly maxClicks?: number;
  /** What an operator does from the overview on. */
  readonly run: (page: Page, click: (target: Locator) => Promise<void>) => Promise<void>;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const screen = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name });

/** Typing is no click: the first field has the focus, and Tab leads to the next. */
async function fillIn(page: Page, { name, address }: { name: string; address: string }): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByLabel('Address').first().fill(address);
}

const tasks: readonly Task[] = [
  {
    task: 'what is broken now, and since which configuration',
    async run(page) {
      await page
        .getByRole('heading', { level: 1, name: '3 agents (60%) cannot reach their destination' })
        .waitFor();
      await page.getByText(/^Since \d\d:\d\d \(\d+ s\), after release 42 [0-9a-f]{8}$/).waitFor();
      await page.getByText('All in fleet eu. All 3 agents with release 42 have it.').waitFor();
      await page.getByText('None of the 2 other agents has it.').waitFor();
    },
  },
  {
    task: 'how many agents have each cause',
    async run(page, click) {
      await click(screen(page, 'Causes'));
      const row = page.getByRole('row').filter({ hasText: 'Destination not reachable' });
      expect(await row.getByRole('cell').nth(3).innerText()).toBe('3');
    },
  },
  {
    task: 'what to do',
    async run(page, click) {
      await click(page.getByRole('link', { name: 'See why' }));
      await page.getByText('nc -vz 10.21.160.1 9', { exact: true }).waitFor();
      await page.getByText('nc -vz 10.21.160.1 443', { exact: true }).waitFor();
      await page.getByText('3 of 3', { exact: true }).waitFor();
      await page.getByText('0 of 2', { exact: true }).waitFor();
      const changed = page.getByRole('region', { name: 'What changed' });
      expect(await changed.locator('mark').allInnerTexts()).toEqual(['41', '42', '443', '9']);
    },
  },
  {
    task: 'be told of new causes in Slack',
    async run(page, click) {
      await click(screen(page, 'Alerts'));
      await click(button(page, 'Create an alert…'));
      await fillIn(page, { name: 'ops', address: 'https://hooks.slack.com/services/T0/B0/x' });
      await click(page.getByRole('dialog').getByRole('button', { name: 'Create an alert' }));
      await page.getByText('To ops', { exact: true }).waitFor();
    },
  },
  {
    task: 'be told of new causes by a webhook',
    maxClicks: 4,
    async run(page, click) {
      await click(screen(page, 'Alerts'));
      await click(button(page, 'Create a channel…'));
      await click(page.getByRole('radio', { name: 'Webhook' }));
      await fillIn(page, { name: 'tickets', address: 'https://tickets.example.com/muster' });
      await click(page.getByRole('dialog').getByRole('button', { name: 'Create a channel' }));
      await page.getByRole('dialog').getByRole('region', { name: 'Secret of the webhook' }).waitFor();
      await page.getByText('To tickets', { exact: true }).waitFor();
    },
  },
  {
    task: 'another value for a token',
    async run(page, click) {
      await click(screen(page, 'Tokens'));
      await click(button(page, 'Rotate… ci-deploy'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate' }));
      await page.getByRole('dialog').getByRole('region', { name: 'Value of ci-deploy' }).waitFor();
    },
  },
  {
    task: 'who uses a token, and another value for it, by the palette',
    async run(page, click) {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('ci-dep');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^ci-deploy/ })
        .waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'ci-deploy' }).waitFor();
      await click(button(page, 'Rotate…'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate' }));
      await page.getByRole('dialog').getByText('Copy the token now').waitFor();
    },
  },
  {
    task: 'what this token did',
    async run(page, click) {
      await click(screen(page, 'Tokens'));
      await click(page.getByRole('link', { name: 'ci-deploy' }));
      await click(page.getByRole('link', { name: 'What this token did' }));
      await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
    },
  },
  {
    task: 'let a colleague in',
    async run(page, click) {
      await click(screen(page, 'Members'));
      await click(button(page, 'Invite…'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Invite' }));
      await page.getByRole('dialog', { name: 'The link of the invitation' }).waitFor();
    },
  },
  {
    task: 'how old the last backup is, and how to make and restore one',
    async run(page, click) {
      await click(screen(page, 'Settings'));
      await click(page.getByRole('link', { name: 'Backups' }));
      await page.getByText('The service makes no backups by itself').waitFor();
      await page.getByText('muster backup DIRECTORY', { exact: true }).waitFor();
      await page.getByText('muster restore DIRECTORY --data-dir EMPTY', { exact: true }).waitFor();
    },
  },
  {
    task: 'the same by the palette',
    async run(page) {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Agent, cause, fleet, token, site, screen or action').fill('backup');
      await page.getByRole('dialog').getByRole('button', { name: 'Backups' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('muster backup DIRECTORY', { exact: true }).waitFor();
    },
  },
  {
    task: 'dismiss it, and open it again',
    async run(page, click) {
      await click(button(page, 'Dismiss…').first());
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').waitFor();
      const anyway = dialog.getByRole('radio', { name: 'Dismiss anyway' });
      if ((await anyway.count()) > 0) await click(anyway);
      await dialog.getByText('This dismisses 3 errors on 3 agents.').waitFor();
      await dialog.getByLabel('Reason').fill('Put back');
      await page.keyboard.press('Enter');
      await page.getByText('3 errors dismissed.').waitFor();
      await click(button(page, 'Undo'));
      await page.getByText('The dismissal is undone: 3 errors on 3 agents are open again.').waitFor();
    },
  },
];

it.each(tasks.map((task) => ({ maxClicks, ...task })))(
  'an operator sees or does in at most $maxClicks clicks: $task',
  async ({ run, ...task }) => {
    const page = await dashboard.open(project);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    let clicks = 0;
    await run(page, async (target) => {
      clicks += 1;
      await target.click();
    });
    expect(clicks).toBeLessThanOrEqual(task.maxClicks);
  },
);
