import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ensureInstalled } from './ensure-installed.mjs';
import { layOut } from './pack.mjs';
import { readManifest, root } from './workspace.mjs';

/** Debian's names of the architectures for which Node.js is published. */
const architectures = { x64: 'amd64', arm64: 'arm64', arm: 'armhf', ppc64: 'ppc64el', s390x: 's390x' };

/** Files with these paths are the operator's: an upgrade does not overwrite their changes. */
const settingsFiles = ['/etc/default/muster', '/etc/muster/core-instance.env', '/etc/muster/muster.env'];

/**
 * Packs the service, the command and the core instance with their own Node.js, the one that runs this script, into a Debian package. Two builds with the
 * same SOURCE_DATE_EPOCH are equal.
 *
 * @param {string} outDirectory
 * @returns {Promise<string>} the path of the package
 */
async function packDeb(outDirectory) {
  const tree = mkdtempSync(join(tmpdir(), 'muster-deb-'));
  try {
    await layOutPackage(tree);
    return buildPackage(tree, outDirectory);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/**
 * Writes the files of the package into a folder, each where it will be installed.
 *
 * @param {string} tree
 */
export async function layOutPackage(tree) {
  // Its types leave out what it has always had.
  requireWholeNode(/** @type {{ node_shared?: boolean }} */ (process.config.variables).node_shared === true);
  const lib = join(tree, 'usr/lib/muster');
  mkdirSync(join(lib, 'bin'), { recursive: true });
  await layOut(lib);
  copyFileSync(process.execPath, join(lib, 'bin/node'));
  const manuals = join(lib, 'man');
  for (const name of readdirSync(manuals)) {
    write(tree, `usr/share/man/man1/${name}.gz`, gzipSync(readFileSync(join(manuals, name)), { level: 9 }));
  }
  rmSync(manuals, { recursive: true });
  write(tree, 'usr/bin/muster', source('debian/wrapper.sh').replace('FLAGS', readStartFlags()), 0o755);
  writeUnits(tree);
  write(tree, 'etc/default/muster', source('debian/default'));
  write(tree, 'etc/muster/muster.env', source('debian/muster.env'), 0o600);
  write(tree, 'etc/muster/core-instance.env', source('debian/core-instance.env'), 0o600);
  const documents = 'usr/share/doc/muster';
  write(tree, `${documents}/copyright`, readFileSync(join(root, 'LICENSE'), 'utf8'));
  write(tree, `${documents}/NODE-LICENSE`, readNodeLicense());
  write(tree, `${documents}/changelog.gz`, gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }));
  const command = join(lib, 'dist/muster.mjs');
  const completions = {
    bash: 'usr/share/bash-completion/completions/muster',
    zsh: 'usr/share/zsh/vendor-completions/_muster',
    fish: 'usr/share/fish/vendor_completions.d/muster.fish',
  };
  for (const [shell, path] of Object.entries(completions)) {
    write(tree, path, execFileSync(process.execPath, [command, 'completion', shell]));
  }
}

/**
 * @param {string} tree as `layOutPackage` writes it
 * @param {string} outDirectory
 * @param {{ version?: string, gzipLevel?: number }} [options] absent: the version of the command, and the smallest file
 * @returns {string} the path of the package
 */
