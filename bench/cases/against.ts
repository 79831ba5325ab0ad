import { join } from 'node:path';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { TimedClient } from '../load/timed-client.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { pairwise, percentile, ratio, spreadOf } from '../measure/statistics.ts';
import { builtCommand } from '../options.ts';
import { comparedOf, compareProcessor, compareRates } from '../report/compare.ts';
import { formatSpread, type Row } from '../report/row.ts';
import { type ProjectFleet, registerFleet, reportOnce } from '../servers/fleet.ts';
import { type Product, startProductOn } from '../servers/product.ts';

const texts = repeatedTexts(4);
const arrayLength = 100;
const arrayConnections = 8;

/** This checkout and another one do the same work in turns of a round, so that whatever else the machine does touches both. */
export function againstCase(engine: DataSetEngine): Case {
  return {
    name: `against-${engine}`,
    title: `reports and a list, this checkout against that of --against (${engine})`,
    async run(bench) {
      const { against: checkout = '.' } = bench.options;
      const now = await startServed(bench, engine);
      const before = await startServed(bench, engine, [join(checkout, builtCommand)]);
      const rows: Row[] = [];
      for (const [what, load] of reportsOf(bench)) {
        const [ofNow, ofBefore] = await inTurns<LoadSample>(bench, [now, before], (name, one) =>
          underLoad(name, bench.load, [one.product], { fleet: one.fleet, repeatedTexts: texts, ...load }),
        );
        const [compared, comparedBefore] = [comparedOf('now', ofNow), comparedOf('before', ofBefore)];
        const row = { case: this.name, what };
        rows.push(compareRates(row, compared, comparedBefore));
        rows.push(compareProcessor({ ...row, what: `${what}: processor time` }, compared, comparedBefore));
      }
      const [pages, pagesBefore] = await inTurns<number>(bench, [now, before], (name, one) =>
        readsInbox(bench, name, one),
      );
      rows.push({
        case: this.name,
        what: 'a page of open errors: p50',
        figure: spreadOf(pairwise(pages, pagesBefore, ratio)),
        unit: '×',
        measured: `now ${formatSpread(spreadOf(pages), 'ms')}, before ${formatSpread(spreadOf(pagesBefore), 'ms')}`,
      });
      return rows;
    },
  };
}

interface Served {
  readonly product: Product;
  readonly fleet: ProjectFleet;
}

/** @param program undefined: that of this checkout. */
async function startServed(
  bench: Bench,
  engine: DataSetEngine,
  program?: readonly string[],
): Promise<Served> {
  const product = await startProductOn(bench, engine, program === undefined ? {} : { program });
  const fleet = await registerFleet(product.api, bench.options.loadAgents);
  await reportOnce(product.api, fleet, texts);
  return { product, fleet };
}

function reportsOf({ options: { connections } }: Bench) {
  return [
    ['ignored errors', { newEvery: 0, connections }],
    ['new errors', { newEvery: 1, connections }],
    [
      `new errors in arrays of ${arrayLength}`,
      { newEvery: 1, connections: arrayConnections, reportsPerRequest: arrayLength },
    ],
  ] as const;
}

async function inTurns<Sample>(
  { options, say }: Bench,
  [now, before]: readonly [Served, Served],
  contenderOf: (name: string, served: Served) => Contender<Sample>,
): Promise<[Sample[], Sample[]]> {
  const contenders = [contenderOf('now', now), contenderOf('before', before)];
  const [ofNow = [], ofBefore = []] = await alternate(contenders, { ...options, say });
  return [ofNow, ofBefore];
}

/** The median of a round, in milliseconds. */
function readsInbox(bench: Bench, name: string, { product, fleet }: Served): Contender<number> {
  const client = new TimedClient(bench.closing, product.api);
  const path = `/v1/projects/${fleet.projectID}/agent_errors?dismissed=false`;
  return {
    name,
    async measure(seconds) {
      const times: number[] = [];
      const end = performance.now() + seconds * 1_000;
      do times.push((await client.send('GET', path)).milliseconds);
      while (performance.now() < end);
      return percentile(times, 0.5);
    },
  };
}
