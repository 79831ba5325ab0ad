import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { createNewTextPrefix, repeatedTexts } from '../load/new-texts.ts';
import { createOperatorWork, type Times } from '../load/operator-work.ts';
import { Site } from '../load/site.ts';
import { TimedClient } from '../load/timed-client.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { percentile } from '../measure/statistics.ts';
import { processorMicroseconds } from '../processes/process-usage.ts';
import { comparedOf, compareProcessor } from '../report/compare.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { forEachAtOnce } from '../servers/api.ts';
import { type ProjectFleet, registerFleet, reportOnce } from '../servers/fleet.ts';
import { type Product, startProduct } from '../servers/product.ts';

const fullFleet = 5_000;
const quickFleet = 200;
/** One agent of so many has a new error in a minute. */
const newEvery = 10;
/** A core instance with 5,000 agents sends once a second. */
const agentsPerBatch = 84;
/** What is written later belongs to the minute too. */
const settlingMilliseconds = 6_000;
/** As a core instance drains its spool. */
const drain = { itemsPerBatch: 500, perSecond: 2_000 };

const [repeated = ''] = repeatedTexts(1);

interface Started {
  readonly product: Product;
  readonly fleet: ProjectFleet;
}

export function sitesCase(engine: DataSetEngine): Case {
  return {
    name: `sites-${engine}`,
    title: `a minute of 5,000 agents through a core instance, against the same directly; a spool is drained (${engine})`,
    async run(bench) {
      const behind = await start(bench, engine);
      const direct = await start(bench, engine);
      const site = await Site.join(behind.product.api, behind.fleet);
      const [ofSite = [], ofAgents = []] = await alternate([throughSite(behind, site), directly(direct)], {
        ...bench.options,
        say: bench.say,
      });
      const bar = { atMost: 0.2 };
      const what = 'processor time of an agent and minute through a core instance, against directly';
      return [
        compareProcessor(
          { case: this.name, what, bar },
          comparedOf('through a core instance', ofSite),
          comparedOf('directly', ofAgents),
        ),
        await measureDrain(bench, this.name, behind, site),
      ];
    },
  };
}

async function start(bench: Bench, engine: DataSetEngine): Promise<Started> {
  const databaseUrl =
    engine === 'sqlite' ? undefined : await (await bench.postgres()).createScratchDatabase(bench.closing);
  const product = await startProduct(bench, { databaseUrl });
  const fleet = await registerFleet(product.api, bench.options.isQuick ? quickFleet : fullFleet);
  await reportOnce(product.api, fleet, [repeated]);
  return { product, fleet };
}

/** A sign of life and a repeat of each agent, and a new error of some. */
function directly({ product, fleet }: Started): Contender<Sample> {
  const { api } = product;
  const headers = { [fleet.credential.name]: fleet.credential.value };
  return minute('directly', { product, fleet }, async (prefix) => {
    await forEachAtOnce([...fleet.agents.entries()], async ([index, { id }]) => {
      await api.post(`/v1/agents/${id}/heartbeat`, {}, headers);
      for (const error of textsOf(index, prefix))
        await api.post(`/v1/agents/${id}/errors`, { error }, headers);
    });
  });
}

/** The same as a core instance passes it on, which sends once a second. */
function throughSite({ product, fleet }: Started, site: Site): Contender<Sample> {
  return minute('through a core instance', { product, fleet }, async (prefix) => {
    const all = [...fleet.agents.entries()];
    for (let from = 0; from < all.length; from += agentsPerBatch) {
      const agents = all.slice(from, from + agentsPerBatch);
      await site.send([
        ...agents.map(([index, { id }]) => site.errors(id, textsOf(index, prefix))),
        ...agents.map(([, { id }]) => site.heartbeat(id)),
      ]);
    }
  });
}

function textsOf(index: number, prefix: string): string[] {
  return index % newEvery === 0 ? [repeated, `${prefix}${index}`] : [repeated];
}

interface Sample {
  readonly perSecond: number;
  readonly microsecondsPerRequest: number | undefined;
}

function minute(
  name: string,
  { product, fleet }: Started,
  send: (newPrefix: string) => Promise<void>,
): Contender<Sample> {
  return {
    name,
    async measure() {
      const before = processorMicroseconds(product.pid);
      const started = performance.now();
      await send(createNewTextPrefix());
      const seconds = (performance.now() - started) / 1_000;
      await sleep(settlingMilliseconds);
      const after = processorMicroseconds(product.pid);
      const agents = fleet.agents.length;
      return {
        perSecond: agents / seconds,
        microsecondsPerRequest:
          before === undefined || after === undefined ? undefined : (after - before) / agents,
      };
    },
  };
}

/** An operator's requests while new errors come as fast as a core instance sends them. */
async function measureDrain(
  bench: Bench,
  name: string,
  { product, fleet }: Started,
  site: Site,
): Promise<Row> {
  const { rounds, seconds } = bench.options;
  const client = new TimedClient(bench.closing, product.api);
  const work = createOperatorWork(client, fleet.projectID, fleet.agents[0]?.id ?? '');
  await work.untilSettled(Promise.resolve());
  const alone = [...(await work.untilSettled(sleep(seconds * 1_000))).values()].flat();
  const all: Times[] = [];
  let sent = 0;
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`drain, round ${round} of ${rounds}`);
    all.push(await work.untilSettled(drainFor(seconds)));
  }

  async function drainFor(duration: number): Promise<void> {
    const prefix = createNewTextPrefix();
    const until = performance.now() + duration * 1_000;
    while (performance.now() < until) {
      const next = performance.now() + (drain.itemsPerBatch / drain.perSecond) * 1_000;
      await site.send(
        Array.from({ length: drain.itemsPerBatch }, (_, index) =>
          site.errors(fleet.agents[index % fleet.agents.length]?.id ?? '', [`${prefix}${sent + index}`]),
        ),
      );
      sent += drain.itemsPerBatch;
      await sleep(Math.max(0, next - performance.now()));
    }
  }

  const timesByRound = all.map((times) => [...times.values()].flat());
  const times = timesByRound.flat();
  const worst = timesByRound.map((ofRound) => percentile(ofRound, 0.99));
  return {
    case: name,
    what: "an operator's requests while a core instance drains its spool, p99",
    figure: { median: percentile(times, 0.99), least: Math.min(...worst), most: Math.max(...worst) },
    unit: 'ms',
    measured: `p50 ${formatNumber(percentile(times, 0.5))} ms of ${times.length} requests, alone p99 ${formatNumber(percentile(alone, 0.99))} ms, ${formatNumber(sent / (rounds * seconds))} new errors/s meanwhile`,
    bar: { atMost: 100 },
  };
}
