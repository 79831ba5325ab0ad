import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestAuthority, type TestPair } from '../../server/src/testing/receivers/test-certificates.ts';
import { openSiteCertificate } from './site-certificate.ts';
import { TestSite } from './testing/test-site.ts';

const authority = new TestAuthority();
const first = authority.issue();
const second = authority.issue();

let folder: string;
let logs: string[];
let site: TestSite;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-certificate-'));
  logs = [];
  site = await TestSite.create();
  write(first);
});
afterEach(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);

function write({ cert, key }: TestPair): void {
  writeFileSync(file('site.crt'), cert);
  writeFileSync(file('site.key'), key);
}

function open(clientAuthorityFile?: string) {
  const note = (message: string) => void logs.push(message);
  const log = { info: note, warn: note, error: note };
  return openSiteCertificate({
    certFile: file('site.crt'),
    keyFile: file('site.key'),
    clientAuthorityFile,
    log,
  });
}

/** The status and the certificate, or the code of the failure. */
function call(port: number, client: Partial<TestPair> = {}): Promise<unknown> {
  return new Promise((resolve) => {
    const sent = request(
      { host: 'localhost', port, path: '/healthz', ca: authority.cert, agent: false, ...client },
      (answer) => {
        const { serialNumber } = (answer.socket as TLSSocket).getPeerCertificate(); // it is https
        answer.resume().on('end', () => resolve([answer.statusCode, serialNumber]));
      },
    );
    sent.on('error', () => resolve('refused'));
    sent.end();
  });
}

describe('a site with TLS', () => {
  it('serves agents with its certificate, and with a new one after it was read again', async () => {
    const tls = await open();
    const { port } = await site.start({ tls });
    const before = await call(port);
    expect(before).toEqual([200, expect.any(String)]);
    write({ cert: 'damaged', key: second.key });
    await tls.reload();
    expect(await call(port)).toEqual(before);
    write(second);
    await tls.reload();
    expect(await call(port)).not.toEqual(before);
    expect(logs).toEqual([
      expect.stringMatching(/cannot be used: .* The old certificate is kept\.$/),
      'The certificate was read again.',
    ]);
  });

  it('takes only agents with a certificate of the named authority', async () => {
    writeFileSync(file('clients.crt'), authority.cert);
    const { port } = await site.start({ tls: await open(file('clients.crt')) });
    expect(await call(port)).toBe('refused');
    expect(await call(port, new TestAuthority().issue())).toBe('refused');
    expect(await call(port, authority.issue())).toEqual([200, expect.any(String)]);
  });

  it('says which file is wrong', async () => {
    writeFileSync(file('site.key'), second.key);
    await expect(open()).rejects.toThrow(
      `The certificate in ${file('site.crt')} and ${file('site.key')} cannot be used`,
    );
    rmSync(file('site.key'));
    await expect(open()).rejects.toThrow('--tls-key names a file that cannot be read: ENOENT');
    write(first);
    await expect(open(file('none'))).rejects.toThrow('--client-ca names a file that cannot be read: ENOENT');
  });
});
