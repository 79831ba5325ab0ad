import type { Case } from '../bench.ts';
import { noisyAgentIDs, projectID } from '../data/data-set.ts';
import { fleetOfDataSet } from '../data/data-set-fleet.ts';
import { type DataSetEngine, openCopiedProduct } from '../data/open-data-set.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { createOperatorWork, type Times } from '../load/operator-work.ts';
import { TimedClient } from '../load/timed-client.ts';
import { underLoad } from '../measure/measure-load.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { reportOnce } from '../servers/fleet.ts';

const textsPerAgent = 4;
/** Half of the reports are ignored, half are stored. */
const newEvery = 2;

export function operatorCase(engine: DataSetEngine): Case {
  return {
    name: `operator-${engine}`,
    title: `an operator's requests while a storm runs at full load (${engine})`,
    async run(bench) {
      const { options } = bench;
      const shape = { agents: options.agents, errors: options.memoryErrors };
      const product = await openCopiedProduct(bench, engine, shape);
      const fleet = await fleetOfDataSet(product.api, shape, options.loadAgents);
      const texts = repeatedTexts(textsPerAgent);
      await reportOnce(product.api, fleet, texts);
      const storm = underLoad('the storm', bench.load, [product], {
        fleet,
        repeatedTexts: texts,
        newEvery,
        connections: options.connections,
      });
      const client = new TimedClient(bench.closing, product.api);
      const work = createOperatorWork(client, projectID, noisyAgentIDs(shape)[0] ?? '');
      await work.untilSettled(Promise.resolve());

      const before = await product.countReports();
      const rounds: Times[] = [];
      const rates: number[] = [];
      for (let round = 1; round <= options.rounds; round += 1) {
        bench.say(`round ${round} of ${options.rounds}`);
        const blowing = storm.measure(options.seconds);
        rounds.push(await work.untilSettled(blowing));
        rates.push((await blowing).perSecond);
      }
      const after = await product.countReports();
      const [created, ignored] = [after.created - before.created, after.ignored - before.ignored];
      const share = Math.round((100 * created) / (created + ignored));
      const stormText = `${formatNumber(spreadOf(rates).median)} reports/s meanwhile, ${share} % of them new`;
      return work.kinds.map((kind) => toRow(this.name, kind, rounds, stormText));
    },
  };
}

function toRow(name: string, kind: string, rounds: readonly Times[], stormText: string): Row {
  const timesByRound = rounds.map((times) => times.get(kind) ?? []);
  const all = timesByRound.flat();
  const worst = timesByRound.map((times) => percentile(times, 0.99));
  return {
    case: name,
    what: `${kind}, p99 in a storm`,
    figure: { median: percentile(all, 0.99), least: Math.min(...worst), most: Math.max(...worst) },
    unit: 'ms',
    measured: `p50 ${formatNumber(percentile(all, 0.5))} ms of ${all.length} requests, ${stormText}`,
    bar: { atMost: 300 },
    goal: '50 ms',
  };
}
