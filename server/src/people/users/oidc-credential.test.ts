import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal, UntoldRefusal } from '../../foundation/refusal.ts';
import { createOidcCheck, type OidcCheck } from './oidc-credential.ts';

const now = Date.UTC(2026, 10, 20, 12);
const nowSeconds = now / 1000;
const audience = 'muster';
const claims = { sub: 'u-1', preferred_username: 'ada' };

/** An identity provider on its own port. A test can change its answers. */
interface Provider {
  readonly server: Server;
  readonly issuer: string;
  configuration: unknown;
  keys: JWK[];
  /** The requested paths. */
  readonly asked: string[];
}

let provider: Provider;
let first: GenerateKeyPairResult;
let second: GenerateKeyPairResult;
let check: OidcCheck;
/** The time of the monotonic clock. */
let elapsed: number;
let failures: object[];

function optionsOf(issuer: string) {
  return {
    issuer,
    audience,
    rolesClaim: 'groups',
    clock: () => now,
    monotonic: () => elapsed,
    onUnavailable: (failure: object) => failures.push(failure),
  };
}

beforeEach(async () => {
  first = await generateKeyPair('ES256', { extractable: true });
  second = await generateKeyPair('ES256', { extractable: true });
  provider = await startProvider();
  provider.keys = [await toJWK('first', first)];
  elapsed = 0;
  failures = [];
  check = createOidcCheck(optionsOf(provider.issuer));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await stop(provider.server);
});

async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    provider.asked.push(path);
    const body =
      path === '/.well-known/openid-configuration' ? provider.configuration : { keys: provider.keys };
    response.writeHead(body === undefined ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const issuer = `http://127.0.0.1:${port}`;
  return { server, issuer, configuration: { issuer, jwks_uri: `${issuer}/keys` }, keys: [], asked: [] };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function toJWK(kid: string, { publicKey }: GenerateKeyPairResult): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
}

interface TokenOptions {
  readonly typ?: string;
  readonly key?: CryptoKey | Uint8Array;
  readonly kid?: string;
  readonly alg?: string;
}

/** A valid token, except for the given claims. */
function sign(given: Readonly<Record<string, unknown>> = {}, options: TokenOptions = {}): Promise<string> {
  const payload = {
    ...{ iss: provider.issuer, aud: audience, iat: nowSeconds, exp: nowSeconds + 300 },
    ...claims,
    ...given,
  };
  return new SignJWT(JSON.parse(JSON.stringify(payload))) // drops undefined claims
    .setProtectedHeader({
      alg: options.alg ?? 'ES256',
      kid: options.kid ?? 'first',
      ...(options.typ === undefined ? {} : { typ: options.typ }),
    })
    .sign(options.key ?? first.privateKey);
}

async function refusalOf(token: string, by: OidcCheck = check): Promise<Refusal> {
  const error: unknown = await by.verify(token).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refusal)) throw new Error(`expected a refusal, got ${String(error)}`);
  for (const part of token.split('.').filter((text) => text !== ''))
    expect(describeWhole(error)).not.toContain(part);
  return error;
}

/** Everything that a log could print of the error. */
function describeWhole(error: Refusal): string {
  return JSON.stringify([error, error.message, error.stack, String(error.cause)]);
}

describe('isIssuedToken', () => {
  it('distinguishes a JWT from tokens of this service by its form', async () => {
    expect(check.isIssuedToken(await sign())).toBe(true);
    for (const other of ['', 'a.b', 'a.b.c.d', 'a..c', 'a.b.c=', 'mst_u_abc', 'eyJh.mst_p_abc', 'a.b.c\n']) {
      expect(check.isIssuedToken(other)).toBe(false);
    }
    expect(provider.asked).toEqual([]);
  });
});

