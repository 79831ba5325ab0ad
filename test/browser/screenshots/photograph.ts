import { join } from 'node:path';
import { type Client, createClient, listProjects } from '@muster/client';
import type { BrowserContext, Page } from 'playwright-core';
import type { View } from '../dashboard/start-dashboard.ts';
import { launchBrowser, newContext } from '../launch-browser.ts';

/** A service whose screens are photographed. */
export interface Shown {
  readonly address: string;
  readonly admin: Client;
  readonly projectID: string;
  /** Its time. */
  readonly now: number;
  signIn(view: View): Promise<BrowserContext>;
  closePages(): Promise<void>;
  close(): Promise<void>;
}

interface Pictures {
  readonly folder: string;
  /** Stands in the names of the files. */
  readonly state: string;
  /** A screen. Absent: all. */
  readonly only: string | undefined;
  readonly screens: Readonly<Record<string, string>>;
}

const widths = [360, 768, 1440] as const;
const schemes = ['light', 'dark'] as const;
/** What is also photographed on paper and on a large screen. */
const also = ['overview', 'causes', 'cause', 'agents'];
const largeWidth = 3_840;
const hour = 3_600_000;

export async function photograph(shown: Shown, { folder, state, only, screens }: Pictures): Promise<void> {
  for (const [name, path] of Object.entries(screens)) {
    if (only !== undefined && only !== name) continue;
    const file = (kind: string) => join(folder, `${name}-${state}-${kind}.png`);
    for (const width of widths)
      for (const colorScheme of schemes)
        await photographOne(shown, path, { width, colorScheme }, file(`${width}-${colorScheme}`));
    if (!also.includes(name)) continue;
    const colorScheme = 'light';
    await photographOne(shown, path, { width: largeWidth, colorScheme }, file(String(largeWidth)));
    await photographOne(shown, path, { width: 794, colorScheme }, file('print'), 'print');
  }
}

export async function photographOne(
  { address, projectID, now, signIn, closePages }: Shown,
  path: string,
  view: View,
  file: string,
  media: 'screen' | 'print' = 'screen',
): Promise<void> {
  const page = await (await signIn(view)).newPage();
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
  await page.screenshot({ path: file, fullPage: view.width === 360 && !hasLongList(path) });
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

/** A service that runs, with the newest project that the token sees. */
export async function openService(address: string, token: string): Promise<Shown> {
  const admin = createClient({ url: address, credential: { accessToken: token } });
  const [project] = (await listProjects(admin, {}).first()).items;
  if (project === undefined) throw new Error(`The token sees no project of ${address}.`);
  const browser = await launchBrowser();
  return {
    address,
    admin,
    projectID: project.id,
    now: Date.now(),
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
