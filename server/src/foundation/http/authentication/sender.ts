import { countedAddress } from '@muster/http/limits/counted-address';

/** The origin of a request. A Fastify request satisfies it. */
export interface Sender {
  /** Takes trusted proxies into account. Undefined once the connection has broken. */
  readonly ip: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The key under which a sender is counted. If a trusted proxy passes on no valid address, its own address counts. */
export function addressOf({ ip, socket }: Sender): string {
  return countedAddress(ip ?? '') ?? countedAddress(socket.remoteAddress ?? '') ?? 'unknown';
}
