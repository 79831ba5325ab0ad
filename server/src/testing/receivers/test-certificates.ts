import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

export interface TestPair {
  readonly cert: string;
  readonly key: string;
}

interface CertificateOptions {
  /** Absent: in the year 2000. */
  readonly from?: Date;
  /** Absent: in the year 2200, so that no verdict depends on the day. */
  readonly until?: Date;
  /** Absent: `localhost`. */
  readonly name?: string;
}

const authorityName = 'Muster test authority';

/** A certificate authority that no system knows, as companies have one of their own. */
export class TestAuthority {
  readonly #keys = createKeys();
  #nextSerial = 2;
  /** The certificate of the authority. */
  readonly cert = toPem(
    buildCertificate(
      { serial: 1, subject: authorityName, issuer: authorityName, isAuthority: true },
      this.#keys,
      this.#keys,
    ),
  );

  /** A certificate for `localhost` and 127.0.0.1 with its key. */
  issue(options: CertificateOptions = {}): TestPair {
    const keys = createKeys();
    const subject = options.name ?? 'localhost';
    const certificate = buildCertificate(
      { serial: this.#nextSerial++, subject, issuer: authorityName, isAuthority: false, ...options },
      keys,
      this.#keys,
    );
    return { cert: toPem(certificate), key: keys.privateKey };
  }
}

interface Described extends CertificateOptions {
  readonly serial: number;
  readonly subject: string;
  readonly issuer: string;
  readonly isAuthority: boolean;
}

interface Keys {
  readonly publicKey: string;
  readonly privateKey: string;
}

function buildCertificate(described: Described, keys: Keys, issuerKeys: Keys): forge.pki.Certificate {
  const {
    subject,
    issuer,
    isAuthority,
    from = new Date('2000-01-01'),
    until = new Date('2200-01-01'),
  } = described;
  const certificate = forge.pki.createCertificate();
  certificate.serialNumber = `0${described.serial}`;
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.validity.notBefore = from;
  certificate.validity.notAfter = until;
  certificate.setSubject([{ name: 'commonName', value: subject }]);
  certificate.setIssuer([{ name: 'commonName', value: issuer }]);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: isAuthority },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: subject },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(issuerKeys.privateKey), forge.md.sha256.create());
  return certificate;
}

function toPem(certificate: forge.pki.Certificate): string {
  return forge.pki.certificateToPem(certificate).replaceAll('\r', '');
}

function createKeys(): Keys {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
