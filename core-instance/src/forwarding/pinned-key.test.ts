import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { TestAuthority, type TestPair } from '../../../server/src/testing/receivers/test-certificates.ts';
import type { CoreInstanceOptions } from '../start-core-instance.ts';
import { ConnectProxy } from '../testing/connect-proxy.ts';
import { TestSite } from '../testing/test-site.ts';
import { checkPinnedKey } from './pinned-key.ts';

/** An elliptic curve, and its pin as openssl computes it. */
const elliptic = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUblWtTVjOpDDCBLDN/vzEoyODPH8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjIxMjA1MVoYDzIxOTEwMzA2
MjEyMDUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR5jIZrUMcC3c6jDlar2ckcQlbKPX4mPMVegqM+3w79WM6XUlr2oSvR
KCxE3Z+Y6uGhQqqi+cVu3Bpzp3qrS0+wo2kwZzAdBgNVHQ4EFgQUWIn7sNzzHQQY
8kWbJeBvbm0HXbYwHwYDVR0jBBgwFoAUWIn7sNzzHQQY8kWbJeBvbm0HXbYwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAJSiLVaFlA0vAJ75q2mvjAKHn9KiVlkuukusBUjsaesaAiAciGL1Tgce
1P/ZiujmwJ4kUahBiqt54JZ/XGOmtTDxPQ==
-----END CERTIFICATE-----`,
  pin: 'sha256//RRjRG0Fv1/7fKVxPs+ex+d5C7LhYKUOl48mIKubrNTM=',
};

const otherPin = `sha256//${Buffer.alloc(32).toString('base64')}`;

const authority = new TestAuthority();
const old = authority.issue();
const renewed = authority.issue();

function pinOf({ key }: TestPair): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return `sha256//${createHash('sha256').update(der).digest('base64')}`;
}

/** A line to the double of the centre that is encrypted with a certificate. */
class EncryptedLine {
  readonly #server: Server;
  readonly #sockets = new Set<{ destroy(): unknown }>();

  constructor(pair: TestPair, port: number) {
    this.#server = createServer(pair, (socket) => {
      const onward = connect(port, '127.0.0.1');
      for (const end of [socket, onward]) {
        this.#sockets.add(end);
        end.on('error', () => undefined).on('close', () => [socket, onward].map((each) => each.destroy()));
      }
      onward.pipe(socket).pipe(onward);
    }).on('tlsClientError', () => undefined);
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`https://localhost:${(this.#server.address() as AddressInfo).port}`); // it listens on TCP
  }

  /** As a service that is started again with it. */
  present(pair: TestPair): void {
    this.#server.setSecureContext(pair);
    this.cut();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

let site: TestSite;
let line: EncryptedLine;
let proxy: ConnectProxy;
let url: URL;
beforeEach(async () => {
  site = await TestSite.create();
  proxy = await ConnectProxy.start();
  line = new EncryptedLine(old, Number(site.centre.url.port));
  url = await line.listen();
});
afterEach(async () => {
  await site.close();
  proxy.close();
  line.close();
});

/** It tries again soon, and not all the time: each time costs a handshake. */
const start = (pins: readonly string[], options: Partial<CoreInstanceOptions> = {}) =>
  site.start({ url, authorities: authority.cert, pins, random: () => 0.02, ...options });

/** Others follow while it is tried again. */
const firstComplaint = () => site.logs.find((text) => text.startsWith('Muster cannot be'));

describe.each([
  ['directly', () => ({})],
  ['through a proxy', () => ({ env: { HTTPS_PROXY: proxy.url.href } })],
])('a centre whose key is pinned, reached %s', (_, way) => {
  it('is told nothing while its key is another one, and everything when it has the pinned one', async () => {
    const { port } = await start([pinOf(renewed)], way());
    await eventually(async () =>
      expect(firstComplaint()).toBe(
        `Muster cannot be joined yet: the key of its certificate is ${pinOf(old)}, which --pin does not name. If it has a new key, add this pin. If not, something on the way pretends to be Muster. It is tried again; agents are answered with 503 until then.`,
      ),
    );
    expect(port).toBeGreaterThan(0);
    expect(site.centre.headers).toEqual([]);
    line.present(renewed);
    await eventually(async () => expect(site.logs).toContain('Muster is reached.'));
  });

  it('may change its key for another pinned one, and what it was not told under a third key waits', async () => {
    await start([pinOf(old), pinOf(renewed)], way());
    await eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));
    expect((await site.report('m-1', 'under the old key')).status).toBe(201);
    await eventually(async () => expect(site.centre.counts).toEqual({ 'under the old key': 1 }));

    const third = authority.issue();
    line.present(third);
    const asked = site.centre.headers.length;
    expect((await site.report('m-1', 'under a third key')).status).toBe(201);
    await eventually(async () =>
      expect(site.logs).toContain(
        `Muster cannot be reached: the key of its certificate is ${pinOf(third)}, which --pin does not name. If it has a new key, add this pin. If not, something on the way pretends to be Muster. What agents send is kept here until it can.`,
      ),
    );
    expect(site.centre.headers).toHaveLength(asked);

    line.present(renewed);
    await eventually(async () =>
      expect(site.centre.counts).toEqual({ 'under the old key': 1, 'under a third key': 1 }),
    );
    expect(site.centre.faults).toEqual([]);
  });

  it('must be trusted as well', async () => {
    await start([pinOf(old)], { authorities: undefined, ...way() });
    await eventually(async () =>
      expect(firstComplaint()).toContain('name the certificate of that authority with --ca-file'),
    );
    expect(site.centre.headers).toEqual([]);
  });
});

describe('a pinned key', () => {
  const { certificate, pin } = elliptic;
  const presented = new X509Certificate(certificate).toLegacyObject();

  it('is compared as openssl and curl write it, for an elliptic curve too', () => {
    expect(checkPinnedKey([otherPin, pin])('localhost', presented)).toBeUndefined();
    expect(checkPinnedKey([otherPin])('localhost', presented)?.message).toContain(
      `the key of its certificate is ${pin}, which --pin does not name.`,
    );
  });

  it('does not excuse a certificate for another name', () => {
    expect(checkPinnedKey([pin])('muster.example.com', presented)).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });
});
