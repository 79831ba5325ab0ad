import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './workspace.mjs';

/** Beside the built files: the names of the packages whose code they contain, for their licences. */
export const bundledPackagesFile = 'packages.json';

/**
 * Builds the dashboard: a page, and files with names that change with their content, each compressed as it is served.
 *
 * @param {string} outDirectory
 */
export async function buildDashboard(outDirectory) {
  // Loaded here, so that a start with a current build does not wait for them.
  const { build } = await import('vite');
  /** @type {Set<string>} */
  const packages = new Set();
  const collector = {
    name: 'muster-collector',
    /**
     * @param {unknown} _options
     * @param {import('vite').Rolldown.OutputBundle} bundle
     */
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const id of chunk.moduleIds) {
          const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(id)?.[1];
          if (name !== undefined) packages.add(name);
        }
      }
    },
  };
  const environment = process.env.NODE_ENV;
  // Otherwise a build that a test starts would have the development form of React.
  process.env.NODE_ENV = 'production';
  try {
    await build({
      root: join(root, 'web'),
      configFile: join(root, 'web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: outDirectory, emptyOutDir: true },
      plugins: [collector],
    });
  } finally {
    if (environment !== undefined) process.env.NODE_ENV = environment;
  }
  writeFileSync(join(outDirectory, bundledPackagesFile), JSON.stringify([...packages].sort()));
  const assets = join(outDirectory, 'assets');
  for (const name of readdirSync(assets)) compress(join(assets, name));
}

/**
 * Replaces a file by its compressed forms.
 *
 * @param {string} file
 */
function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
  rmSync(file);
}
