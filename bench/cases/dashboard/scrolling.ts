import type { Page } from 'playwright-core';
import type { Case } from '../../bench.ts';
import { openBrowser } from '../../browser/open-browser.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { percentile, spreadOf } from '../../measure/statistics.ts';
import { formatNumber } from '../../report/row.ts';

/** As fast as somebody turns a wheel without a stop; a page of the keyboard has 800. */
const pixelsPerFrame = 1_500;
/** A list that has no new row for so long does not go on. */
const maxWaitMilliseconds = 15_000;

export const dashboardScrolling: Case = {
  name: 'dashboard-scrolling',
  title: 'the longest frame while somebody scrolls through the list of agents (sqlite, Chromium)',
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const browser = await openBrowser(bench.closing, product.api, bench.adminToken);
    const page = await browser.open('/agents?group=none');
    await page.locator('[role="row"][data-row="0"]').waitFor();
    const scroll = async (seconds: number) => (await page.evaluate(scrollScript(seconds))) as number[]; // as the script answers
    await scroll(1);
    const longest: number[] = [];
    const all: number[] = [];
    const between: number[] = [];
    // The rounds begin at rows that are evenly apart. A list is read page by page, so that every row in between comes too.
    for (let round = 1; round <= options.rounds; round += 1) {
      const { frames } = await jump(page, Math.floor(((round - 1) * shape.agents) / options.rounds));
      between.push(...frames);
      const measured = await scroll(options.seconds);
      longest.push(Math.max(...measured));
      all.push(...measured);
      bench.say(`round ${round} of ${options.rounds}: ${formatNumber(Math.max(...measured))} ms`);
    }
    const { row, frames } = await jump(page, shape.agents - 1);
    between.push(...frames);
    if (row < shape.agents - 1) throw new Error(`The list does not go on after row ${row}.`);
    const slow = (some: readonly number[]) =>
      `${some.filter((frame) => frame > 50).length} of ${some.length} frames above 50 ms`;
    return [
      {
        case: this.name,
        what: `longest frame while scrolling through ${shape.agents.toLocaleString('en-US')} agents`,
        figure: spreadOf(longest),
        unit: 'ms',
        measured: `p50 ${formatNumber(percentile(all, 0.5))} ms, p99 ${formatNumber(percentile(all, 0.99))} ms, ${slow(all)} in ${longest.length} rounds of ${options.seconds} s with ${pixelsPerFrame} px a frame, evenly over the list; ${slow(between)} of those that go at once to the last row that was read, until row ${(row + 1).toLocaleString('en-US')}`,
        bar: { atMost: 50 },
      },
    ];
  },
};

/** Scrolls on with every frame, and answers how long each took. */
function scrollScript(seconds: number): string {
  return `new Promise((resolve) => {
    const frames = [];
    const end = performance.now() + ${seconds * 1_000};
    let before;
    const step = (now) => {
      if (before !== undefined) frames.push(now - before);
      before = now;
      if (now > end) return resolve(frames);
      scrollBy({ top: ${pixelsPerFrame}, behavior: 'instant' });
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`;
}

/** Goes to the end of what was read, again and again, until a row is there. */
async function jump(
  page: Page,
  target: number,
): Promise<{ readonly row: number; readonly frames: readonly number[] }> {
  const script = `new Promise((resolve) => {
    const frames = [];
    const rows = () => [...document.querySelectorAll("[data-row]")].map(({ dataset }) => Number(dataset.row));
    let row = -1;
    let before;
    let since = performance.now();
    const step = (now) => {
      if (before !== undefined) frames.push(now - before);
      before = now;
      const reached = Math.max(...rows());
      if (reached > row) since = now;
      row = reached;
      if (row >= ${target} || now - since > ${maxWaitMilliseconds}) return resolve({ row, frames });
      scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`;
  return (await page.evaluate(script)) as { row: number; frames: number[] }; // as the script answers
}
