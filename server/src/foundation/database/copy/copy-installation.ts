import type { PostgresDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { isOfPreview, previewAdvice, previewReason } from '../migrations/preview.ts';
import { copiedTables } from './copied-tables.ts';
import { dropProgress, findUnfinishedCopy } from './copy-progress.ts';
import { CopySource } from './copy-source.ts';
import { copyTable, type TableCopy } from './copy-table.ts';
import {
  expectRoomForCopy,
  flattenFailure,
  openCopyTarget,
  readTargetMigrations,
  startCopy,
} from './copy-target.ts';
import { type PageLimits, usualPageLimits } from './row-pages.ts';
import { readTableShape } from './table-shape.ts';
import { verifyTable } from './verify-table.ts';

export interface CopyOptions {
  readonly dataDirectory: string;
  readonly databaseUrl: string;
  readonly onProgress?: (progress: CopyProgress) => void;
  readonly limits?: PageLimits;
}

interface CopyProgress {
  readonly phase: 'copy' | 'verify';
  readonly table: string;
  readonly rows: number;
  readonly totalRows: number;
}

interface CopiedTableReport {
  readonly table: string;
  readonly rows: number;
  /** The duration of this run, including verification. */
  readonly seconds: number;
}

export interface CopyReport {
  /** Whether an earlier run began the copy. */
  readonly isResumed: boolean;
  readonly tables: readonly CopiedTableReport[];
}

/**
 * Copies an installation from its embedded database to a PostgreSQL database, and verifies every row. It can be
 * killed at any moment: the next call continues after the last committed page.
 *
 * @throws Error that describes the obstacle or the difference.
 */
export async function copyInstallation(options: CopyOptions): Promise<CopyReport> {
  const source = await CopySource.open(options.dataDirectory);
  try {
    const target = await openCopyTarget(options.databaseUrl);
    try {
      return await copyBetween(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyBetween(
  source: CopySource,
  target: PostgresDatabase,
  { onProgress = () => undefined, limits = usualPageLimits }: CopyOptions,
): Promise<CopyReport> {
  const isResumed = (await findUnfinishedCopy(target.read)) !== undefined;
  const plans = await prepare(source, target, limits);

  const seconds = new Map<string, number>();
  const eachTable = async (phase: CopyProgress['phase'], work: (parts: TableCopy) => Promise<void>) => {
    for (const { totalRows, ...plan } of plans) {
      const table = plan.table.name;
      const onRows = (rows: number) => onProgress({ phase, table, rows, totalRows });
      const startedAt = performance.now();
      await work({ ...plan, onRows });
      seconds.set(table, (seconds.get(table) ?? 0) + (performance.now() - startedAt) / 1_000);
    }
  };

  await eachTable('copy', (parts) => tellingWhere(parts, () => copyTable(parts)));
  const differences: string[] = [];
  await eachTable('verify', async (parts) => {
    const difference = await tellingWhere(parts, () => verifyTable(parts));
    if (difference !== undefined) differences.push(difference);
  });
  if (differences.length > 0) throw new Error(describeDifferences(differences));
  // What came over did not happen now.
  await target.postgres.query('delete from event_changes', []);
  await target.postgres.query(
    `insert into agent_states (project_id, agent_id, status, type, version)
     select project_id, id, null, '', '' from agents where deleted_at is null on conflict do nothing`,
    [],
  );
  const lastEvents = await source.readLastEvents();
  // A listener that comes with an earlier number is told that events are missing.
  await target.postgres.query(
    `insert into event_sequences (project_id, last_sequence, removed_through)
     select project_id, last, last from unnest($1::uuid[], $2::bigint[]) as source (project_id, last)
     on conflict (project_id) do nothing`,
    [[...lastEvents.keys()], [...lastEvents.values()]],
  );
  await dropProgress(target);
  return {
    isResumed,
    tables: plans.map(({ table: { name }, totalRows }) => ({
      table: name,
      rows: totalRows,
      seconds: seconds.get(name) ?? 0,
    })),
  };
}

/** Prepares the target for the rows and returns the work for each table. @throws Error if the target cannot be used */
async function prepare(source: CopySource, target: PostgresDatabase, limits: PageLimits) {
  const { dataDirectory } = source;
  const origin = { installationID: await source.readInstallationID(), dataDirectory };
  await expectRoomForCopy(target.read, origin);
  await migrate(target);
  const there = await readTargetMigrations(target);
  expectSameMigrations(dataDirectory, await source.readMigrations(), there);
  const plans = [];
  for (const table of copiedTables) {
    const described = await readTableShape(target.postgres, table.name);
    await source.expectColumns(described);
    const columns = described.columns.filter(({ name }) => !table.recounted?.includes(name));
    const shape = { ...described, columns, key: table.order ?? described.key };
    plans.push({ source, target, table, shape, limits, totalRows: await source.countRows(table.name) });
  }
  await startCopy(target, origin);
  return plans;
}

function expectSameMigrations(
  dataDirectory: string,
  here: readonly string[],
  there: readonly string[],
): void {
  if (isOfPreview(here)) {
    throw new Error(`Nothing was copied from ${dataDirectory}. ${previewReason} ${previewAdvice}`);
  }
  const pending = there.filter((name) => !here.includes(name));
  if (pending.length > 0) {
    throw new Error(
      `The database in ${dataDirectory} is older than this Muster (${pending.join(', ')} did not run there), so that its rows do not fit. Run 'muster migrate --data-dir ${dataDirectory}', and then the same command again.`,
    );
  }
  const unknown = here.filter((name) => !there.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `The database in ${dataDirectory} is newer than this Muster (it has ${unknown.join(', ')}). Run the copy with the release that the installation ran on last.`,
    );
  }
}

/** Every failure message says that the committed rows are kept. */
async function tellingWhere<T>({ table }: TableCopy, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(
      `The copy stopped at the table ${table.name}. What was copied until then is kept: run the same command again, and it goes on from there.`,
      { cause: flattenFailure(cause) },
    );
  }
}

function describeDifferences(differences: readonly string[]): string {
  return [
    'The copy is not the same as its source, so that it is not to be used, and Muster does not start on it:',
    ...differences.map((difference) => `  ${difference}`),
    'Either somebody changed the target meanwhile, or Muster ran on the source between two runs of the copy. Empty the target database (drop it and create it anew), and run the same command again; the source is as it was.',
  ].join('\n');
}
