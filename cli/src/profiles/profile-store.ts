import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { quoteForShell } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readFileIfThere, readPrivateFile, removeFile, writePrivateFile } from './private-file.ts';

/** A server that the user signed in to, under a name that the user chose. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  /** Id of the project that commands use unless they name another. */
  readonly project: string | undefined;
}

export const defaultProfileName = 'default';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The user's profiles. Each has its own files, so that two concurrent commands do not undo each other's changes:
 *
 *     config.json              { "profile": NAME }           the one in use
 *     profiles/NAME.json       { "url", "project" }
 *     credentials/NAME.json    { "url", "token" }            the secret, mode 0600
 *
 * A token is stored with its url and is never sent to another.
 */
export class ProfileStore {
  readonly directory: string;

  constructor({ env, homeDirectory }: Pick<Terminal, 'env' | 'homeDirectory'>) {
    const { XDG_CONFIG_HOME: configured = '' } = env;
    // The XDG specification says to ignore relative paths.
    const above = isAbsolute(configured) ? configured : join(homeDirectory, '.config');
    this.directory = join(above, 'muster');
  }

  /** Name of the current profile; undefined before the first sign-in. */
  async readCurrentName(): Promise<string | undefined> {
    const file = join(this.directory, 'config.json');
    const name = readText(parseObject(file, await readFileIfThere(file)), 'profile');
    return name !== undefined && namePattern.test(name) ? name : undefined;
  }

  async writeCurrentName(name: string | undefined): Promise<void> {
    await writeJson(join(this.directory, 'config.json'), { profile: name });
  }

  async find(name: string): Promise<Profile | undefined> {
    const file = this.#profileFile(name);
    const content = parseObject(file, await readFileIfThere(file));
    const url = readText(content, 'url');
    return url === undefined ? undefined : { name, url, project: readText(content, 'project') };
  }

  /** Names of all profiles, including unreadable ones. */
  async listNames(): Promise<string[]> {
    const files = await readdir(join(this.directory, 'profiles')).catch(() => []);
    return files
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .filter((name) => namePattern.test(name))
      .sort();
  }

  async list(): Promise<Profile[]> {
    const found = await Promise.all((await this.listNames()).map((name) => this.find(name)));
    return found
      .filter((profile) => profile !== undefined)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async write({ name, url, project }: Profile): Promise<void> {
    await writeJson(this.#profileFile(name), { url, project });
  }

  /** @returns whether the profile existed */
  async delete(name: string): Promise<boolean> {
    await this.deleteToken(name);
    return removeFile(this.#profileFile(name));
  }

  /** The token of a profile; undefined if there is none for the profile's url. */
  async findToken({ name, url }: Profile): Promise<string | undefined> {
    const file = this.#credentialFile(name);
    const content = parseObject(file, await readPrivateFile(file));
    return readText(content, 'url') === url ? readText(content, 'token') : undefined;
  }

  async writeToken({ name, url }: Profile, token: string): Promise<void> {
    await writeJson(this.#credentialFile(name), { url, token });
  }

  /** @returns whether there was a token */
  async deleteToken(name: string): Promise<boolean> {
    return removeFile(this.#credentialFile(name));
  }

  #profileFile(name: string): string {
    return join(this.directory, 'profiles', `${requireProfileName(name)}.json`);
  }

  #credentialFile(name: string): string {
    return join(this.directory, 'credentials', `${requireProfileName(name)}.json`);
  }
}

/** @throws CommandError for a name that cannot be used as a file name */
export function requireProfileName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new CommandError(
    'usage',
    `'${name}' cannot be the name of a profile: it takes up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or a digit.`,
  );
}

async function writeJson(file: string, value: object): Promise<void> {
  await writePrivateFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

function parseObject(file: string, text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Handled by the error below.
  }
  throw new CommandError(
    'failed',
    `${file} is not valid JSON.`,
    `Correct it, or remove it and sign in again: rm ${quoteForShell(file)}`,
  );
}

function readText(content: object | undefined, key: string): string | undefined {
  const value: unknown = content === undefined ? undefined : Reflect.get(content, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
