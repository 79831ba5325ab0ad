import type { Case } from '../bench.ts';
import { noisyAgentIDs, projectID } from '../data/data-set.ts';
import { fleetOfDataSet } from '../data/data-set-fleet.ts';
import { type DataSetEngine, openCopiedProduct } from '../data/open-data-set.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { TimedClient } from '../load/timed-client.ts';
import { underLoad } from '../measure/measure-load.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { reportOnce } from '../servers/fleet.ts';

/** How long each request of a kind took, in milliseconds. */
type Times = Map<string, number[]>;

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
      const work = createOperatorWork(client, noisyAgentIDs(shape)[0] ?? '');
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

/** The operator's loop: list and dismiss. */
function createOperatorWork(client: TimedClient, agentID: string) {
  const project = `/v1/projects/${projectID}`;
  const open: string[] = [];
  const inbox = async () => {
    const { milliseconds, body } = await client.send<{ id: string }[]>(
      'GET',
      `${project}/agent_errors?dismissed=false`,
    );
    // The oldest of the page, because in a storm the newest changes each time.
    open.splice(0, open.length, ...body.map(({ id }) => id));
    return milliseconds;
  };
  const get = (path: string) => async () => (await client.send('GET', path)).milliseconds;
  const post = (path: () => string, body: unknown) => async () =>
    (await client.send('POST', path(), { body })).milliseconds;
  const requests = new Map([
    ['list the inbox', inbox],
    ['dismiss an error', post(() => `/v1/agent_errors/${open.pop()}/dismiss`, { reason: 'seen' })],
    ['list agents', get(`${project}/agents`)],
    ['list errors of an agent', get(`/v1/agents/${agentID}/errors`)],
    ['list tokens', get(`${project}/tokens`)],
    ['create a token', post(() => `${project}/tokens`, { name: 'bench' })],
  ]);
  return {
    kinds: [...requests.keys()],
    async untilSettled(storm: Promise<unknown>): Promise<Times> {
      const times: Times = new Map([...requests.keys()].map((kind) => [kind, []]));
      let isBlowing = true;
      const settled = storm.finally(() => {
        isBlowing = false;
      });
      settled.catch(() => undefined);
      do {
        for (const [kind, send] of requests) times.get(kind)?.push(await send());
      } while (isBlowing);
      await settled;
      return times;
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
