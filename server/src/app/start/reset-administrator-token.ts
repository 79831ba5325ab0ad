import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { formatToken } from '@muster/contract';
import { type Clock, createNewID } from '../../foundation/clock.ts';
import { isLocked } from '../../foundation/database/backup/backup-lock.ts';
import { lockFileName } from '../../foundation/database/data-directory/lock-data-directory.ts';
import { pendingMigrations } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { digestToken, type RandomBytes, Secret } from '../../foundation/secret.ts';
import { writeSecretFile } from '../../foundation/write-secret-file.ts';
import { setAdministratorToken } from '../../people/users/administrator-token.ts';
import { adminTokenName, newAdminTokenName } from '../../people/users/take-administrator-token.ts';
import { AuditService } from '../../record/audit/audit-service.ts';

interface ResetOptions {
  readonly dataDirectory: string;
  /** Undefined: the embedded database in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Maximum wait for a running service. */
  readonly waitMilliseconds?: number;
}

const usualWaitMilliseconds = 15_000;
const pollMilliseconds = 50;

/**
 * Gives the administrator a new access token, and revokes the former one with everything that was created with it. When this resolves, a running service
 * accepts the new token and refuses the former one.
 *
 * @returns the file with the new token
 * @throws Error that says what to do. Then the former token is still valid
 */
export async function resetAdministratorToken(options: ResetOptions): Promise<string> {
  const { dataDirectory, databaseUrl, randomBytes } = options;
  const secret = new Secret(formatToken('access', randomBytes(32)));
  if (databaseUrl === undefined) {
    if (!existsSync(join(dataDirectory, 'muster.db'))) {
      throw new Error(
        `There is no installation in ${dataDirectory}: it has no muster.db. Name the data directory of the service with MUSTER_DATA_DIR, or its PostgreSQL database with DATABASE_URL.`,
      );
    }
    if (isLocked(join(dataDirectory, lockFileName))) return handToService(secret, options);
  }
  return storeInDatabase(secret, options);
}

/** The process that has the embedded database open changes it. */
async function handToService(secret: Secret, options: ResetOptions): Promise<string> {
  const { dataDirectory, waitMilliseconds = usualWaitMilliseconds } = options;
  const handed = writeSecretFile(dataDirectory, newAdminTokenName, secret);
  const file = join(dataDirectory, adminTokenName);
  for (let waited = 0; waited < waitMilliseconds && existsSync(handed); waited += pollMilliseconds) {
    await pause(pollMilliseconds);
  }
  const wasTaken = !existsSync(handed);
  rmSync(handed, { force: true });
  if (wasTaken && existsSync(file) && digestToken(readFileSync(file, 'utf8').trim()) === secret.digest()) {
    return file;
  }
  throw new Error(
    `The process that uses ${dataDirectory} did not take the new token. Is it a Muster of this version, and does its database answer? Otherwise stop it, and run the same command again.`,
  );
}

async function storeInDatabase(secret: Secret, options: ResetOptions): Promise<string> {
  const { dataDirectory, databaseUrl, clock, randomBytes } = options;
  const database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  try {
    const pending = await pendingMigrations(database);
    if (pending.length > 0) {
      throw new Error(
        `The tables of the database are not those of this version (${pending.join(', ')} did not run). Start Muster once, or run: muster migrate`,
      );
    }
    const newID = createNewID(clock, randomBytes);
    const audit = new AuditService({ database, clock, newID });
    return await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, 'first start');
      await setAdministratorToken(trx, secret, byCommand, { database, clock, newID, audit });
      // Before the commit: if a token were stored but not in the file, nobody could sign in.
      return writeSecretFile(dataDirectory, adminTokenName, secret);
    });
  } finally {
    await database.close();
  }
}

const byCommand = { kind: 'system', name: 'muster admin reset-token' } as const;
