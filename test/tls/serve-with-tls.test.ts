import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { TestAuthority } from '../../server/src/testing/receivers/test-certificates.ts';
import { readSource } from '../architecture/source-files.ts';
import { type Replica, startReplica } from '../replicas/start-replica.ts';

const muster = new URL('../../cli/dist/muster.mjs', import.meta.url).pathname;
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

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, HOME: folder, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

describe('muster serve with MUSTER_TLS_CERT and MUSTER_TLS_KEY', () => {
  let replica: Replica;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const dataDirectory = file('data');
    replica = await startReplica({
      MUSTER_TLS_CERT: file('tls.crt'),
      MUSTER_TLS_KEY: file('tls.key'),
      MUSTER_DATA_DIR: dataDirectory,
    });
    env = {
      MUSTER_URL: replica.url,
      MUSTER_TOKEN: readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim(),
    };
  });
  afterAll(async () => {
    expect(await replica.stop()).toBe(0);
  });

  it('announces https addresses, and tells them to commands on the same machine', async () => {
    expect(replica.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(replica.output()).toContain(`reference   ${replica.url}/docs\n`);
    expect(replica.output()).not.toContain('http://');
    // It comes through another pipe than the output.
    await eventually(() => expect(replica.log()).toContain(`Server listening at ${replica.url}`));
    expect(readFileSync(join(file('data'), 'server-url'), 'utf8')).toBe(`${replica.url}\n`);
  });

  it('serves commands that trust its authority by NODE_EXTRA_CA_CERTS', async () => {
    const { code, stdout, stderr } = await run([muster, 'status'], {
      ...env,
      NODE_EXTRA_CA_CERTS: file('ca.crt'),
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`server       ${replica.url}\nservice      up`);
  });

  it('is refused by commands that do not, which say what to do', async () => {
    const { code, stderr } = await run([muster, 'project', 'list'], env);
    expect(code).toBe(1);
    expect(stderr).toContain(`muster: No answer came from ${replica.url}: `);
    expect(stderr).toContain('set NODE_EXTRA_CA_CERTS to the\n');
  });

  it('is alive for the health check of the image', async () => {
    const [, script = ''] = /^ {4}CMD \["node", "-e", "(.*)"\]$/m.exec(readSource('deploy/Dockerfile')) ?? [];
    const { port } = new URL(replica.url);
    const secure = { PORT: port, MUSTER_TLS_CERT: file('tls.crt') };
    expect(await run(['-e', script], secure)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await run(['-e', script], { PORT: '1' })).toEqual({ code: 1, stdout: '', stderr: '' });
  });
});

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
    const { code, stdout, stderr } = await run([muster, 'serve'], {
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
