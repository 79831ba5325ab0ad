import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listAgentErrorGroups, listAgents, listTokens, updateProject } from '@muster/client';
import { seedDemoFleet } from './dashboard/seed-demo-fleet.ts';
import { type Dashboard, startDashboard, type View } from './dashboard/start-dashboard.ts';

/**
 * Writes pictures of the dashboard.
 *
 * - `npm run screenshots -- FOLDER [SCREEN]`: every screen, or one, in each width and colour scheme, without data and with a demo fleet.
 * - `npm run docs:pictures`: the pictures of the README.
 */
const [folderArgument = 'screenshots', only] = process.argv.slice(2);
const folder = resolve(folderArgument);
const isForReadme = only === 'readme';

const screens = {
  overview: '',
  causes: '/causes',
  dismissals: '/dismissals',
  agents: '/agents',
  tokens: '/tokens',
  members: '/members',
  audit: '/audit_log',
  alerts: '/alerts',
  settings: '/settings',
} as const;

const widths = [360, 768, 1440] as const;
const schemes = ['light', 'dark'] as const;

/** Those of the README: what an operator sees first, in both schemes. */
const readmePictures = [
  { name: 'overview', colorScheme: 'light' },
  { name: 'cause', colorScheme: 'dark' },
  { name: 'agents', colorScheme: 'light' },
] as const;

mkdirSync(folder, { recursive: true });
const dashboard = await startDashboard();
try {
  if (!isForReadme) await photograph(dashboard, 'empty', screens);
  await seedDemoFleet(dashboard);
  const projectID = dashboard.app.project.id;
  await updateProject(dashboard.admin, { projectID, body: { name: 'production' } });
  const all: Readonly<Record<string, string>> = { ...screens, ...(await findDetails(dashboard)) };
  if (isForReadme) {
    for (const { name, colorScheme } of readmePictures)
      await photographOne(dashboard, all[name] ?? '', { width: 1440, colorScheme }, `${name}.png`);
  } else {
    await photograph(dashboard, 'demo', all);
  }
} finally {
  await dashboard.close();
}

/** The pages of one cause that the catalogue explains, one agent with errors, and one token. */
async function findDetails({ admin, app }: Dashboard): Promise<Record<string, string>> {
  const projectID = app.project.id;
  const causes = await listAgentErrorGroups(admin, { projectID, sort: 'agents' }).first();
  const cause = causes.items.find(({ pattern }) => pattern.includes('status=503'));
  const agents = await listAgents(admin, { projectID, status: 'unhealthy' }).first();
  const tokens = await listTokens(admin, { projectID }).first();
  return {
    cause: `/causes/${cause?.id}`,
    agent: `/agents/${agents.items[0]?.id}`,
    token: `/tokens/${tokens.items.at(-1)?.id}`,
  };
}

async function photograph(
  shown: Dashboard,
  state: string,
  paths: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    if (only !== undefined && only !== name) continue;
    for (const width of widths)
      for (const colorScheme of schemes)
        await photographOne(
          shown,
          path,
          { width, colorScheme },
          `${name}-${state}-${width}-${colorScheme}.png`,
        );
  }
}

async function photographOne(
  { app, open, closePages }: Dashboard,
  path: string,
  view: View,
  file: string,
): Promise<void> {
  const page = await open(`/projects/${app.project.id}${path}`, view);
  await page.locator('main h1').waitFor();
  // The stream of events stays open, so the network is never idle.
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  if (path === '' || path.startsWith('/causes/')) await page.locator('figure canvas').waitFor();
  await page.screenshot({ path: join(folder, file), fullPage: view.width === 360 });
  await closePages();
}
