import { tightenDataFiles } from './data-directory/tighten-data-files.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

export interface DatabaseLocation {
  /** The directory of the embedded database. */
  readonly dataDirectory: string;
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Called when an idle connection breaks; the next statement uses another one. */
  readonly onConnectionError: (error: Error) => void;
  /** Called when the embedded database has failed: from then on, every request to it fails. */
  readonly onFatal?: (error: Error) => void;
  /** Called with a sentence for the log that an operator should see. */
  readonly onNotice?: (notice: string) => void;
  /** Maximum size of the embedded database's log, in MiB. */
  readonly maxLogMegabytes?: number;
}

/** Opens the configured database without changing its tables. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  const {
    dataDirectory,
    databaseUrl,
    onConnectionError,
    onFatal,
    onNotice = () => undefined,
    maxLogMegabytes,
  } = location;
  tightenDataFiles(dataDirectory, onNotice);
  return databaseUrl === undefined
    ? openSqlite(dataDirectory, onFatal, maxLogMegabytes, onNotice)
    : openPostgres({ databaseUrl, onConnectionError });
}
