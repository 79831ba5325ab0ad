import { createHash, createHmac, randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeStateDirectory, temporaryNameOf } from './state-directory.ts';

/** Keys the hash of /etc/machine-id, which itself must stay secret, see machine-id(5). */
const applicationID = '10f06e52b71a4e3e922de67af9b81643';

export interface MachineIDOptions {
  /** Distinguishes the agents of one host, such as `fluentbit`. */
  readonly instance: string;
  readonly stateDirectory: string;
  /** Default: /etc/machine-id. */
  readonly machineIDFile?: string;
}

/**
 * Identifies this host and agent to the service, in the same way at every start. It is made from the machine id of the
 * host, else from a random id in the state directory, else, if that cannot be written, from the name of the host.
 */
export async function findMachineID(options: MachineIDOptions): Promise<string> {
  const { instance, stateDirectory, machineIDFile = '/etc/machine-id' } = options;
  const ofHost = await readMachineID(machineIDFile);
  const id =
    ofHost === undefined
      ? await keepRandomID(stateDirectory).catch(() => hashHostName())
      : hashMachineID(ofHost);
  return `${id}.${instance}`;
}

async function readMachineID(path: string): Promise<string | undefined> {
  const text = (await readFile(path, 'utf8').catch(() => '')).trim();
  return /^(?!0{32})[\da-f]{32}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** The same as `systemd-id128 machine-id --app-specific=…`: a UUID of version 4 in 32 hexadecimal digits. */
function hashMachineID(machineID: string): string {
  const hash = createHmac('sha256', Buffer.from(machineID, 'hex')).update(Buffer.from(applicationID, 'hex'));
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex');
}

async function keepRandomID(stateDirectory: string): Promise<string> {
  await makeStateDirectory(stateDirectory);
  const path = join(stateDirectory, 'machine-id');
  const kept = await readMachineID(path);
  if (kept !== undefined) return kept;
  const temporary = temporaryNameOf(path);
  await writeFile(temporary, `${randomBytes(16).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // When several processes come here at once, one makes the file, and all use its content.
    await link(temporary, path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  const id = await readMachineID(path);
  if (id === undefined) throw new Error(`${path} holds no machine id`);
  return id;
}

function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function hashHostName(): string {
  return createHash('sha256').update(`${applicationID}\n${hostname()}`).digest('hex').slice(0, 32);
}
