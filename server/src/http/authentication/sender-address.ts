import { isIP } from 'node:net';
import { withoutPort } from './counted-address.ts';

/**
 * The address that sent a request, as far as the proxies in between are believed (MUSTER_TRUST_PROXY), for people to read.
 * Undefined for what is no address, such as what a believed proxy passes on from a client that wrote nonsense.
 */
export function senderAddress({ ip }: { readonly ip: string | undefined }): string | undefined {
  const [plain = ''] = withoutPort(ip ?? '').split('%', 1);
  // IPv4 in IPv6 (RFC 4291 section 2.5.5.2), as sockets that listen on both write it.
  const address = plain.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? undefined : address;
}