describe('verify', () => {
  it('returns the user of a valid token', async () => {
    expect(await check.verify(await sign())).toEqual({
      issuer: provider.issuer,
      subject: 'u-1',
      name: 'ada',
      expiresAt: now + 300_000,
      issuedAt: now,
      claimValues: [],
    });
  });

  it.each([
    [{ preferred_username: 'ada', name: 'Ada L', email: 'a@x' }, 'ada'],
    [{ preferred_username: undefined, name: 'Ada L', email: 'a@x' }, 'Ada L'],
    [{ preferred_username: ' ', name: 7, email: 'a@x' }, 'a@x'],
    [{ preferred_username: 'a\0b' }, 'u-1'],
    [{ preferred_username: 'x'.repeat(256) }, 'u-1'],
  ])('reads the name from the first claim that has one: %j', async (given, name) => {
    expect(await check.verify(await sign(given))).toMatchObject({ name });
  });

  it.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['groups', { groups: ['a', 7, 'b'] }, ['a', 'b']],
    ['groups', { groups: 'a' }, ['a']],
    ['https://example.com/groups', { 'https://example.com/groups': ['a'] }, ['a']],
    ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
    ['realm_access.roles', { 'realm_access.roles': ['a'], realm_access: { roles: ['b'] } }, ['a']],
    ['realm_access.roles', { realm_access: 'roles' }, []],
    ['constructor.name', {}, []],
  ])('reads the roles from the claim %s: %j', async (rolesClaim, given, claimValues) => {
    check = createOidcCheck({ ...optionsOf(provider.issuer), rolesClaim });
    expect(await check.verify(await sign(given))).toMatchObject({ claimValues });
  });

  it('accepts one audience among several, and 30 seconds of clock skew', async () => {
    await expect(check.verify(await sign({ aud: ['other', audience] }))).resolves.toBeDefined();
    await expect(check.verify(await sign({ exp: nowSeconds - 25 }))).resolves.toBeDefined();
    await expect(check.verify(await sign({ nbf: nowSeconds + 25 }))).resolves.toBeDefined();
  });

  it("requests the provider's configuration and keys once, and not before the first token", async () => {
    expect(provider.asked).toEqual([]);
    const tokens = await Promise.all([1, 2, 3, 4].map((n) => sign({ sub: `u-${n}` })));
    await Promise.all(tokens.map((token) => check.verify(token)));
    await check.verify(await sign());
    expect(provider.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('finds the configuration of an issuer that ends with a slash', async () => {
    const issuer = `${provider.issuer}/`;
    provider.configuration = { issuer, jwks_uri: `${issuer}keys` };
    const slashed = createOidcCheck(optionsOf(issuer));
    await expect(slashed.verify(await sign({ iss: issuer }))).resolves.toMatchObject({ issuer });
  });
});

describe('verify, with an invalid token', () => {
  it.each([
    ['for another audience', { aud: 'other' }, 'audience'],
    ['without an audience', { aud: undefined }, 'audience'],
    ['from another issuer', { iss: 'https://other.example' }, 'issuer'],
    ['without an issuer', { iss: undefined }, 'issuer'],
    ['that is not valid yet', { nbf: nowSeconds + 31 }, 'not valid yet'],
    ['without an end', { exp: undefined }, "'exp'"],
    ['that does not tell when it was issued', { iat: undefined }, "'iat'"],
    ['without a subject', { sub: undefined }, "'sub'"],
    ['with an empty subject', { sub: '' }, "'sub'"],
    ['with a subject that no database can keep', { sub: 'a\0b' }, "'sub'"],
  ])('refuses one %s', async (_name, given, reason) => {
    const refusal = await refusalOf(await sign(given));
    expect(refusal.code).toBe('invalid_credential');
    expect(refusal.detail).toContain(reason);
  });

  it('refuses one that has expired by the given clock', async () => {
    expect((await refusalOf(await sign({ exp: nowSeconds - 31 }))).code).toBe('expired_credential');
  });

  it('refuses one without a signature, without asking the provider', async () => {
    const token = new UnsecuredJWT({
      ...claims,
      iss: provider.issuer,
      aud: audience,
      exp: nowSeconds + 300,
    }).encode();
    expect((await refusalOf(token)).code).toBe('invalid_credential');
    expect(provider.asked).toEqual([]);
  });

  it('refuses one that is signed with the public key as a shared secret', async () => {
    const secret = new TextEncoder().encode(await exportSPKI(first.publicKey));
    const refusal = await refusalOf(await sign({}, { key: secret, alg: 'HS256' }));
    expect(refusal.code).toBe('invalid_credential');
    expect(refusal.detail).toContain('algorithm');
    expect(provider.asked).toEqual([]);
  });

  it('refuses one whose key the provider does not publish', async () => {
    const refusal = await refusalOf(await sign({}, { key: second.privateKey, kid: 'unknown' }));
    expect(refusal.code).toBe('invalid_credential');
    expect(refusal.detail).toContain('does not publish');
  });

  it('refuses one that was signed with another key', async () => {
    const refusal = await refusalOf(await sign({}, { key: second.privateKey }));
    expect(refusal.detail).toContain('signature');
  });

  it('refuses one whose claims were changed', async () => {
    const [header, , signature] = (await sign()).split('.');
    const [, payload] = (await sign({ sub: 'u-2' })).split('.');
    expect((await refusalOf(`${header}.${payload}.${signature}`)).code).toBe('invalid_credential');
  });

  it.each(['', 'a.b.c', 'abc', '..', `${'a'.repeat(10_000)}.b.c`])(
    'refuses %j, which is no JWT',
    async (token) => {
      const error: unknown = await check.verify(token).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'invalid_credential' });
      expect(provider.asked).toEqual([]);
    },
  );
});

