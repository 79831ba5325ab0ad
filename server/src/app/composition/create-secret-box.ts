import { systemRandomBytes } from '../../foundation/secret.ts';
import { SecretBox } from '../../foundation/secret-box.ts';
import { readSecretKeys } from '../../foundation/secret-keys.ts';
import type { AppParts } from './app-parts.ts';

/** What seals secrets that must be used later, with the key of the installation. */
export function createSecretBox({ config, database }: Pick<AppParts, 'config' | 'database'>): SecretBox {
  const keys = readSecretKeys({
    setting: config.secretKey,
    dataDirectory: config.dataDirectory,
    mayCreate: database.engine === 'sqlite',
    // Not those of the app: drawn from them, the key would make ids and tokens differ between the engines.
    randomBytes: systemRandomBytes,
  });
  return new SecretBox(keys, systemRandomBytes);
}
