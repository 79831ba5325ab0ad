import { setTimeout as pause } from 'node:timers/promises';
import type { Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { createOperatorWork, type Times } from '../load/operator-work.ts';
import { TimedClient } from '../load/timed-client.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import type { Api } from '../servers/api.ts';
import { registerFleet, reportOnce } from '../servers/fleet.ts';
import { startProductOn } from '../servers/product.ts';

const errorsPerAgent = 100;
/** More of them at once are refused: they would wait for longer than a second. */
const maxConcurrentReports = 8;
const textsPerAgent = 4;
/** Half of the reports are ignored, half are stored. */
const newEvery = 2;
const stormSeconds = 1;
const pollMilliseconds = 50;
const limitMilliseconds = 60_000;

/** What one dismissal took, and everybody else meanwhile. */
interface Round {
  readonly errors: number;
  readonly seconds: number;
  readonly times: Times;
  readonly reports: readonly LoadSample[];
}

export function dismissalsCase(engine: DataSetEngine): Case {
  return {
    name: `dismissals-${engine}`,
    title: `all errors of a large group are dismissed while a storm runs at full load (${engine})`,
    async run(bench) {
      const { options } = bench;
      const product = await startProductOn(bench, engine);
      const fleet = await registerFleet(product.api, options.loadAgents);
      const texts = repeatedTexts(textsPerAgent);
      await reportOnce(product.api, fleet, texts);
      const storm = underLoad('the storm', bench.load, [product], {
        fleet,
        repeatedTexts: texts,
        newEvery,
        connections: options.connections,
      });
      const client = new TimedClient(bench.closing, product.api);
      const work = createOperatorWork(client, fleet.projectID, fleet.agents[0]?.id ?? '');
      await work.untilSettled(Promise.resolve());
      const rounds: Round[] = [];
      for (let round = 1; round <= options.rounds; round += 1) {
        bench.say(`round ${round} of ${options.rounds}`);
        // They are one group, since the numbers are folded.
        const textOf = (index: number) => `[upstream] connection #${round * 1_000 + index} timed out`;
        const all = Array.from({ length: errorsPerAgent }, (_, index) => textOf(index));
        await reportOnce(product.api, fleet, all, maxConcurrentReports);
        const dismissed = dismissGroupOf(product.api, fleet.projectID, textOf(0));
        const reports: LoadSample[] = [];
        const blowing = blowUntil(
          dismissed,
          async () => void reports.push(await storm.measure(stormSeconds)),
        );
        const times = await work.untilSettled(blowing);
        rounds.push({ ...(await dismissed), times, reports });
      }
      return toRows(this.name, rounds);
    },
  };
}

/** Dismisses all errors of the group of a text, after half a second of the storm. */
async function dismissGroupOf(api: Api, projectID: string, text: string) {
  const project = `/v1/projects/${projectID}`;
  const [error] = await api.get<{ groupID: string }[]>(
    `${project}/agent_errors?dismissed=false&last=1&q=${encodeURIComponent(text)}`,
  );
  await pause(500);
  const begin = performance.now();
  let job = await api.post<{ id: string; state: string; errorsCount: number }>(`${project}/dismissals`, {
    reason: 'bench',
    filter: { groupID: error?.groupID },
  });
  while (job.state !== 'done') {
    if (performance.now() - begin > limitMilliseconds)
      throw new Error(`the dismissal is ${JSON.stringify(job)}`);
    await pause(pollMilliseconds);
    job = await api.get(`/v1/dismissals/${job.id}`);
  }
  return { errors: job.errorsCount, seconds: (performance.now() - begin) / 1_000 };
}

async function blowUntil(end: Promise<unknown>, blow: () => Promise<void>): Promise<void> {
  let hasEnded = false;
  const ended = end.finally(() => {
    hasEnded = true;
  });
  ended.catch(() => undefined);
  while (!hasEnded) await blow();
  await ended;
}

function toRows(name: string, rounds: readonly Round[]): Row[] {
  const reports = rounds.flatMap((round) => round.reports);
  const rate = spreadOf(reports.map(({ perSecond }) => perSecond)).median;
  const errors = spreadOf(rounds.map((round) => round.errors)).median;
  const requestsOf = ({ times }: Round): number[] => [...times.values()].flat();
  const worst = rounds.map((round) => percentile(requestsOf(round), 0.99));
  const requests = rounds.flatMap(requestsOf);
  const p99s = reports.map(({ p99Milliseconds }) => p99Milliseconds);
  return [
    {
      case: name,
      what: 'dismiss 100,000 errors of a group in a storm',
      figure: spreadOf(rounds.map((round) => (round.seconds * 100_000) / round.errors)),
      unit: 's',
      measured: `${errors.toLocaleString('en-US')} errors in ${formatNumber(spreadOf(rounds.map(({ seconds }) => seconds)).median)} s, ${formatNumber(rate)} reports/s meanwhile`,
      bar: { atMost: 10 },
    },
    {
      case: name,
      what: "an operator's requests meanwhile, p99",
      figure: { median: percentile(requests, 0.99), least: Math.min(...worst), most: Math.max(...worst) },
      unit: 'ms',
      measured: `p50 ${formatNumber(percentile(requests, 0.5))} ms of ${requests.length} requests; p99 by kind: ${byKind(rounds)}`,
      bar: { atMost: 100 },
    },
    {
      case: name,
      what: 'the reports of the storm meanwhile, p99',
      figure: spreadOf(p99s),
      unit: 'ms',
      measured: `p50 ${formatNumber(spreadOf(reports.map(({ medianMilliseconds }) => medianMilliseconds)).median)} ms; samples of ${stormSeconds} s`,
    },
  ];
}

function byKind(rounds: readonly Round[]): string {
  const kinds = [...(rounds[0]?.times.keys() ?? [])];
  return kinds
    .map((kind) => {
      const all = rounds.flatMap(({ times }) => times.get(kind) ?? []);
      return `${kind} ${formatNumber(percentile(all, 0.99))} ms`;
    })
    .join(', ');
}
