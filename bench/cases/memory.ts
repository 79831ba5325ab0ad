import type { Case } from '../bench.ts';
import { fleetWithOwnTokens } from '../data/data-set-fleet.ts';
import { openCopiedProduct } from '../data/open-data-set.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { underLoad } from '../measure/measure-load.ts';
import { spreadOf } from '../measure/statistics.ts';
import { residentMegabytes } from '../processes/process-usage.ts';
import { formatNumber } from '../report/row.ts';

const newEvery = 4;
/** Reports per agent: a text that is then repeated, and one new text among the repeats. */
const reportsPerAgent = 4;
const maxStormMilliseconds = 300_000;
/** Counts in memory are written within five seconds. */
const settleMilliseconds = 6_000;

export const memory: Case = {
  name: 'memory',
  title: 'memory of the service after a storm of all agents, each with its own token (sqlite)',
  async run(bench) {
    const { options } = bench;
    const shape = { agents: options.agents, errors: options.memoryErrors };
    const product = await openCopiedProduct(bench, 'sqlite', shape);
    const fleet = await fleetWithOwnTokens(product.api, shape);
    const storm = underLoad('the storm', bench.load, [product], {
      fleet,
      repeatedTexts: repeatedTexts(1),
      newEvery,
      connections: options.connections,
    });
    const before = residentMegabytes(product.pid);
    const end = performance.now() + maxStormMilliseconds;
    let reports = 0;
    let microseconds: number | undefined = 0;
    while (reports < shape.agents * reportsPerAgent && performance.now() < end) {
      const { requests, microsecondsPerRequest } = await storm.measure(options.seconds);
      reports += requests;
      microseconds = sumOf(microseconds, microsecondsPerRequest, requests);
      bench.say(`${count(reports)} of ${count(shape.agents * reportsPerAgent)} reports`);
    }
    await new Promise((resolve) => setTimeout(resolve, settleMilliseconds));
    const after = residentMegabytes(product.pid);
    const { created, ignored } = await product.countReports();
    const heap = await product.readMetric('muster_nodejs_heap_size_used_bytes');
    if (before === undefined || after === undefined)
      throw new Error('The memory of a process cannot be measured on this system, because it has no /proc.');
    return [
      {
        case: this.name,
        what: `memory with ${count(shape.agents)} agents and ${count(shape.errors)} errors, after a storm`,
        figure: spreadOf([after.now]),
        unit: 'MB',
        measured: `${formatNumber(before.now)} MB before, ${formatNumber(after.most)} MB at most, ${formatNumber(heap / 2 ** 20)} MB of it JavaScript; ${count(created)} new and ${count(ignored)} ignored reports`,
        bar: { atMost: 300 },
        goal: '150 MB',
        ...(microseconds === undefined
          ? {}
          : { processor: `muster ${formatNumber(microseconds / reports)} µs` }),
      },
    ];
  },
};

function sumOf(sum: number | undefined, ofOne: number | undefined, requests: number): number | undefined {
  return sum === undefined || ofOne === undefined ? undefined : sum + ofOne * requests;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
