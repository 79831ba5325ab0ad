import type { Bench, Case } from '../bench.ts';
import { type DataSetEngine, openKeptProduct } from '../data/open-data-set.ts';
import { spreadOf } from '../measure/statistics.ts';
import type { Row } from '../report/row.ts';
import { startProduct } from '../servers/product.ts';

export const start: Case = {
  name: 'start',
  title: 'from the start of the process to its first answer that says ready',
  async run(bench) {
    const { agents, memoryErrors: errors } = bench.options;
    const what = `start to ready with ${errors.toLocaleString('en-US')} errors`;
    const judged = { bar: { atMost: 2 }, goal: '0.5 s' };
    const onDataSet = (engine: DataSetEngine) => () => openKeptProduct(bench, engine, { agents, errors });
    return [
      {
        ...(await timeStarts(bench, onDataSet('sqlite'))),
        case: this.name,
        what: `${what}, SQLite`,
        ...judged,
      },
      {
        ...(await timeStarts(bench, onDataSet('postgres'))),
        case: this.name,
        what: `${what}, PostgreSQL`,
        ...judged,
      },
      {
        ...(await timeStarts(bench, () => startProduct(bench))),
        case: this.name,
        what: 'start to ready, the first of all (SQLite, empty)',
      },
    ];
  },
};

type StartedProduct = Awaited<ReturnType<typeof startProduct>>;

/** One uncounted start first, because recently written files may not be in the caches. */
async function timeStarts(
  { options: { rounds } }: Bench,
  open: () => Promise<StartedProduct>,
): Promise<Pick<Row, 'figure' | 'unit' | 'measured'>> {
  const seconds: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const product = await open();
    if (round > 0) seconds.push(product.readyMilliseconds / 1_000);
    await product.stop();
  }
  return { figure: spreadOf(seconds), unit: 's', measured: `${rounds} starts` };
}
