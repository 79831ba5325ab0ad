import type { Page } from '@muster/client';
import type { InfiniteData } from '@tanstack/react-query';

/** The pages of a list that are kept. */
export type KeptPages<Row> = InfiniteData<Page<Row>, string | undefined>;

/** Pages that are always read again: in them, what is new appears. */
const alwaysRead = 1;
/** Lists that are shorter are read again as a whole. */
const maxReadAgain = 3;

/**
 * The page that may stay as it is while a long list is read again. A list of 100,000 rows has hundreds of pages, and nobody looks at more than two.
 *
 * @param pageParam the cursor of the page
 * @param isShown tells whether somebody looks at the page at this index
 */
export function pageToKeep<Row>(
  kept: KeptPages<Row> | undefined,
  pageParam: string | undefined,
  isShown: (page: number) => boolean,
): Page<Row> | undefined {
  if (kept === undefined || kept.pages.length <= maxReadAgain) return undefined;
  const index = kept.pageParams.indexOf(pageParam);
  return index < alwaysRead || isShown(index) ? undefined : kept.pages[index];
}

/**
 * Lets a page end where a kept page ended, so that the pages after it stay what they are when rows have come or gone before them.
 *
 * @param idOf identifies a row; rows never change their order
 */
export function endAsKept<Row>(
  kept: KeptPages<Row> | undefined,
  pageParam: string | undefined,
  page: Page<Row>,
  idOf: (row: Row) => string,
): Page<Row> {
  // Nothing is kept of what follows the last page.
  if (kept === undefined || kept.pages.at(-1)?.next === pageParam) return page;
  const ends = new Map(
    kept.pages.flatMap((one) => {
      const last = one.items.at(-1);
      return last === undefined ? [] : [[idOf(last), one] as const];
    }),
  );
  const end = page.items.findIndex((row) => ends.has(idOf(row)));
  const last = page.items[end];
  const next = last === undefined ? undefined : ends.get(idOf(last))?.next;
  return next === undefined ? page : { items: page.items.slice(0, end + 1), next };
}
