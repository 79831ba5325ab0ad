/** Another word for each number, with no digit, so that texts with them are causes of their own. */
export function wordOf(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'ghjkmnpqrs'.charAt(Number(digit)));
}
