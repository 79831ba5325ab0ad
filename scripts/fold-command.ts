/**
 * Splits a command line into lines of limited length, which a shell reads as one. It breaks after a pipe or before a
 * flag if possible, otherwise between words, but never within quotes: quoted text may be longer.
 */
export function foldCommand(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const places = spacesBetweenWords(line).filter((place) => line.slice(0, place).trim() !== '');
  // One space and the backslash that continues the line have to fit too.
  const fitting = places.filter((place) => place <= width - 2);
  const pipes = fitting.filter((place) => line[place - 1] === '|');
  const flags = fitting.filter((place) => line[place + 1] === '-');
  const place = pipes.at(-1) ?? flags.at(-1) ?? fitting.at(-1) ?? places[0];
  if (place === undefined) return [line];
  return [`${line.slice(0, place)} \\`, ...foldCommand(`    ${line.slice(place + 1)}`, width)];
}

function spacesBetweenWords(line: string): number[] {
  const places: number[] = [];
  let quote = '';
  for (const [place, character] of [...line].entries()) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === ' ') places.push(place);
  }
  return places;
}
