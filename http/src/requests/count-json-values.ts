const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBracket = 0x5b;
const openingBrace = 0x7b;

/**
 * True if a JSON text in UTF-8 contains more than `maximum` values, including arrays and objects. Far cheaper than parsing: a million empty arrays take
 * half a second and 100 MB. Does not check whether the text is valid.
 */
export function holdsMoreValues(text: Uint8Array, maximum: number): boolean {
  let values = 1;
  let isInString = false;
  for (let position = 0; position < text.length; position += 1) {
    const byte = text[position] ?? 0;
    if (isInString) {
      if (byte === backslash) position += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) {
      isInString = true;
    } else if (byte === comma || byte === openingBracket || byte === openingBrace) {
      values += 1;
      if (values > maximum) return true;
    }
  }
  return false;
}
