import type { DiffLine, DiffLineKind } from '@muster/contract';

interface DiffPart {
  readonly text: string;
  /** True: the line in its place has something else here. */
  readonly isChanged: boolean;
}

interface MarkedLine extends DiffLine {
  readonly parts: readonly DiffPart[];
}

/** Marks what differs between removed lines and the added lines that took their place, in whole words. */
export function markChanges(lines: readonly DiffLine[]): MarkedLine[] {
  const marked = lines.map((line) => ({ ...line, parts: [{ text: line.text, isChanged: false }] }));
  for (let first = 0; first < lines.length; ) {
    const removed = lengthOfRun(lines, first, 'removed');
    const added = lengthOfRun(lines, first + removed, 'added');
    for (let place = 0; place < Math.min(removed, added); place += 1) {
      const [old, fresh] = [marked[first + place], marked[first + removed + place]];
      if (old === undefined || fresh === undefined) continue;
      const { before, after } = commonEnds(old.text, fresh.text);
      for (const line of [old, fresh]) line.parts = partsOf(line.text, before, after);
    }
    first += Math.max(1, removed + added);
  }
  return marked;
}

function lengthOfRun(lines: readonly DiffLine[], first: number, kind: DiffLineKind): number {
  let length = 0;
  while (lines[first + length]?.kind === kind) length += 1;
  return length;
}

/** How much two lines have in common at their beginnings and ends, up to the next space. */
function commonEnds(one: string, other: string): { readonly before: number; readonly after: number } {
  const most = Math.min(one.length, other.length);
  let before = 0;
  while (before < most && one[before] === other[before]) before += 1;
  while (before > 0 && /\S/.test(one[before - 1] ?? ' ')) before -= 1;
  let after = 0;
  while (after < most - before && one.at(-1 - after) === other.at(-1 - after)) after += 1;
  while (after > 0 && /\S/.test(one.at(-after) ?? ' ')) after -= 1;
  return { before, after };
}

/** Lines that have next to nothing in common are shown as they are. */
function partsOf(text: string, before: number, after: number): DiffPart[] {
  const common = text.slice(0, before).trim() + text.slice(text.length - after).trim();
  if (common === '') return [{ text, isChanged: false }];
  return [
    { text: text.slice(0, before), isChanged: false },
    { text: text.slice(before, text.length - after), isChanged: true },
    { text: text.slice(text.length - after), isChanged: false },
  ].filter((part) => part.text !== '');
}

/** How many lines are equal and left out before a line that begins another place of the difference. */
export function leftOutBefore(lines: readonly DiffLine[], place: number): number {
  const hasNumber = ({ oldNumber }: DiffLine) => oldNumber !== undefined;
  const next = lines.slice(place).find(hasNumber)?.oldNumber ?? 1;
  const last = lines.slice(0, place).findLast(hasNumber)?.oldNumber ?? 0;
  return Math.max(0, next - last - 1);
}

/** The first change with a line around it, for a place with room for few lines. Prefers a change in which a text stands. */
export function excerptOf(lines: readonly DiffLine[], wanted: readonly string[], most: number): DiffLine[] {
  const isChange = ({ kind }: DiffLine) => kind === 'added' || kind === 'removed';
  const said = lines.findIndex(
    (line) => line.kind === 'added' && wanted.some((text) => line.text.includes(text)),
  );
  const at = said >= 0 ? said : lines.findIndex(isChange);
  if (at < 0) return lines.slice(0, most);
  let first = at;
  while (first > 0 && lines.slice(first - 1, first).every(isChange)) first -= 1;
  const begin = Math.max(0, first - 2);
  let end = Math.min(lines.length, begin + most);
  // Half a change would look like a line that is gone.
  if (lines.slice(end, end + 1).some(isChange))
    while (end > at + 1 && lines.slice(end - 1, end).some(({ kind }) => kind === 'removed')) end -= 1;
  return lines.slice(begin, end).filter(({ kind }) => kind !== 'hunk');
}
