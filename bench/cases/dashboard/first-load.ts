import type { Page } from 'playwright-core';
import type { Case } from '../../bench.ts';
import { openBrowser, overviewFigure } from '../../browser/open-browser.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { spreadOf } from '../../measure/statistics.ts';
import { formatNumber, type Row } from '../../report/row.ts';

interface FirstLoad {
  /** Milliseconds from the begin of the navigation. */
  readonly firstPaint: number;
  readonly largestPaint: number;
  /** The parts of long tasks above 50 ms, in milliseconds. */
  readonly blocked: number;
  /** The sum of what has moved, as web.dev/cls counts it. */
  readonly shift: number;
  /** Of scripts, styles, pictures and the page, compressed, without headers. */
  readonly kilobytes: number;
}

/** After its last request, the page may still draw. */
const settleMilliseconds = 1_000;

export const dashboardFirstLoad: Case = {
  name: 'dashboard-first-load',
  title: 'the first load of the dashboard in an empty browser (sqlite, Chromium)',
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const loads: FirstLoad[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      bench.say(`round ${round} of ${options.rounds}`);
      const browser = await openBrowser(bench.closing, product.api, bench.adminToken);
      const page = await browser.context.newPage();
      await page.addInitScript(observe);
      await page.goto(browser.addressOf(''));
      await page.locator(overviewFigure).first().waitFor();
      await page.waitForTimeout(settleMilliseconds);
      loads.push(await read(page));
      await browser.context.close();
    }
    const row = (what: string, name: keyof FirstLoad, unit: string, atMost: number): Row => ({
      case: this.name,
      what,
      figure: spreadOf(loads.map((load) => load[name])),
      unit,
      measured: `overview of ${shape.agents.toLocaleString('en-US')} agents, ${loads.length} loads`,
      bar: { atMost },
    });
    const paint = spreadOf(loads.map(({ firstPaint }) => firstPaint));
    return [
      row('transferred for the first screen, compressed', 'kilobytes', 'kB', 250),
      // The values from which Lighthouse gives at least 90 of 100 points on a desk.
      {
        ...row('largest contentful paint', 'largestPaint', 'ms', 1_200),
        measured: `first contentful paint ${formatNumber(paint.median)} ms`,
      },
      row('total blocking time', 'blocked', 'ms', 150),
      row('layout shift', 'shift', '', 0.1),
    ];
  },
};

const observe = `{
  const seen = (window.firstLoad = { firstPaint: 0, largestPaint: 0, blocked: 0, shift: 0 });
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.firstPaint = startTime;
  });
  watch('largest-contentful-paint', ({ startTime }) => (seen.largestPaint = startTime));
  watch('longtask', ({ duration }) => (seen.blocked += Math.max(0, duration - 50)));
  watch('layout-shift', ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
}`;

async function read(page: Page): Promise<FirstLoad> {
  return (await page.evaluate(`{
    const files = performance.getEntriesByType('resource').filter(({ name }) => !name.includes('/v1/'));
    const sizes = [...performance.getEntriesByType('navigation'), ...files].map(({ encodedBodySize }) => encodedBodySize);
    ({ ...window.firstLoad, kilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1000 });
  }`)) as FirstLoad; // as the scripts have noted it
}
