import type { Case } from '../../bench.ts';
import { openBrowser } from '../../browser/open-browser.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { percentile, spreadOf } from '../../measure/statistics.ts';
import { formatNumber } from '../../report/row.ts';

/** As fast as somebody turns a wheel without a stop; a page of the keyboard has 800. */
const pixelsPerFrame = 1_500;

export const dashboardScrolling: Case = {
  name: 'dashboard-scrolling',
  title: 'the longest frame while somebody scrolls through the list of agents (sqlite, Chromium)',
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const browser = await openBrowser(bench.closing, product.api, bench.adminToken);
    const page = await browser.open('/agents');
    await page.locator('[role="row"][data-row="0"]').waitFor();
    const scroll = async (seconds: number) => (await page.evaluate(scrollScript(seconds))) as number[]; // as the script answers
    await scroll(1);
    const lastRow = async () =>
      (await page.evaluate(
        'Math.max(...[...document.querySelectorAll("[data-row]")].map((row) => Number(row.dataset.row)))',
      )) as number; // as the script answers
    const longest: number[] = [];
    const all: number[] = [];
    let row = 0;
    // To the last row, however many rounds it takes.
    while (row < shape.agents - 1) {
      const frames = await scroll(options.seconds);
      const reached = await lastRow();
      if (reached === row) throw new Error(`The list does not go on after row ${row}.`);
      row = reached;
      bench.say(`row ${row.toLocaleString('en-US')}`);
      longest.push(Math.max(...frames));
      all.push(...frames);
    }
    return [
      {
        case: this.name,
        what: `longest frame while scrolling through ${shape.agents.toLocaleString('en-US')} agents`,
        figure: spreadOf(longest),
        unit: 'ms',
        measured: `p50 ${formatNumber(percentile(all, 0.5))} ms, p99 ${formatNumber(percentile(all, 0.99))} ms, ${all.filter((frame) => frame > 50).length} of ${all.length} frames above 50 ms; ${pixelsPerFrame} px a frame, ${longest.length} rounds of ${options.seconds} s, to row ${(row + 1).toLocaleString('en-US')}`,
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
