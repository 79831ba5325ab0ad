/** @returns undefined if the bytes are no UTF-8 */
export function decodeText(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function encodeText(text: string): string {
  let characters = '';
  for (const byte of new TextEncoder().encode(text)) characters += String.fromCharCode(byte);
  return btoa(characters);
}
