import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { ServerKeyPair } from '@muster/http/connections/create-http-server';
import type { SiteLog } from './site-log.ts';
import { StateError } from './state/state-error.ts';

interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Absent: agents need no certificate. */
  readonly clientAuthorityFile?: string | undefined;
  readonly log: SiteLog;
}

type Pair = ServerKeyPair['current'];

/** The certificate with which agents are served. `reload` reads it again, and keeps the old one if the new one cannot be used. */
export async function openSiteCertificate({
  certFile,
  keyFile,
  clientAuthorityFile,
  log,
}: CertificateFiles): Promise<ServerKeyPair & { readonly reload: () => Promise<void> }> {
  const read = async (): Promise<Pair> => {
    const [cert, key] = await Promise.all([
      readNamed('--tls-cert', certFile),
      readNamed('--tls-key', keyFile),
    ]);
    requireUsable(() => createSecureContext({ cert, key }), `${certFile} and ${keyFile}`);
    return { cert, key };
  };
  let current = await read();
  let onChange: (pair: Pair) => void = () => undefined;
  const clientAuthorities =
    clientAuthorityFile === undefined ? undefined : await readNamed('--client-ca', clientAuthorityFile);
  if (clientAuthorities !== undefined) {
    requireUsable(() => createSecureContext({ ca: clientAuthorities }), `${clientAuthorityFile}`);
  }
  return {
    get current() {
      return current;
    },
    clientAuthorities,
    watch(change) {
      onChange = change;
    },
    close() {
      onChange = () => undefined;
    },
    async reload() {
      try {
        current = await read();
        onChange(current);
        log.info('The certificate was read again.');
      } catch (error) {
        log.error(`${error instanceof Error ? error.message : String(error)} The old certificate is kept.`);
      }
    },
  };
}

async function readNamed(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new StateError(
      `${flag} names a file that cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}

function requireUsable(make: () => unknown, files: string): void {
  try {
    make();
  } catch (cause) {
    throw new StateError(
      `The certificate in ${files} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}. Both files must be PEM, and the key must belong to the first certificate.`,
      { cause },
    );
  }
}
