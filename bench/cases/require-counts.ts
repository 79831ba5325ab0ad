import type { Product } from '../servers/product.ts';

/** Where reports are to be new, none may have been ignored: it would have cost less. */
export async function requireNoneIgnored(products: readonly Product[]): Promise<void> {
  for (const product of products) {
    const { ignored } = await product.countReports();
    if (ignored > 0) throw new Error(`${ignored} reports were ignored that should have been new`);
  }
}

/** Where reports are to be ignored, none may have been stored since. */
export async function requireNoneCreated(product: Product, before: number): Promise<void> {
  const { created } = await product.countReports();
  if (created > before)
    throw new Error(`${created - before} reports were stored that should have been ignored`);
}
