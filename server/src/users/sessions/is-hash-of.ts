import { createHash } from 'node:crypto';

/**
 * True if a claim such as `at_hash` is the hash of a value: the left half of its digest (OpenID Connect Core 1.0 section 3.1.3.6).
 *
 * @param algorithm of the signature of the ID token, which was checked: it names the digest
 */
export function isHashOf(claim: unknown, value: string, algorithm: string | undefined): boolean {
  const digest = createHash(digestOf(algorithm)).update(value).digest();
  return claim === digest.subarray(0, digest.length / 2).toString('base64url');
}

function digestOf(algorithm = ''): string {
  // EdDSA signs with SHA-512 (RFC 8032 section 5.1).
  return `sha${/(256|384|512)$/.exec(algorithm)?.[0] ?? '512'}`;
}
