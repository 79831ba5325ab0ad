import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@muster/client';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestAppOptions } from '../../../server/src/testing/start-test-app.ts';
import { type ListeningApp, startListeningApp } from '../../robustness/listening-app.ts';
import { findViolations } from '../find-violations.ts';
import { launchBrowser, newContext } from '../launch-browser.ts';

/** Where `npm run build` puts the dashboard. */
export const dashboardDirectory = join(import.meta.dirname, '../../../web/dist');

/** How a screen is looked at. */
export interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

/** Both schemes, on a phone and on a desk. */
export const views: readonly View[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
];

/** A real service with the built dashboard, and a real browser. */
export interface Dashboard {
  readonly app: ListeningApp;
  readonly address: string;
  /** Calls the service as the administrator. */
  readonly admin: Client;
  /** Calls it with the first token of the project, as agents do. */
  readonly agents: Client;
  /** A browser of its own that is signed in. Absent `token`: as the administrator. */
  signIn(view?: View, token?: string): Promise<BrowserContext>;
  /** Opens a screen in a new browser that is signed in, and collects what goes wrong in it. */
  open(path: string, view?: View): Promise<Page>;
  /** What the pages of `open` have written to their consoles as errors. */
  readonly faults: readonly string[];
  closePages(): Promise<void>;
  close(): Promise<void>;
}

export async function startDashboard(options: TestAppOptions = {}): Promise<Dashboard> {
  if (!existsSync(join(dashboardDirectory, 'index.html')))
    throw new Error('The dashboard is not built. Run: npm run build');
  const app = await startListeningApp({ dashboardDirectory, ...options });
  const address = `http://127.0.0.1:${app.port}`;
  const browser = await launchBrowser();
  const faults: string[] = [];

  const signIn = async (view: View = { colorScheme: 'light', width: 1280 }, token = app.test.admin) => {
    const context = await openContext(browser, view, app);
    const answer = await context.request.post(`${address}/sign_in`, {
      form: { token },
      headers: { origin: address },
      maxRedirects: 0,
    });
    expect(answer.status()).toBe(303);
    return context;
  };
  return {
    app,
    address,
    admin: createClient({ url: address, credential: { accessToken: app.test.admin } }),
    agents: createClient({ url: address, credential: { projectToken: app.project.token } }),
    signIn,
    faults,
    async open(path, view) {
      const page = await (await signIn(view)).newPage();
      collectFaults(page, faults);
      await page.goto(`${address}${path}`);
      return page;
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async close() {
      await browser.close();
      await app.test.close();
    },
  };
}

async function openContext(
  browser: Browser,
  { colorScheme, width }: View,
  app: ListeningApp,
): Promise<BrowserContext> {
  const context = await newContext(browser, {
    colorScheme,
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en',
    timezoneId: 'UTC',
  });
  // The service and the browser have the same clock, so that relative times are the same in every run.
  await context.clock.setFixedTime(app.test.clock.now());
  return context;
}

function collectFaults(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
}

/** Fails with what axe finds, if the screen is wider than its window, and if a table cuts its headings or has rows that are too low for their texts. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
    number,
    number,
  ]; // as written one line above
  expect(content).toBeLessThanOrEqual(window);
  expect(await page.evaluate(cutParts)).toEqual([]);
}

/** What does not fit: headings to the side, rows in their height. */
const cutParts = `[
  ...[...document.querySelectorAll('[role="columnheader"]')].filter((cell) => cell.scrollWidth > cell.clientWidth),
  ...[...document.querySelectorAll('[data-row]')].filter((row) => row.scrollHeight > row.clientHeight + 1),
].map((part) => part.textContent)`;
