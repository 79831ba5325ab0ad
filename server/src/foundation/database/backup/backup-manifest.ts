import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../migrations/column-types.ts';
import { sqliteFileName } from '../sqlite/open-sqlite.ts';
import { sequencesFileName } from './postgres-tables.ts';

export const manifestName = 'manifest.json';
const format = 'muster-backup';
const formatVersion = 1;
const maxManifestBytes = 1_048_576;

/** Describes a backup. It is a file of its own beside the data, as JSON. */
export interface BackupManifest {
  /** When the backup began, ISO 8601 in UTC: everything that was acknowledged before is in it. */
  readonly createdAt: string;
  readonly musterVersion: string;
  readonly engine: Engine;
  /** The id of the first user, which is unique to the installation. */
  readonly installationID: string;
  /** The newest migration that has run on the database. */
  readonly migration: string;
  readonly files: readonly BackupFile[];
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** What the session of a backup calls itself. It holds one transaction until the end, and writes nothing. */
export const backupSessionName = 'muster backup';

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** PostgreSQL: the columns of the table, in the order of the file. */
  readonly columns?: readonly string[] | undefined;
}

/** What is wrong with a backup, in a sentence for an operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export function formatManifest(manifest: BackupManifest): string {
  return `${JSON.stringify({ format, formatVersion, ...manifest }, undefined, 2)}\n`;
}

/** @throws BackupError if the folder has no manifest that this version can read */
export function readManifest(folder: string): BackupManifest {
  let text: string;
  try {
    const file = join(folder, manifestName);
    // A pipe would be read for ever, and a huge file into memory.
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > maxManifestBytes) throw new Error('it is no file of a fitting size');
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new BackupError(`${folder} is not a backup of Muster: it has no readable ${manifestName}.`, {
      cause,
    });
  }
  return parseManifest(text, folder);
}

function parseManifest(text: string, folder: string): BackupManifest {
  const file = join(folder, manifestName);
  const found = parseJson(text);
  if (!isRecord(found) || found.format !== format) {
    throw new BackupError(`${file} is damaged, or is not the manifest of a backup of Muster.`);
  }
  if (found.formatVersion !== formatVersion) {
    throw new BackupError(
      `${file} has the format ${String(found.formatVersion)}, and this Muster reads format ${formatVersion}. Use the version of Muster that made the backup, or a newer one.`,
    );
  }
  if (!isManifest(found))
    throw new BackupError(`${file} is damaged: a field is missing or has another type.`);
  return found;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isManifest(value: unknown): value is BackupManifest {
  if (!isRecord(value) || !isRecord(value.rows) || !Array.isArray(value.files)) return false;
  const texts = [value.createdAt, value.musterVersion, value.installationID, value.migration];
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    !Number.isNaN(Date.parse(String(value.createdAt))) &&
    (value.engine === 'sqlite' || value.engine === 'postgres') &&
    Object.values(value.rows).every((count) => Number.isSafeInteger(count)) &&
    value.files.every(isBackupFile) &&
    hasFilesOf(value.engine, value.files)
  );
}

/** One database file, or a file for each table and one for the sequences; none of them twice. */
function hasFilesOf(engine: Engine, files: readonly BackupFile[]): boolean {
  const names = files.map(({ name }) => name);
  if (engine === 'sqlite') return names.join() === sqliteFileName;
  const tables = files.filter(({ name }) => name !== sequencesFileName);
  return (
    new Set(names).size === names.length &&
    names.includes(sequencesFileName) &&
    tables.every(({ name, columns }) => name.endsWith('.copy') && columns !== undefined)
  );
}

/** A name is one component of a path: a manifest must not lead out of its folder. */
function isBackupFile(value: unknown): value is BackupFile {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    /^[a-z][\w.-]*$/.test(value.name) &&
    Number.isSafeInteger(value.bytes) &&
    typeof value.sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(value.sha256) &&
    (value.columns === undefined ||
      (Array.isArray(value.columns) && value.columns.every((name) => typeof name === 'string')))
  );
}
