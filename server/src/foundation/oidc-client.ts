import type { Secret } from './secret.ts';

/** The client of the identity provider with which people sign in to a browser. */
export interface OidcClient {
  readonly id: string;
  /** Undefined: a public client. */
  readonly secret: Secret | undefined;
  /** Separated by blanks. */
  readonly scopes: string;
}

/** Undefined without an id: people do not sign in through the provider then. */
export function withClientID(id: string | undefined, rest: Omit<OidcClient, 'id'>): OidcClient | undefined {
  return id === undefined ? undefined : { id, ...rest };
}
