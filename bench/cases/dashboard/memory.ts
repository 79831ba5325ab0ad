import type { CDPSession } from 'playwright-core';
import type { Case } from '../../bench.ts';
import { openBrowser } from '../../browser/open-browser.ts';
import { fleetOfDataSet } from '../../data/data-set-fleet.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { repeatedTexts } from '../../load/new-texts.ts';
import { underLoad } from '../../measure/measure-load.ts';
import { spreadOf } from '../../measure/statistics.ts';
import { formatNumber } from '../../report/row.ts';
import { reportOnce } from '../../servers/fleet.ts';

const textsPerAgent = 4;
/** Half of the reports are ignored, half are stored. */
const newEvery = 2;
const mebibyte = 2 ** 20;
/** The storm of a tab is this many times as long as what else is measured: two minutes by default, ten with `--seconds 20`. */
const longer = 6;

export const dashboardMemory: Case = {
  name: 'dashboard-memory',
  title:
    'memory that tabs of the dashboard take more after a storm, and how soon one answers in it (sqlite, Chromium)',
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const fleet = await fleetOfDataSet(product.api, shape, options.loadAgents);
    const texts = repeatedTexts(textsPerAgent);
    await reportOnce(product.api, fleet, texts);
    const storm = underLoad('the storm', bench.load, [product], {
      fleet,
      repeatedTexts: texts,
      newEvery,
      connections: options.connections,
    });
    const browser = await openBrowser(bench.closing, product.api, bench.adminToken);
    const page = await browser.open('/agents');
    await page.locator('[role="row"][data-row="0"]').waitFor();
    const session = await browser.context.newCDPSession(page);
    // What is loaded with the first events is there from then on.
    await storm.measure(options.seconds);
    const before = await heapMegabytes(session);
    const seconds = options.seconds * options.rounds * longer;
    await page.evaluate(watchFrames);
    const { requests } = await storm.measure(seconds);
    const longest = (await page.evaluate('window.longestTask')) as number; // as the script counts
    const after = await heapMegabytes(session);
    return [
      {
        case: this.name,
        what: `growth of a tab after a storm of ${seconds} s`,
        figure: spreadOf([after - before]),
        unit: 'MB',
        measured: `heap ${formatNumber(before)} MB before, ${formatNumber(after)} MB after, collected; longest task ${formatNumber(longest)} ms; ${requests.toLocaleString('en-US')} reports`,
        bar: { atMost: 30 },
      },
    ];
  },
};

const watchFrames = `{
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: 'longtask' });
}`;

/** What is left after a collection of garbage. */
async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / mebibyte;
}
