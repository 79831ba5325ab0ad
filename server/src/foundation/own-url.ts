import type { Server } from 'node:net';
import type { Config } from './settings/config.ts';

/**
 * The address of the service for links, without a trailing slash: the setting, otherwise the one that it listens on. Undefined while it does not listen,
 * on all interfaces, whose names it does not know, and behind a proxy, whose address readers need.
 */
export function ownUrl(
  server: Pick<Server, 'address'>,
  { publicUrl, trustProxy, tls }: Pick<Config, 'publicUrl' | 'trustProxy' | 'tls'>,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  const listening = server.address();
  if (trustProxy !== false || listening === null || typeof listening === 'string') return undefined;
  const { address, family, port } = listening;
  if (address === '0.0.0.0' || address === '::') return undefined;
  return `${tls === undefined ? 'http' : 'https'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
