import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeStateDirectory, replaceFile } from './state-directory.ts';

/** The answer to the last registration, and what was registered. */
export interface AgentRecord {
  readonly agentID: string;
  readonly agentToken: string;
  /** Digest of what was registered. */
  readonly digest: string;
  readonly version: string | undefined;
  /** Undefined if an earlier version wrote the record. */
  readonly name: string | undefined;
}

/** Keeps the registration of one agent between runs, in a file that only its owner can read. */
export class AgentRecordFile {
  readonly #directory: string;
  readonly #path: string;

  /** @param key stands for project and machine id */
  constructor(directory: string, key: string) {
    this.#directory = directory;
    this.#path = join(directory, recordName(key));
  }

  /** Takes what was kept under another key, unless something is kept under this one. */
  async takeOver(formerKey: string): Promise<void> {
    if ((await this.read()) !== undefined) return;
    await rename(join(this.#directory, recordName(formerKey)), this.#path).catch(() => undefined);
  }

  /** Undefined when there is none, or when it cannot be read. */
  async read(): Promise<AgentRecord | undefined> {
    try {
      return toRecord(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      return undefined;
    }
  }

  /** @throws the error of the file system */
  async write(record: AgentRecord): Promise<void> {
    await makeStateDirectory(this.#directory);
    await replaceFile(this.#path, `${JSON.stringify(record)}\n`);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}

function recordName(key: string): string {
  return `${key}.agent.json`;
}

function toRecord(value: unknown): AgentRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { agentID, agentToken, digest, version, name } = value as Record<string, unknown>; // read as unknown
  if (typeof agentID !== 'string' || typeof agentToken !== 'string' || typeof digest !== 'string')
    return undefined;
  return {
    agentID,
    agentToken,
    digest,
    version: typeof version === 'string' ? version : undefined,
    name: typeof name === 'string' ? name : undefined,
  };
}
