import type { FleetConfigFinding } from '@muster/client';

/** A place in a text, and the word that would be right there. */
export interface Remedy {
  readonly begin: number;
  readonly end: number;
  readonly word: string;
}

/** What a finding says to write instead, if it is one word in the place of another one. */
export function remedyOf(
  { message, remedy, line, column }: Pick<FleetConfigFinding, 'message' | 'remedy' | 'line' | 'column'>,
  text: string,
): Remedy | undefined {
  const [, word] = /^Use '([^']+)'\.$/.exec(remedy ?? '') ?? [];
  if (word === undefined || line === undefined) return undefined;
  const lineBegin = beginOfLine(text, line);
  if (lineBegin === undefined) return undefined;
  const [shown = ''] = text.slice(lineBegin).split('\n', 1);
  // The message names the wrong word last of those that stand there.
  const wrong = [...message.matchAll(/'([^']+)'/g)].map(([, quoted = '']) => quoted).reverse();
  for (const candidate of wrong) {
    const at = placeOf(shown, candidate, (column ?? 1) - 1);
    if (at !== undefined) return { begin: lineBegin + at, end: lineBegin + at + candidate.length, word };
  }
  return undefined;
}

/** Where a line begins in a text; undefined if the text has fewer lines. */
export function beginOfLine(text: string, line: number): number | undefined {
  let begin = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', begin);
    if (end < 0) return undefined;
    begin = end + 1;
  }
  return begin;
}

/** The first whole word from a column on, or else the first one in the line. Names are compared without case, as agents do. */
function placeOf(line: string, word: string, from: number): number | undefined {
  const wanted = word.toLowerCase();
  const places: number[] = [];
  const lower = line.toLowerCase();
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const isWhole = !isPart(lower[at - 1]) && !isPart(lower[at + wanted.length]);
    if (isWhole) places.push(at);
  }
  return places.find((at) => at >= from) ?? places[0];
}

function isPart(character: string | undefined): boolean {
  return character !== undefined && /[\w.-]/.test(character);
}
