import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import {
  type MusterProcess,
  runMusterProcess,
  startMuster,
} from '../../server/src/testing/muster-process.ts';
import { TestAuthority } from '../../server/src/testing/receivers/test-certificates.ts';
import { readSource } from '../architecture/source-files.ts';

const authority = new TestAuthority();
const folder = mkdtempSync(join(tmpdir(), 'muster-serve-tls-'));
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  const pair = authority.issue();
  writeFileSync(file('ca.crt'), authority.cert);
  writeFileSync(file('tls.crt'), pair.cert);
  writeFileSync(file('tls.key'), pair.key);
  writeFileSync(file('expired.crt'), authority.issue({ until: new Date('2001-01-01') }).cert);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], env: Readonly<Record<string, string>>, program?: readonly string[]) {
  return runMusterProcess(args, { env: { HOME: folder, ...env }, ...(program && { program }) });
}

describe('muster serve with MUSTER_TLS_CERT and MUSTER_TLS_KEY', () => {
  let service: MusterProcess;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const dataDirectory = file('data');
    service = await startMuster({
      env: {
        MUSTER_TLS_CERT: file('tls.crt'),
        MUSTER_TLS_KEY: file('tls.key'),
        MUSTER_DATA_DIR: dataDirectory,
      },
    });
    env = {
      MUSTER_URL: service.url,
      MUSTER_TOKEN: readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim(),
    };
  });
  afterAll(async () => {
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it('announces https addresses, and tells them to commands on the same machine', async () => {
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(service.stdout.text).toContain(`reference   ${service.url}/docs\n`);
    expect(service.stdout.text).not.toContain('http://');
    // It comes through another pipe than the output.
    await eventually(() => expect(service.stderr.text).toContain(`Server listening at ${service.url}`));
    expect(readFileSync(join(file('data'), 'server-url'), 'utf8')).toBe(`${service.url}\n`);
  });

  it('serves commands that trust its authority by NODE_EXTRA_CA_CERTS', async () => {
    const { code, stdout, stderr } = await run(['status'], {
      ...env,
      NODE_EXTRA_CA_CERTS: file('ca.crt'),
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`server       ${service.url}\nservice      up`);
  });

  it('is refused by commands that do not, which say what to do', async () => {
    const { code, stderr } = await run(['project', 'list'], env);
    expect(code).toBe(1);
    expect(stderr).toContain(`muster: No answer came from ${service.url}: `);
    expect(stderr).toContain('set NODE_EXTRA_CA_CERTS to the\n');
  });

  it('is alive for the health check of the image', async () => {
    const [, script = ''] = /^ {4}CMD \["node", "-e", "(.*)"\]$/m.exec(readSource('deploy/Dockerfile')) ?? [];
    const { port } = new URL(service.url);
    const secure = { PORT: port, MUSTER_TLS_CERT: file('tls.crt') };
    expect(await run([], secure, ['-e', script])).toEqual(nothingPrinted(0));
    expect(await run([], { PORT: '1' }, ['-e', script])).toEqual(nothingPrinted(1));
  });
});

const nothingPrinted = (code: number) => ({ code, signal: null, stdout: '', stderr: '' });

describe('muster serve refuses to start', () => {
  it.each([
    [
      'with half of a pair',
      { MUSTER_TLS_CERT: 'tls.crt' },
      'MUSTER_TLS_CERT is set, but MUSTER_TLS_KEY is not: set both or none.',
    ],
    [
      'with the other half',
      { MUSTER_TLS_KEY: 'tls.key' },
      'MUSTER_TLS_KEY is set, but MUSTER_TLS_CERT is not: set both or none.',
    ],
    [
      'without a file',
      { MUSTER_TLS_CERT: 'missing.crt', MUSTER_TLS_KEY: 'tls.key' },
      'MUSTER_TLS_CERT names a file that cannot be read (ENOENT: ',
    ],
    [
      'with two files that are no pair',
      { MUSTER_TLS_CERT: 'ca.crt', MUSTER_TLS_KEY: 'tls.key' },
      'The private key in MUSTER_TLS_KEY does not belong to the first certificate in MUSTER_TLS_CERT.',
    ],
    [
      'with an expired certificate',
      { MUSTER_TLS_CERT: 'expired.crt', MUSTER_TLS_KEY: 'expired.key' },
      'The certificate in MUSTER_TLS_CERT expired on ',
    ],
  ])('%s, and creates nothing', async (_, names, message) => {
    const { cert, key } = authority.issue({ until: new Date('2001-01-01') });
    writeFileSync(file('expired.crt'), cert);
    writeFileSync(file('expired.key'), key);
    const files = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, file(value)]));
    const data = file('data of nobody');
    const { code, stdout, stderr } = await run(['serve'], {
      ...files,
      MUSTER_DATA_DIR: data,
      PORT: '0',
    });
    expect([code, stdout]).toEqual([code === 2 ? 2 : 1, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('PRIVATE');
    expect(existsSync(data)).toBe(false);
  });
});
