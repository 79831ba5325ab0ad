/** A share from 0 to 1 in whole percent: `<1%` and `>99%` near the ends, so that 0% means none and 100% means all. */
export function percentOf(share: number): string {
  if (share > 0 && share < 0.01) return '<1%';
  if (share > 0.99 && share < 1) return '>99%';
  return `${Math.round(share * 100)}%`;
}
