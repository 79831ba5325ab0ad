import { redactKnownSecrets } from '@muster/redaction';

const maxUserAgentLength = 200;

/** Some programs send a credential in their User-Agent. */
export function cleanUserAgent(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 2 * maxUserAgentLength);
  return redactKnownSecrets(printable).slice(0, maxUserAgentLength);
}
