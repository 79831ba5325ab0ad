import type { Bench, Case } from '../bench.ts';
import type { Fleet } from '../load/load.ts';
import type { ReconnectingFigures, ReconnectingLoad } from '../load/reconnecting-client.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { heapBytes } from '../processes/heap-usage.ts';
import { startWorkerProcess, type WorkerProcess } from '../processes/worker-process.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { startBare } from '../servers/bare.ts';
import { registerFleet, reportOnce } from '../servers/fleet.ts';
import { type Product, startProduct } from '../servers/product.ts';

const text = 'a text that stands';
const steps = 5;
const limitMilliseconds = 1_800_000;
const mebibyte = 2 ** 20;
/** Allowance for caches that fill up, and for code that V8 compiles. */
const maxGrowthMegabytes = 5;

export const connections: Case = {
  name: 'connections',
  title: 'a connection for each report: rate against bare, and growth of memory after many of them (sqlite)',
  async run(bench) {
    const product = await startProduct(bench, { tellsHeap: true });
    const fleet = await registerFleet(product.api, 1);
    await reportOnce(product.api, fleet, [text]);
    const client = startWorkerProcess(
      bench.closing,
      new URL('../load/reconnecting-process.ts', import.meta.url),
    );
    const rates = await compareWithBare(bench, client, product, fleet);
    return [...rates, await soak(bench, client, product, fleet)];
  },
};

async function compareWithBare(
  bench: Bench,
  client: WorkerProcess,
  product: Product,
  fleet: Fleet,
): Promise<Row[]> {
  const bare = await startBare(bench, product, fleet, text);
  const contender = (name: string, url: string): Contender<ReconnectingFigures> => ({
    name,
    measure: (seconds) => run(bench, client, url, fleet, { seconds }),
  });
  const [ofProduct = [], ofBare = []] = await alternate(
    [contender('muster', product.url), contender('bare', bare.url)],
    { ...bench.options, say: bench.say },
  );
  const p99 = (samples: readonly ReconnectingFigures[]) =>
    percentile(
      samples.map(({ p99Milliseconds }) => p99Milliseconds),
      0.5,
    );
  return [
    compareRates(
      {
        case: connections.name,
        what: 'report an ignored error, each on its own connection, against bare',
      },
      comparedOf('muster', ofProduct),
      comparedOf('bare', ofBare),
    ),
    {
      case: connections.name,
      what: 'p99 of such a report, from the beginning of its connection',
      figure: spreadOf(ofProduct.map(({ p99Milliseconds }) => p99Milliseconds)),
      unit: 'ms',
      measured: `bare ${formatNumber(p99(ofBare))} ms`,
    },
  ];
}

/** Measured after a first step, which fills the caches. */
async function soak(bench: Bench, client: WorkerProcess, product: Product, fleet: Fleet): Promise<Row> {
  const reports = bench.options.soakedConnections / steps;
  const megabytes = async () => (await heapBytes(product)) / mebibyte;
  const seen = [await megabytes()];
  for (let step = 1; step <= steps; step += 1) {
    await run(bench, client, product.url, fleet, { reports });
    seen.push(await megabytes());
    bench.say(
      `${(reports * step).toLocaleString('en-US')} connections: ${formatNumber(seen.at(-1) ?? 0)} MB`,
    );
  }
  const [first = 0] = seen;
  return {
    case: connections.name,
    what: `growth of the heap, collected, over ${bench.options.soakedConnections.toLocaleString('en-US')} connections`,
    figure: spreadOf([Math.max(...seen) - first]),
    unit: 'MB',
    measured: `${seen.map(formatNumber).join(', ')} MB, at the start and after each ${reports.toLocaleString('en-US')}`,
    bar: { atMost: maxGrowthMegabytes },
  };
}

function run(
  bench: Bench,
  client: WorkerProcess,
  url: string,
  { credential, agents }: Fleet,
  until: ReconnectingLoad['until'],
): Promise<ReconnectingFigures> {
  const body = JSON.stringify({ error: text });
  const request = [
    `POST /v1/agents/${agents[0]?.id}/errors HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `${credential.name}: ${credential.value}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
  const load: ReconnectingLoad = { url, request, connections: bench.options.connections, until };
  return client.ask('reconnect', load, limitMilliseconds);
}
