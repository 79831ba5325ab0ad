import { join } from 'node:path';
import { type Client, createClient, listProjects } from '@muster/client';
import type { BrowserContext, Page } from 'playwright-core';
import type { View } from '../dashboard/start-dashboard.ts';
import { launchBrowser, newContext } from '../launch-browser.ts';
import type { Screen } from './screens.ts';

/** A service whose screens are photographed. */
export interface Shown {
  readonly address: string;
  readonly admin: Client;
  readonly projectID: string;
  /** Its time. */
  readonly now: number;
  signIn(view: View): Promise<BrowserContext>;
  /** Registers new agents while a screen is open. Absent: the service is somebody's own, and is only looked at. */
  readonly registerAgents?: (count: number) => Promise<void>;
  closePages(): Promise<void>;
  close(): Promise<void>;
}

interface Pictures {
  readonly folder: string;
  /** Stands in the names of the files. */
  readonly state: string;
  /** A screen. Absent: all. */
  readonly only: string | undefined;
  readonly screens: Readonly<Record<string, Screen>>;
}

const widths = [360, 768, 1440] as const;
const schemes = ['light', 'dark'] as const;
/** Of what a user does on a screen. */
const viewsOfActs: readonly View[] = [
  { width: 360, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
];
/** What is also photographed on a large screen, and on paper. */
const onLargeScreen = ['overview', 'causes', 'cause', 'agents'];
const onPaper = [...onLargeScreen, 'audit'];
const largeWidth = 3_840;
const hour = 3_600_000;

export async function photograph(shown: Shown, { folder, state, only, screens }: Pictures): Promise<void> {
  const allViews = widths.flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })));
  for (const [name, screen] of Object.entries(screens)) {
    if (only !== undefined && only !== name) continue;
    const file = (kind: string) => join(folder, `${name}-${state}-${kind}.png`);
    for (const view of screen.act === undefined ? allViews : viewsOfActs)
      await photographOne(shown, screen, view, file(`${view.width}-${view.colorScheme}`));
    const colorScheme = 'light';
    if (onLargeScreen.includes(name))
      await photographOne(shown, screen, { width: largeWidth, colorScheme }, file(String(largeWidth)));
    if (onPaper.includes(name))
      await photographOne(shown, screen, { width: 794, colorScheme }, file('print'), 'print');
  }
}

export async function photographOne(
  { address, projectID, now, signIn, closePages }: Shown,
  { path, isPublic, act }: Screen,
  view: View,
  file: string,
  media: 'screen' | 'print' = 'screen',
): Promise<void> {
  const context = await signIn(view);
  if (isPublic) await context.clearCookies();
  const page = await context.newPage();
  // Somebody was here this morning.
  await page.addInitScript(
    `localStorage.setItem('muster.visits.${projectID}', '{"seenAt":${now - 3 * hour}}')`,
  );
  await page.emulateMedia({ media });
  await page.goto(`${address}${path}`);
  await page.locator('h1').first().waitFor();
  // The stream of events stays open, so the network is never idle.
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  if (/\/projects\/[^/]+$|\/causes\/./.test(path)) await chartOf(page);
  await act?.(page);
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' });
  await page.screenshot({
    path: file,
    animations: 'disabled',
    fullPage: view.width === 360 && act === undefined && !hasLongList(path),
  });
  await closePages();
}

async function chartOf(page: Page): Promise<void> {
  const empty = page.locator('main pre');
  await page.locator('figure canvas').or(empty).first().waitFor();
}

/** Only the rows on the screen exist. */
function hasLongList(path: string): boolean {
  return /\/(agents|causes|audit_log)$/.test(path);
}

/** A service that runs. Absent `projectID`: the newest project that the token sees. */
export async function openService(
  address: string,
  token: string,
  projectID: string | undefined,
): Promise<Shown> {
  const admin = createClient({ url: address, credential: { accessToken: token } });
  const shownID = projectID ?? (await listProjects(admin, { last: 1 }).first()).items[0]?.id;
  if (shownID === undefined) throw new Error(`The token sees no project of ${address}.`);
  const browser = await launchBrowser();
  const { headers } = await fetch(address);
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  return {
    address,
    admin,
    projectID: shownID,
    now,
    async signIn({ width, colorScheme }) {
      const viewport = { width, height: 900 };
      const context = await newContext(browser, {
        viewport,
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en',
      });
      const answer = await context.request.post(`${address}/sign_in`, {
        form: { token },
        headers: { origin: address },
        maxRedirects: 0,
      });
      if (answer.status() !== 303) throw new Error(`The sign-in was answered with ${answer.status()}.`);
      return context;
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    close: () => browser.close(),
  };
}
