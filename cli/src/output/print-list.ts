import type { Printer, View } from './printer.ts';
import { type LastFlags, takeLast } from './take-last.ts';

interface ListOptions<Item> {
  readonly pages: AsyncIterable<{ readonly items: readonly Item[]; readonly next?: string }>;
  readonly flags: LastFlags;
  readonly view: View<Item>;
  /** Said where there is nothing to list. */
  readonly none: string;
}

/** Prints as much of a list as the flags ask for, and says so where there is more. */
export async function printList<Item>(
  printer: Printer,
  { pages, flags, view, none }: ListOptions<Item>,
): Promise<void> {
  const { count, hasMore } = await printer.list(takeLast(pages, flags), view);
  if (count === 0 && !printer.isForScript) printer.note(none);
  if (hasMore && flags.last === undefined) {
    printer.note(
      `These are the newest ${count}. There are more: --last N shows N of them, --all shows every one.`,
    );
  }
}
