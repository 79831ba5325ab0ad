import { lineBreaksIn, marker } from './marker.ts';

/**
 * Replaces every PEM block (RFC 7468), on lines of its own or with `\n` in a JSON string.
 *
 * @param options `keepsLines`: the text has as many lines as before.
 */
export function redactPemBlocks(text: string, { keepsLines }: { readonly keepsLines: boolean }): string {
  if (!text.includes('-----BEGIN ')) return text;
  let redacted = '';
  let copied = 0;
  for (const { index, 0: begin } of text.matchAll(/-----BEGIN [A-Z0-9 ]{1,64}-----/g)) {
    if (index < copied) continue;
    const bodyStart = index + begin.length;
    redacted += text.slice(copied, index) + marker;
    copied = endOfBlock(text, bodyStart) ?? endOfBase64(text, bodyStart);
    if (keepsLines) redacted += lineBreaksIn(text, index, copied);
  }
  return redacted + text.slice(copied);
}

/** The end of a block: the next END; undefined if another block begins before it, or none follows. */
function endOfBlock(text: string, bodyStart: number): number | undefined {
  const boundary = /-----(?:BEGIN|(END) [A-Z0-9 ]{1,64}-----)/g;
  boundary.lastIndex = bodyStart;
  return boundary.exec(text)?.[1] === undefined ? undefined : boundary.lastIndex;
}

/** A truncated block: everything after BEGIN that may belong to it. */
function endOfBase64(text: string, bodyStart: number): number {
  let end = bodyStart;
  do {
    base64.lastIndex = end;
    end = base64.test(text) ? base64.lastIndex : end;
  } while (text[end] === '-' && !text.startsWith('-----BEGIN', end) && ++end);
  return bodyStart + text.slice(bodyStart, end).trimEnd().length;
}

const base64 = /[\w+/=,: \t\r\n\\]*/y;
