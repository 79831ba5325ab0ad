import { redactKnownShapes } from './secrets/redact-known-shapes.ts';
import { redactPemBlocks } from './secrets/redact-pem-blocks.ts';
import { redactSchemes } from './secrets/redact-schemes.ts';
import { redactUrls } from './secrets/redact-urls.ts';

/**
 * Replaces what is a secret by its form alone, whatever is written around it: tokens of known shape, passwords in URLs,
 * URLs whose path is a credential, credentials behind `Basic` or `Bearer`, and PEM blocks. Takes time linear in the length.
 * The same text always gets the same answer, and a text that was redacted stays as it is.
 */
export function redactKnownSecrets(text: string): string {
  return redactSchemes(redactKnownShapes(redactUrls(redactPemBlocks(text), { keepsUser: true })));
}
