import { setTimeout as pause } from 'node:timers/promises';
import type { Case } from '../../bench.ts';
import { projectID } from '../../data/data-set.ts';
import { fleetOfDataSet } from '../../data/data-set-fleet.ts';
import { openCopiedProduct } from '../../data/open-data-set.ts';
import { openEvents } from '../../load/event-client.ts';
import { repeatedTexts } from '../../load/new-texts.ts';
import { alternate, type Contender } from '../../measure/alternate.ts';
import { type LoadSample, underLoad } from '../../measure/measure-load.ts';
import { pairwise, ratio, spreadOf } from '../../measure/statistics.ts';
import { Closing } from '../../processes/closing.ts';
import { formatNumber } from '../../report/row.ts';
import type { Api } from '../../servers/api.ts';
import { reportOnce } from '../../servers/fleet.ts';

const tabs = 20;
const textsPerAgent = 4;
/** So that there is news for the tabs. */
const newEvery = 10;
/** Events make a tab read again this often while changes go on (`ChangeCollector`). */
const gapMilliseconds = 8_000;
/** What counts all errors of its time is read on a clock of its own (`historyQuery`, `changesQuery`). */
const historyMilliseconds = 30_000;

interface Screen {
  readonly afterEvents: readonly string[];
  readonly byClock?: readonly string[];
}

/** What the screens read again, one tab after the other. */
const screens: readonly Screen[] = [
  {
    afterEvents: ['summary', 'agent_error_groups?sort=agents&last=6'],
    byClock: ['history?bucket=hour', 'history?bucket=hour'],
  },
  { afterEvents: ['agent_error_groups?last=100'] },
  { afterEvents: ['agents?last=100'] },
  { afterEvents: ['agents?last=100&status=unhealthy'] },
];

export const dashboardStorm: Case = {
  name: 'dashboard-storm',
  title: `reports while ${tabs} tabs of the dashboard are open, against none (sqlite)`,
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const fleet = await fleetOfDataSet(product.api, shape, options.loadAgents);
    const texts = repeatedTexts(textsPerAgent);
    await reportOnce(product.api, fleet, texts);
    const load = { fleet, repeatedTexts: texts, newEvery, connections: options.connections };
    const alone = underLoad('alone', bench.load, [product], load);
    let requests = 0;
    const watched: Contender<LoadSample> = {
      name: 'watched',
      async measure(seconds) {
        const closing = new Closing();
        try {
          for (let tab = 0; tab < tabs; tab += 1)
            await openTab(closing, product.api, tab, () => {
              requests += 1;
            });
          return await alone.measure(seconds);
        } finally {
          await closing.close();
        }
      },
    };
    const [ofAlone = [], ofWatched = []] = await alternate([alone, watched], { ...options, say: bench.say });
    const rates = (samples: readonly LoadSample[]) => samples.map(({ perSecond }) => perSecond);
    return [
      {
        case: this.name,
        what: `reports while ${tabs} tabs are open, against none`,
        figure: spreadOf(pairwise(rates(ofWatched), rates(ofAlone), ratio)),
        unit: '×',
        measured: `${formatNumber(spreadOf(rates(ofWatched)).median)}/s with tabs, ${formatNumber(spreadOf(rates(ofAlone)).median)}/s without; ${tabs} streams and ${requests} requests of tabs, one report in ${newEvery} new`,
        bar: { atLeast: 0.95 },
      },
    ];
  },
};

/** A stream of events, and the requests of a screen, at moments of its own. */
async function openTab(closing: Closing, api: Api, tab: number, onRequest: () => void): Promise<void> {
  await openEvents(closing, api, projectID, () => undefined);
  const { afterEvents = [], byClock = [] } = screens[tab % screens.length] ?? {};
  const read = async (path: string) => {
    onRequest();
    await api.get(`/v1/projects/${projectID}/${path}`);
  };
  const share = tab / tabs;
  readEvery(closing, gapMilliseconds, share, () => inOrder(afterEvents, read));
  readEvery(closing, historyMilliseconds, share, () => inOrder(byClock, read));
}

async function inOrder(paths: readonly string[], read: (path: string) => Promise<void>): Promise<void> {
  for (const path of paths) await read(path);
}

/** @param share of the period, after which it begins */
function readEvery(closing: Closing, milliseconds: number, share: number, read: () => Promise<void>): void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reading = (async () => {
    await pause(milliseconds * share, undefined, { signal });
    for (;;) {
      await read();
      await pause(milliseconds, undefined, { signal });
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  closing.add(async () => {
    stopping.abort();
    await reading;
  });
}