export function buildPackage(tree, outDirectory, { version, gzipLevel = 9 } = {}) {
  const architecture = architectures[/** @type {keyof typeof architectures} */ (process.arch)];
  if (process.platform !== 'linux' || architecture === undefined)
    throw new Error('A Debian package is built on Linux, with the Node.js of its architecture.');
  const manifest = readManifest(join(root, 'cli'));
  const packed = version ?? manifest.version ?? '0';
  const control = join(tree, 'DEBIAN');
  rmSync(control, { recursive: true, force: true });
  const files = filesBelow(tree);
  setModes(tree, files);
  const size = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / 1_024), 0);
  mkdirSync(control, { mode: 0o755 });
  const fields = {
    Package: 'muster',
    Version: packed,
    Architecture: architecture,
    Maintainer: 'The Muster maintainers <muster@localhost>',
    'Installed-Size': String(size),
    // What Node.js is linked with. It carries everything else itself.
    Depends: 'libc6 (>= 2.28), libgcc-s1, libstdc++6',
    Recommends: 'systemd (>= 247)',
    Section: 'admin',
    Priority: 'optional',
    Description: `${readManifest(root).description}\n The service, the command muster, and the core instance that runs at a site.`,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(join(control, 'control'), lines.join(''), { mode: 0o644 });
  writeFileSync(join(control, 'conffiles'), settingsFiles.map((file) => `${file}\n`).join(''), {
    mode: 0o644,
  });
  const sums = files
    .map((file) => [relative(tree, file), createHash('md5').update(readFileSync(file)).digest('hex')])
    .filter(([path]) => !settingsFiles.includes(`/${path}`));
  writeFileSync(join(control, 'md5sums'), sums.map(([path, sum]) => `${sum}  ${path}\n`).join(''), {
    mode: 0o644,
  });
  for (const name of ['postinst', 'prerm', 'postrm']) {
    writeFileSync(join(control, name), source(`debian/${name}`));
    chmodSync(join(control, name), 0o755);
  }
  mkdirSync(outDirectory, { recursive: true });
  const file = join(outDirectory, `muster_${packed}_${architecture}.deb`);
  // gzip, because dpkg reads it everywhere: zstd needs a newer one than that of Debian 11.
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', `-z${gzipLevel}`, '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

/** @param {string} tree */
function writeUnits(tree) {
  // This package has no `node` on the path: its `muster` starts its own, with the flags.
  const service = source('systemd/muster.service')
    .replace(/^ExecStart=.*$/m, 'ExecStart=/usr/bin/muster serve')
    .replace(/^# muster is in .*\n/m, '');
  write(tree, 'usr/lib/systemd/system/muster.service', service);
  write(
    tree,
    'usr/lib/systemd/system/muster-core-instance.service',
    // With the Node and the flags of the package.
    source('systemd/muster-core-instance.service').replace(
      /^ExecStart=.* sh core-instance/m,
      'ExecStart=/usr/bin/muster core-instance',
    ),
  );
}

/** The flags with which Node.js starts Muster. A test keeps those of the image equal to those of the code. */
function readStartFlags() {
  const [, flags] = /^ENTRYPOINT \["node", (.*), "--enable-source-maps"/m.exec(source('Dockerfile')) ?? [];
  if (flags === undefined) throw new Error('deploy/Dockerfile names no flags of Node.js.');
  return JSON.parse(`[${flags}]`).join(' ');
}

/**
 * The package carries the program of Node.js alone, which is all of it as nodejs.org publishes it.
 *
 * @param {boolean} isShared true: most of it is a library of the system, as in Debian's own nodejs
 */
export function requireWholeNode(isShared) {
  if (!isShared) return;
  throw new Error(
    `${process.execPath} needs libraries of this system, so the package would start nowhere else. Run this with Node.js as nodejs.org publishes it.`,
  );
}

/** Where the licence of Node.js may be, beside its program. */
const licensePlaces = [
  'LICENSE',
  'share/doc/nodejs/LICENSE',
  'share/doc/nodejs/copyright',
  'share/doc/node/LICENSE',
];
const nodePrefix = dirname(dirname(process.execPath));

/** The licence of Node.js, which has to go with it. */
export function findNodeLicense() {
  return licensePlaces.map((place) => join(nodePrefix, place)).find((place) => existsSync(place));
}

function readNodeLicense() {
  const found = findNodeLicense();
  if (found !== undefined) return readFileSync(found);
  throw new Error(
    `The licence of Node.js is not in ${nodePrefix} (${licensePlaces.join(', ')}), and the package may not be given away without it. Run this with Node.js as nodejs.org publishes it.`,
  );
}

/** @param {string} path below deploy/ */
function source(path) {
  return readFileSync(join(root, 'deploy', path), 'utf8');
}

/**
 * @param {string} tree
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function write(tree, path, content, mode = 0o644) {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/**
 * Whatever umask and checkout had: the modes are part of the package.
 *
 * @param {string} tree
 * @param {readonly string[]} files
 */
function setModes(tree, files) {
  for (const file of files) {
    const mode = statSync(file).mode;
    if (settingsFiles.slice(1).includes(`/${relative(tree, file)}`)) continue;
    chmodSync(file, (mode & 0o100) === 0 ? 0o644 : 0o755);
    for (let folder = dirname(file); folder.startsWith(tree); folder = dirname(folder))
      chmodSync(folder, 0o755);
  }
}

/**
 * @param {string} folder
 * @returns {string[]} sorted
 */
function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureInstalled();
  const file = await packDeb(root);
  console.log(`Packed ${file}. Install it with: apt install ${file}`);
}
