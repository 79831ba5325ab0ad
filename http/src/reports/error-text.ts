import { maxErrorLength } from '@muster/contract';
import { redactKnownSecrets } from '@muster/redaction';
import { truncateErrorText } from './truncate-error-text.ts';

/**
 * Number of characters that are searched for secrets in a text that will be cut. It is larger than the kept part, because redaction of a long secret
 * moves later text into the kept part.
 */
const maxReadLength = 16_384;

/** Removes secrets that are known by their values, and not only by their forms. */
interface KnownSecrets {
  remove(text: string): string;
}

const nothingKnown: KnownSecrets = { remove: (text) => text };

/**
 * The text under which an error is compared and stored. Secrets of known forms are replaced, which can make the text longer, so it is cut if
 * necessary. The result depends only on the text, so that all replicas and both engines agree. It is idempotent, so that the text of an open error
 * need not be redacted again.
 */
export function redactErrorText(text: string, known: KnownSecrets = nothingKnown): string {
  const redacted = redactKnownSecrets(known.remove(text));
  return redacted === text ? text : truncateErrorText(redacted);
}

/** Redacts the texts of a report. Returns the same array if no text contains a secret. */
export function redactErrorTexts(texts: readonly string[], known?: KnownSecrets): readonly string[] {
  const redacted = texts.map((text) => redactErrorText(text, known));
  return redacted.some((text, index) => text !== texts[index]) ? redacted : texts;
}

/** Redacts a text that is too long, and then cuts it. Cutting first could leave half of a secret, which would not be recognized. */
export function cutErrorText(text: string): string {
  if (text.length <= maxErrorLength) return text;
  const read = text.length <= maxReadLength ? text : `${text.slice(0, endOfRead(text)).toWellFormed()}…`;
  return truncateErrorText(redactKnownSecrets(read));
}

/** The end of the last whole word, if there is one. */
function endOfRead(text: string): number {
  const blank = text.lastIndexOf(' ', maxReadLength);
  return blank > maxReadLength / 2 ? blank : maxReadLength;
}
