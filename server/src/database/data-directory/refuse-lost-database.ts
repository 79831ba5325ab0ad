import { statSync } from 'node:fs';
import { join } from 'node:path';

const minPageBytes = 512;

/**
 * Refuses to take a directory for a new one where an installation was and its database is gone or empty. SQLite would
 * make a new database there, and remove the log (`-wal`) that may hold the last commits.
 *
 * @param hasHeldDatabase whether an earlier start has noted that a database was there
 * @throws Error with what happened, and what to do
 */
export function refuseLostDatabase(
  dataDirectory: string,
  fileName: string,
  { hasHeldDatabase }: { readonly hasHeldDatabase: boolean },
): void {
  const file = join(dataDirectory, fileName);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  // Of a file that is shorter than any page SQLite makes a new database. Of longer ones it checks the header by itself.
  if (bytes !== undefined && bytes >= minPageBytes) return;
  // In this order: a log is all that a database leaves behind that was killed, the token file all that others may have.
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
