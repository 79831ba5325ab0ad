import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, npmCommand } from './ensure-installed.mjs';
import { readManifest, root } from './workspace.mjs';

/**
 * Packs `muster` into one file that `npm install --global FILE` installs without asking a registry: the built command
 * with every package that it needs, each in the tested version.
 *
 * @param {string} outDirectory folder for the file
 * @returns {Promise<string>} its path
 */
export async function pack(outDirectory) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-pack-'));
  try {
    await layOut(folder);
    mkdirSync(outDirectory, { recursive: true });
    return join(outDirectory, npmPack(folder, outDirectory));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes everything that the command needs to run into a folder.
 *
 * @param {string} folder
 */
export async function layOut(folder) {
  // Loaded here, because before the first install only Node is available.
  const { buildCommandInto } = await import('./build.mjs');
  const { copyLockedPackages } = await import('./pack-dependencies.mjs');
  const { bundledNotices } = await import('./pack-notices.mjs');
  await buildCommandInto(join(folder, 'dist'));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), bundledNotices(join(folder, 'dist')));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(root, 'cli/README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'cli/man'), join(folder, 'man'), { recursive: true });
  copyLockedPackages(folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(await packedManifest(), null, 2)}\n`);
}

async function packedManifest() {
  const { runtimeDependencies } = await import('./pack-dependencies.mjs');
  const dependencies = runtimeDependencies();
  const { version, license, type } = readManifest(join(root, 'cli'));
  const { description, engines } = readManifest(root);
  return {
    name: 'muster',
    version,
    // The file is distributed directly: it is private, so that nobody publishes it under a name that may be taken.
    private: true,
    description,
    license,
    type,
    engines,
    bin: { muster: 'dist/muster.mjs' },
    man: readdirSync(join(root, 'cli/man'))
      .sort()
      .map((name) => `./man/${name}`),
    files: ['dist', 'man', 'THIRD-PARTY-NOTICES.txt'],
    dependencies,
    // npm ignores the npm-shrinkwrap.json of a package that it installs from a file.
    bundleDependencies: Object.keys(dependencies),
  };
}

/**
 * @param {string} folder
 * @param {string} outDirectory
 * @returns {string} the name of the file
 */
function npmPack(folder, outDirectory) {
  const [command, ...first] = npmCommand();
  const args = [...first, 'pack', '--json', '--ignore-scripts', '--pack-destination', outDirectory];
  const shell = process.platform === 'win32' && command === 'npm';
  const printed = execFileSync(command, args, {
    cwd: folder,
    shell,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const packed = /"filename": "([^"]+\.tgz)"/.exec(printed)?.[1];
  if (packed === undefined) throw new Error(`npm pack has not said which file it wrote:\n${printed}`);
  return packed;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureInstalled();
  const file = await pack(root);
  console.log(`Packed ${file}. Install it with: npm install --global ${file}`);
}
