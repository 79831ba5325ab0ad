import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { sqliteFileName } from '../../server/src/foundation/database/sqlite/open-sqlite.ts';
import type { Bench } from '../bench.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import type { DataSetShape } from './data-set.ts';

const fillLimitMilliseconds = 3_600_000;
/** Approximate size, including all indexes and the space to sort them. */
const bytesPerError = 1_200;
const bytesPerAgent = 3_000;

/** The data directory of a data set, created if it is missing. It is kept for later runs: nothing may be reported into it. */
export async function keptSqliteDirectory(bench: Bench, shape: DataSetShape): Promise<string> {
  const home = join(bench.keptDirectory, 'sqlite');
  const directory = join(home, nameOf(shape));
  if (existsSync(directory)) return directory;
  mkdirSync(home, { recursive: true });
  for (const name of readdirSync(home).filter(isOutdated)) rmSync(join(home, name), { recursive: true });
  requireSpace(bench, shape);
  const unfinished = mkdtempSync(join(bench.scratchDirectory, 'fill-'));
  await fill(bench, 'sqlite', { dataDirectory: unfinished, shape });
  renameSync(unfinished, directory);
  return directory;
}

/** A copy of a data set, for cases that change it. */
export async function copySqliteDirectory(bench: Bench, shape: DataSetShape): Promise<string> {
  const kept = await keptSqliteDirectory(bench, shape);
  const copy = mkdtempSync(join(bench.scratchDirectory, 'data-'));
  for (const name of readdirSync(kept).filter((file) => file.startsWith(sqliteFileName))) {
    copyFileSync(join(kept, name), join(copy, name), constants.COPYFILE_FICLONE);
  }
  return copy;
}

/** The name of a database with a data set, created if it is missing. It is kept for later runs: nothing may be reported into it. */
export async function keptPostgresDatabase(bench: Bench, shape: DataSetShape): Promise<string> {
  const postgres = await bench.postgres();
  const name = `muster_bench_kept_${nameOf(shape)}`;
  if (await postgres.hasDatabase(name)) return name;
  for (const database of await postgres.listDatabases('muster_bench_kept_')) {
    if (isOutdated(database.replace('muster_bench_kept_', ''))) await postgres.dropDatabase(database);
  }
  requireSpace(bench, shape);
  const unfinished = await postgres.createScratchDatabase(bench.closing);
  await fill(bench, 'postgres', { databaseUrl: unfinished, shape });
  await postgres.renameDatabase(new URL(unfinished).pathname.slice(1), name);
  return name;
}

async function fill(bench: Bench, engine: 'sqlite' | 'postgres', details: object): Promise<void> {
  bench.say('making a data set, which is kept for the next run:');
  const worker = startWorkerProcess(bench.closing, new URL('fill-process.ts', import.meta.url));
  await worker.ask(engine, details, fillLimitMilliseconds);
  await worker.stop();
}

function nameOf({ agents, errors }: DataSetShape): string {
  return `${digestOfTables()}_${agents}_${errors}`;
}

function isOutdated(name: string): boolean {
  return !name.startsWith(digestOfTables());
}

/** Everything that determines the rows of a data set: the product's migrations, and the files that create the rows. */
function digestOfTables(): string {
  const migrations = new URL('../../server/src/foundation/database/migrations/', import.meta.url);
  const files = [
    ...readdirSync(migrations, { encoding: 'utf8', recursive: true }).map(
      (name) => new URL(name, migrations),
    ),
    new URL('data-set.ts', import.meta.url),
    new URL('data-set-tables.ts', import.meta.url),
  ].filter(({ pathname }) => pathname.endsWith('.ts') && !pathname.endsWith('.test.ts'));
  const digest = createHash('sha256');
  for (const file of files.sort((one, other) => (one.pathname < other.pathname ? -1 : 1)))
    digest.update(readFileSync(file)).update('\0');
  return digest.digest('hex').slice(0, 12);
}

function requireSpace({ keptDirectory }: Bench, { agents, errors }: DataSetShape): void {
  const { bavail, bsize } = statfsSync(keptDirectory);
  const needed = errors * bytesPerError + agents * bytesPerAgent;
  if (bavail * bsize >= needed) return;
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  throw new Error(
    `${errors} errors need about ${gigabytes(needed)} GB, and ${gigabytes(bavail * bsize)} GB are free. Choose fewer with --errors, or another disk with MUSTER_BENCH_DIR.`,
  );
}
