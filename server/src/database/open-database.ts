import { tightenDataFiles } from './data-directory/tighten-data-files.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

export interface DatabaseLocation {
  /** Where the embedded database lies. */
  readonly dataDirectory: string;
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Called when an idle connection breaks; the next statement takes another one. */
  readonly onConnectionError: (error: Error) => void;
  /** Called when the embedded database has ended by itself: from then on every request of it fails. */
  readonly onFatal?: (error: Error) => void;
  /** Called with a sentence for the log about what an operator should know. */
  readonly onNotice?: (notice: string) => void;
  /** Of the embedded database, in MiB. */
  readonly maxLogMegabytes?: number;
}

/** Opens the database that the settings name, without touching its tables. */
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
