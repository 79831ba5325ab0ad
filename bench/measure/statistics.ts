/** The median of several rounds, and their spread. */
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

/** The value that this share does not exceed, interpolated between the two nearest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('nothing was measured');
  return below + (above - below) * (position - Math.floor(position));
}

/** One figure per round, computed from the results of two contenders. */
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
