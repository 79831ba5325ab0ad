import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';
import { root } from './workspace.mjs';

/** The folder of the SDK's package: bundled, with types, independent of this workspace. */
export const clientPackage = join(root, 'client/dist');

/**
 * Builds the package of the SDK.
 *
 * @param {string} [outDirectory]
 */
export async function buildClient(outDirectory = clientPackage) {
  // Loaded here, because before the first install only Node is available.
  const tsdown = await import('tsdown');
  rmSync(outDirectory, { recursive: true, force: true });
  await tsdown.build({
    config: false,
    cwd: root,
    entry: { index: 'client/src/index.ts' },
    outDir: outDirectory,
    tsconfig: 'tsconfig.base.json',
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    fixedExtension: false,
    hash: false,
    dts: true,
    report: false,
    clean: false,
    logLevel: 'warn',
    inputOptions: { checks: { pluginTimings: false } },
  });
  writeFileSync(join(outDirectory, 'package.json'), `${JSON.stringify(publicManifest(), null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(outDirectory, 'LICENSE'));
  copyFileSync(join(root, 'docs/sdk.md'), join(outDirectory, 'README.md'));
}

/** The workspace's manifest points to the sources and is private; this one points to the built files. */
function publicManifest() {
  const { name, version, description, license, type } = JSON.parse(
    readFileSync(join(root, 'client/package.json'), 'utf8'),
  );
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    main: './index.js',
    types: './index.d.ts',
    files: ['index.js', 'index.d.ts'],
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureInstalled();
  await buildClient();
  console.log(`Built. In your own project: npm install ${clientPackage}`);
}
