/**
 * What stands on a terminal after a program has written to it. Knows what the programs here use: carriage return, erasing
 * the line or the rest of it, and the keys that the terminal itself shows. @throws Error at any other control character
 */
export function renderScreen(written: string): string {
  const lines: string[] = [];
  let line = '';
  let column = 0;
  for (const [piece] of written.matchAll(/\r|\n|\x1b\[[0-9;?]*[A-Za-z]|\^C|[^\r\n\x1b^]+|[^]/gu)) {
    if (piece === '\n') {
      lines.push(line);
      [line, column] = ['', 0];
    } else if (piece === '\r') {
      column = 0;
    } else if (piece === '\x1b[K') {
      line = line.slice(0, column);
    } else if (piece === '\x1b[2K') {
      line = '';
    } else if (/[\x00-\x08\x0b-\x1f]/.test(piece)) {
      throw new Error(`the terminal does not know ${JSON.stringify(piece)}`);
    } else if (piece !== '^C') {
      line = line.slice(0, column).padEnd(column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return [...lines, line].map((one) => one.trimEnd()).join('\n');
}
