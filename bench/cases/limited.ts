import type { Bench, Case } from '../bench.ts';
import type { Fleet, LoadGenerator } from '../load/load.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { processorMicroseconds } from '../processes/process-usage.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { formatNumber, formatSpread, type Row } from '../report/row.ts';
import { registerFleet, reportOnce } from '../servers/fleet.ts';
import { type Product, startProduct } from '../servers/product.ts';
import { requireNoneIgnored } from './require-counts.ts';

/** The default limit, for this agent only; the others are not limited. */
const maxOpenErrors = 1_000;
/** The errors are of as many causes, because one may take only half of the room. */
const outputs = ['es', 'http', 'kafka', 'loki'];
/** Maximum number of reports in one body. */
const textsInBody = 250;
/** Connections of the other agents, which wait for their commits. */
const otherConnections = 8;

interface StormSample {
  readonly perSecond: number;
  readonly medianMilliseconds: number;
  readonly microsecondsPerRequest: number | undefined;
}

export function limitedCase(engine: 'sqlite' | 'postgres'): Case {
  return {
    name: `limited-${engine}`,
    title: `one agent far above its limit, and the new errors of others meanwhile (${engine})`,
    async run(bench) {
      const { options } = bench;
      const product = await startLimitedProduct(bench, engine);
      const limited = await registerFleet(product.api, 1);
      const open = repeatedTexts(maxOpenErrors).map((text, index) =>
        text.replace('es:es', `${outputs[index % outputs.length]}:${outputs[index % outputs.length]}`),
      );
      for (let from = 0; from < maxOpenErrors; from += textsInBody)
        await reportOnce(product.api, limited, open.slice(from, from + textsInBody));
      const fleet = await registerFleet(product.api, options.loadAgents);

      const load = { repeatedTexts: repeatedTexts(1), newEvery: 1 };
      const others = underLoad('the others alone', bench.load, [product], {
        ...load,
        fleet,
        connections: otherConnections,
      });
      const storm = refusedStorm(bench.load, product, limited, options.connections);
      const beside = besideStorm(others, storm);
      const [ofStorm = [], ofOthers = [], ofBeside = []] = await alternate<StormSample | LoadSample>(
        [storm, others, beside],
        { ...options, say: bench.say },
      );
      await requireNoneIgnored([product]);
      return [
        describeStorm(this.name, ofStorm, options.connections),
        compareRates(
          { case: this.name, what: 'new errors of other agents beside it, against alone' },
          withoutProcessor('beside', ofBeside),
          withoutProcessor('alone', ofOthers),
        ),
      ];
    },
  };
}

async function startLimitedProduct(bench: Bench, engine: 'sqlite' | 'postgres'): Promise<Product> {
  const settings = { MUSTER_MAX_OPEN_ERRORS_PER_AGENT: String(maxOpenErrors) };
  if (engine === 'sqlite') return startProduct(bench, { settings });
  const postgres = await bench.postgres();
  return startProduct(bench, { settings, databaseUrl: await postgres.createScratchDatabase(bench.closing) });
}

/** One agent whose reports are all distinct, and which retries as soon as it is refused. */
function refusedStorm(
  generator: LoadGenerator,
  { url, pid }: Product,
  fleet: Fleet,
  connections: number,
): Contender<StormSample> {
  let alreadySent = 0;
  return {
    name: 'the storm',
    async measure(seconds) {
      const before = processorMicroseconds(pid);
      const load = { url, fleet, repeatedTexts: repeatedTexts(1), newEvery: 1, connections, alreadySent };
      const figures = await generator.run({ ...load, seconds });
      const after = processorMicroseconds(pid);
      alreadySent += figures.requests;
      if (figures.refused === 0 || figures.refused < figures.requests || figures.broken > 0) {
        throw new Error(
          `of ${figures.requests} reports above the limit ${figures.refused} were refused and ${figures.broken} broke`,
        );
      }
      return {
        perSecond: figures.requests / figures.seconds,
        medianMilliseconds: figures.medianMilliseconds,
        microsecondsPerRequest:
          before === undefined || after === undefined ? undefined : (after - before) / figures.requests,
      };
    },
  };
}

function besideStorm(others: Contender<LoadSample>, storm: Contender<StormSample>): Contender<LoadSample> {
  return {
    name: 'the others beside the storm',
    async measure(seconds) {
      const [sample] = await Promise.all([others.measure(seconds), storm.measure(seconds)]);
      return sample;
    },
  };
}

function describeStorm(
  name: string,
  samples: readonly (StormSample | LoadSample)[],
  connections: number,
): Row {
  const known = samples.flatMap(({ microsecondsPerRequest }) => microsecondsPerRequest ?? []);
  const rate = formatSpread(spreadOf(samples.map(({ perSecond }) => perSecond)), '/s');
  const waited = percentile(
    samples.map(({ medianMilliseconds }) => medianMilliseconds),
    0.5,
  );
  return {
    case: name,
    what: 'processor time of a report that a limit refuses',
    figure: known.length === 0 ? undefined : spreadOf(known),
    unit: 'µs',
    measured: `${rate} over ${connections} connections, each of which waits for its answer: ${formatNumber(waited)} ms on purpose`,
  };
}

/** Includes the cost of the storm in the same process. */
function withoutProcessor(name: string, samples: readonly { readonly perSecond: number }[]) {
  return comparedOf(
    name,
    samples.map(({ perSecond }) => ({ perSecond })),
  );
}
