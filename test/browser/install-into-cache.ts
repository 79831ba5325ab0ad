import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const cache = join(import.meta.dirname, '../../node_modules/.cache/muster');

/**
 * Installs an exact version of a package that only a script needs, so that it does not belong to what everyone installs who works on Muster.
 *
 * @returns the folder of the package
 */
export async function installIntoCache(name: string, version: string): Promise<string> {
  const directory = join(cache, `${name.replaceAll(/[@/]/g, '-')}-${version}`);
  if (!existsSync(directory)) {
    await mkdir(cache, { recursive: true });
    const temporary = await mkdtemp(join(cache, 'install-'));
    try {
      const options = [
        '--no-audit',
        '--no-fund',
        '--omit=optional',
        '--ignore-scripts',
        '--workspaces=false',
      ];
      await promisify(execFile)('npm', ['install', '--prefix', temporary, ...options, `${name}@${version}`]);
      await rename(temporary, directory);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  return join(directory, 'node_modules', name);
}
