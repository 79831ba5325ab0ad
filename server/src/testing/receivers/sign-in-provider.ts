import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A whole OpenID provider, at which a person signs in without a page. */
export interface SignInProvider {
  readonly issuer: string;
  readonly clientID: string;
  readonly clientSecret: string;
  /** Who signs in next, and what the provider tells of them beside the id. */
  person: { readonly sub: string; readonly name?: string; readonly groups?: readonly string[] };
  /** False: it answers 500. */
  isUp: boolean;
  /** The path that answers 500. Undefined: none. */
  brokenPath: string | undefined;
  /** ID tokens name the hash of their access token (`at_hash`). */
  hasTokenHash: boolean;
  /** What ID tokens say beside the id. */
  toldInToken: Readonly<Record<string, unknown>>;
  /** Answered instead of the access token that belongs to the ID token. Undefined: that one. */
  otherAccessToken: string | undefined;
  /** The next person cancels. */
  isCancelled: boolean;
  /** Does at the provider what a person and their browser do. Returns the address to which the browser returns. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

export const testRedirectUri = 'http://muster.test/sign_in/callback';

export async function startSignInProvider(
  redirectUris: readonly string[] = [testRedirectUri],
): Promise<SignInProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'test' };
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const clientID = 'muster-web';
  const clientSecret = 'a-secret-of-the-client-0123456789';
  const oidc: Provider = new Provider(issuer, {
    clients: [
      { client_id: clientID, client_secret: clientSecret, redirect_uris: [...redirectUris] },
      {
        client_id: 'muster-public',
        token_endpoint_auth_method: 'none',
        redirect_uris: [...redirectUris],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    pkce: { required: () => true },
    ttl: { Session: 60, Interaction: 60, Grant: 60, IdToken: 60, AccessToken: 60 },
    async findAccount(_context, sub) {
      return { accountId: sub, claims: async () => ({ ...provider.person, sub }) };
    },
    async loadExistingGrant({ oidc: { client, session } }) {
      const grant = new oidc.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  oidc.use(async (context, next) => {
    await next();
    const { hasTokenHash, toldInToken } = provider;
    if (context.path !== '/token' || (!hasTokenHash && Object.keys(toldInToken).length === 0)) return;
    const answered = context.body as { readonly access_token: string; readonly id_token: string }; // of a code
    const hash = createHash('sha256').update(answered.access_token).digest().subarray(0, 16);
    const claims = {
      ...decodeJwt(answered.id_token),
      ...toldInToken,
      ...(hasTokenHash && { at_hash: hash.toString('base64url') }),
    };
    const idToken = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' });
    context.body = {
      ...answered,
      id_token: await idToken.sign(privateKey),
      access_token: provider.otherAccessToken ?? answered.access_token,
    };
  });
  const callback = oidc.callback();
  answer = (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!provider.isUp || path === provider.brokenPath) {
      response.writeHead(500).end();
    } else if (path.startsWith('/interaction/')) {
      const result = provider.isCancelled
        ? { error: 'access_denied', error_description: 'cancelled' }
        : { login: { accountId: provider.person.sub, remember: false } };
      void oidc.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } else {
      void callback(request, response);
    }
  };
  const provider: SignInProvider = {
    issuer,
    clientID,
    clientSecret,
    person: { sub: 'ada' },
    isUp: true,
    brokenPath: undefined,
    hasTokenHash: false,
    toldInToken: {},
    otherAccessToken: undefined,
    isCancelled: false,
    async visit(start) {
      const cookies = new Map<string, string>();
      let url = start;
      while (url.startsWith(issuer)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
        for (const text of response.headers.getSetCookie()) {
          const [pair = ''] = text.split(';', 1);
          cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${response.status} ${await response.text()}`);
        url = new URL(location, url).href;
      }
      return url;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