describe('verify, with another kind of token that the provider signed', () => {
  it.each([
    [{}, undefined],
    [{}, 'JWT'],
    [{}, 'at+jwt'],
    [{}, 'application/AT+JWT'],
    [{ typ: 'Bearer', azp: audience }, 'JWT'],
    [{ azp: 'spa', nonce: undefined }, undefined],
    [{ azp: audience, scope: 'openid' }, undefined],
    [{ azp: audience, aud: [audience, 'other'] }, undefined],
    [{ azp: audience, nonce: 'n' }, 'at+jwt'],
  ])('accepts an access token: claims %j, typ %s', async (given, typ) => {
    await expect(check.verify(await sign(given, { ...(typ && { typ }) }))).resolves.toBeDefined();
  });

  it.each([
    [{}, 'logout+jwt', 'not an access token (typ)'],
    [{}, 'dpop+jwt', 'not an access token (typ)'],
    [{}, 'secevent+jwt', 'not an access token (typ)'],
    [{}, '', 'not an access token (typ)'],
    [{ typ: 'ID' }, 'JWT', 'not an access token (typ)'],
    [{ typ: 'Refresh' }, 'JWT', 'not an access token (typ)'],
    [{ typ: 'DPoP' }, undefined, 'not an access token (typ)'],
    [{ typ: 7 }, undefined, 'not an access token (typ)'],
    [{ nonce: 'n' }, undefined, 'an ID token (nonce)'],
    [{ at_hash: 'h' }, 'JWT', 'an ID token (at_hash)'],
    [{ c_hash: 'h' }, 'JWT', 'an ID token (c_hash)'],
    [{ azp: audience }, 'JWT', 'its audience is only its own client'],
    [{ azp: '' }, 'JWT', "'azp'"],
    [{ azp: [] }, 'at+jwt', "'azp'"],
    [{ token_use: 'id' }, undefined, 'not an access token (token_use)'],
    [{ events: {} }, 'JWT', 'not an access token (events)'],
    [{ cnf: { jkt: 'x' } }, 'at+jwt', 'bound to a key'],
    [{ cnf: { 'x5t#S256': 'x' } }, 'JWT', 'bound to a key'],
  ])('refuses claims %j, typ %s', async (given, typ, reason) => {
    const refusal = await refusalOf(await sign(given, { ...(typ !== undefined && { typ }) }));
    expect(refusal.code).toBe('invalid_credential');
    expect(refusal.detail).toContain(reason);
  });
});

describe('verify, with a token whose key cannot be used', () => {
  it.each([
    ['too short', (key: JWK) => key],
    ['malformed', ({ kty, kid, alg }: JWK) => ({ kty: kty ?? '', kid, alg, n: '!', e: '!' }) as JWK],
    ['incomplete', ({ kty, kid, alg }: JWK) => ({ kty: kty ?? '', kid, alg }) as JWK],
  ])('refuses with 401 a key that is %s', async (_name, change) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = publicKey.export({ format: 'jwk' }) as JWK;
    provider.keys = [change({ ...jwk, kid: 'small', alg: 'RS256' })];
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = [
      encode({ alg: 'RS256', kid: 'small' }),
      encode({ iss: provider.issuer, aud: audience, exp: nowSeconds + 300, ...claims }),
    ].join('.');
    const signature = createSign('sha256').update(signed).sign(privateKey, 'base64url');
    expect((await refusalOf(`${signed}.${signature}`)).code).toBe('invalid_credential');
  });
});

