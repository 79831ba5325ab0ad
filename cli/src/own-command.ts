import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoteForShell } from '@muster/contract';

export interface OwnCommandOptions {
  /** The `PATH` of the shell. */
  readonly path: string | undefined;
  /** Folder of the package that this program belongs to. */
  readonly packageDirectory?: string;
  /** The program that runs it. */
  readonly node?: string;
}

/**
 * The command with which a user runs this program in another terminal and any folder: `muster` if the shell finds it,
 * otherwise node with the file, quoted for a shell. Never npx: in another folder, it would run a package of this name of somebody else, with the token
 * that the command line names.
 */
export function findOwnCommand({
  path = '',
  packageDirectory = fileURLToPath(new URL('..', import.meta.url)),
  node = process.execPath,
}: OwnCommandOptions): string {
  const directories = path.split(delimiter).filter(isOfShell);
  // npm links to either of these two files; in a checkout it is the second.
  const files = [join(packageDirectory, 'bin/muster.mjs'), join(packageDirectory, 'dist/muster.mjs')];
  if (files.some((file) => isFound('muster', file, directories))) return 'muster';
  const file = files.find((one) => existsSync(one)) ?? 'muster';
  return `${isFound('node', node, directories) ? 'node' : quoteForShell(node)} ${quoteForShell(file)}`;
}

/** The program `muster`, built or from source, for another process of this Node.js. */
export function findOwnFile(): string {
  const source = fileURLToPath(new URL('muster.ts', import.meta.url));
  return existsSync(source) ? source : fileURLToPath(new URL('muster.mjs', import.meta.url));
}

/** npm and npx put folders of a checkout at the front of the `PATH`, which the user's own shell does not have. */
function isOfShell(directory: string): boolean {
  return isAbsolute(directory) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(directory);
}

/** True if the first program of that name on the path is this file. */
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
