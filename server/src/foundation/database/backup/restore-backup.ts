import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { digestToken } from '../../secret.ts';
import { migrationNames } from '../migrations/migrations.ts';
import { sqliteFileName } from '../sqlite/open-sqlite.ts';
import { BackupError, type BackupManifest } from './backup-manifest.ts';
import { type BackupSource, findBackup } from './find-backup.ts';
import { unpackBackup } from './pack-backup.ts';
import { isTokenOnPostgres, restorePostgres } from './restore-postgres.ts';
import { isTokenOnSqlite, type ReplacedFiles, restoreSqlite } from './restore-sqlite.ts';
import { verifyBackup } from './verify-backup.ts';

export interface RestoreOptions {
  /** A backup, a directory of backups (the newest), an archive, or `-` for the standard input. */
  readonly source: string;
  readonly stdin: Readable;
  readonly dataDirectory: string;
  /** Undefined: the embedded database in the data directory. */
  readonly databaseUrl: string | undefined;
  /** Whether an installation in the data directory is put aside. */
  readonly replace: boolean;
  readonly clock: Clock;
  readonly onProgress?: (what: string) => void;
}

export interface RestoredBackup extends ReplacedFiles {
  /** Whether the file `admin-token` in the data directory has a token that is valid in the restored database. */
  readonly adminToken: 'valid' | 'invalid' | 'missing';
  /** Where the backup was found. */
  readonly source: string;
  readonly manifest: BackupManifest;
  /** Migrations that the next start runs. */
  readonly pendingMigrations: readonly string[];
}

/**
 * Verifies a backup and puts it in place of an empty database. If it fails, nothing has changed.
 *
 * @throws BackupError, or another Error that describes the obstacle
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { databaseUrl, onProgress = () => undefined } = options;
  const source = findBackup(options.source, options.stdin);
  return withFolder(source, resolve(options.dataDirectory), async (folder) => {
    onProgress('verifying');
    const manifest = await verifyBackup(folder);
    const pendingMigrations = expectFitting(manifest, databaseUrl);
    onProgress('restoring');
    const replaced =
      databaseUrl === undefined
        ? await restoreSqlite({ ...options, folder, manifest })
        : await restorePostgres({ databaseUrl, folder, manifest, onProgress });
    const adminToken = await checkAdminToken(resolve(options.dataDirectory), databaseUrl);
    return { source: nameOf(source), manifest, pendingMigrations, adminToken, ...replaced };
  });
}

/** Verifies a backup without restoring it. */
export async function checkBackup(
  options: Pick<RestoreOptions, 'source' | 'stdin' | 'dataDirectory'>,
): Promise<{ readonly source: string; readonly manifest: BackupManifest }> {
  const source = findBackup(options.source, options.stdin);
  return withFolder(source, resolve(options.dataDirectory), async (folder) => ({
    source: nameOf(source),
    manifest: await verifyBackup(folder),
  }));
}

function nameOf(source: BackupSource): string {
  return source.kind === 'folder' ? source.folder : source.name;
}

/** An archive is unpacked into the data directory first, which needs room for it twice. */
async function withFolder<Result>(
  source: BackupSource,
  dataDirectory: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if (source.kind === 'folder') return work(source.folder);
  const folder = join(dataDirectory, `.muster-restore-${process.pid}.partial`);
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  mkdirSync(folder, { mode: 0o700 });
  try {
    await unpackBackup(source.open(), folder);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the migrations that the backup lacks. */
function expectFitting(manifest: BackupManifest, databaseUrl: string | undefined): readonly string[] {
  const { engine, migration, musterVersion, createdAt } = manifest;
  if (engine === 'sqlite' && databaseUrl !== undefined) {
    throw new BackupError(
      `The backup of ${createdAt} is of an embedded database, and DATABASE_URL names a PostgreSQL database. Unset DATABASE_URL and restore it into a data directory; then \`muster copy\` moves it to PostgreSQL.`,
    );
  }
  if (engine === 'postgres' && databaseUrl === undefined) {
    throw new BackupError(
      `The backup of ${createdAt} is of a PostgreSQL database. Set DATABASE_URL to an empty PostgreSQL database.`,
    );
  }
  if (!migrationNames.includes(migration)) {
    throw new BackupError(
      `The backup of ${createdAt} was made by Muster ${musterVersion}, whose tables this version does not know: its database has the migration ${migration}. Restore it with the version that made it, or with a newer one.`,
    );
  }
  return migrationNames.filter((name) => name > migration);
}

async function checkAdminToken(
  dataDirectory: string,
  databaseUrl: string | undefined,
): Promise<RestoredBackup['adminToken']> {
  const file = join(dataDirectory, 'admin-token');
  if (!existsSync(file)) return 'missing';
  const digest = digestToken(readFileSync(file, 'utf8').trim());
  const isValid =
    databaseUrl === undefined
      ? isTokenOnSqlite(join(dataDirectory, sqliteFileName), digest)
      : await isTokenOnPostgres(databaseUrl, digest);
  return isValid ? 'valid' : 'invalid';
}
