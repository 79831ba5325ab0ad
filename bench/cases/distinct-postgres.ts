import { availableParallelism } from 'node:os';
import type { Bench, Case } from '../bench.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate } from '../measure/alternate.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { type EngineSample, startEngine } from '../servers/engine.ts';
import { registerFleet } from '../servers/fleet.ts';
import { type Product, startProduct } from '../servers/product.ts';
import { requireNoneIgnored } from './require-counts.ts';

const greatBatch = 1_000;
/** Reports of a request where HTTP shall not be the limit. */
const arrayLength = 100;
/** Enough that a batch waits while one is stored, and few enough that none is refused because the last would wait too long. */
const arrayConnections = 8;
/** Two replicas, PostgreSQL and the load need a processor each. */
const minProcessors = 4;

export const distinctPostgres: Case = {
  name: 'distinct-postgres',
  title: 'the same on PostgreSQL: one replica against engine, two replicas against one',
  async run(bench) {
    const { options } = bench;
    const postgres = await bench.postgres();
    const replicas = await startReplicas(bench, await postgres.createScratchDatabase(bench.closing));
    const [first] = replicas;
    const fleet = await registerFleet(first.api, options.loadAgents);
    const engine = await startEngine(bench, {
      databaseUrl: await postgres.createScratchDatabase(bench.closing),
    });

    const load = { fleet, repeatedTexts: repeatedTexts(1), newEvery: 1, connections: options.connections };
    const [
      ofOne = [],
      ofArrays = [],
      ofTwo = [],
      ofEngine = [],
      ofEngineInGreatBatches = [],
      ofEngineOfArrays = [],
    ] = await alternate<LoadSample | EngineSample>(
      [
        underLoad('one replica', bench.load, [first], load),
        underLoad('arrays', bench.load, [first], {
          ...load,
          reportsPerRequest: arrayLength,
          connections: arrayConnections,
        }),
        underLoad('two replicas', bench.load, replicas, load),
        engine.inBatchesOf(options.connections),
        engine.inBatchesOf(greatBatch),
        engine.inBatchesOf(greatBatch, arrayLength),
      ],
      { ...options, say: bench.say },
    );
    await requireNoneIgnored(replicas);

    const one = comparedOf('one replica', ofOne);
    const row = { case: this.name, goal: '0.8 ×' };
    return [
      compareRates(
        {
          ...row,
          what: `report new errors, ${postgres.name}, one replica against engine in batches of ${options.connections}`,
          bar: { atLeast: 0.5 },
        },
        one,
        comparedOf('engine', ofEngine),
      ),
      compareRates(
        { case: this.name, what: `the same, against engine in batches of ${greatBatch}` },
        one,
        comparedOf('engine', ofEngineInGreatBatches),
      ),
      compareRates(
        {
          case: this.name,
          what: `report new errors in arrays of ${arrayLength}, ${postgres.name}, so that HTTP is not the limit, against engine in batches of ${greatBatch} with as many rows of an agent`,
        },
        comparedOf('arrays', ofArrays),
        comparedOf('engine', ofEngineOfArrays),
      ),
      compareRates(
        {
          case: this.name,
          what: 'the same, two replicas against one',
          bar: { atLeast: 1.5 },
          ...tooFewProcessors(),
        },
        comparedOf('two replicas', ofTwo),
        one,
      ),
    ];
  },
};

async function startReplicas(bench: Bench, databaseUrl: string): Promise<[Product, Product]> {
  return [await startProduct(bench, { databaseUrl }), await startProduct(bench, { databaseUrl })];
}

function tooFewProcessors(): { notJudged?: string } {
  const count = availableParallelism();
  return count >= minProcessors
    ? {}
    : { notJudged: `${count} processors, which a single replica already uses` };
}
