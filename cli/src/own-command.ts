import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoteForShell } from './quote-for-shell.ts';

export interface OwnCommandOptions {
  /** As the shell has it. */
  readonly path: string | undefined;
  /** Folder of the package that this program belongs to. */
  readonly packageDirectory?: string;
  /** The program that runs it. */
  readonly node?: string;
}

/**
 * What a person types in another terminal, in any folder, to run this program: `muster` where that is found, else node
 * with the file, quoted for a shell.
 */
export function findOwnCommand({
  path = '',
  packageDirectory = fileURLToPath(new URL('..', import.meta.url)),
  node = process.execPath,
}: OwnCommandOptions): string {
  const directories = path.split(delimiter).filter(isOfShell);
  // npm links the one, or the other in a checkout.
  const files = [join(packageDirectory, 'bin/muster.mjs'), join(packageDirectory, 'dist/muster.mjs')];
  if (files.some((file) => isFound('muster', file, directories))) return 'muster';
  const file = files.find((one) => existsSync(one)) ?? 'muster';
  return `${isFound('node', node, directories) ? 'node' : quoteForShell(node)} ${quoteForShell(file)}`;
}

/** npm and npx put folders of a checkout before the path of the shell that they were typed in. */
function isOfShell(directory: string): boolean {
  return isAbsolute(directory) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(directory);
}

/** True where the first program of that name on the path is this file. */
function isFound(name: string, file: string, directories: readonly string[]): boolean {
  const first = directories.map((directory) => join(directory, name)).find(isExecutable);
  return first !== undefined && existsSync(file) && realpathSync(first) === realpathSync(file);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
