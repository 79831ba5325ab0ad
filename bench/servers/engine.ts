import type { Bench } from '../bench.ts';
import type { Contender } from '../measure/alternate.ts';
import { startWorkerProcess, type WorkerProcess } from '../processes/worker-process.ts';

/** The same inserts directly into the database, as fast as it accepts them in batches. */
interface Engine {
  /** In batches of this many rows, each durable before the next; one row after the other is of the next agent, unless more are of each. */
  inBatchesOf(rows: number, rowsPerAgent?: number): Contender<EngineSample>;
}

export interface EngineSample {
  readonly perSecond: number;
}

export type EnginePlace =
  | {
      readonly file: string;
      /** The table of errors has only its key: what the inserts cost without any index. */
      readonly isBareTable?: boolean;
    }
  | { readonly databaseUrl: string };

export interface InsertOrder {
  readonly batchSize: number;
  /** Rows of an agent in a row. */
  readonly rowsPerAgent: number;
  readonly seconds: number;
}

/** The number of inserted rows, and the seconds that the database took. */
export interface InsertFigures {
  readonly rows: number;
  readonly seconds: number;
}

const graceMilliseconds = 60_000;

/** Opens a database with the product's own tables and this many agents, in a separate process. */
export async function startEngine(bench: Bench, place: EnginePlace): Promise<Engine> {
  const file = 'file' in place ? 'engine-sqlite-process.ts' : 'engine-postgres-process.ts';
  const worker = startWorkerProcess(bench.closing, new URL(file, import.meta.url));
  await worker.ask('open', { place, agents: bench.options.loadAgents }, graceMilliseconds);
  return { inBatchesOf: (rows, rowsPerAgent = 1) => insertingBatches(worker, rows, rowsPerAgent) };
}

function insertingBatches(
  worker: WorkerProcess,
  batchSize: number,
  rowsPerAgent: number,
): Contender<EngineSample> {
  return {
    name: `engine in batches of ${batchSize}`,
    async measure(seconds) {
      const order: InsertOrder = { batchSize, rowsPerAgent, seconds };
      const done = await worker.ask<InsertFigures>('insert', order, seconds * 1_000 + graceMilliseconds);
      return { perSecond: done.rows / done.seconds };
    },
  };
}
