import { hash, hkdfSync } from 'node:crypto';
import type { Secret } from '../../foundation/secret.ts';

interface Ingredients {
  /** The credential of the request. It is not stored, so that nobody who reads the database can derive the value. */
  readonly credential: Secret;
  readonly key: string;
  /** Random, stored only for as long as the answer may be repeated. */
  readonly salt: string;
  readonly tokenID: string;
}

/** The random part of a token's new value. The same ingredients give the same one (HKDF with SHA-256, RFC 5869). */
export function deriveValue({ credential, key, salt, tokenID }: Ingredients): Uint8Array {
  const info = `muster rotation ${tokenID} ${key}`;
  return new Uint8Array(hkdfSync('sha256', credential.reveal(), Buffer.from(salt, 'hex'), info, 32));
}

export function digestKey(tokenID: string, key: string): string {
  return hash('sha256', `${tokenID} ${key}`);
}
