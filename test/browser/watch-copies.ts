import type { Page } from 'playwright-core';

/** Returns what asks for the text that the page has copied since. The clipboard itself belongs to all pages of the run's browser. */
export async function watchCopies(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`{
    const { clipboard } = navigator;
    const write = clipboard.writeText.bind(clipboard);
    clipboard.writeText = async (text) => {
      await write(text);
      window.copiedText = text;
    };
  }`);
  return () => page.evaluate<string>('window.copiedText');
}
