import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listAgentErrorGroups } from '@muster/client';
import { seedDemoFleet } from './dashboard/seed-demo-fleet.ts';
import { type Dashboard, startDashboard } from './dashboard/start-dashboard.ts';

/** Writes a picture of every screen into a folder: `npm run screenshots -- FOLDER`. */
const folder = resolve(process.argv[2] ?? 'screenshots');
const only = process.argv[3];

const screens = {
  overview: '',
  causes: '/causes',
  dismissals: '/dismissals',
  agents: '/agents',
  tokens: '/tokens',
} as const;

const widths = [360, 768, 1440] as const;
const schemes = ['light', 'dark'] as const;

mkdirSync(folder, { recursive: true });
const dashboard = await startDashboard();
try {
  await photograph(dashboard, 'empty', screens);
  await seedDemoFleet(dashboard);
  const { items } = await listAgentErrorGroups(dashboard.admin, {
    projectID: dashboard.app.project.id,
    sort: 'agents',
  }).first();
  await photograph(dashboard, 'demo', { ...screens, cause: `/causes/${items[0]?.id}` });
} finally {
  await dashboard.close();
}

async function photograph(
  { app, open, closePages }: Dashboard,
  state: string,
  paths: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    if (only !== undefined && only !== name) continue;
    for (const width of widths) {
      for (const colorScheme of schemes) {
        const page = await open(`/projects/${app.project.id}${path}`, { colorScheme, width });
        await page.locator('main h1').waitFor();
        // The stream of events stays open, so the network is never idle.
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
        if (name === 'overview' || name === 'cause') await page.locator('figure canvas').waitFor();
        await page.screenshot({
          path: join(folder, `${name}-${state}-${width}-${colorScheme}.png`),
          fullPage: width === 360,
        });
        await closePages();
      }
    }
  }
}
