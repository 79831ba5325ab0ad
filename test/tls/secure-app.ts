import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../server/src/foundation/clock.ts';
import { KeyPairFiles } from '../../server/src/foundation/http/tls/key-pair-files.ts';
import { TestAuthority, type TestPair } from '../../server/src/testing/receivers/test-certificates.ts';
import type { TestAppOptions } from '../../server/src/testing/start-test-app.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';

export interface SecureApp extends ListeningApp {
  readonly authority: TestAuthority;
  readonly files: KeyPairFiles;
  /** Its certificate, which is that of the authority's clients. */
  readonly ca: string;
  readonly certFile: string;
  readonly keyFile: string;
  write(pair: TestPair): void;
  close(): Promise<void>;
}

/** The real app on a real port that speaks only TLS, with its pair in files. */
export async function startSecureApp(
  options: TestAppOptions = {},
  authority = new TestAuthority(),
): Promise<SecureApp> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-tls-'));
  const certFile = join(folder, 'tls.crt');
  const keyFile = join(folder, 'tls.key');
  const write = ({ cert, key }: TestPair): void => {
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
  };
  write(authority.issue());
  const files = await KeyPairFiles.open({
    certFile,
    keyFile,
    clock: systemClock,
    // Other tests read what it logs.
    logger: { info: () => undefined, error: () => undefined },
  });
  const app = await startListeningApp({ ...options, tls: files });
  return {
    ...app,
    authority,
    files,
    ca: authority.cert,
    certFile,
    keyFile,
    write,
    async close() {
      await app.test.close();
      rmSync(folder, { recursive: true });
    },
  };
}
