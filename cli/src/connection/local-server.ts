import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivateFile } from '../profiles/private-file.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { requireToken } from './credential.ts';
import { isLoopback, readServerUrl } from './server-url.ts';

/** A token and its source. */
export interface GivenToken {
  readonly token: string;
  readonly source: string;
}

/** The admin token that the first start of a server on this machine wrote. */
export async function findAdminToken(terminal: Terminal): Promise<GivenToken | undefined> {
  const file = join(dataDirectoryOf(terminal), 'admin-token');
  const content = await readOwnFile(file);
  return content === undefined ? undefined : { token: requireToken(content, file), source: file };
}

/** The address of the server that uses the data directory in the current folder, on any port. */
export async function findLocalServer(terminal: Terminal): Promise<string | undefined> {
  const file = join(dataDirectoryOf(terminal), 'server-url');
  const content = await readOwnFile(file);
  if (content === undefined) return undefined;
  const url = readServerUrl(content.trim(), file);
  return isLoopback(url) ? url : undefined;
}

function dataDirectoryOf({ env, workingDirectory }: Terminal): string {
  const { MUSTER_DATA_DIR: given = '' } = env;
  return given === '' ? join(workingDirectory, 'data') : given;
}

/** Undefined if the file belongs to another user, who may have planted it. */
async function readOwnFile(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  const isOwn = process.getuid === undefined || found?.uid === process.getuid();
  return found !== undefined && isOwn ? readPrivateFile(file) : undefined;
}
