import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { senderAddress } from './sender-address.ts';

/** Returns the address that sent a request, with the same trust in proxies as the framework (MUSTER_TRUST_PROXY). */
export type ReadAddress = (request: IncomingMessage) => string | undefined;

/** For requests that the framework does not see. */
export function createReadAddress(trustProxy: boolean | string): ReadAddress {
  if (trustProxy === false) return ({ socket }) => senderAddress({ ip: socket.remoteAddress });
  const isTrusted =
    trustProxy === true ? () => true : proxyAddr.compile(trustProxy.split(',').map((one) => one.trim()));
  return (request) => senderAddress({ ip: proxyAddr(request, isTrusted) });
}
