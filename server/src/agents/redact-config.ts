import { redactBearerTokens } from './redaction/redact-bearer-tokens.ts';
import { redactNamedValues } from './redaction/redact-named-values.ts';
import { redactPemBlocks } from './redaction/redact-pem-blocks.ts';
import { redactUserInfo } from './redaction/redact-user-info.ts';

/**
 * Replaces the secrets in the configuration of an agent, of whatever kind and format, by `--redacted--`; all
 * else stays byte for byte. In doubt it redacts: a name that may mean a secret does. Takes time linear in the
 * length, whatever the text.
 */
export function redactConfig(rawConfig: string): string {
  return redactNamedValues(redactBearerTokens(redactUserInfo(redactPemBlocks(rawConfig))));
}
