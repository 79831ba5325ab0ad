const escapeKey = '\u001b';
/** What the terminal itself shows for a key. */
const shownInterrupt = '^C';

/**
 * What stands on a terminal after a program has written to it. Knows what the programs here use: carriage return, and
 * erasing the line or the rest of it. @throws Error at any other control character
 */
export function renderScreen(written: string): string {
  const lines: string[] = [];
  let line = '';
  let column = 0;
  for (const piece of piecesOf(written.replaceAll(shownInterrupt, ''))) {
    switch (piece) {
      case '\n':
        lines.push(line);
        line = '';
        column = 0;
        break;
      case '\r':
        column = 0;
        break;
      case `${escapeKey}[K`:
        line = line.slice(0, column);
        break;
      case `${escapeKey}[2K`:
        line = '';
        break;
      default:
        if (isColour(piece)) break;
        if (piece < ' ') throw new Error(`this terminal does not know ${JSON.stringify(piece)}`);
        line = line.slice(0, column).padEnd(column) + piece + line.slice(column + 1);
        column += 1;
    }
  }
  return [...lines, line].map((one) => one.trimEnd()).join('\n');
}

/** Of the log, which has colours on a terminal. */
function isColour(piece: string): boolean {
  return piece.startsWith(escapeKey) && /^\[[\d;]*m$/.test(piece.slice(escapeKey.length));
}

/** Characters and, as a whole, escape sequences. */
function piecesOf(written: string): string[] {
  const [text = '', ...sequences] = written.split(escapeKey);
  const pieces = sequences.flatMap((part) => {
    const sequence = /^\[[\d;?]*[A-Za-z]/.exec(part)?.[0] ?? '';
    return [escapeKey + sequence, ...part.slice(sequence.length)];
  });
  return [...text, ...pieces];
}
