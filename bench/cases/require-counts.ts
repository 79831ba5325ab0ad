import type { Product } from '../servers/product.ts';

/** If reports are meant to be new, none may have been ignored, because ignoring is cheaper. */
export async function requireNoneIgnored(products: readonly Product[]): Promise<void> {
  for (const product of products) {
    const { ignored } = await product.countReports();
    if (ignored > 0) throw new Error(`${ignored} reports were ignored that should have been new`);
  }
}

/** If reports are meant to be ignored, none may have been stored. */
export async function requireNoneCreated(product: Product, before: number): Promise<void> {
  const { created } = await product.countReports();
  if (created > before)
    throw new Error(`${created - before} reports were stored that should have been ignored`);
}
