const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Counts as bars, one character each: a blank for none, the highest for the largest. */
export function sparkline(counts: readonly number[]): string {
  const largest = Math.max(1, ...counts);
  return counts
    .map((count) => (count === 0 ? ' ' : (heights[Math.ceil((count / largest) * heights.length) - 1] ?? '')))
    .join('');
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/**
 * A count as a bar from left to right: empty for none, otherwise at least an eighth of a character.
 *
 * @param width characters of the bar of the largest count
 */
export function horizontalBar(count: number, largest: number, width: number): string {
  const length = count === 0 ? 0 : Math.max(1, Math.round((count / Math.max(1, largest)) * width * 8));
  return '█'.repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? '');
}
