const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Counts as bars, one character each: a blank for none, the highest for the largest. */
export function sparkline(counts: readonly number[]): string {
  const largest = Math.max(1, ...counts);
  return counts
    .map((count) => (count === 0 ? ' ' : (heights[Math.ceil((count / largest) * heights.length) - 1] ?? '')))
    .join('');
}
