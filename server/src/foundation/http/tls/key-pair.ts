import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** A certificate, with those of its issuers, and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** End of the validity of the certificate, in milliseconds. */
  readonly expiresAt: number;
}

/** Why a pair cannot be used, and what to do. */
export class KeyPairError extends Error {
  override readonly name = 'KeyPairError';
}

/** @throws KeyPairError if clients would refuse the pair, or if it is not a pair */
export function checkKeyPair({ cert, key }: Pick<KeyPair, 'cert' | 'key'>, now: number): KeyPair {
  const certificate = readCertificate(cert);
  if (!certificate.checkPrivateKey(readKey(key))) {
    throw new KeyPairError(
      'The private key in MUSTER_TLS_KEY does not belong to the first certificate in MUSTER_TLS_CERT. Name both files of one pair; the certificate of the service comes before those of its issuers.',
    );
  }
  const startsAt = Date.parse(certificate.validFrom);
  const expiresAt = Date.parse(certificate.validTo);
  if (expiresAt <= now) {
    throw new KeyPairError(`The certificate in MUSTER_TLS_CERT expired on ${certificate.validTo}. Renew it.`);
  }
  if (startsAt > now) {
    throw new KeyPairError(
      `The certificate in MUSTER_TLS_CERT is not valid before ${certificate.validFrom}. Use one that is valid, or set the clock of this machine.`,
    );
  }
  requireUsable(cert, key);
  return { cert, key, expiresAt };
}

function readCertificate(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch {
    throw new KeyPairError(
      'MUSTER_TLS_CERT names a file without a certificate in PEM format (-----BEGIN CERTIFICATE-----). Convert it, or name another file.',
    );
  }
}

function readKey(key: string): KeyObject {
  try {
    return createPrivateKey(key);
  } catch {
    throw new KeyPairError(
      'MUSTER_TLS_KEY names a file without a private key in PEM format (-----BEGIN PRIVATE KEY-----), or its key has a passphrase. Convert it, or name another file.',
    );
  }
}

/** The library checks the rest, such as the strength of the key and the certificates of the issuers. */
function requireUsable(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KeyPairError(
      `The certificate in MUSTER_TLS_CERT or its key cannot be used (${why}). Create a new pair.`,
      { cause },
    );
  }
}