describe("verify, when the provider's keys change", () => {
  it('accepts a token of a new key, and refuses tokens of a withdrawn key', async () => {
    const old = await sign();
    await check.verify(old);

    provider.keys = [await toJWK('second', second)];
    elapsed += 31_000; // the keys are read again twice a minute at most
    await expect(
      check.verify(await sign({}, { key: second.privateKey, kid: 'second' })),
    ).resolves.toBeDefined();
    expect((await refusalOf(old)).detail).toContain('does not publish');
  });

  it('requests the keys at most twice a minute, for any number of unknown keys', async () => {
    await check.verify(await sign());
    for (const kid of ['a', 'b', 'c']) await refusalOf(await sign({}, { kid }));
    expect(provider.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });
});

describe('verify, when the provider does not answer correctly', () => {
  async function expectUnavailable(by: OidcCheck = check): Promise<void> {
    const refusal = await refusalOf(await sign(), by);
    expect(refusal.code).toBe('identity_provider_unavailable');
    expect(refusal.retryAfterSeconds).toBe(1);
    expect(refusal).toBeInstanceOf(UntoldRefusal);
  }

  it('refuses with 503 while the provider is down, and accepts the token when it is back', async () => {
    const { configuration } = provider;
    provider.configuration = undefined;
    await expectUnavailable();
    provider.configuration = configuration;
    elapsed += 1_000;
    await expect(check.verify(await sign())).resolves.toBeDefined();
  });

  it('backs off for any number of tokens, and reports each refusal', async () => {
    provider.configuration = undefined;
    const waits: number[] = [];
    for (let round = 1; round <= 8; round += 1) {
      for (let request = 0; request < 3; request += 1) {
        waits.push((await refusalOf(await sign())).retryAfterSeconds ?? 0);
      }
      expect(provider.asked).toHaveLength(round);
      elapsed += (waits.at(-1) ?? 0) * 1_000;
    }
    expect(waits.filter((_, index) => index % 3 === 0)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(failures).toHaveLength(24);
    expect(failures[0]).toEqual({
      reason: 'its configuration could not be read',
      cause: 'Error: it was answered with 500',
    });
  });

  it('accepts tokens of known keys for an hour, and none afterwards', async () => {
    const token = await sign();
    await check.verify(token);
    provider.configuration = undefined;
    elapsed += 3_599_999;
    await expect(check.verify(token)).resolves.toBeDefined();
    elapsed += 1;
    expect((await refusalOf(token)).code).toBe('identity_provider_unavailable');
  });

  it("limits the size of the provider's answers", async () => {
    provider.configuration = { ...Object(provider.configuration), padding: 'x'.repeat(600_000) };
    await expectUnavailable();
    expect(failures).toEqual([
      {
        reason: 'its configuration could not be read',
        cause: 'Error: it has more than 524288 bytes',
      },
    ]);
  });

  it('refuses with 503 if nothing listens at the address', async () => {
    await stop(provider.server);
    await expectUnavailable();
  });

  it('refuses with 503 if the keys cannot be read', async () => {
    provider.configuration = { issuer: provider.issuer, jwks_uri: 'http://127.0.0.1:1/keys' };
    await expectUnavailable();
  });

  it('refuses with 503 if there are no keys', async () => {
    provider.keys = JSON.parse('"x"');
    await expectUnavailable();
  });

  it.each([
    ['names another issuer', { issuer: 'https://other.example', jwks_uri: 'https://other.example/keys' }],
    ['names no keys', { jwks_uri: undefined }],
    ['names keys that are no URL', { jwks_uri: 'keys' }],
    ['names keys in a file', { jwks_uri: 'file:///etc/keys' }],
  ])('refuses with 503 if the configuration %s', async (_name, configuration) => {
    provider.configuration = { issuer: provider.issuer, ...configuration };
    await expectUnavailable();
    expect(provider.asked).toEqual(['/.well-known/openid-configuration']);
  });

  it('refuses with 503 if the configuration is not an object', async () => {
    provider.configuration = null;
    await expectUnavailable();
  });

  it('does not read keys over plain HTTP for an issuer with HTTPS', async () => {
    const issuer = 'https://login.example';
    const fetch = async () => Response.json({ issuer, jwks_uri: 'http://login.example/keys' });
    await expectUnavailable(createOidcCheck({ ...optionsOf(issuer), fetch }));
  });

  it('gives up after five seconds', async () => {
    const limits: number[] = [];
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      limits.push(milliseconds);
      return timeout(20);
    });
    const hangAt =
      (ending: string): typeof fetch =>
      async (input, init) => {
        if (!String(input).endsWith(ending)) return fetch(input, init);
        return new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        });
      };
    const options = optionsOf(provider.issuer);
    await expectUnavailable(createOidcCheck({ ...options, fetch: hangAt('/openid-configuration') }));
    await expectUnavailable(createOidcCheck({ ...options, fetch: hangAt('/keys') }));
    expect(limits).toEqual([5000, 5000, 5000]);
  });
});
