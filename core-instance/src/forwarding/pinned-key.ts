import { createHash, X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Checks a certificate that an authority vouches for: its name first, as Node does, and then its public key, which must be one of the pins.
 *
 * @param pins `sha256//BASE64` of the DER of SubjectPublicKeyInfo (RFC 7469 section 2.4), as curl writes them
 */
export function checkPinnedKey(pins: readonly string[]): typeof checkServerIdentity {
  return (name, certificate) => {
    const wrongName = checkServerIdentity(name, certificate);
    if (wrongName !== undefined) return wrongName;
    const pin = pinOf(certificate);
    return pins.includes(pin) ? undefined : new PinError(pin);
  };
}

class PinError extends Error {
  override readonly name = 'PinError';

  constructor(pin: string) {
    super(
      `the key of its certificate is ${pin}, which --pin does not name. If it has a new key, add this pin. If not, something on the way pretends to be Muster`,
    );
  }
}

/** `pubkey` of the certificate has another form for each kind of key. */
function pinOf({ raw }: PeerCertificate): string {
  const key = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256//${createHash('sha256').update(key).digest('base64')}`;
}
