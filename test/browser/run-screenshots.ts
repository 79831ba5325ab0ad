import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { deleteAgent, listAgents, registerAgent, updateProject } from '@muster/client';
import { seedDemoFleet } from './dashboard/seed-demo-fleet.ts';
import { seedFleets } from './dashboard/seed-fleets.ts';
import { seedRolloutFleet } from './dashboard/seed-rollout-fleet.ts';
import { seedSites } from './dashboard/seed-sites.ts';
import { seedStoppedRollout } from './dashboard/seed-stopped-rollout.ts';
import { startDashboard } from './dashboard/start-dashboard.ts';
import { openService, photograph, photographOne, type Shown } from './screenshots/photograph.ts';
import { findScreens } from './screenshots/screens.ts';
import { writeFontSettings } from './write-font-settings.ts';

/**
 * Writes pictures of the dashboard.
 *
 * - `npm run screenshots -- FOLDER [SCREEN]`: every screen, or one, in each width and colour scheme, without data, with a small fleet whose texts are hostile, and with
 *   a large one; a few on paper and on a screen of 3840 px.
 * - `npm run screenshots -- FOLDER [SCREEN] --url URL --token-file FILE [--project ID]`: the same of a service that runs, with whatever the project (the newest one) holds.
 * - `npm run docs:pictures`: the pictures of the documents.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, 'token-file': { type: 'string' }, project: { type: 'string' } },
});
const [folderArgument = 'screenshots', only] = positionals;
const folder = resolve(folderArgument);

/** Those of the documents: what an operator sees first, in both schemes, and how a rollout has stopped itself. */
const documentPictures = [
  {
    seed: seedRolloutFleet,
    pictures: [
      { name: 'overview', colorScheme: 'light' },
      { name: 'cause', colorScheme: 'dark' },
      { name: 'agents', colorScheme: 'light' },
    ],
  },
  { seed: seedStoppedRollout, pictures: [{ name: 'rollout', colorScheme: 'light' }] },
] as const;

mkdirSync(folder, { recursive: true });
const temporary = mkdtempSync(join(tmpdir(), 'muster-pictures-'));
process.env.FONTCONFIG_FILE = await writeFontSettings(temporary);
try {
  if (values.url !== undefined) await photographService(values.url, values['token-file'], values.project);
  else if (only === 'readme') await photographForDocuments();
  else {
    await photographSeeded('empty', deleteAgents);
    await photographSeeded('hostile', async (dashboard) => {
      await seedDemoFleet(dashboard);
      await seedSites(dashboard);
      await seedFleets(dashboard);
      await seedStoppedRollout(dashboard);
    });
    await photographSeeded('demo', (dashboard) => seedRolloutFleet(dashboard));
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function photographService(
  url: string,
  tokenFile: string | undefined,
  projectID: string | undefined,
): Promise<void> {
  if (tokenFile === undefined) throw new Error('--url needs --token-file FILE, with an access token.');
  const shown = await openService(url, readFileSync(tokenFile, 'utf8').trim(), projectID);
  try {
    await photograph(shown, { folder, state: 'service', only, screens: await findScreens(shown) });
  } finally {
    await shown.close();
  }
}

type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

async function photographSeeded(state: string, seed: (dashboard: Dashboard) => Promise<void>): Promise<void> {
  await withSeeded(seed, async (shown) =>
    photograph(shown, { folder, state, only, screens: await findScreens(shown) }),
  );
}

/** The service of the tests begins with one. */
async function deleteAgents({ admin, app }: Dashboard): Promise<void> {
  for await (const { id } of listAgents(admin, { projectID: app.project.id }))
    await deleteAgent(admin, { agentID: id });
}

async function photographForDocuments(): Promise<void> {
  for (const { seed, pictures } of documentPictures)
    await withSeeded(seed, async (shown) => {
      const screens = await findScreens(shown);
      for (const { name, colorScheme } of pictures)
        await photographOne(
          shown,
          screens[name] ?? { path: '/' },
          { width: 1440, colorScheme },
          join(folder, `${name}.png`),
        );
    });
}

async function withSeeded(
  seed: (dashboard: Dashboard) => Promise<void>,
  use: (shown: Shown) => Promise<void>,
): Promise<void> {
  const dashboard = await startDashboard();
  try {
    await seed(dashboard);
    const { address, admin, agents, app, signIn, closePages, close } = dashboard;
    const projectID = app.project.id;
    await updateProject(admin, { projectID, body: { name: 'production' } });
    let registered = 0;
    const registerAgents = async (count: number) => {
      for (const end = registered + count; registered < end; registered += 1) {
        const name = `autoscaled-${registered + 1}`;
        await registerAgent(agents, { body: { name, machineID: name } });
      }
    };
    const now = app.test.clock.now();
    await use({ address, admin, projectID, now, signIn, registerAgents, closePages, close });
  } finally {
    await dashboard.close();
  }
}
