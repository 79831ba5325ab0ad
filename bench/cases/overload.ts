import { availableParallelism } from 'node:os';
import type { Bench, Case } from '../bench.ts';
import { startOpenLoop } from '../load/open-loop.ts';
import { TimedClient } from '../load/timed-client.ts';
import { type OverloadRound, runOverloadRound } from '../measure/overload-round.ts';
import { percentile, type Spread, spreadOf } from '../measure/statistics.ts';
import { residentMegabytes } from '../processes/process-usage.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { registerFleet } from '../servers/fleet.ts';
import { type Product, startProduct } from '../servers/product.ts';

/** Each of them waits for its answer, as agents do. */
const connections = { full: 8_000, quick: 500 };
const peakConnections = 256;
/** How long a patient client waits. */
const timeoutMilliseconds = 10_000;
/** Requests of an operator and a supervisor, at the maximum rate of a person. */
const pauseMilliseconds = 20;
/** The service's two threads, the load, and the operator's requests need a processor each. */
const minProcessors = 4;

/** How long each kind of request took, in milliseconds. */
type Times = ReadonlyMap<string, number[]>;

export function overloadCase(engine: 'sqlite' | 'postgres'): Case {
  return {
    name: `overload-${engine}`,
    title: `three times as many new errors as the service can store, from clients that do not wait (${engine})`,
    async run(bench) {
      const { options } = bench;
      const product = await startEmpty(bench, engine);
      const fleet = await registerFleet(product.api, options.loadAgents);
      const [project] = await product.api.get<{ id: string }[]>('/v1/projects?last=1');
      const loop = startOpenLoop(bench.closing);
      const load = {
        url: product.url,
        fleet,
        connections: options.isQuick ? connections.quick : connections.full,
        timeoutMilliseconds,
        reportsPerRequest: 1,
        reconnects: false,
      };
      const times: Times = new Map(kinds.map(({ name }) => [name, []]));
      const rounds: OverloadRound[] = [];
      for (let round = 1; round <= options.rounds; round += 1) {
        bench.say(`round ${round} of ${options.rounds}`);
        rounds.push(
          await runOverloadRound(loop, {
            load,
            seconds: options.seconds,
            peakConnections,
            during: (overload) => askMeanwhile(bench, product, project?.id ?? '', overload, times),
          }),
        );
      }
      return toRows(this.name, rounds, times, residentMegabytes(product.pid)?.most);
    },
  };
}

async function startEmpty(bench: Bench, engine: 'sqlite' | 'postgres'): Promise<Product> {
  if (engine === 'sqlite') return startProduct(bench);
  const postgres = await bench.postgres();
  return startProduct(bench, { databaseUrl: await postgres.createScratchDatabase(bench.closing) });
}

interface Kind {
  readonly name: string;
  readonly ask: (client: TimedClient, projectID: string) => Promise<{ readonly milliseconds: number }>;
}

const kinds: readonly Kind[] = [
  { name: 'GET /healthz', ask: (client) => client.send('GET', '/healthz') },
  { name: 'GET /readyz', ask: (client) => client.send('GET', '/readyz') },
  { name: 'list agents', ask: (client, projectID) => client.send('GET', `/v1/projects/${projectID}/agents`) },
  {
    name: 'create a token',
    ask: (client, projectID) =>
      client.send('POST', `/v1/projects/${projectID}/tokens`, { body: { name: 'bench' } }),
  },
];

/** Each kind uses its own connection; a refusal or an answer after 30 s fails the case. */
async function askMeanwhile<Result>(
  { closing }: Bench,
  product: Product,
  projectID: string,
  overload: Promise<Result>,
  times: Times,
): Promise<Result> {
  let isOver = false;
  const over = overload.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  await Promise.all(
    kinds.map(async ({ name, ask }) => {
      const client = new TimedClient(closing, product.api);
      while (!isOver) {
        times.get(name)?.push((await ask(client, projectID)).milliseconds);
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      }
    }),
  );
  return over;
}

function toRows(
  name: string,
  rounds: readonly OverloadRound[],
  times: Times,
  maxMegabytes: number | undefined,
): Row[] {
  const few = availableParallelism() < minProcessors;
  const judged = few ? { notJudged: `${availableParallelism()} processors, which the load shares` } : {};
  const of = (figure: (round: OverloadRound) => number): Spread => spreadOf(rounds.map(figure));
  const share = (part: (round: OverloadRound) => number): string =>
    `${Math.round(100 * of((round) => part(round) / (round.overload.whole.sent + round.overload.whole.unsent)).median)} %`;
  const never = rounds.filter(({ secondsToNormal }) => secondsToNormal === undefined).length;
  return [
    {
      case: name,
      what: 'goodput at three times the peak, against the peak',
      figure: of(({ goodPerSecond, peakPerSecond }) => goodPerSecond / peakPerSecond),
      unit: '×',
      bar: { atLeast: 0.9 },
      measured: `peak ${formatNumber(of(({ peakPerSecond }) => peakPerSecond).median)}/s; of what was due ${share(({ overload }) => overload.whole.refused)} got 503, ${share(({ overload }) => overload.whole.unsent)} found no free connection, ${share(({ overload }) => overload.whole.timedOut + overload.whole.broken)} got no answer`,
      ...judged,
    },
    {
      case: name,
      what: 'a report that is admitted meanwhile, p99',
      figure: of(({ overload }) => overload.whole.accepted99),
      unit: 'ms',
      bar: { atMost: 2_000 },
      measured: `p50 ${formatNumber(of(({ overload }) => overload.whole.accepted50).median)} ms; a 503 after ${formatNumber(of(({ overload }) => overload.whole.refused50).median)} ms; the load itself was late by ${formatNumber(of(({ overload }) => overload.whole.late99).median)} ms (p99)`,
      ...judged,
    },
    ...[...times].map(([kind, milliseconds]) => ({
      case: name,
      what: `${kind} meanwhile, p99`,
      figure: spreadOf([percentile(milliseconds, 0.99)]),
      unit: 'ms',
      bar: { atMost: 300 },
      goal: '50 ms',
      measured: `p50 ${formatNumber(percentile(milliseconds, 0.5))} ms of ${milliseconds.length} requests`,
      ...judged,
    })),
    {
      case: name,
      what: 'until a report takes as long as before',
      figure: of(({ secondsToNormal }) => secondsToNormal ?? Number.POSITIVE_INFINITY),
      unit: 's',
      bar: { atMost: 30 },
      measured: `p99 ${formatNumber(of(({ normal99 }) => normal99).median)} ms before${never === 0 ? '' : `; in ${never} of ${rounds.length} rounds not while it was measured`}`,
      ...judged,
    },
    ...(maxMegabytes === undefined
      ? []
      : [
          {
            case: name,
            what: 'memory at most',
            figure: spreadOf([maxMegabytes]),
            unit: 'MB',
            measured: `${connections.full.toLocaleString('en-US')} connections at most`,
          },
        ]),
  ];
}
