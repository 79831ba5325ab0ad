import { chromium } from 'playwright-core';
import type { TestSupplies } from '../../server/src/testing/test-supplies.ts';
import { browserOptions } from './launch-browser.ts';

/** Starts one browser for all tests. */
export async function serveBrowser(undo: (() => Promise<void>)[]): Promise<TestSupplies['browser']> {
  const server = await chromium.launchServer(await browserOptions());
  undo.push(() => server.close());
  return { address: server.wsEndpoint() };
}
