import { redactNamedValues } from './config/redact-named-values.ts';
import { redactKnownSecrets } from './redact-known-secrets.ts';

/**
 * Replaces the secrets in the configuration of an agent, of whatever kind and format, by `--redacted--`; all
 * else stays byte for byte. In doubt it redacts: a name that may mean a secret does. Takes time linear in the
 * length, whatever the text.
 */
export function redactConfig(rawConfig: string): string {
  return redactNamedValues(redactKnownSecrets(rawConfig));
}
