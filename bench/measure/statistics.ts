/** The middle of several rounds, and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    median: percentile(values, 0.5),
    least: Math.min(...values),
    most: Math.max(...values),
  };
}

/** The value that so great a share does not exceed; of two in the middle, what lies between them. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('nothing was measured');
  return below + (above - below) * (position - Math.floor(position));
}

/** One figure for each round, from what two contenders did in it. */
export function pairwise(
  one: readonly number[],
  other: readonly number[],
  combine: (one: number, other: number) => number,
): number[] {
  return one.map((value, round) => combine(value, other[round] ?? Number.NaN));
}

export function ratio(one: number, other: number): number {
  return one / other;
}
