import { createPrivateKey, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { readBoundedFile } from '../../foundation/read-bounded-file.ts';
import type { Config } from '../../foundation/settings/config.ts';
import type { Report } from './finding.ts';

const dayMilliseconds = 86_400_000;
const renewalDays = 21;
/** More is no certificate and no key. */
const maxFileBytes = 1_048_576;
const readableByAll = 0o004;

/** The certificate and the key that the service itself uses. */
export function checkKeyPairFiles({ tls }: Config, now: number, report: Report): void {
  if (tls === undefined) return;
  const { certFile, keyFile } = tls;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readPart(certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(readPart(keyFile)))) {
      throw new Error('the key does not belong to the first certificate');
    }
  } catch (error) {
    report(
      'failure',
      `The certificate ${certFile} and the key ${keyFile} cannot be used: ${error instanceof Error ? error.message : String(error)}. The service does not start with them.`,
      'Name both files of one pair in PEM format with MUSTER_TLS_CERT and MUSTER_TLS_KEY, and let the user of the service read them.',
    );
    return;
  }
  const expiresAt = Date.parse(certificate.validTo);
  const days = Math.floor((expiresAt - now) / dayMilliseconds);
  const text = `The certificate ${certFile} ${days < 0 ? 'has expired' : `expires in ${days} ${days === 1 ? 'day' : 'days'}`} (${new Date(expiresAt).toISOString()}).`;
  if (days < 0) report('failure', `${text} The service does not start with it.`, 'Renew it.');
  else if (days < renewalDays) report('warning', text, 'Renew it, or look why it is not renewed by itself.');
  else report('ok', text);
  if (process.platform !== 'win32' && (statSync(keyFile).mode & readableByAll) !== 0) {
    report(
      'warning',
      `Every user of this machine can read the private key in ${keyFile}.`,
      `chmod o-rwx ${keyFile}`,
    );
  }
}

function readPart(file: string): Buffer {
  const content = readBoundedFile(file, maxFileBytes);
  if (content === undefined) throw new Error(`${file} has more than ${maxFileBytes} bytes`);
  return content;
}
