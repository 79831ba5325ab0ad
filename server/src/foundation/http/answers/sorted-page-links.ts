import { cursorCodec, invalidCursor, linkTo, pageSizeOf } from './page-links.ts';

/** A row's place in a list whose order can change: its id, and the whole number that it was sorted by. */
interface SortedPlace {
  readonly id: string;
  readonly value: number;
}

const cursors = cursorCodec(2, 24);

/**
 * Reads `last` and `before` of a list that is not sorted by id.
 *
 * @param list names the list, its order and what its counts depend on, so that a cursor of another one is refused.
 * @throws Refusal invalid_cursor
 */
export function readSortedPage(
  list: string,
  { last, before }: { readonly last?: number; readonly before?: string },
): { readonly limit: number; readonly before: SortedPlace | undefined } {
  return { limit: pageSizeOf(last), before: before === undefined ? undefined : decode(list, before) };
}

/** The RFC 8288 Link to the page after this place. */
export function nextSortedPageLink(list: string, url: string, { id, value }: SortedPlace): string {
  const bytes = Buffer.alloc(24);
  bytes.write(id.replaceAll('-', ''), 'hex');
  bytes.writeBigInt64BE(BigInt(value), 16);
  return linkTo(url, cursors.encode(list, bytes));
}

function decode(list: string, cursor: string): SortedPlace {
  const bytes = cursors.decode(list, cursor);
  const value = Number(bytes.readBigInt64BE(16));
  // Made up: rows are sorted by times and counts, and a database may refuse such a number.
  if (!Number.isSafeInteger(value)) throw invalidCursor();
  return { id: cursors.idOf(bytes), value };
}
