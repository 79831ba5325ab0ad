import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFileName } from '../sqlite/open-sqlite.ts';
import { BackupError, type BackupManifest, readManifest } from './backup-manifest.ts';
import { digestFile } from './digest-file.ts';
import { inspectDatabaseFile } from './inspect-database-file.ts';

/**
 * Checks every byte of a backup against its manifest, and the structure of an embedded database.
 *
 * @throws BackupError that says what is wrong
 */
export async function verifyBackup(folder: string): Promise<BackupManifest> {
  const manifest = readManifest(folder);
  for (const { name, bytes, sha256, columns } of manifest.files) {
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) throw damaged(folder, `${name} is missing`);
    // A pipe would be read for ever.
    if (!stats.isFile()) throw damaged(folder, `${name} is not a file`);
    const found = await digestFile(file);
    if (found.bytes !== bytes) {
      throw damaged(folder, `${name} has ${found.bytes} bytes, and the manifest says ${bytes}`);
    }
    if (found.sha256 !== sha256)
      throw damaged(folder, `the SHA-256 of ${name} is not the one in the manifest`);
    const table = name.replace(/\.copy$/, '');
    if (columns !== undefined) expectRows(folder, manifest, table, found.lines);
  }
  if (manifest.engine === 'sqlite') await expectFacts(folder, manifest);
  return manifest;
}

async function expectFacts(folder: string, manifest: BackupManifest): Promise<void> {
  const { rows, migration } = await inspectDatabaseFile(join(folder, sqliteFileName));
  if (migration !== manifest.migration) {
    throw damaged(
      folder,
      `the database has the migration ${migration}, and the manifest says ${manifest.migration}`,
    );
  }
  for (const table of new Set([...Object.keys(rows), ...Object.keys(manifest.rows)])) {
    expectRows(folder, manifest, table, rows[table] ?? 0);
  }
}

function expectRows(folder: string, manifest: BackupManifest, table: string, rows: number): void {
  const expected = manifest.rows[table] ?? 0;
  if (rows !== expected) {
    throw damaged(folder, `the table ${table} has ${rows} rows, and the manifest says ${expected}`);
  }
}

function damaged(folder: string, what: string): BackupError {
  return new BackupError(
    `The backup in ${folder} is damaged: ${what}. Use another backup; the disk or the transfer may have lost data.`,
  );
}
