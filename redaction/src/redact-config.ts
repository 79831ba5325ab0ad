import { redactNamedValues } from './config/redact-named-values.ts';
import { redactKnownForms } from './redact-known-secrets.ts';
import { redactVisible } from './secrets/hidden-marks.ts';
import { lineBreaksIn, marker } from './secrets/marker.ts';
import { redactCommands } from './secrets/redact-commands.ts';
import { redactElements } from './secrets/redact-elements.ts';
import { redactOptions } from './secrets/redact-options.ts';
import { readName } from './secrets/secret-name.ts';

/** The maximum growth of the text by redaction, in characters. */
export const maxGrowth = 131_072;

/**
 * Replaces the secrets in the configuration of an agent, of whatever kind and format, by `--redacted--`; all
 * else stays byte for byte, on the line where it was. In doubt it redacts: a name that may mean a secret does, and a text
 * with so many short secrets that it would grow by more than `maxGrowth`, or with more names of secrets than any configuration has, is replaced as a whole. Takes time linear in
 * the length, whatever the text.
 */
export function redactConfig(rawConfig: string): string {
  return redactVisible(rawConfig, redactLines);
}

function redactLines(rawConfig: string): string {
  const commands = redactCommands(redactKnownForms(rawConfig, { keepsUser: true, keepsLines: true }));
  const isSecret = (name: string): boolean => readName(name) !== 'harmless';
  const known = redactOptions(redactElements(commands, isSecret), { isSecret, takesWords: true });
  const redacted = redactNamedValues(known, maxGrowth - (known.length - rawConfig.length));
  return redacted ?? marker + lineBreaksIn(rawConfig, 0, rawConfig.length);
}
