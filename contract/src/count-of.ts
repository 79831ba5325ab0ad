/** `1 error`, `11,924 errors`. */
export function countOf(count: number, thing: string): string {
  return `${numberOf(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** `11,924` */
export function numberOf(count: number): string {
  return count.toLocaleString('en-US');
}
