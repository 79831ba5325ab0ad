import { redactKnownShapes } from './secrets/redact-known-shapes.ts';
import { redactPemBlocks } from './secrets/redact-pem-blocks.ts';
import { redactSchemes } from './secrets/redact-schemes.ts';
import { redactUrls } from './secrets/redact-urls.ts';

/**
 * Replaces what is a secret by its form alone, whatever is written around it: tokens of known shape, passwords in URLs,
 * URLs whose path is a credential, credentials behind `Basic` or `Bearer`, and PEM blocks. Takes time linear in the length.
 * The same text always gets the same answer, and a text that was redacted stays as it is.
 *
 * @param options `keepsUser`: the user before a password in a URL stays; `keepsLines`: the text has as many lines as before.
 */
export function redactKnownSecrets(
  text: string,
  options: { readonly keepsUser: boolean; readonly keepsLines: boolean } = defaults,
): string {
  return redactSchemes(redactKnownShapes(redactUrls(redactPemBlocks(text, options), options)));
}

const defaults = { keepsUser: true, keepsLines: false };
