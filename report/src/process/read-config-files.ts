import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The service takes 4 MiB of JSON, of which some is the rest of the registration. */
const maxBytes = 4 * 1_048_576 - 65_536;

/** The texts of those that can be read. Does not reject. */
export async function readTexts(paths: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(paths.map((path) => readText(path).catch(() => undefined)));
  return texts.filter((text) => text !== undefined);
}

export interface ReadConfig {
  /** Several files one after the other, each below its name; undefined where there is none that can be sent. */
  readonly text: string | undefined;
  /** What could not be read, and why, for a person. */
  readonly fault: string | undefined;
}

/** Reads what an agent is configured with. Does not reject. */
export async function readConfigFiles(paths: readonly string[]): Promise<ReadConfig> {
  const texts: string[] = [];
  for (const path of paths) {
    try {
      const text = await readText(path);
      texts.push(paths.length === 1 ? text : `# ${path}\n${text}`);
    } catch (error) {
      return { text: undefined, fault: `${path}: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
  const text = texts.join('\n');
  if (paths.length === 0 || text.includes('\0') || jsonBytes(text) > maxBytes) {
    const fault = text === '' ? undefined : `${paths.join(', ')}: it is no text, or longer than 4 MiB`;
    return { text: undefined, fault };
  }
  return { text, fault: undefined };
}

/** @throws Error that says why it cannot be sent */
async function readText(path: string): Promise<string> {
  // Without waiting for the one who writes, in case it is a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    // A pipe would be read away from the agent, and might never end.
    if (!status.isFile()) throw new Error('it is no regular file');
    if (status.size > maxBytes) throw new Error('it is longer than 4 MiB');
    return (await file.readFile('utf8')).toWellFormed();
  } finally {
    await file.close();
  }
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
