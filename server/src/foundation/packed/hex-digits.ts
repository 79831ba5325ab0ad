/** The value for a character that is not a digit. */
export const noDigit = 16;

const values = new Uint8Array(128).fill(noDigit);
for (const [value, digit] of [...'0123456789abcdef'].entries()) values[digit.charCodeAt(0)] = value;

/** The value of a lower-case digit, by character code. */
export function valueOfDigit(code: number): number {
  return values[code] ?? noDigit;
}
