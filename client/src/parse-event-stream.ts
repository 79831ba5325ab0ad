/** One block of a stream: an event, or only an id to continue from. */
export interface EventBlock {
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** What arrives is not a stream of events of the service. */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError';
}

/** In characters; the service sends far less. */
const maxEventLength = 1_048_576;

/**
 * Reads server-sent events: WHATWG HTML section 9.2.6. Types and times to wait are not needed here.
 *
 * @throws EventStreamError for a line or an event of more than a million characters
 */
export async function* parseEventStream(pieces: AsyncIterable<string>): AsyncGenerator<EventBlock> {
  let id: string | undefined;
  let data: string | undefined;
  for await (const line of linesOf(pieces)) {
    if (line === '') {
      if (id !== undefined || data !== undefined) yield { id, data };
      id = undefined;
      data = undefined;
      continue;
    }
    const { name, value } = fieldOf(line);
    if (name === 'id' && !value.includes('\0')) id = value;
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    requireUsualLength(data ?? '');
  }
}

/** Lines end with CR LF, LF or CR. What follows the last end is not whole, and is dropped. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let endsWithCR = false;
  for await (const piece of pieces) {
    // The LF of a CR LF can come in the next piece.
    const text = endsWithCR && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') endsWithCR = piece.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
    requireUsualLength(rest);
  }
}

function requireUsualLength({ length }: string): void {
  if (length <= maxEventLength) return;
  throw new EventStreamError(`It sends an event of more than ${maxEventLength} characters.`);
}

function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line, value: '' };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') };
}
