import { statSync } from 'node:fs';
import { join } from 'node:path';

const minPageBytes = 512;

/**
 * Refuses a directory whose installation has lost its database (missing or empty). SQLite would create a new database
 * there and remove the log (`-wal`) that may hold the last commits.
 *
 * @param hasHeldDatabase whether an earlier start noted that the directory has a database
 * @throws Error that says what happened and what to do
 */
export function refuseLostDatabase(
  dataDirectory: string,
  fileName: string,
  { hasHeldDatabase }: { readonly hasHeldDatabase: boolean },
): void {
  const file = join(dataDirectory, fileName);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  // SQLite replaces a file that is shorter than the smallest page by a new database. It checks the header of longer files.
  if (bytes !== undefined && bytes >= minPageBytes) return;
  // In this order: a killed process leaves a log; other installations may have left only the token file.
  const trace = [`${fileName}-wal`, 'admin-token'].find((name) => isFile(join(dataDirectory, name)));
  if (trace === undefined && !hasHeldDatabase) return;
  throw new Error(
    `${file} is ${describe(bytes)}, but an installation of Muster was in this directory: ${
      trace === undefined ? 'muster.lock says so' : `${trace} is still there`
    }. Something has removed or emptied the database, such as a copy or a restore that broke off. Muster does not start with a new one, because that would destroy what is left. Put a copy of ${dataDirectory} aside, then put ${fileName} back or restore a backup. If the installation uses PostgreSQL, set DATABASE_URL. To begin anew, name an empty directory with MUSTER_DATA_DIR.`,
  );
}

function describe(bytes: number | undefined): string {
  if (bytes === undefined) return 'missing';
  return bytes === 0 ? 'empty (0 bytes)' : `cut off (${bytes} bytes)`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
