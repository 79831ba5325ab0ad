import type { IncomingHttpHeaders } from 'node:http';
import { tokenPrefixes } from '@muster/contract';

const projectHeader = 'x-project-token';
const agentHeader = 'x-agent-token';

/**
 * Puts the password of HTTP Basic (RFC 7617) into the header of its kind of token, for routes that accept it: all that follows then treats it like
 * that header. A header of that kind that was sent wins.
 */
export function takeBasicCredential(headers: IncomingHttpHeaders): void {
  const encoded = /^basic +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return;
  delete headers.authorization;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const password = /^[^:]*:(.+)$/s.exec(decoded)?.[1];
  if (password === undefined) return;
  headers[password.startsWith(tokenPrefixes.agent) ? agentHeader : projectHeader] ||= password;
}
