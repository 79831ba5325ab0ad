import { noDigit, valueOfDigit } from './hex-digits.ts';

/** The number of 32-bit words in a SHA-256. */
export const digestWords = 8;

const digitsOfWord = 8;

/** Reads a SHA-256 in lower-case hex into words. Returns false for any other text, which cannot be a key. */
export function readDigest(hex: string, into: Uint32Array): boolean {
  if (hex.length !== digestWords * digitsOfWord) return false;
  let invalid = 0;
  for (let word = 0; word < digestWords; word += 1) {
    let value = 0;
    for (let digit = 0; digit < digitsOfWord; digit += 1) {
      const found = valueOfDigit(hex.charCodeAt(word * digitsOfWord + digit));
      invalid |= found & noDigit;
      value = (value << 4) | found;
    }
    into[word] = value;
  }
  return invalid === 0;
}

export function writeDigest(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(digitsOfWord, '0')).join('');
}
