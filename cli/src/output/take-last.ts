import { largestPageSize } from '@muster/contract';
import type { Portion } from './printer.ts';

/** Default number of items that a list shows. */
export const defaultLast = 100;

export interface LastFlags {
  readonly last?: number;
  readonly all?: boolean;
}

/** The page size with which a list of that length takes the fewest requests. */
export function pageSizeFor(flags: LastFlags): number {
  return Math.min(limitOf(flags), largestPageSize);
}

/** As much of a list as the flags ask for, page by page. */
export async function* takeLast<Item>(
  pages: AsyncIterable<{ readonly items: readonly Item[]; readonly next?: string }>,
  flags: LastFlags,
): AsyncGenerator<Portion<Item>> {
  let left = limitOf(flags);
  for await (const { items, next } of pages) {
    const taken = items.slice(0, left);
    left -= taken.length;
    yield { items: taken, hasMore: next !== undefined || taken.length < items.length };
    if (left <= 0) return;
  }
}

function limitOf({ last, all }: LastFlags): number {
  return all === true ? Number.POSITIVE_INFINITY : (last ?? defaultLast);
}
