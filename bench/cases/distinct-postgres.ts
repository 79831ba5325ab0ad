import { availableParallelism } from 'node:os';
import type { Bench, Case } from '../bench.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { type Spread, spreadOf } from '../measure/statistics.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { formatSpread, type Row } from '../report/row.ts';
import { type EngineSample, startEngine } from '../servers/engine.ts';
import { registerFleet } from '../servers/fleet.ts';
import type { PostgresHome } from '../servers/postgres-home.ts';
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
    const one = withUse(postgres, underLoad('one replica', bench.load, [first], load));
    const inArrays = { ...load, reportsPerRequest: arrayLength, connections: arrayConnections };
    const arrays = withUse(postgres, underLoad('arrays', bench.load, [first], inArrays), arrayLength);
    const [
      ofOne = [],
      ofArrays = [],
      ofTwo = [],
      ofEngine = [],
      ofEngineInGreatBatches = [],
      ofEngineOfArrays = [],
    ] = await alternate<LoadSample | EngineSample>(
      [
        one.contender,
        arrays.contender,
        underLoad('two replicas', bench.load, replicas, load),
        engine.inBatchesOf(options.connections),
        engine.inBatchesOf(greatBatch),
        engine.inBatchesOf(greatBatch, arrayLength),
      ],
      { ...options, say: bench.say },
    );
    await requireNoneIgnored(replicas);

    const oneReplica = comparedOf('one replica', ofOne);
    const row = { case: this.name, goal: '0.8 ×' };
    return [
      compareRates(
        {
          ...row,
          what: `report new errors, ${postgres.name}, one replica against engine in batches of ${options.connections}`,
          bar: { atLeast: 0.5 },
        },
        oneReplica,
        comparedOf('engine', ofEngine),
      ),
      compareRates(
        { case: this.name, what: `the same, against engine in batches of ${greatBatch}` },
        oneReplica,
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
      ...useRows(this.name, one.uses, arrays.uses),
      compareRates(
        {
          case: this.name,
          what: 'the same, two replicas against one',
          bar: { atLeast: 1.5 },
          ...tooFewProcessors(),
        },
        comparedOf('two replicas', ofTwo),
        oneReplica,
      ),
    ];
  },
};

/** What PostgreSQL uses for a new error, with what it counts meanwhile. */
interface UseOfError {
  readonly walBytes: number;
  readonly postgresMicroseconds: number;
}

function withUse(
  postgres: PostgresHome,
  contender: Contender<LoadSample>,
  reportsPerRequest = 1,
): { readonly contender: Contender<LoadSample>; readonly uses: readonly UseOfError[] } {
  const uses: UseOfError[] = [];
  const measure = async (seconds: number) => {
    const before = await postgres.measureUse();
    const sample = await contender.measure(seconds);
    const after = await postgres.measureUse();
    const errors = sample.requests * reportsPerRequest;
    uses.push({
      walBytes: (after.walBytes - before.walBytes) / errors,
      postgresMicroseconds: (after.processorMicroseconds - before.processorMicroseconds) / errors,
    });
    return sample;
  };
  return { contender: { name: contender.name, measure }, uses };
}

function useRows(name: string, ofOne: readonly UseOfError[], ofArrays: readonly UseOfError[]): Row[] {
  const toRow = (what: string, unit: string, of: (use: UseOfError) => number): Row => {
    // The first is of the round that warms up.
    const [alone, inArrays] = [ofOne, ofArrays].map((uses) => spreadOf(uses.slice(1).map(of))) as [
      Spread,
      Spread,
    ]; // two in, two out
    return {
      case: name,
      what,
      figure: alone,
      unit,
      measured: `in arrays of ${arrayLength}: ${formatSpread(inArrays, unit)}`,
    };
  };
  return [
    toRow('written to the log of PostgreSQL (WAL) for each new error', 'bytes', ({ walBytes }) => walBytes),
    toRow(
      'processor time of PostgreSQL for each new error, with what is counted meanwhile',
      'µs',
      ({ postgresMicroseconds }) => postgresMicroseconds,
    ),
  ];
}

async function startReplicas(bench: Bench, databaseUrl: string): Promise<[Product, Product]> {
  return [await startProduct(bench, { databaseUrl }), await startProduct(bench, { databaseUrl })];
}

function tooFewProcessors(): { notJudged?: string } {
  const count = availableParallelism();
  return count >= minProcessors
    ? {}
    : { notJudged: `${count} processors, which a single replica already uses` };
}
