import { redactKnownSecrets } from './redact-known-secrets.ts';
import { redactCommands } from './secrets/redact-commands.ts';
import { redactNamedText } from './text/redact-named-text.ts';

/**
 * Replaces the secrets in a line or a few lines of output by `--redacted--`: the user part of URLs, values of names that
 * mean a secret, secrets of known shape, PEM blocks, arguments of commands. In doubt it redacts. Takes time linear in the
 * length, whatever the text.
 */
export function redactText(text: string): string {
  return redactNamedText(redactCommands(redactKnownSecrets(text, { keepsUser: false, keepsLines: false })));
}
