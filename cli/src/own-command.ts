import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoteForShell } from '@muster/contract';

export interface OwnCommandOptions {
  /** The `PATH` of the shell. */
  readonly path: string | undefined;
  /** The folder of the person, who types the next command there. */
  readonly folder: string;
  /** Folder of the package that this program belongs to. */
  readonly packageDirectory?: string;
  /** The program that runs it. */
  readonly node?: string;
}

/**
 * The command with which a person runs this program in another terminal: `muster` if the shell finds it; `npx muster` in the checkout that it belongs to;
 * otherwise node with the file, quoted for a shell. Never npx in another folder: it would run a package of this name of somebody else, with the token that the
 * command line names.
 */
export function findOwnCommand({
  path = '',
  folder,
  packageDirectory = fileURLToPath(new URL('..', import.meta.url)),
  node = process.execPath,
}: OwnCommandOptions): string {
  const directories = path.split(delimiter).filter(isOfShell);
  // npm links to either of these two files; in a checkout it is the second.
  const files = [join(packageDirectory, 'bin/muster.mjs'), join(packageDirectory, 'dist/muster.mjs')];
  if (files.some((file) => isFound('muster', file, directories))) return 'muster';
  const bin = join(findNpmRoot(folder) ?? '', 'node_modules', '.bin');
  if (isAbsolute(bin) && files.some((file) => isFound('muster', file, [bin]))) return 'npx muster';
  const file = files.find((one) => existsSync(one)) ?? 'muster';
  return `${isFound('node', node, directories) ? 'node' : quoteForShell(node)} ${quoteForShell(file)}`;
}

/** In which npx looks for a program first: the nearest folder with packages or a package (docs.npmjs.com/cli/configuring-npm/folders). */
function findNpmRoot(folder: string): string | undefined {
  const isRoot = ['package.json', 'node_modules'].some((name) => existsSync(join(folder, name)));
  if (isRoot) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findNpmRoot(parent);
}

/** The first word of every command that a person types, but what runs at a site, where Muster is installed. */
const nouns =
  'login|logout|whoami|status|profile|project|token|agent|fleet|rollout|error|dismissal|alert|member|invite|invitation|user|access-token|session|audit|apply|report|core-instance(?! (?:install|start))|serve|demo|migrate|copy|backup|restore|doctor|admin|completion|help';
/** Not `…/muster`, and not the name of a token: `'muster agent register web-01'`. */
const suggestion = new RegExp(
  `(?<![\\w./@[-]|npx )muster(?= (?:${nouns})\\b)(?<!'muster(?= agent register ))`,
  'g',
);

/** A text for a person, in which each `muster …` is written as that person can type it. */
export function spellCommands(text: string, { ownCommand }: { ownCommand(): string }): string {
  return text.replace(suggestion, () => ownCommand());
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
