import { maxErrorLength } from '@muster/contract';

/** Cuts a text to at most 1024 code points, the last one `…`. Used if the sender asks for truncation. */
export function truncateErrorText(text: string): string {
  // A text has at most as many code points as UTF-16 units, so a short one need not be counted.
  if (text.length <= maxErrorLength) return text;
  let end = 0;
  let endOfKept = 0;
  for (let codePoints = 0; end < text.length; codePoints += 1) {
    if (codePoints === maxErrorLength - 1) endOfKept = end;
    if (codePoints === maxErrorLength) return `${text.slice(0, endOfKept)}…`;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text;
}
