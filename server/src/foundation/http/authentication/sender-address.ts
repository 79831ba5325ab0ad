import { isIP } from 'node:net';
import { withoutPort } from '@muster/http/limits/counted-address';

/**
 * The address that sent a request, for people to read. Forwarded addresses count only from trusted proxies (MUSTER_TRUST_PROXY). Undefined for an
 * invalid address, which a trusted proxy may pass on from a client.
 */
export function senderAddress({ ip }: { readonly ip: string | undefined }): string | undefined {
  const [plain = ''] = withoutPort(ip ?? '').split('%', 1);
  // IPv4 in IPv6 (RFC 4291 section 2.5.5.2): dual-stack sockets report IPv4 addresses this way.
  const address = plain.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? undefined : address;
}
