/** With separators, such as 3,000. Where numbers stand below one another, the class `number` aligns their digits. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

/** A share of 1 as per cent. Something is never shown as nothing, nor nearly all as all. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return '<1%';
  if (share < 1 && share > 0.99) return '>99%';
  return `${Math.round(share * 100)}%`;
}

/** Such as 12M, where there is little room. */
export function formatShort(value: number): string {
  return value.toLocaleString('en', { notation: 'compact' });
}
