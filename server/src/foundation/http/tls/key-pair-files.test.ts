import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestAuthority, type TestPair } from '../../../testing/receivers/test-certificates.ts';
import type { KeyPair } from './key-pair.ts';
import { KeyPairFiles } from './key-pair-files.ts';

const authority = new TestAuthority();
const now = Date.UTC(2026, 0, 1);
const first = authority.issue();
const second = authority.issue({ until: new Date('2030-01-01') });

let folder: string;
let certFile: string;
let keyFile: string;
let logs: Record<string, unknown>[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-pair-'));
  certFile = join(folder, 'tls.crt');
  keyFile = join(folder, 'tls.key');
  logs = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(pair: TestPair): void {
  writeFileSync(certFile, pair.cert);
  writeFileSync(keyFile, pair.key);
}

function openFiles(): Promise<KeyPairFiles> {
  const lines = new Writable({
    write(chunk, _encoding, done) {
      logs.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return KeyPairFiles.open({ certFile, keyFile, clock: () => now, logger: pino(lines) });
}

/** Opened with the first pair; `changes` are the certificates that were taken over. */
async function watchFirst() {
  write(first);
  const files = await openFiles();
  const changes: string[] = [];
  files.watch(({ cert }: KeyPair) => changes.push(cert));
  files.close();
  return { files, changes };
}

describe('the key pair at the start', () => {
  it('is read from its files', async () => {
    write(second);
    expect((await openFiles()).current).toEqual({ ...second, expiresAt: Date.UTC(2030, 0, 1) });
  });

  it('may have the certificates of its issuers after its own', async () => {
    write({ ...first, cert: first.cert + authority.cert });
    expect((await openFiles()).current.key).toBe(first.key);
  });

  const none = { cert: '', key: '' };
  it.each<[string, TestPair, RegExp]>([
    [
      'no certificate',
      { ...first, cert: 'text' },
      /^MUSTER_TLS_CERT names a file without a certificate in PEM/,
    ],
    ['an empty certificate', none, /^MUSTER_TLS_CERT names a file without a certificate/],
    ['no key', { ...first, key: 'text' }, /^MUSTER_TLS_KEY names a file without a private key in PEM/],
    ['a certificate instead of a key', { ...first, key: first.cert }, /^MUSTER_TLS_KEY names a file without/],
    ['both files exchanged', { cert: first.key, key: first.cert }, /^MUSTER_TLS_CERT names a file without/],
    ['the key of another one', { ...first, key: second.key }, /does not belong to the first certificate/],
    [
      'the certificate of the issuer first',
      { ...first, cert: authority.cert + first.cert },
      /does not belong to the first certificate/,
    ],
    [
      'an expired one',
      authority.issue({ until: new Date(now) }),
      /^The certificate in MUSTER_TLS_CERT expired on Jan +1 00:00:00 2026 GMT\. Renew it\.$/,
    ],
    [
      'one of the future',
      authority.issue({ from: new Date(now + 1_000) }),
      /is not valid before Jan +1 00:00:01 2026 GMT/,
    ],
    [
      'broken issuers',
      { ...first, cert: `${first.cert}-----BEGIN CERTIFICATE-----\nMIIx\n-----END CERTIFICATE-----\n` },
      /cannot be used \(/,
    ],
  ])('is refused with a sentence: %s', async (_, pair, message) => {
    write(pair);
    await expect(openFiles()).rejects.toThrow(message);
  });

  it('is refused with the path and the reason if a file cannot be read', async () => {
    writeFileSync(certFile, first.cert);
    await expect(openFiles()).rejects.toThrow(
      /^MUSTER_TLS_KEY names a file that cannot be read \(ENOENT: .*tls\.key'\)\. Check the path, /,
    );
    rmSync(keyFile, { force: true });
    symlinkSync('/dev/zero', keyFile);
    await expect(openFiles()).rejects.toThrow(
      'MUSTER_TLS_KEY names a file that cannot be read (it has more than 1048576 bytes). Check the path, and that the user of the service may read the file.',
    );
    rmSync(keyFile);
    // Only one is missing, because both are read at the same time.
    write(first);
    rmSync(certFile);
    await expect(openFiles()).rejects.toThrow(/^MUSTER_TLS_CERT names a file that cannot be read /);
  });
});

describe('a key pair whose files change', () => {
  it('is taken over when they are written again', async () => {
    const { files, changes } = await watchFirst();
    await files.check();
    expect(changes).toEqual([]);
    write(second);
    await files.check();
    expect(changes).toEqual([second.cert]);
    expect(files.current.expiresAt).toBe(Date.UTC(2030, 0, 1));
    expect(logs.map(({ msg, expiresAt }) => [msg, expiresAt])).toEqual([
      ['the new TLS certificate is used for new connections', '2030-01-01T00:00:00.000Z'],
    ]);
  });

  it('is taken over when they are replaced by renaming', async () => {
    const { files, changes } = await watchFirst();
    for (const [file, content] of [
      [certFile, second.cert],
      [keyFile, second.key],
    ] as const) {
      writeFileSync(`${file}.new`, content);
      renameSync(`${file}.new`, file);
    }
    await files.check();
    expect(changes).toEqual([second.cert]);
  });

  it('is taken over when the symbolic link of their folder is exchanged, as Kubernetes does', async () => {
    for (const [name, pair] of [
      ['..1', first],
      ['..2', second],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'tls.crt'), pair.cert);
      writeFileSync(join(folder, name, 'tls.key'), pair.key);
    }
    symlinkSync('..1', join(folder, '..data'));
    symlinkSync('..data/tls.crt', certFile);
    symlinkSync('..data/tls.key', keyFile);
    const files = await openFiles();
    const changes: string[] = [];
    files.watch(({ cert }: KeyPair) => changes.push(cert));
    files.close();
    symlinkSync('..2', join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
    await files.check();
    expect(changes).toEqual([second.cert]);
  });

  it('stays while only one of the two files is new, without a line in the log', async () => {
    const { files, changes } = await watchFirst();
    writeFileSync(certFile, second.cert);
    await files.check();
    writeFileSync(keyFile, second.key);
    await files.check();
    expect(changes).toEqual([second.cert]);
    expect(logs.map(({ msg }) => msg)).toEqual(['the new TLS certificate is used for new connections']);
  });

  it.each<[string, () => void, RegExp]>([
    ['the new pair is no pair', () => writeFileSync(keyFile, second.key), /does not belong/],
    ['the new certificate has expired', () => write(authority.issue({ until: new Date(now) })), /expired on/],
    [
      'the new certificate is half written',
      () => writeFileSync(certFile, second.cert.slice(0, 300)),
      /without a certificate/,
    ],
    ['a file is gone', () => rmSync(keyFile), /cannot be read/],
  ])('stays if %s, and the log says why, once', async (_, change, why) => {
    const { files, changes } = await watchFirst();
    change();
    for (let count = 0; count < 5; count += 1) await files.check();
    expect(files.current.cert).toBe(first.cert);
    expect(logs).toEqual([
      expect.objectContaining({
        level: 50,
        why: expect.stringMatching(why),
        expiresAt: '2200-01-01T00:00:00.000Z',
        msg: 'the new TLS certificate or its key cannot be used; the one before stays in use',
      }),
    ]);
    expect(JSON.stringify(logs)).not.toContain('PRIVATE KEY');
    // The next valid pair is taken over.
    write(second);
    await files.check();
    expect(changes).toEqual([second.cert]);
  });

  it('is said to be refused again when another invalid pair follows', async () => {
    const { files } = await watchFirst();
    for (const cert of ['broken', 'broken', 'broken too', 'broken too', 'broken too']) {
      writeFileSync(certFile, cert);
      await files.check();
    }
    expect(logs).toHaveLength(2);
  });
});
