import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockedPackages, runtimeDependencies } from '../../scripts/pack-dependencies.mjs';
import { readSource, root } from '../architecture/source-files.ts';
import { recordFirstMinutes } from './first-minutes.ts';
import { installCommand, uninstallCommand } from './install-guide.ts';
import { type InstalledMuster, packMuster } from './installed-muster.ts';
import { readRecordedParts } from './recorded-parts.ts';

let muster: InstalledMuster;
let unpacked = '';
let files: string[] = [];

beforeAll(async () => {
  muster = await packMuster();
  unpacked = join(muster.folder, '../unpacked');
  mkdirSync(unpacked);
  const { stdout } = await muster.run(`tar xzvf ${muster.file} -C ${unpacked}`);
  files = stdout.trim().split('\n').sort();
});
afterAll(() => muster?.remove());

function readPacked(path: string): string {
  return readFileSync(join(unpacked, 'package', path), 'utf8');
}

/** Files that are none of a package that came along. */
function ownFiles(start: string): string[] {
  const own = files.filter(
    (path) => path.startsWith('package/') && !path.startsWith('package/node_modules/'),
  );
  return own.map((path) => path.slice('package/'.length)).filter((path) => path.startsWith(start));
}

describe('the packed file', () => {
  it('has the version in its name', () => {
    const { version } = JSON.parse(readSource('cli/package.json'));
    expect(muster.file).toBe(join(muster.folder, `muster-${version}.tgz`));
    expect(installCommand()).toBe(`npm install --global ./muster-${version}.tgz\n`);
  });

  it('contains only the command, the dashboard, its manual and licences', () => {
    const man = readdirSync(join(root, 'cli/man')).map((name) => `man/${name}`);
    const files = ownFiles('');
    // Which parts are loaded by themselves is up to the bundler, and so are their names.
    const dist = files.filter((name) =>
      /^dist\/([\w-]+\.mjs|dashboard\/(index\.html|packages\.json|assets\/[\w.-]+\.(js|css)\.(br|gz)))$/.test(
        name,
      ),
    );
    expect(dist).toEqual(
      expect.arrayContaining(['dist/main.mjs', 'dist/muster.mjs', 'dist/sqlite-worker.mjs']),
    );
    const expected = ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'package.json', ...dist, ...man];
    expect(files).toEqual(expected.sort());
    expect(man).toContain('man/muster-serve.1');
  });

  it('contains every needed package in the locked version', () => {
    const locked = lockedPackages();
    expect(locked).toMatchObject({ 'node_modules/fastify': '5.12.8', 'node_modules/pg': '8.23.1' });
    const paths = files.flatMap((path) => {
      const [, folder] =
        /^package\/((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(path) ?? [];
      return folder === undefined ? [] : [folder];
    });
    const packed = paths.map((path) => [path, JSON.parse(readPacked(`${path}/package.json`)).version]);
    expect(Object.fromEntries(packed)).toEqual(locked);
  });

  it('contains no tests, sources or source maps, nothing for bundlers, and no change logs', () => {
    expect(
      files.filter((path) =>
        /\.map$|\.[cm]?ts$|\.test\.|\/node_modules\/[^/]+\/(tests?|browser)\/|\/build\/es(m|next)\/|\/changelog\.md$/i.test(
          path,
        ),
      ),
    ).toEqual([]);
  });

  it('describes itself for npm, and names each package that its files load', () => {
    const { version } = JSON.parse(readSource('cli/package.json'));
    const manifest = JSON.parse(readPacked('package.json'));
    const dependencies = runtimeDependencies();
    expect(manifest).toEqual({
      name: 'muster',
      version,
      private: true,
      description: 'Muster: a self-hosted control plane for fleets of telemetry agents',
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: '>=20.19.0' },
      bin: { muster: 'dist/muster.mjs' },
      man: readdirSync(join(root, 'cli/man'))
        .sort()
        .map((name) => `./man/${name}`),
      files: ['dist', 'man', 'THIRD-PARTY-NOTICES.txt'],
      dependencies,
      bundleDependencies: Object.keys(dependencies),
    });
    const text = ownFiles('dist/').map(readPacked).join('\n');
    const loaded = [...text.matchAll(/(?:^import (?:.* from )?|\bimport\()"([^".\n][^"\n]*)"/gm)];
    const packages = loaded.map(([, id = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? '');
    expect(packages.filter((name) => !name.startsWith('node:') && !(name in dependencies))).toEqual([]);
    expect(packages).toEqual(expect.arrayContaining(['fastify', 'commander', '@clack/prompts']));
    expect(text).toContain('"@photostructure/sqlite"');
  });

  it('contains nothing about the machine that packed it', () => {
    const text = ownFiles('').map(readPacked).join('\n');
    // It was packed in a directory whose name begins like this.
    for (const path of [`${root}/`, join(tmpdir(), 'muster-'), `${homedir()}/`])
      expect(text).not.toContain(path);
  });

  it('contains the licence of each bundled package', () => {
    const notices = readPacked('THIRD-PARTY-NOTICES.txt');
    expect(notices).toMatch(/^typebox 1\.4\.3\n\nTypeBox\n\nThe MIT License/m);
  });
});

describe('muster, installed from it', () => {
  beforeAll(async () => {
    const { stdout } = await muster.run(installCommand());
    expect(stdout).toMatch(/^added 1 package in /m);
  });

  it('has a manual', () => {
    const pages = readdirSync(join(muster.prefix, 'share/man/man1'));
    expect(pages.sort()).toEqual(readdirSync(join(root, 'cli/man')).sort());
  });

  // `script` gives the programs a terminal. That of other systems takes other flags.
  it.runIf(spawnSync('script', ['--version']).stdout?.includes('util-linux'))(
    'does in the first minutes what their page shows',
    async () => {
      const recorded = await recordFirstMinutes(muster);
      const shown = readRecordedParts(readSource('docs/first-minutes.md'));
      const trimmed = Object.entries(recorded).map(([name, text]) => [name, text.trim()]);
      expect(shown, 'npm run docs:record renews it').toEqual(Object.fromEntries(trimmed));
    },
  );

  it('migrates, and copies', async () => {
    const { stdout } = await muster.run(
      'muster migrate --data-dir elsewhere; muster migrate --check --data-dir elsewhere',
    );
    const migrations = readdirSync(join(root, 'server/src/foundation/database/migrations'))
      .filter((file) => /^\d{4}-.*\.ts$/.test(file))
      .map((file) => `  ${file.replace(/\.ts$/, '')}`)
      .sort();
    expect(migrations[0]).toBe('  0001-initial');
    expect(stdout).toBe(
      ['Done, the database is up to date:', ...migrations, 'The database is up to date.', ''].join('\n'),
    );
    const copy = 'muster copy --from sqlite:./elsewhere --to postgres://127.0.0.1:1/muster';
    await expect(muster.run(copy)).rejects.toThrow('ECONNREFUSED');
  });

  it('is uninstalled without a trace, except for the data', async () => {
    await muster.run(uninstallCommand());
    expect(existsSync(join(muster.prefix, 'bin/muster'))).toBe(false);
    expect(readdirSync(join(muster.prefix, 'lib/node_modules'))).toEqual([]);
    expect(readdirSync(join(muster.prefix, 'share/man/man1'))).toEqual([]);
    expect(readFileSync(join(muster.folder, 'data/admin-token'), 'utf8')).toMatch(/^mst_/);
  });
});
