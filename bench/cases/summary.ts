import type { Case } from '../bench.ts';
import { projectID } from '../data/data-set.ts';
import { type DataSetEngine, openKeptProduct } from '../data/open-data-set.ts';
import { TimedClient } from '../load/timed-client.ts';
import { percentile } from '../measure/statistics.ts';
import { formatNumber } from '../report/row.ts';

const pollMilliseconds = 20;

/** The counts of a project with many agents and errors, asked for again and again. */
export function summaryCase(engine: DataSetEngine): Case {
  return {
    name: `summary-${engine}`,
    title: `the summary of a project with many agents and errors (${engine})`,
    async run(bench) {
      const { options } = bench;
      const shape = { agents: options.agents, errors: options.errors };
      const { api } = await openKeptProduct(bench, engine, shape);
      const path = `/v1/projects/${projectID}/summary`;
      const client = new TimedClient(bench.closing, api);
      await untilCounted(client, path, shape.agents);
      const rounds: number[][] = [];
      for (let round = 1; round <= options.rounds; round += 1) {
        bench.say(`round ${round} of ${options.rounds}`);
        const times: number[] = [];
        const end = performance.now() + options.seconds * 1_000;
        while (performance.now() < end) times.push((await client.send('GET', path)).milliseconds);
        rounds.push(times);
      }
      const all = rounds.flat();
      const medians = rounds.map((times) => percentile(times, 0.5));
      return [
        {
          case: this.name,
          what: `summary of ${formatNumber(shape.agents)} agents and ${formatNumber(shape.errors)} errors, p50`,
          figure: { median: percentile(all, 0.5), least: Math.min(...medians), most: Math.max(...medians) },
          unit: 'ms',
          measured: `p99 ${formatNumber(percentile(all, 0.99))} ms of ${all.length} requests, one after the other`,
          bar: { atMost: 5 },
          goal: '5 ms',
        },
      ];
    },
  };
}

/** After its first start, the service counts the agents that are there. */
async function untilCounted(client: TimedClient, path: string, agents: number): Promise<void> {
  for (;;) {
    const { body } = await client.send<{ agentsCount: number }>('GET', path);
    if (body.agentsCount >= agents) return;
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
}
