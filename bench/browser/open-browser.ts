import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../../test/browser/launch-browser.ts';
import { projectID } from '../data/data-set.ts';
import type { Closing } from '../processes/closing.ts';
import type { Api } from '../servers/api.ts';

/** A browser that is signed in as the administrator. */
export interface OpenBrowser {
  readonly context: BrowserContext;
  /** The address of a screen of the project of the data sets. */
  addressOf(screen: string): string;
  /** A new tab that shows a screen. */
  open(screen: string): Promise<Page>;
}

/** CSS: a figure of the overview that has been read. */
export const overviewFigure = 'main li.number strong';

const viewport = { width: 1440, height: 900 };

export async function openBrowser(closing: Closing, api: Api, adminToken: string): Promise<OpenBrowser> {
  const browser = await launchBrowser();
  closing.add(() => browser.close());
  const context = await browser.newContext({ viewport });
  const origin = new URL(api.url).origin;
  const answer = await context.request.post(`${origin}/sign_in`, {
    form: { token: adminToken },
    headers: { origin },
    maxRedirects: 0,
  });
  if (answer.status() !== 303) throw new Error(`The sign-in was answered with ${answer.status()}.`);
  const addressOf = (screen: string) => `${origin}/projects/${projectID}${screen}`;
  return {
    context,
    addressOf,
    async open(screen) {
      const page = await context.newPage();
      await page.goto(addressOf(screen));
      return page;
    },
  };
}
