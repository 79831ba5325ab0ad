import { hash } from 'node:crypto';
import { defaultPageSize } from '@muster/contract';
import type { Page, PageOf } from '../../list-page.ts';
import { Refusal } from '../../refusal.ts';

interface PageQuery {
  readonly last?: number;
  readonly before?: string;
}

const checkBytes = 6;

/**
 * Reads `last` and `before`.
 *
 * @param list names the list (route and parent), so that a cursor of another one is refused.
 * @throws Refusal invalid_cursor
 */
export function readPage(list: string, { last, before }: PageQuery): Page {
  return {
    limit: pageSizeOf(last),
    before: before === undefined ? undefined : cursors.idOf(cursors.decode(list, before)),
  };
}

export function pageSizeOf(last: number | undefined): number {
  return last === undefined || last === 0 ? defaultPageSize : last;
}

/** The RFC 8288 Link to the next page, with every filter of this one; undefined on the last page. */
export function nextPageLink(
  list: string,
  url: string,
  { rows, hasNext }: PageOf<{ readonly id: string }>,
): string | undefined {
  const lastRow = rows.at(-1);
  if (!hasNext || lastRow === undefined) return undefined;
  return linkTo(url, encodeCursor(list, lastRow.id));
}

export function linkTo(url: string, cursor: string): string {
  // Only the first question mark ends the path; a filter may hold more of them.
  const [path = ''] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path.length));
  parameters.set('before', cursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

export function encodeCursor(list: string, id: string): string {
  return cursors.encode(list, Buffer.from(id.replaceAll('-', ''), 'hex'));
}

/** Cursors are base64url of a version byte, a place in a list, and a check over both and the list's name. */
export function cursorCodec(version: number, placeBytes: number) {
  const checkOf = (list: string, place: Uint8Array): Buffer =>
    hash('sha256', `${version}\n${list}\n${Buffer.from(place).toString('hex')}`, 'buffer').subarray(
      0,
      checkBytes,
    );
  return {
    encode(list: string, place: Uint8Array): string {
      return Buffer.concat([Buffer.of(version), place, checkOf(list, place)]).toString('base64url');
    },

    /** @throws Refusal invalid_cursor */
    decode(list: string, cursor: string): Buffer {
      const bytes = Buffer.from(cursor, 'base64url');
      const end = 1 + placeBytes;
      const place = bytes.subarray(1, end);
      const isGenuine =
        bytes.length === end + checkBytes &&
        bytes.toString('base64url') === cursor &&
        bytes[0] === version &&
        bytes.subarray(end).equals(checkOf(list, place));
      if (isGenuine) return place;
      throw invalidCursor();
    },

    /** The id at the beginning of a place. */
    idOf(place: Buffer): string {
      const hex = place.toString('hex');
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        hex.slice(12, 16),
        hex.slice(16, 20),
        hex.slice(20, 32),
      ].join('-');
    },
  };
}

export function invalidCursor(): Refusal {
  return new Refusal('invalid_cursor', {
    detail:
      'The cursor in `before` was not answered by this list. Follow the Link header with rel="next" as it is, or leave `before` out to start again.',
    fields: [{ path: 'before', message: 'is not a cursor of this list' }],
  });
}

const cursors = cursorCodec(1, 16);
