import { marker } from './marker.ts';

/** Replaces what follows `Bearer` (RFC 6750), whatever header it is sent in; prose is no token. */
export function redactBearerTokens(text: string): string {
  return text.replaceAll(/\b(bearer[ \t]+)[\w.~+/=-]{16,}/gi, `$1${marker}`);
}
