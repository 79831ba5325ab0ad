import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startFlags } from '@muster/server/start-flags';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPackage, findNodeLicense, layOutPackage, requireWholeNode } from '../../scripts/pack-deb.mjs';

const hasDpkg = spawnSync('dpkg', ['--version']).status === 0 && process.getuid?.() === 0;
const hasLicense = findNodeLicense() !== undefined;
if (!hasDpkg) process.stderr.write('The Debian package is not tested: that takes dpkg, and root.\n');
else if (!hasLicense)
  process.stderr.write('The Debian package is not tested: the licence of this Node.js is not beside it.\n');

const sourceDate = '1764150000';
const units = ['muster.service', 'muster-core-instance.service'];
const isCompressedQuickly = { gzipLevel: 1 };

let folder: string;
/** The system that the package is installed into. */
let system: string;
let whole: string;
/** Two versions without the programs, which are quick to install: with the same scripts, units and settings. */
let first: string;
let second: string;

/** Runs dpkg on the system. Its scripts run outside of it, with DPKG_ROOT, because it has no shell. */
function dpkg(...args: string[]): string {
  const flags = ['--root', system, '--force-script-chrootless', '--force-depends', '--force-not-root'];
  const { status, stdout, stderr } = spawnSync('dpkg', [...flags, ...args], {
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`dpkg ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Every file of the system but dpkg's own. */
function filesOf(): string[] {
  return readdirSync(system, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(system, join(parentPath, name)))
    .filter((path) => !path.startsWith('var/lib/dpkg/') && !path.startsWith('var/log/'))
    .sort();
}

const at = (path: string) => join(system, path);

function write(path: string, text: string): void {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
}

/** What a service and a core instance leave. */
function leaveState(): void {
  write('var/lib/private/muster/muster.db', 'data');
  write('var/lib/private/muster-core-instance/identity.json', '{}');
  write('etc/muster/core-instance.token', 'token');
  write('etc/systemd/system/muster-core-instance.service.d/project-token.conf', '[Service]\n');
}

it('is not made with a Node.js that is mostly a library of its system', () => {
  expect(() => requireWholeNode(true)).toThrow(
    `${process.execPath} needs libraries of this system, so the package would start nowhere else. Run this with Node.js as nodejs.org publishes it.`,
  );
  expect(requireWholeNode(false)).toBeUndefined();
});

describe.runIf(hasDpkg && hasLicense)('the Debian package', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-deb-test-'));
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    await layOutPackage(tree);
    process.env.SOURCE_DATE_EPOCH = sourceDate;
    whole = buildPackage(tree, join(folder, 'whole'), isCompressedQuickly);
    const small = join(folder, 'small');
    cpSync(tree, small, { recursive: true, filter: (path) => path !== join(tree, 'usr/lib/muster') });
    first = buildPackage(small, join(folder, 'first'), isCompressedQuickly);
    second = buildPackage(small, join(folder, 'second'), { ...isCompressedQuickly, version: '99.0.0' });
  }, 600_000);
  afterAll(() => {
    delete process.env.SOURCE_DATE_EPOCH;
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    system = mkdtempSync(join(folder, 'system-'));
    for (const path of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'etc', 'var/log']) {
      mkdirSync(at(path), { recursive: true });
    }
    writeFileSync(at('var/lib/dpkg/status'), '');
    return () => rmSync(system, { recursive: true, force: true });
  });

  it('is the same file when it is built again', () => {
    const extracted = join(folder, 'extracted');
    execFileSync('dpkg-deb', ['--raw-extract', whole, extracted]);
    const again = buildPackage(extracted, join(folder, 'again'), isCompressedQuickly);
    expect(readFileSync(again).equals(readFileSync(whole))).toBe(true);
  }, 300_000);

  it('installs programs that run with their own Node.js and its flags, without one on the path', () => {
    dpkg('--install', whole);
    const wrapper = readFileSync(at('usr/bin/muster'), 'utf8');
    expect(wrapper).toContain(`/usr/lib/muster/bin/node ${startFlags.join(' ')} --enable-source-maps `);
    const line = wrapper.replaceAll('/usr/lib/muster', at('usr/lib/muster'));
    const run = (...args: string[]) =>
      execFileSync('/bin/sh', ['-c', line, 'muster', ...args], { encoding: 'utf8', env: { PATH: '' } });
    const { version } = JSON.parse(readFileSync('cli/package.json', 'utf8')) as { version: string }; // as npm reads it
    expect(run('--version')).toBe(`${version}\n`);
    expect(run('core-instance', '--help')).toContain('Musters at sites');
    // What it loads only when it runs.
    const site = spawnSync(
      '/bin/sh',
      [
        '-c',
        line,
        'muster',
        'core-instance',
        'start',
        '--url',
        'http://127.0.0.1:1',
        '--state-directory',
        at('site'),
      ],
      { encoding: 'utf8', env: { PATH: '' } },
    );
    expect([site.status, site.stderr]).toEqual([
      1,
      expect.stringContaining('This core instance has not joined http://127.0.0.1:1/ yet'),
    ]);
    // With the database engine of its own.
    const data = mkdtempSync(join(folder, 'data-'));
    run('migrate', '--data-dir', data);
    expect(readdirSync(data)).toContain('muster.db');
    expect(dpkg('--verify', 'muster')).toBe('');
  }, 300_000);

  it('has files that belong to root, settings for root alone, and enables no unit', () => {
    dpkg('--install', first);
    expect(statSync(at('etc/muster/core-instance.env')).mode & 0o777).toBe(0o600);
    expect(statSync(at('etc/muster/muster.env')).mode & 0o777).toBe(0o600);
    for (const unit of units) expect(existsSync(at(`usr/lib/systemd/system/${unit}`))).toBe(true);
    expect(filesOf().filter((path) => path.startsWith('etc/systemd/'))).toEqual([]);
    expect(readFileSync(at('usr/lib/systemd/system/muster.service'), 'utf8')).toMatch(
      /^ExecStart=\/usr\/bin\/muster serve$/m,
    );
    expect(readFileSync(at('usr/lib/systemd/system/muster-core-instance.service'), 'utf8')).toMatch(
      /^ExecStart=\/usr\/bin\/muster core-instance start --name /m,
    );
    const listed = execFileSync('dpkg-deb', ['--contents', whole], { encoding: 'utf8', maxBuffer: 1e8 });
    expect(listed.split('\n').filter((line) => line !== '' && !line.includes(' root/root '))).toEqual([]);
  }, 120_000);

  it('says what to run next', () => {
    const said = dpkg('--install', first);
    expect(said).toContain('sudo systemctl enable --now muster\n');
    expect(said).toContain('sudo muster core-instance install --url URL --name NAME\n');
  });

  it('keeps settings, state and a unit that was enabled when it is upgraded', () => {
    expect(dpkg('--install', first)).toContain('nothing of it runs yet');
    leaveState();
    writeFileSync(at('etc/muster/muster.env'), 'MUSTER_LOG_LEVEL=debug\n');
    const wanted = 'etc/systemd/system/multi-user.target.wants';
    mkdirSync(at(wanted), { recursive: true });
    symlinkSync('/usr/lib/systemd/system/muster.service', at(`${wanted}/muster.service`));
    expect(dpkg('--install', second)).not.toContain('nothing of it runs yet');
    expect(readdirSync(at(wanted))).toEqual(['muster.service']);
    expect(readFileSync(at('etc/muster/muster.env'), 'utf8')).toBe('MUSTER_LOG_LEVEL=debug\n');
    expect(readFileSync(at('var/lib/private/muster/muster.db'), 'utf8')).toBe('data');
    expect(dpkg('--status', 'muster')).toContain('\nVersion: 99.0.0\n');
    expect(filesOf().filter((path) => /\.dpkg-(new|dist|old)$/.test(path))).toEqual([]);
  }, 120_000);

  it('keeps settings and state when it is removed, and leaves nothing when it is purged', () => {
    const before = filesOf();
    dpkg('--install', first);
    leaveState();
    dpkg('--remove', 'muster');
    const kept = filesOf().filter(
      (path) => lstatSync(at(path)).isFile() && !path.startsWith('var/lib/systemd/'),
    );
    expect(kept).toEqual([
      'etc/default/muster',
      'etc/muster/core-instance.env',
      'etc/muster/core-instance.token',
      'etc/muster/muster.env',
      'etc/systemd/system/muster-core-instance.service.d/project-token.conf',
      'var/lib/private/muster-core-instance/identity.json',
      'var/lib/private/muster/muster.db',
    ]);
    dpkg('--purge', 'muster');
    expect(filesOf()).toEqual(before);
    expect(existsSync(at('etc/muster'))).toBe(false);
  }, 120_000);

  it.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)(
    'has units that systemd accepts',
    () => {
      dpkg('--install', first);
      for (const name of units) {
        const unit = readFileSync(at(`usr/lib/systemd/system/${name}`), 'utf8');
        writeFileSync(at(name), unit.replaceAll('=/usr/bin/muster', '=/bin/true'));
        const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', at(name)], {
          encoding: 'utf8',
        });
        expect([status, stdout + stderr]).toEqual([0, '']);
      }
    },
    120_000,
  );
});
