import { hash } from 'node:crypto';
import { defaultPageSize } from '@muster/contract';
import type { Page, PageOf } from '../../page.ts';
import { Refusal } from '../../refusal.ts';

interface PageQuery {
  readonly last?: number;
  readonly before?: string;
}

const cursorVersion = 1;
const checkBytes = 6;

/**
 * Reads `last` and `before`.
 *
 * @param list names the list (route and parent), so that a cursor of another one is refused.
 * @throws Refusal invalid_cursor
 */
export function readPage(list: string, { last, before }: PageQuery): Page {
  return {
    limit: last === undefined || last === 0 ? defaultPageSize : last,
    before: before === undefined ? undefined : decodeCursor(list, before),
  };
}

/** The RFC 8288 Link to the next page, with every filter of this one; undefined on the last page. */
export function nextPageLink(
  list: string,
  url: string,
  { rows, hasNext }: PageOf<{ readonly id: string }>,
): string | undefined {
  const lastRow = rows.at(-1);
  if (!hasNext || lastRow === undefined) return undefined;
  // Only the first question mark ends the path; a filter may hold more of them.
  const [path = ''] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path.length));
  parameters.set('before', encodeCursor(list, lastRow.id));
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

/** base64url of a version byte, the last row's id and a check over both and the list's name. */
export function encodeCursor(list: string, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([Buffer.of(cursorVersion), bytes, checkOf(list, bytes)]).toString('base64url');
}

function decodeCursor(list: string, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.subarray(1, 17);
  const isGenuine =
    bytes.length === 17 + checkBytes &&
    bytes.toString('base64url') === cursor &&
    bytes[0] === cursorVersion &&
    bytes.subarray(17).equals(checkOf(list, id));
  if (!isGenuine) {
    throw new Refusal('invalid_cursor', {
      detail:
        'The cursor in `before` was not answered by this list. Follow the Link header with rel="next" as it is, or leave `before` out to start again.',
      fields: [{ path: 'before', message: 'is not a cursor of this list' }],
    });
  }
  const hex = id.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function checkOf(list: string, id: Uint8Array): Buffer {
  const text = `${cursorVersion}\n${list}\n${Buffer.from(id).toString('hex')}`;
  return hash('sha256', text, 'buffer').subarray(0, checkBytes);
}
