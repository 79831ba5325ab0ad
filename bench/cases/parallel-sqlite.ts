import type { Case } from '../bench.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate } from '../measure/alternate.ts';
import { underLoad } from '../measure/measure-load.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { registerFleet } from '../servers/fleet.ts';
import { startProduct } from '../servers/product.ts';
import { requireNoneIgnored } from './require-counts.ts';

const counts = [256, 1_024];

export const parallelSqlite: Case = {
  name: 'parallel-sqlite',
  title: `report new errors over ${counts.join(' and ')} connections, against the usual number`,
  async run(bench) {
    const { options } = bench;
    const product = await startProduct(bench);
    const fleet = await registerFleet(product.api, options.loadAgents);
    const load = { fleet, repeatedTexts: repeatedTexts(1), newEvery: 1 };
    const over = (connections: number) =>
      underLoad(`${connections} connections`, bench.load, [product], { ...load, connections });
    const [usual = [], ...others] = await alternate([over(options.connections), ...counts.map(over)], {
      ...options,
      say: bench.say,
    });
    await requireNoneIgnored([product]);
    return others.map((samples, index) =>
      compareRates(
        {
          case: this.name,
          what: `report new errors, SQLite, over ${counts[index]} connections, against ${options.connections}`,
          goal: '1 ×',
        },
        comparedOf(String(counts[index]), samples),
        comparedOf(String(options.connections), usual),
      ),
    );
  },
};
