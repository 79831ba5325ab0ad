import { createAgentError, registerAgent } from '@muster/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard({ groupIntervalMilliseconds: 50 });
});
afterAll(() => dashboard.close());

const parts = ['valve', 'pump', 'rail', 'lamp', 'gate', 'drum', 'fan', 'belt', 'crane'];
const faults = ['stuck', 'bent', 'dark', 'shut', 'torn', 'cold', 'dry', 'loud'];
const day = 24 * 3_600_000;

it('the overview counts all open causes, and tells of one that has just begun on one agent', async () => {
  const agents = await Promise.all(
    ['one', 'two'].map((name) => registerAgent(dashboard.agents, { body: { name, machineID: name } })),
  );
  const report = async (agentID: string, error: string) =>
    (await createAgentError(dashboard.agents, { agentID, body: { error } })).id;
  for (const part of parts) {
    dashboard.app.test.clock.advance(60_000);
    for (const fault of faults) for (const { id } of agents) await report(id, `the ${part} is ${fault}`);
  }
  dashboard.app.test.clock.advance(2 * day);
  await waitUntilCounted(dashboard, await report(agents[0]?.id ?? '', 'nobody has seen this before'));
  const page = await dashboard.open(`/projects/${dashboard.app.project.id}`);
  await page.getByRole('link', { name: 'nobody has seen this before' }).first().waitFor();
  // All 73 but for the three above it.
  await page.getByRole('link', { name: '70 more open causes' }).waitFor();
  await page.getByText('They stand in the list of causes.').waitFor();
  expect(dashboard.faults).toEqual([]);
});
