import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFileName } from '../../server/src/foundation/database/sqlite/open-sqlite.ts';
import type { Case } from '../bench.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate } from '../measure/alternate.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { spreadOf } from '../measure/statistics.ts';
import { writtenBytes } from '../processes/process-usage.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { startBare } from '../servers/bare.ts';
import { type EngineSample, startEngine } from '../servers/engine.ts';
import { registerFleet } from '../servers/fleet.ts';
import { startProduct } from '../servers/product.ts';
import { requireNoneIgnored } from './require-counts.ts';

/** More than the connections can send at once, to measure the gain of larger batches. */
const greatBatch = 1_000;
/** Reports of a request where HTTP shall not be the limit. */
const arrayLength = 100;
/** Enough that a batch waits while one is stored, and few enough that none is refused because the last would wait too long. */
const arrayConnections = 8;
/** Limits on new errors that are checked but never reached. */
const highLimits = {
  MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '1000000',
  MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '1000000',
  MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND: '1000000',
};

export const distinctSqlite: Case = {
  name: 'distinct-sqlite',
  title: 'report only new errors, each durable before its 201, against bare and engine',
  async run(bench) {
    const { options } = bench;
    const dataDirectory = mkdtempSync(join(bench.scratchDirectory, 'data-'));
    const product = await startProduct(bench, { dataDirectory });
    const fleet = await registerFleet(product.api, options.loadAgents);
    const bare = await startBare(bench, product, fleet, 'the first error of all');
    const reportedInArrays = await startProduct(bench);
    const fleetOfArrays = await registerFleet(reportedInArrays.api, options.loadAgents);
    const limited = await startProduct(bench, { settings: highLimits });
    const fleetOfLimited = await registerFleet(limited.api, options.loadAgents);
    const newFile = () => join(mkdtempSync(join(bench.scratchDirectory, 'engine-')), sqliteFileName);
    const engine = await startEngine(bench, { file: newFile() });
    const bareTable = await startEngine(bench, { file: newFile(), isBareTable: true });

    const before = { written: writtenBytes(product.pid), ...(await product.countReports()) };

    const load = { fleet, repeatedTexts: repeatedTexts(1), newEvery: 1, connections: options.connections };
    const [
      ofProduct = [],
      ofArrays = [],
      ofLimited = [],
      ofBare = [],
      ofEngine = [],
      ofEngineInGreatBatches = [],
      ofEngineOfArrays = [],
      ofBareTable = [],
    ] = await alternate<LoadSample | EngineSample>(
      [
        underLoad('muster', bench.load, [product], load),
        underLoad('arrays', bench.load, [reportedInArrays], {
          ...load,
          fleet: fleetOfArrays,
          reportsPerRequest: arrayLength,
          connections: arrayConnections,
        }),
        underLoad('limited', bench.load, [limited], { ...load, fleet: fleetOfLimited }),
        underLoad('bare', bench.load, [bare], load),
        engine.inBatchesOf(options.connections),
        engine.inBatchesOf(greatBatch),
        engine.inBatchesOf(greatBatch, arrayLength),
        bareTable.inBatchesOf(options.connections),
      ],
      { ...options, say: bench.say },
    );
    await requireNoneIgnored([product, reportedInArrays, limited]);
    const written = writtenBytes(product.pid);
    const stored = (await product.countReports()).created - before.created;
    // A stop moves the whole log into the file.
    await product.stop();
    const { size } = statSync(join(dataDirectory, sqliteFileName));

    const muster = comparedOf('muster', ofProduct);
    return [
      compareRates(
        {
          case: this.name,
          what: 'report new errors, SQLite, against bare',
          bar: { atLeast: 0.3 },
          goal: '0.5 ×',
        },
        muster,
        comparedOf('bare', ofBare),
      ),
      compareRates(
        {
          case: this.name,
          what: `report new errors, SQLite, against engine with the same indexes, in batches of ${options.connections}`,
          goal: '0.5 ×',
        },
        muster,
        comparedOf('engine', ofEngine),
      ),
      compareRates(
        {
          case: this.name,
          what: `the same, against engine without indexes, in batches of ${options.connections}`,
        },
        muster,
        comparedOf('engine', ofBareTable),
      ),
      compareRates(
        {
          case: this.name,
          what: `the same, against engine with the same indexes, in batches of ${greatBatch}`,
        },
        muster,
        comparedOf('engine', ofEngineInGreatBatches),
      ),
      compareRates(
        {
          case: this.name,
          what: `report new errors in arrays of ${arrayLength}, SQLite, so that HTTP is not the limit, against engine with the same indexes, in batches of ${greatBatch} with as many rows of an agent`,
          bar: { atLeast: 0.9 },
        },
        comparedOf('arrays', ofArrays),
        comparedOf('engine', ofEngineOfArrays),
      ),
      compareRates(
        {
          case: this.name,
          what: 'the same with all limits on new errors set (and not reached), against without limits',
        },
        comparedOf('limited', ofLimited),
        muster,
      ),
      {
        case: this.name,
        what: 'written to the disk for each new error, SQLite: log and checkpoints',
        figure:
          written === undefined || before.written === undefined
            ? undefined
            : spreadOf([(written - before.written) / stored]),
        unit: 'bytes',
        measured: `${stored.toLocaleString('en-US')} new errors of ${options.loadAgents.toLocaleString('en-US')} agents`,
        goal: '6,144 bytes of log',
      },
      {
        case: this.name,
        what: 'on the disk for each error, SQLite, with all that an installation has besides',
        figure: spreadOf([size / stored]),
        unit: 'bytes',
        measured: `${stored.toLocaleString('en-US')} errors in ${(size / 2 ** 20).toFixed(1)} MB`,
        goal: '260 bytes',
      },
    ];
  },
};
