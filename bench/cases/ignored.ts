import type { Bench, Case } from '../bench.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate } from '../measure/alternate.ts';
import { underLoad } from '../measure/measure-load.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import type { Row } from '../report/row.ts';
import { startBare } from '../servers/bare.ts';
import { registerFleet, reportOnce } from '../servers/fleet.ts';
import { startProduct } from '../servers/product.ts';
import { requireNoneCreated } from './require-counts.ts';

const textsPerAgent = 4;

export const ignored: Case = {
  name: 'ignored',
  title: 'report errors that are already open (the storm), against bare',
  async run(bench: Bench): Promise<Row[]> {
    const { options } = bench;
    const texts = repeatedTexts(textsPerAgent);
    const product = await startProduct(bench);
    const fleet = await registerFleet(product.api, options.loadAgents);
    await reportOnce(product.api, fleet, texts);
    const bare = await startBare(bench, product, fleet, texts[0] ?? '');
    const { created } = await product.countReports();

    const load = { fleet, repeatedTexts: texts, newEvery: 0, connections: options.connections };
    const [ofProduct = [], ofBare = []] = await alternate(
      [underLoad('muster', bench.load, [product], load), underLoad('bare', bench.load, [bare], load)],
      { ...options, say: bench.say },
    );

    await requireNoneCreated(product, created);
    return [
      compareRates(
        {
          case: this.name,
          what: 'report an error that is ignored, SQLite, against bare',
          bar: { atLeast: 0.6 },
          goal: '0.9 ×',
        },
        comparedOf('muster', ofProduct),
        comparedOf('bare', ofBare),
      ),
    ];
  },
};
