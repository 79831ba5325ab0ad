import { redactVisible } from './secrets/hidden-marks.ts';
import { redactKnownShapes } from './secrets/redact-known-shapes.ts';
import { redactPemBlocks } from './secrets/redact-pem-blocks.ts';
import { redactQueryCodes } from './secrets/redact-query-codes.ts';
import { redactSchemes } from './secrets/redact-schemes.ts';
import { redactUrls } from './secrets/redact-urls.ts';

/**
 * Replaces what is a secret by its form alone, whatever is written around it: tokens of known shape, passwords in URLs,
 * URLs whose path or code is a credential, credentials behind `Basic` or `Bearer`, and PEM blocks. Takes time linear in the length.
 * The same text always gets the same answer, and a text that was redacted stays as it is.
 */
export function redactKnownSecrets(text: string): string {
  return redactVisible(text, (visible) => redactKnownForms(visible, { keepsUser: true, keepsLines: false }));
}

/**
 * The same for a text without hidden marks.
 *
 * @param options `keepsUser`: the user before a password in a URL stays; `keepsLines`: the text has as many lines as before.
 */
export function redactKnownForms(
  text: string,
  options: { readonly keepsUser: boolean; readonly keepsLines: boolean },
): string {
  return redactSchemes(
    redactKnownShapes(redactQueryCodes(redactUrls(redactPemBlocks(text, options), options))),
  );
}
