import { noDigit, valueOfDigit } from './hex-digits.ts';

/** The number of 32-bit words in a UUID. */
export const idWords = 4;

const textLength = 36;
const digitsOfWord = 8;
const hyphen = '-'.charCodeAt(0);
/** For each byte, the character codes of its two digits, with the first digit in the lower half. */
const digitsOfByte = Uint16Array.from({ length: 256 }, (_, byte) => {
  const digits = byte.toString(16).padStart(2, '0');
  return digits.charCodeAt(0) | (digits.charCodeAt(1) << 8);
});
/** Used only within one call. Concatenating strings takes twice as long. */
const scratch = Buffer.alloc(textLength, hyphen);

/** Reads a lower-case UUID into four words. Returns false for any other text, which cannot be a key. */
export function readID(text: string, into: Uint32Array, at = 0): boolean {
  if (text.length !== textLength) return false;
  let position = 0;
  let invalid = 0;
  for (let word = 0; word < idWords; word += 1) {
    let value = 0;
    for (let digit = 0; digit < digitsOfWord; digit += 1) {
      if (position === 8 || position === 13 || position === 18 || position === 23) {
        invalid |= text.charCodeAt(position) ^ hyphen;
        position += 1;
      }
      const found = valueOfDigit(text.charCodeAt(position));
      invalid |= found & noDigit;
      value = (value << 4) | found;
      position += 1;
    }
    into[at + word] = value;
  }
  return invalid === 0;
}

/** Converts four words to a UUID. */
export function writeID(words: Uint32Array, at = 0): string {
  writeHalf((words[at] ?? 0) >>> 16, 0);
  writeHalf(words[at] ?? 0, 4);
  writeHalf((words[at + 1] ?? 0) >>> 16, 9);
  writeHalf(words[at + 1] ?? 0, 14);
  writeHalf((words[at + 2] ?? 0) >>> 16, 19);
  writeHalf(words[at + 2] ?? 0, 24);
  writeHalf((words[at + 3] ?? 0) >>> 16, 28);
  writeHalf(words[at + 3] ?? 0, 32);
  return scratch.toString('latin1');
}

/** Writes the lower half of a word as four digits. */
function writeHalf(word: number, position: number): void {
  const first = digitsOfByte[(word >>> 8) & 0xff] ?? 0;
  const second = digitsOfByte[word & 0xff] ?? 0;
  scratch[position] = first & 0xff;
  scratch[position + 1] = first >>> 8;
  scratch[position + 2] = second & 0xff;
  scratch[position + 3] = second >>> 8;
}
