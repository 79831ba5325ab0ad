/**
 * Chromium on a host without a locale calls its language `en-US@posix`, which is no language tag. uPlot formats numbers
 * in the browser's language and throws at such a tag while it is loaded, so that the screen could not be shown.
 */
export function mendLanguage(browser: Navigator): void {
  try {
    Intl.getCanonicalLocales(browser.language);
  } catch {
    Object.defineProperty(browser, 'language', { value: 'en', configurable: true });
  }
}
