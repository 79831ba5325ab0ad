import { quoteForShell } from '@muster/contract';
import type { Printer, View } from './printer.ts';
import { type LastFlags, takeLast } from './take-last.ts';

interface ListOptions<Item> {
  readonly pages: AsyncIterable<{ readonly items: readonly Item[]; readonly next?: string }>;
  readonly flags: LastFlags;
  readonly view: View<Item>;
  /** The items of the list, for the message that no item matches the filters: `open errors`. */
  readonly things: string;
  /** The message for an empty list without filters. */
  readonly none: string;
  /** Which ones are shown if there are more. Default: the newest. */
  readonly shown?: 'newest' | 'first';
  /** The filters that the user gave, by flag. */
  readonly filters?: Readonly<Record<`--${string}`, string | undefined>>;
}

/** Prints as much of a list as the flags ask for, and says if there is more. Returns how many it has printed. */
export async function printList<Item>(
  printer: Printer,
  { pages, flags, view, things, none, shown = 'newest', filters = {} }: ListOptions<Item>,
): Promise<number> {
  const { count, hasMore } = await printer.list(takeLast(pages, flags), view);
  if (count === 0 && !printer.isForScript) printer.note(noneMatches(things, filters) ?? none);
  if (hasMore && flags.last === undefined) {
    printer.note(`These are the ${shown} ${count}. There are more: --last N shows N, --all shows all.`);
  }
  return count;
}

/** `No agents match --status unhealthy.`; undefined without a filter. */
function noneMatches(
  things: string,
  filters: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const given = Object.entries(filters).flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${quoteForShell(value)}`],
  );
  if (given.length === 0) return undefined;
  const without = given.length === 1 ? 'that filter' : 'one of these filters';
  return `No ${things} match ${given.join(' ')}. Leave out ${without} to see more.`;
}
