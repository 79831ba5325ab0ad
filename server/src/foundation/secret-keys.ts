import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RandomBytes, Secret } from './secret.ts';
import { writeSecretFile } from './write-secret-file.ts';

/** The name of the file in the data directory. */
const secretKeyFile = 'secret-key';

interface KeySources {
  /** MUSTER_SECRET_KEY. */
  readonly setting: Secret | undefined;
  readonly dataDirectory: string;
  /** False on a shared database: each replica would create another key. */
  readonly mayCreate: boolean;
  readonly randomBytes: RandomBytes;
}

/**
 * The keys of the installation: the one of the settings first, then the one of the data directory, so that what was stored before the
 * setting existed can still be read.
 */
export function readSecretKeys({
  setting,
  dataDirectory,
  mayCreate,
  randomBytes,
}: KeySources): readonly Secret[] {
  const kept = readKept(join(dataDirectory, secretKeyFile));
  const keys = [setting, kept].filter((one) => one !== undefined);
  if (keys.length > 0 || !mayCreate) return keys;
  const created = new Secret(Buffer.from(randomBytes(32)).toString('hex'));
  writeSecretFile(dataDirectory, secretKeyFile, created);
  return [created];
}

function readKept(file: string): Secret | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? undefined : new Secret(text);
  } catch (error) {
    // A file that cannot be read is not replaced: what it opens would be lost.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
