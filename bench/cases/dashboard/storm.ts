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
/** A tab reads its screen again this often while changes go on. */
const gapMilliseconds = 8_000;

/** What the screens read again, one tab after the other. */
const screens: readonly (readonly string[])[] = [
  ['summary', 'history', 'agent_error_groups?last=100'],
  ['agent_error_groups?last=100'],
  ['agents?last=100'],
  ['agents?last=100&status=unhealthy'],
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

/** A stream of events, and the requests of a screen, at a moment of its own. */
async function openTab(closing: Closing, api: Api, tab: number, onRequest: () => void): Promise<void> {
  const stopping = new AbortController();
  await openEvents(closing, api, projectID, () => undefined);
  const reading = (async () => {
    await pause((gapMilliseconds * tab) / tabs, undefined, { signal: stopping.signal });
    for (;;) {
      for (const path of screens[tab % screens.length] ?? []) {
        onRequest();
        await api.get(`/v1/projects/${projectID}/${path}`);
      }
      await pause(gapMilliseconds, undefined, { signal: stopping.signal });
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  closing.add(async () => {
    stopping.abort();
    await reading;
  });
}
