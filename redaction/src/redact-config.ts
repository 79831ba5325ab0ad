import { redactNamedValues } from './config/redact-named-values.ts';
import { redactBearerTokens } from './secrets/redact-bearer-tokens.ts';
import { redactPemBlocks } from './secrets/redact-pem-blocks.ts';
import { redactUserInfo } from './secrets/redact-user-info.ts';

/**
 * Replaces the secrets in the configuration of an agent, of whatever kind and format, by `--redacted--`; all
 * else stays byte for byte. In doubt it redacts: a name that may mean a secret does. Takes time linear in the
 * length, whatever the text.
 */
export function redactConfig(rawConfig: string): string {
  return redactNamedValues(redactBearerTokens(redactUserInfo(redactPemBlocks(rawConfig))));
}
