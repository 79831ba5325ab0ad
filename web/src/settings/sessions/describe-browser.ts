/** Names of browsers, the ones that also call themselves others first. */
const browsers = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
] as const;

const systems = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows NT\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

/**
 * What a browser is called in a sentence, such as `Firefox on Linux`.
 *
 * @returns undefined if the text does not look like that of a browser: it can be anything
 */
export function describeBrowser(userAgent: string): string | undefined {
  if (!userAgent.startsWith('Mozilla/')) return undefined;
  const browser = find(browsers, userAgent);
  const system = find(systems, userAgent);
  if (browser === undefined) return undefined;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function find(names: readonly (readonly [string, RegExp])[], userAgent: string): string | undefined {
  return names.find(([, pattern]) => pattern.test(userAgent))?.[0];
}
