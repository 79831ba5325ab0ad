import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An identity provider on its own port. */
export interface IdentityProvider {
  readonly issuer: string;
  /** False: it answers 500. */
  isUp: boolean;
  /** A token with a minute left. */
  sign(claims: { readonly sub: string; readonly [claim: string]: unknown }, now: number): Promise<string>;
  close(): Promise<void>;
}

export const testAudience = 'muster';

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'first', alg: 'ES256' };
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys';
    response.writeHead(provider.isUp ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const provider: IdentityProvider = {
    issuer,
    isUp: true,
    sign: (claims, now) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'first', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(testAudience)
        .setIssuedAt(now / 1_000)
        .setExpirationTime(now / 1_000 + 60)
        .sign(keys.privateKey),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
