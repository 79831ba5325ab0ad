import type { Bench } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { type Product, type ProductOptions, startProduct } from './product.ts';

/** The service on an empty database, which is removed after the case. */
export async function startProductOn(
  bench: Bench,
  engine: DataSetEngine,
  options: ProductOptions = {},
): Promise<Product> {
  if (engine === 'sqlite') return startProduct(bench, options);
  const postgres = await bench.postgres();
  return startProduct(bench, {
    ...options,
    databaseUrl: await postgres.createScratchDatabase(bench.closing),
  });
}
