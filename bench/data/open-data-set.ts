import type { Bench } from '../bench.ts';
import { type Product, startProduct } from '../servers/product.ts';
import type { DataSetShape } from './data-set.ts';
import { copySqliteDirectory, keptPostgresDatabase, keptSqliteDirectory } from './kept-data-sets.ts';

export type DataSetEngine = 'sqlite' | 'postgres';

/** The service on an unchanged data set, for cases that only read. */
export async function openKeptProduct(
  bench: Bench,
  engine: DataSetEngine,
  shape: DataSetShape,
): Promise<Product> {
  if (engine === 'sqlite')
    return startProduct(bench, { dataDirectory: await keptSqliteDirectory(bench, shape) });
  const postgres = await bench.postgres();
  return startProduct(bench, { databaseUrl: postgres.url(await keptPostgresDatabase(bench, shape)) });
}

/** The service on a copy of a data set, which is removed after the case. */
export async function openCopiedProduct(
  bench: Bench,
  engine: DataSetEngine,
  shape: DataSetShape,
): Promise<Product> {
  if (engine === 'sqlite')
    return startProduct(bench, { dataDirectory: await copySqliteDirectory(bench, shape) });
  const postgres = await bench.postgres();
  const template = await keptPostgresDatabase(bench, shape);
  return startProduct(bench, { databaseUrl: await postgres.createScratchDatabase(bench.closing, template) });
}
