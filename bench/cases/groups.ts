import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import type { FleetAgent } from '../load/load.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { TimedClient } from '../load/timed-client.ts';
import { underLoad } from '../measure/measure-load.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { forEachAtOnce } from '../servers/api.ts';
import { type ProjectFleet, registerFleet, reportOnce } from '../servers/fleet.ts';
import { type Product, startProductOn } from '../servers/product.ts';

const groups = 5_000;
const reportsPerRequest = 100;
/** More of them at once are refused: they would wait for longer than a second. */
const maxConcurrentReports = 8;
/** Half of the reports are ignored, half are stored. */
const newEvery = 2;
const pollMilliseconds = 100;

const sorts = ['lastSeen', 'agents', 'occurrences', 'firstSeen'] as const;

/** The first page of causes, which an operator opens in a bad rollout. */
export function groupsCase(engine: DataSetEngine): Case {
  return {
    name: `groups-${engine}`,
    title: `the first page of many groups, alone and while a storm runs at full load (${engine})`,
    async run(bench) {
      const { options } = bench;
      const product = await startProductOn(bench, engine);
      const fleet = await registerFleet(product.api, options.loadAgents);
      const errors = await reportToGroups(bench, product, fleet);
      const texts = repeatedTexts(1);
      await reportOnce(product.api, fleet, texts);
      const storm = underLoad('the storm', bench.load, [product], {
        fleet,
        repeatedTexts: texts,
        newEvery,
        connections: options.connections,
      });
      const client = new TimedClient(bench.closing, product.api);
      const path = `/v1/projects/${fleet.projectID}/agent_error_groups?last=50&sort=`;
      const readAll = async (): Promise<number[]> => {
        const times: number[] = [];
        for (const sort of sorts) {
          const { milliseconds, body } = await client.send<unknown[]>('GET', path + sort);
          if (body.length !== 50)
            throw new Error(`a page of groups has ${body.length} of them instead of 50`);
          times.push(milliseconds);
        }
        return times;
      };
      const [alone, inStorm, rates]: [number[][], number[][], number[]] = [[], [], []];
      await readAll();
      for (let round = 1; round <= options.rounds; round += 1) {
        bench.say(`round ${round} of ${options.rounds}`);
        alone.push(await repeatUntil(pause(options.seconds * 1_000), readAll));
        const blowing = storm.measure(options.seconds);
        inStorm.push(await repeatUntil(blowing, readAll));
        rates.push((await blowing).perSecond);
      }
      const what = `first page of ${groups.toLocaleString('en-US')} groups, ${errors.toLocaleString('en-US')} open errors, p99`;
      const rate = formatNumber(spreadOf(rates).median);
      return [
        toRow(this.name, what, alone, ''),
        toRow(this.name, 'the same in a storm', inStorm, `, ${rate} reports/s meanwhile`),
      ];
    },
  };
}

/** Stores open errors that are evenly distributed over the groups. Resolves when all are counted. */
async function reportToGroups(bench: Bench, { api }: Product, fleet: ProjectFleet): Promise<number> {
  const perAgent = Math.max(1, Math.floor(bench.options.memoryErrors / fleet.agents.length));
  const headers = { [fleet.credential.name]: fleet.credential.value };
  bench.say(`storing ${(perAgent * fleet.agents.length).toLocaleString('en-US')} errors in groups`);
  const agents = fleet.agents.map((agent, index): [FleetAgent, number] => [agent, index]);
  await forEachAtOnce(
    agents,
    async ([{ id }, index]) => {
      for (let from = 0; from < perAgent; from += reportsPerRequest) {
        const count = Math.min(reportsPerRequest, perAgent - from);
        const body = Array.from({ length: count }, (_, at) => ({
          error: textOf(index * perAgent + from + at),
        }));
        await api.post(`/v1/agents/${id}/errors`, body, headers);
      }
    },
    maxConcurrentReports,
  );
  const errors = perAgent * fleet.agents.length;
  const countOpen = async () => {
    const { openErrorsByState } = await api.get<{ openErrorsByState: { current: number } }>(
      `/v1/projects/${fleet.projectID}/summary`,
    );
    return openErrorsByState.current;
  };
  while ((await countOpen()) < errors) await pause(pollMilliseconds);
  return errors;
}

/** The word decides the group; the number is folded. */
function textOf(number: number): string {
  const letters = [...((number % groups) + 26 ** 3).toString(26)].map((digit) =>
    String.fromCharCode(97 + Number.parseInt(digit, 26)),
  );
  return `[output.${letters.join('')}] chunk ${number} cannot be sent`;
}

async function repeatUntil(end: Promise<unknown>, read: () => Promise<number[]>): Promise<number[]> {
  const times: number[] = [];
  let hasEnded = false;
  const ended = end.finally(() => {
    hasEnded = true;
  });
  ended.catch(() => undefined);
  do times.push(...(await read()));
  while (!hasEnded);
  await ended;
  return times;
}

function toRow(name: string, what: string, rounds: readonly number[][], more: string): Row {
  const all = rounds.flat();
  const worst = rounds.map((times) => percentile(times, 0.99));
  return {
    case: name,
    what,
    figure: { median: percentile(all, 0.99), least: Math.min(...worst), most: Math.max(...worst) },
    unit: 'ms',
    measured: `p50 ${formatNumber(percentile(all, 0.5))} ms of ${all.length} requests, all sorts${more}`,
    bar: { atMost: 50 },
  };
}
