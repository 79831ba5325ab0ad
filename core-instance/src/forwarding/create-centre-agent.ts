import { Agent, request as requestHttp } from 'node:http';
import { type RequestOptions, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { checkPinnedKey } from './pinned-key.ts';

interface CentreAgentOptions {
  readonly url: URL;
  /** Certificates of authorities, in PEM, in addition to those that Node knows. */
  readonly authorities: string | undefined;
  /** Of public keys, as `sha256//BASE64`: its certificate must have one of them. None: any. */
  readonly pins: readonly string[];
  readonly proxy: URL | undefined;
}

/** Few connections, since one batch is sent at a time. */
const connectionOptions = { keepAlive: true, maxSockets: 4, timeout: 60_000 } as const;

/** Connects to the centre. The certificate is always verified, whatever the environment says. */
export function createCentreAgent({ url, authorities, pins, proxy }: CentreAgentOptions): Agent {
  if (url.protocol !== 'https:') return new Agent(connectionOptions);
  const verified = {
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(authorities === undefined ? {} : { ca: [...rootCertificates, authorities] }),
    ...(pins.length === 0 ? {} : { checkServerIdentity: checkPinnedKey(pins) }),
  } as const;
  if (proxy === undefined) return new TlsAgent({ ...connectionOptions, ...verified });
  return new TunnelAgent(proxy, verified);
}

type Connected = (error: Error | null, stream: Duplex) => void;

/** Reaches the centre through a proxy (RFC 9110 section 9.3.6). */
class TunnelAgent extends TlsAgent {
  readonly #proxy: URL;
  readonly #verified: object;

  constructor(proxy: URL, verified: object) {
    super({ ...connectionOptions, ...verified });
    this.#proxy = proxy;
    this.#verified = verified;
  }

  /** Node calls it with the place to reach, and takes the socket from the callback. */
  override createConnection({ host, port }: RequestOptions, onConnected?: Connected): undefined {
    // A callback with an error takes no socket.
    const fail = (error: Error): void => onConnected?.(error, undefined as unknown as Duplex);
    const name = host ?? 'localhost';
    const target = `${name.includes(':') ? `[${name}]` : name}:${port ?? 443}`;
    const { hostname, port: proxyPort } = this.#proxy;
    const request = requestHttp({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: proxyPort || 80,
      method: 'CONNECT',
      path: target,
      headers: { Host: target, ...proxyAuthorization(this.#proxy) },
      timeout: 30_000,
      agent: false,
    });
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        fail(new ProxyError(statusCode, this.#proxy));
        return;
      }
      const secured = connectTls({ ...this.#verified, socket, servername: name });
      secured.once('error', fail);
      secured.once('secureConnect', () => {
        secured.off('error', fail);
        onConnected?.(null, secured);
      });
    });
    request.once('timeout', () => request.destroy(new Error('the proxy did not answer in time')));
    request.once('error', fail);
    request.end();
  }
}

class ProxyError extends Error {
  override readonly name = 'ProxyError';

  constructor(status: number, { host }: URL) {
    super(
      status === 407
        ? `the proxy ${host} wants a user and a password: write them into its URL`
        : `the proxy ${host} refuses the connection with status ${status}`,
    );
  }
}

export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
