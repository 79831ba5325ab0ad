import type { Page } from 'playwright-core';
import type { Bench, Case } from '../../bench.ts';
import { openBrowser, overviewFigure } from '../../browser/open-browser.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { spreadOf } from '../../measure/statistics.ts';
import type { Row } from '../../report/row.ts';

interface Screen {
  readonly name: string;
  /** Where the click is made. */
  readonly from: string;
  /** CSS: what is clicked. */
  readonly link: string;
  /** CSS: the first piece of data of the screen. */
  readonly data: string;
}

const firstRow = '[data-row="0"]';
const firstRowOf = (table: string) => `[aria-label="${table}"] ${firstRow}`;
const screens: readonly Screen[] = [
  { name: 'overview', from: '/causes', link: 'nav a >> text=Overview', data: overviewFigure },
  { name: 'causes', from: '/agents?group=none', link: 'nav a >> text=Causes', data: firstRowOf('Causes') },
  { name: 'agents', from: '/causes', link: 'nav a >> text=Agents', data: firstRowOf('Agents') },
  { name: 'an agent', from: '/agents?group=none', link: `${firstRow} a`, data: 'main section dl dd' },
  { name: 'a cause', from: '/causes', link: `${firstRow} a`, data: 'main [class*="patternLine"]' },
];

export const dashboardScreens: Case = {
  name: 'dashboard-screens',
  title: 'from a click to the first data of each screen of the dashboard (sqlite, Chromium)',
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const browser = await openBrowser(bench.closing, product.api, bench.adminToken);
    const page = await browser.open('');
    const rows: Row[] = [];
    for (const screen of screens) {
      bench.say(screen.name);
      const times = await timesOf(bench, page, browser.addressOf(screen.from), screen);
      rows.push({
        case: this.name,
        what: `${screen.name}: from the click to the first data`,
        figure: spreadOf(times),
        unit: 'ms',
        measured: `${shape.agents.toLocaleString('en-US')} agents, ${shape.errors.toLocaleString('en-US')} errors`,
        bar: { atMost: 1_000 },
      });
    }
    return rows;
  },
};

/** Each round begins in a tab that was loaded anew, so that nothing of the screen is there yet. */
async function timesOf({ options }: Bench, page: Page, from: string, screen: Screen): Promise<number[]> {
  const times: number[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    await page.goto(from);
    const link = page.locator(screen.link).first();
    await link.waitFor();
    await page.evaluate(watchFor(screen.data));
    await link.click();
    times.push((await page.evaluate('window.shown')) as number); // as the script answers
  }
  return times;
}

const limitMilliseconds = 30_000;

/** Begins with the next click, and looks at each frame. */
function watchFor(data: string): string {
  return `{
    window.shown = new Promise((resolve, reject) => {
      addEventListener('click', () => {
        const clicked = performance.now();
        const look = () => {
          const took = performance.now() - clicked;
          if (document.querySelector(${JSON.stringify(data)}) !== null) resolve(took);
          else if (took < ${limitMilliseconds}) requestAnimationFrame(look);
          else reject(new Error(${JSON.stringify(`${data} did not appear`)}));
        };
        requestAnimationFrame(look);
      }, { capture: true, once: true });
    });
    undefined;
  }`;
}
