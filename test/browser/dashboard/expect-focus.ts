import type { Locator, Page } from 'playwright-core';

/** Waits until something has the focus: a dialog takes it some moments after it is seen, and keys that are typed before do not reach it. */
export function expectFocus(page: Page, target: Locator): Promise<void> {
  return target.and(page.locator(':focus')).waitFor();
}
