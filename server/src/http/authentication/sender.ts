import { countedAddress } from './counted-address.ts';

/** Where a request comes from: a request of the framework is one. */
export interface Sender {
  /** As far as proxies in between are believed. Undefined once the connection has broken. */
  readonly ip: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** What a sender counts as. Where a proxy that is believed passes on no address, its own counts. */
export function addressOf({ ip, socket }: Sender): string {
  return countedAddress(ip ?? '') ?? countedAddress(socket.remoteAddress ?? '') ?? 'unknown';
}
