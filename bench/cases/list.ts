import type { Bench, Case } from '../bench.ts';
import { type DataSetShape, middleOfTime, noisyAgentIDs, projectID } from '../data/data-set.ts';
import { type DataSetEngine, openKeptProduct } from '../data/open-data-set.ts';
import { TimedClient } from '../load/timed-client.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { pairwise, percentile, ratio, spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import type { Api } from '../servers/api.ts';

interface List {
  readonly what: string;
  /** In turns, so that more than one page is read. */
  readonly paths: readonly string[];
}

/** The median of each list, in the order of the lists. */
type ListSample = readonly number[];

const pageSize = 100;

export function listCase(engine: DataSetEngine): Case {
  return {
    name: `list-${engine}`,
    title: `list pages of ${pageSize} of many errors, against few (${engine})`,
    async run(bench) {
      const { options } = bench;
      const many = { agents: options.agents, errors: options.errors };
      const few = { agents: options.agents, errors: options.fewErrors };
      const contenders = [await contenderOn(bench, engine, many), await contenderOn(bench, engine, few)];
      const [ofMany = [], ofFew = []] = await alternate(contenders, { ...options, say: bench.say });
      return listsOf(many).map((list, index) => toRow(this.name, list, index, { many, few, ofMany, ofFew }));
    },
  };
}

function listsOf(shape: DataSetShape): List[] {
  const project = `/v1/projects/${projectID}/agent_errors`;
  return [
    { what: 'all errors of the project', paths: [project] },
    { what: 'the inbox (open errors of the project)', paths: [`${project}?dismissed=false`] },
    {
      what: 'the inbox, from the middle on',
      paths: [`${project}?dismissed=false&until=${new Date(middleOfTime).toISOString()}`],
    },
    { what: 'errors of one agent', paths: noisyAgentIDs(shape).map((id) => `/v1/agents/${id}/errors`) },
  ];
}

async function contenderOn(
  bench: Bench,
  engine: DataSetEngine,
  shape: DataSetShape,
): Promise<Contender<ListSample>> {
  const { api } = await openKeptProduct(bench, engine, shape);
  const client = new TimedClient(bench.closing, api);
  const lists = listsOf(shape);
  for (const list of lists) await requireFullPages(api, list);
  return {
    name: String(shape.errors),
    async measure(seconds) {
      const medians: number[] = [];
      for (const list of lists) medians.push(await medianOf(client, list, seconds / lists.length));
      return medians;
    },
  };
}

/** Half a page must take half the time, independent of the number of rows. */
async function requireFullPages(api: Api, { what, paths }: List): Promise<void> {
  for (const path of paths) {
    const { length } = await api.get<unknown[]>(path);
    if (length !== pageSize) throw new Error(`${what}: ${path} has ${length} errors, not ${pageSize}`);
  }
}

async function medianOf(client: TimedClient, { paths }: List, seconds: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  for (let sent = 0; sent < paths.length || performance.now() < end; sent += 1) {
    times.push((await client.send('GET', paths[sent % paths.length] ?? '')).milliseconds);
  }
  return percentile(times, 0.5);
}

interface Measured {
  readonly many: DataSetShape;
  readonly few: DataSetShape;
  readonly ofMany: readonly ListSample[];
  readonly ofFew: readonly ListSample[];
}

function toRow(name: string, { what }: List, index: number, { many, few, ofMany, ofFew }: Measured): Row {
  const [timesOfMany, timesOfFew] = [ofMany, ofFew].map((samples) =>
    samples.map((medians) => medians[index] ?? Number.NaN),
  ) as [number[], number[]]; // two in, two out
  const describe = (times: readonly number[], errors: number) =>
    `p50 ${formatNumber(spreadOf(times).median)} ms with ${errors.toLocaleString('en-US')} errors`;
  return {
    case: name,
    what,
    figure: spreadOf(pairwise(timesOfMany, timesOfFew, ratio)),
    unit: '×',
    measured: `${describe(timesOfMany, many.errors)}, ${describe(timesOfFew, few.errors)}`,
    bar: { atMost: 2 },
    goal: '1.1 ×',
  };
}
