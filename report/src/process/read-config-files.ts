import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The service accepts 4 MiB of JSON, and the rest of the registration takes some of it. */
const maxBytes = 4 * 1_048_576 - 65_536;

/** The texts of the files that can be read. Does not reject. */
export async function readTexts(paths: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(paths.map((path) => readText(path).catch(() => undefined)));
  return texts.filter((text) => text !== undefined);
}

export interface ReadConfig {
  /** Several files one after the other, each below its name; undefined when there is nothing to send. */
  readonly text: string | undefined;
  /** What could not be read and why, as a message. */
  readonly fault: string | undefined;
}

/** Reads the configuration of an agent. Does not reject. */
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
    const fault = text === '' ? undefined : `${paths.join(', ')}: it is not text, or longer than 4 MiB`;
    return { text: undefined, fault };
  }
  return { text, fault: undefined };
}

/** @throws Error that says why the file cannot be sent */
async function readText(path: string): Promise<string> {
  // O_NONBLOCK: opening a pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    // Reading a pipe would take its content away from the agent, and might never end.
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > maxBytes) throw new Error('it is longer than 4 MiB');
    return (await file.readFile('utf8')).toWellFormed();
  } finally {
    await file.close();
  }
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
