import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Case } from '../bench.ts';
import { openEvents } from '../load/event-client.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { underLoad } from '../measure/measure-load.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { heapBytes } from '../processes/heap-usage.ts';
import { residentMegabytes } from '../processes/process-usage.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { type Api, forEachAtOnce } from '../servers/api.ts';
import { registerFleet, reportOnce } from '../servers/fleet.ts';
import { startProduct } from '../servers/product.ts';

const textsPerAgent = 4;
/** Half of the reports are ignored, half are stored. */
const newEvery = 2;
const pauseMilliseconds = 50;
/** So that a round has enough events for a 99th percentile. */
const concurrentRequests = 8;
const limitMilliseconds = 10_000;
const listeners = 1_000;
const eventsEach = 20;
const mebibyte = 2 ** 20;

export const eventsInStorm: Case = {
  name: 'events-postgres',
  title: 'from a request to the listener of another replica, while a storm runs at full load (postgres)',
  async run(bench) {
    const { options } = bench;
    const postgres = await bench.postgres();
    const databaseUrl = await postgres.createScratchDatabase(bench.closing);
    const first = await startProduct(bench, { databaseUrl });
    const second = await startProduct(bench, { databaseUrl });
    const fleet = await registerFleet(first.api, options.loadAgents);
    const texts = repeatedTexts(textsPerAgent);
    await reportOnce(first.api, fleet, texts);
    const storm = underLoad('the storm', bench.load, [first], {
      fleet,
      repeatedTexts: texts,
      newEvery,
      connections: options.connections,
    });
    const arrivals = new Arrivals();
    await openEvents(bench.closing, second.api, fleet.projectID, (text) => arrivals.note(text));
    const rounds: number[][] = [];
    const rates: number[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      bench.say(`round ${round} of ${options.rounds}`);
      const blowing = storm.measure(options.seconds);
      rounds.push(await measureUntil(blowing, first.api, fleet.projectID, arrivals));
      rates.push((await blowing).perSecond);
    }
    const all = rounds.flat();
    const worst = rounds.map((times) => percentile(times, 0.99));
    return [
      {
        case: this.name,
        what: 'from a request that creates a token to its event on another replica, p99',
        figure: { median: percentile(all, 0.99), least: Math.min(...worst), most: Math.max(...worst) },
        unit: 'ms',
        measured: `p50 ${formatNumber(percentile(all, 0.5))} ms of ${all.length} events, ${formatNumber(spreadOf(rates).median)} reports/s meanwhile`,
        bar: { atMost: 1_000 },
      },
    ];
  },
};

/** Creates tokens, and measures how long after the begin of each request its event arrives. */
async function measureUntil(
  end: Promise<unknown>,
  api: Api,
  projectID: string,
  arrivals: Arrivals,
): Promise<number[]> {
  const times: number[] = [];
  let hasEnded = false;
  const ended = end.finally(() => {
    hasEnded = true;
  });
  ended.catch(() => undefined);
  const createTokens = async (): Promise<void> => {
    while (!hasEnded) {
      const begin = performance.now();
      const { id } = await api.post<{ id: string }>(`/v1/projects/${projectID}/tokens`, { name: 'bench' });
      times.push((await arrivals.of(id)) - begin);
      await pause(pauseMilliseconds);
    }
  };
  await Promise.all(Array.from({ length: concurrentRequests }, createTokens));
  await ended;
  return times;
}

/** When the events of tokens arrived. */
class Arrivals {
  readonly #times = new Map<string, number>();
  #rest = '';

  note(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /"tokenID":"([^"]+)"/.exec(block)?.[1];
      if (id !== undefined) this.#times.set(id, performance.now());
    }
  }

  async of(id: string): Promise<number> {
    const end = performance.now() + limitMilliseconds;
    for (;;) {
      const time = this.#times.get(id);
      if (time !== undefined) return time;
      if (performance.now() > end) throw new Error(`the event of token ${id} has not arrived`);
      await pause(1);
    }
  }
}

export const eventListeners: Case = {
  name: 'events-listeners',
  title: `memory of ${listeners.toLocaleString('en-US')} listeners, each of which got ${eventsEach} events (sqlite)`,
  async run(bench) {
    const product = await startProduct(bench, {
      tellsHeap: true,
      settings: {
        MUSTER_MAX_EVENT_LISTENERS_PER_PROJECT: '0',
        MUSTER_MAX_EVENT_LISTENERS_PER_CREDENTIAL: '0',
      },
    });
    const { projectID } = await registerFleet(product.api, 1);
    let received = 0;
    const open = (count: number) =>
      openMany(bench, product.api, projectID, count, (events) => (received += events));
    const createTokens = async (count: number) => {
      for (let token = 0; token < count; token += 1) {
        await product.api.post(`/v1/projects/${projectID}/tokens`, { name: 'bench' });
      }
    };
    // What is needed for the first listeners alone, such as compiled code.
    await open(20);
    await createTokens(eventsEach);
    await pause(1_000);
    const megabytes = async () => {
      const heap = (await heapBytes(product)) / mebibyte;
      return { heap, resident: residentMegabytes(product.pid)?.now ?? Number.NaN };
    };
    const before = await megabytes();
    received = 0;
    await open(listeners);
    await createTokens(eventsEach);
    const end = performance.now() + limitMilliseconds;
    while (received < listeners * eventsEach && performance.now() < end) await pause(50);
    const after = await megabytes();
    if (received < listeners * eventsEach) throw new Error(`only ${received} events have arrived`);
    return [
      {
        case: this.name,
        what: `memory of ${listeners.toLocaleString('en-US')} listeners`,
        figure: spreadOf([after.resident - before.resident]),
        unit: 'MB',
        measured: `resident memory ${formatNumber(before.resident)} MB before, ${formatNumber(after.resident)} MB after; ${formatNumber(after.heap - before.heap)} MB of it in the heap, collected`,
        bar: { atMost: 30 },
      } satisfies Row,
    ];
  },
};

async function openMany(
  bench: Bench,
  api: Api,
  projectID: string,
  count: number,
  onEvents: (events: number) => void,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  await forEachAtOnce(numbers, () =>
    openEvents(bench.closing, api, projectID, (text) => onEvents(text.match(/^event: /gm)?.length ?? 0)),
  );
}
