import { maxErrorLength } from '@muster/contract';
import { redactKnownSecrets } from '@muster/redaction';
import { truncateErrorText } from './agent-error.ts';

/** Of a text that is cut, more is not looked at: a secret of thousands of characters may stand before what is kept. */
const maxReadLength = 16_384;

/**
 * The text under which an error is compared and stored: secrets of known shape are replaced, which may make it longer, so that
 * it is cut where it has to be. It depends on the text alone, so that all replicas and both engines agree on it; and what it
 * answers stays as it is, so that a text that stands already needs not be looked at again.
 */
export function redactErrorText(text: string): string {
  const redacted = redactKnownSecrets(text);
  return redacted === text ? text : truncateErrorText(redacted);
}

/** Redacts the texts of a report; answers the same array where none of them has a secret. */
export function redactErrorTexts(texts: readonly string[]): readonly string[] {
  const redacted = texts.map(redactErrorText);
  return redacted.some((text, index) => text !== texts[index]) ? redacted : texts;
}

/** A text that is too long, without its secrets and cut: cut before, half a secret would be left that nothing recognizes. */
export function cutErrorText(text: string): string {
  if (text.length <= maxErrorLength) return text;
  const read = text.length <= maxReadLength ? text : `${text.slice(0, endOfRead(text)).toWellFormed()}…`;
  return truncateErrorText(redactKnownSecrets(read));
}

/** Behind a whole word, where there is one. */
function endOfRead(text: string): number {
  const blank = text.lastIndexOf(' ', maxReadLength);
  return blank > maxReadLength / 2 ? blank : maxReadLength;
}
