/** The numbers of the lines of a text that an earlier one does not have, from 1. A line that stands there twice and stood there once is new once. */
export function newLines(before: string, text: string): number[] {
  const known = new Map<string, number>();
  for (const line of before.split('\n')) known.set(line, (known.get(line) ?? 0) + 1);
  const found: number[] = [];
  text.split('\n').forEach((line, index) => {
    const left = known.get(line) ?? 0;
    if (left === 0) found.push(index + 1);
    else known.set(line, left - 1);
  });
  return found;
}
