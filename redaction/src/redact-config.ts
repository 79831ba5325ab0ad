import { redactNamedValues } from './config/redact-named-values.ts';
import { redactKnownSecrets } from './redact-known-secrets.ts';
import { lineBreaksIn, marker } from './secrets/marker.ts';
import { redactCommands } from './secrets/redact-commands.ts';

/** The maximum growth of the text by redaction, in characters. */
export const maxGrowth = 131_072;

/**
 * Replaces the secrets in the configuration of an agent, of whatever kind and format, by `--redacted--`; all
 * else stays byte for byte, on the line where it was. In doubt it redacts: a name that may mean a secret does, and a text
 * with so many short secrets that it would grow by more than `maxGrowth` is replaced as a whole. Takes time linear in
 * the length, whatever the text.
 */
export function redactConfig(rawConfig: string): string {
  const known = redactCommands(redactKnownSecrets(rawConfig, { keepsUser: true, keepsLines: true }));
  const redacted = redactNamedValues(known, maxGrowth - (known.length - rawConfig.length));
  return redacted ?? marker + lineBreaksIn(rawConfig, 0, rawConfig.length);
}
