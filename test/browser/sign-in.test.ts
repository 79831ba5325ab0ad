import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { expectFocus } from './dashboard/expect-focus.ts';
import { dashboardDirectory } from './dashboard/start-dashboard.ts';
import { findViolations } from './find-violations.ts';
import { launchBrowser, newContext } from './launch-browser.ts';

let app: ListeningApp;
let browser: Browser;
let address: string;

beforeAll(async () => {
  app = await startListeningApp({ dashboardDirectory });
  address = `http://127.0.0.1:${app.port}`;
  browser = await launchBrowser();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});
afterAll(async () => {
  await browser?.close();
  await app?.test.close();
});

const views = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1280 },
] as const;

/** Axe brings scripts and styles of its own, which the pages do not allow. */
async function open(view: (typeof views)[number], path: string): Promise<Page> {
  const context = await newContext(browser, {
    colorScheme: view.colorScheme,
    viewport: { width: view.width, height: 800 },
    bypassCSP: true,
  });
  const page = await context.newPage();
  await page.goto(`${address}${path}`);
  return page;
}

async function expectAccessible(page: Page, width: number): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
}

it('is tried a second time, as tests in a browser are', ({ task }) => {
  expect(task.retry).toBe(1);
});

describe.each(views)('signing in, $colorScheme, $width px wide', (view) => {
  it('works with the keyboard, from a wrong token to the dashboard and out again', async () => {
    const page = await open(view, '/');
    expect(page.url()).toBe(`${address}/sign_in`);
    await expectAccessible(page, view.width);
    await page.getByLabel('Access token').fill('nonsense');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toContain('This token is not valid');
    await expectAccessible(page, view.width);
    await expectFocus(page, page.getByLabel('Access token'));
    await page.keyboard.type(app.test.admin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.getByRole('button', { name: 'Account of administrator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('status').getByText('You are signed out').waitFor();
    await page.goto(`${address}/`);
    expect(page.url()).toBe(`${address}/sign_in`);
  });

  it('works with a link', async () => {
    const { body } = await app.test.request<{ url: string }>('POST', '/v1/sign_in_links', {
      as: { access: app.test.admin },
    });
    const page = await open(view, new URL(body.url).pathname);
    expect(page.url()).toBe(`${address}/sign_in/link`);
    await expectAccessible(page, view.width);
    await page.getByRole('button', { name: 'Sign in as administrator' }).click();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  });
});
