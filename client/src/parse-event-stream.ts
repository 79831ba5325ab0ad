/** One block of a stream: an event, or only an id to continue from. */
export interface EventBlock {
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Reads server-sent events: WHATWG HTML section 9.2.6. Types and times to wait are not needed here. */
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
  }
}

/** Lines end with CR LF, LF or CR. What follows the last end is not whole, and is dropped. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    rest += piece;
    // A CR at the end may be half of a CR LF.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(whole.length);
    yield* lines;
  }
}

function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line, value: '' };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') };
}
