import { quoteForShell } from '@muster/contract';

interface Manifest {
  readonly createdAt: string;
  readonly musterVersion: string;
  readonly engine: string;
  readonly migration: string;
  readonly files: readonly { readonly bytes: number }[];
  readonly rows: Readonly<Record<string, number>>;
}

interface Completed {
  /** Or where its archive went. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly removed: readonly string[];
}

interface Checked {
  readonly source: string;
  readonly manifest: Manifest;
}

interface Restored extends Checked {
  readonly putAside: string | undefined;
  readonly pendingMigrations: readonly string[];
  readonly adminToken: 'valid' | 'invalid' | 'missing';
}

export const postgresTools =
  "For a large database, or to restore it to any moment, PostgreSQL's own tools are better: pg_dump --format=custom, or continuous archiving. docs/backup.md has the commands.\n";

export function describeDone({ folder, manifest, removed }: Completed, leftOut: readonly string[]): string {
  return [
    `The backup of the database is complete: ${folder}`,
    ...factsOf(manifest),
    ...removed.map((one) => `  removed     ${one}`),
    describeLeftOut(leftOut),
  ].join('\n');
}

/** A backup has only the database. */
function describeLeftOut(files: readonly string[]): string {
  return [
    'It does not have these, so keep a copy of them elsewhere:',
    ...files.map((file) => `  ${file}`),
    '  the settings of the service, and the files that they name',
    '',
  ].join('\n');
}

export function describeCheck({ source, manifest }: Checked): string {
  return [
    `The backup is whole: ${source}`,
    ...factsOf(manifest),
    'It has only the database: a restore needs the settings of the service, the files that they name, and MUSTER_SECRET_KEY or the file secret-key from elsewhere.',
    '',
  ].join('\n');
}

export function describeRestored(restored: Restored, dataDirectory: string): string {
  const { source, manifest, putAside, pendingMigrations } = restored;
  return [
    `The backup is restored: ${source}`,
    ...factsOf(manifest),
    ...(putAside === undefined ? [] : [`  put aside   ${putAside}, the installation that was there before`]),
    '',
    'Before you start Muster:',
    `  - Tokens that were revoked after ${manifest.createdAt} are valid again. Revoke them again.`,
    '  - What was stored after that moment is missing. Agents that registered later must register again.',
    "  - A backup has only the database. Put back the service's settings, the files that they name, and MUSTER_SECRET_KEY or the file secret-key. Without this key, alert channels need their addresses again, and fleets their secrets.",
    `  - ${describeAdminToken(restored, dataDirectory)}`,
    ...(pendingMigrations.length === 0
      ? []
      : [`  - The next start brings the tables up to date: ${pendingMigrations.join(', ')}.`]),
    '',
  ].join('\n');
}

function describeAdminToken({ adminToken }: Restored, dataDirectory: string): string {
  const file = `${dataDirectory}/admin-token`;
  const command = `muster admin reset-token --data-dir ${quoteForShell(dataDirectory)}`;
  switch (adminToken) {
    case 'valid':
      return `The administrator's token in ${file} is valid.`;
    case 'invalid':
      return `The administrator's token in ${file} is not valid here. Without the right one, run: ${command}`;
    case 'missing':
      return `The administrator's token is not in a backup, and ${file} does not exist. Without the token, run: ${command}`;
  }
}

function factsOf({ createdAt, musterVersion, engine, migration, files, rows }: Manifest): string[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return [
    `  began       ${createdAt}`,
    `  made by     Muster ${musterVersion} on ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, migration ${migration}`,
    `  size        ${(bytes / 1e6).toFixed(1)} MB, ${total.toLocaleString('en-US')} rows`,
  ];
}
