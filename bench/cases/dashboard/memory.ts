import { setTimeout as pause } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import type { Case } from '../../bench.ts';
import { type OpenBrowser, openBrowser, overviewFigure } from '../../browser/open-browser.ts';
import { fleetOfDataSet } from '../../data/data-set-fleet.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { repeatedTexts } from '../../load/new-texts.ts';
import { underLoad } from '../../measure/measure-load.ts';
import { spreadOf } from '../../measure/statistics.ts';
import { formatNumber, type Row } from '../../report/row.ts';
import { reportOnce } from '../../servers/fleet.ts';

const textsPerAgent = 4;
/** Half of the reports are ignored, half are stored. */
const newEvery = 2;
const mebibyte = 2 ** 20;
/** The storm of a tab is this many times as long as what else is measured: two minutes by default, ten with `--seconds 20`. */
const longer = 6;

/** A storm that a fleet can keep up for long: reports come for a part of each period, as agents that send what they have collected. */
const periodSeconds = 2;
const burstSeconds = 0.5;

const screens = [
  { name: 'causes', path: '/causes', data: '[aria-label="Causes"] [data-row="0"]' },
  { name: 'the overview', path: '', data: overviewFigure },
  { name: 'agents', path: '/agents?group=none', data: '[aria-label="Agents"] [data-row="0"]' },
] as const;

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
    const reports = underLoad('the storm', bench.load, [product], {
      fleet,
      repeatedTexts: texts,
      newEvery,
      connections: options.connections,
    });
    const storm = async (seconds: number) => {
      let sent = 0;
      for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
        sent += (await reports.measure(burstSeconds)).requests;
        await pause((periodSeconds - burstSeconds) * 1_000);
      }
      return sent;
    };
    const browser = await openBrowser(bench.closing, product.api, bench.adminToken);
    const tabs = await Promise.all(screens.map((screen) => openTab(browser, screen)));
    // What is loaded with the first events is there from then on.
    await storm(options.seconds);
    for (const { page } of tabs) await page.evaluate(watchTasks);
    const before = await Promise.all(tabs.map(({ session }) => heapMegabytes(session)));
    const seconds = options.seconds * options.rounds * longer;
    const sent = await storm(seconds);
    const rows: Row[] = [];
    for (const [place, { name, page, session }] of tabs.entries()) {
      const longest = (await page.evaluate('window.longestTask')) as number; // as the script counts
      const [first = 0, last] = [before[place], await heapMegabytes(session)];
      rows.push({
        case: this.name,
        what: `growth of a tab with ${name} after a storm of ${seconds} s`,
        figure: spreadOf([last - first]),
        unit: 'MB',
        measured: `heap ${formatNumber(first)} MB before, ${formatNumber(last)} MB after, collected; longest task ${formatNumber(longest)} ms; ${sent.toLocaleString('en-US')} reports`,
        bar: { atMost: 30 },
      });
    }
    return rows;
  },
};

async function openTab(browser: OpenBrowser, { name, path, data }: (typeof screens)[number]) {
  const page = await browser.open(path);
  await page.locator(data).first().waitFor();
  return { name, page, session: await browser.context.newCDPSession(page) };
}

const watchTasks = `{
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
