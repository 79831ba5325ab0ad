import { redactKnownShapes } from './secrets/redact-known-shapes.ts';
import { redactPemBlocks } from './secrets/redact-pem-blocks.ts';
import { redactSchemes } from './secrets/redact-schemes.ts';
import { redactUrls } from './secrets/redact-urls.ts';
import { redactNamedText } from './text/redact-named-text.ts';

/**
 * Replaces the secrets in a line or a few lines of output by `--redacted--`: the user part of URLs, values of names that
 * mean a secret, secrets of known shape, PEM blocks. In doubt it redacts. Takes time linear in the length, whatever the text.
 */
export function redactText(text: string): string {
  return redactNamedText(
    redactSchemes(redactKnownShapes(redactUrls(redactPemBlocks(text), { keepsUser: false }))),
  );
}
