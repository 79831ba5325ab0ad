import type { JWTHeaderParameters, JWTPayload } from 'jose';

/**
 * Explains why a token that the provider signed is not a bearer access token; undefined if it is one. Providers sign other kinds of tokens with the
 * same keys, and clients send those by mistake or on purpose.
 */
export function explainWrongKind(header: JWTHeaderParameters, payload: JWTPayload): string | undefined {
  const type = mediaType(header.typ);
  // RFC 9068 section 2.1. Many providers write `JWT`, or nothing.
  if (type !== undefined && type !== 'at+jwt' && type !== 'jwt') return 'it is not an access token (typ)';
  // Keycloak: `ID`, `Refresh`, `Logout`, `DPoP`.
  if (payload.typ !== undefined && mediaType(payload.typ) !== 'bearer')
    return 'it is not an access token (typ)';
  // Amazon Cognito, whose header has no `typ`: `id`.
  if (payload.token_use !== undefined && payload.token_use !== 'access')
    return 'it is not an access token (token_use)';
  // RFC 7800, as of DPoP (RFC 9449) and mutual TLS (RFC 8705): the sender must also prove possession of a key.
  if (payload.cnf !== undefined)
    return 'it is bound to a key of its client (cnf), which cannot be checked here';
  // OpenID Connect Back-Channel Logout 1.0, and every other security event (RFC 8417).
  if (payload.events !== undefined) return 'it is not an access token (events)';
  if (payload.azp !== undefined && (typeof payload.azp !== 'string' || payload.azp === ''))
    return "its claim 'azp' is malformed";
  return type === 'at+jwt' ? undefined : explainIDToken(payload);
}

/** OpenID Connect Core 1.0 sections 2, 3.1.3.6 and 3.3.2.11. */
function explainIDToken(payload: JWTPayload): string | undefined {
  const claim = ['nonce', 'at_hash', 'c_hash', 's_hash'].find((name) => payload[name] !== undefined);
  if (claim !== undefined) return `it is an ID token (${claim}); send the access token`;
  const audiences = [payload.aud].flat();
  const isForItsClient = payload.azp !== undefined && audiences.every((audience) => audience === payload.azp);
  const isAccessToken = ['scope', 'scp', 'roles', 'typ'].some((name) => payload[name] !== undefined);
  return isForItsClient && !isAccessToken
    ? 'its audience is only its own client, like that of an ID token (aud, azp); send an access token for this service'
    : undefined;
}

/** RFC 7515 section 4.1.9: the prefix may be left out, and case does not count. */
function mediaType(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : '';
}
