import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { selectInstallationID } from '../backup/installation-id.ts';
import { type DataDirectoryLock, lockDataDirectory } from '../data-directory/lock-data-directory.ts';
import { refuseLostDatabase } from '../data-directory/refuse-lost-database.ts';
import { sqliteFileName } from '../sqlite/open-sqlite.ts';
import type { SqliteRow, SqliteValue } from '../sqlite/sqlite-messages.ts';
import { SqliteThread } from '../sqlite/sqlite-thread-handle.ts';
import { errorPageWords, errorTable, placeParameters, withDigest } from './error-source.ts';
import {
  type CopiedRow,
  columnList,
  keyOf,
  type PageLimits,
  type PageWords,
  pageStatement,
  quoteName,
  type ReadRows,
  type RowPage,
} from './row-pages.ts';
import type { TableShape } from './table-shape.ts';

/** The embedded database that is copied. It is only read, and its lock keeps other processes from changing it. */
export class CopySource {
  readonly dataDirectory: string;
  readonly #reader: SqliteThread;
  readonly #lock: DataDirectoryLock;

  private constructor(dataDirectory: string, reader: SqliteThread, lock: DataDirectoryLock) {
    this.dataDirectory = dataDirectory;
    this.#reader = reader;
    this.#lock = lock;
  }

  /** @throws Error if there is no database, or a running Muster uses it. */
  static async open(dataDirectory: string): Promise<CopySource> {
    const file = join(dataDirectory, sqliteFileName);
    if (!existsSync(file)) {
      throw new Error(
        `There is no embedded database in ${dataDirectory}: it has no ${sqliteFileName}. Name the data directory of the installation, the one that MUSTER_DATA_DIR names when it runs.`,
      );
    }
    const lock = lockForCopy(dataDirectory);
    try {
      refuseLostDatabase(dataDirectory, sqliteFileName, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
    const reader = new SqliteThread({ file, mode: 'read' });
    try {
      await reader.execute({ sql: 'select name from sqlite_schema', parameters: [] });
      return new CopySource(dataDirectory, reader, lock);
    } catch (cause) {
      await reader.close();
      lock.release();
      throw new Error(`${file} cannot be opened as a database of Muster.`, { cause });
    }
  }

  /** The id of the first user, which is unique to the installation. @throws Error if there is no user */
  async readInstallationID(): Promise<string> {
    const users = (await this.#columnsOf('users')).length === 0 ? [] : await this.#firstUsers();
    const id = users[0]?.id;
    if (typeof id !== 'string') {
      throw new Error(
        `${this.dataDirectory} holds no installation yet, so there is nothing to copy: start Muster with DATABASE_URL right away.`,
      );
    }
    return id;
  }

  /** Names of the migrations that have run on this database. */
  async readMigrations(): Promise<string[]> {
    const rows = await this.#query('select name from kysely_migration order by name');
    return rows.map(({ name }) => String(name));
  }

  /** @throws Error if the columns of the table differ from those in the target */
  async expectColumns({ table, columns }: TableShape): Promise<void> {
    const made = table === errorTable ? ['error_digest'] : [];
    const own = tablesWithKeys.includes(table) ? ['key'] : [];
    const here = [...(await this.#columnsOf(table)), ...made]
      .filter((name) => !own.includes(name))
      .sort()
      .join(', ');
    const there = columns
      .map(({ name }) => name)
      .sort()
      .join(', ');
    if (here !== there) {
      throw new Error(
        `The table ${table} has other columns in ${this.dataDirectory} than in the target database, so that it cannot be copied as it is: ${here || 'none'} here, ${there} there. Run the copy with the release of Muster that the installation ran on last.`,
      );
    }
  }

  /** The number of the last event of each project that has had one. */
  async readLastEvents(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#query('select project_id, last_sequence from event_sequences');
    return new Map(rows.map((row) => [String(row.project_id), Number(row.last_sequence)]));
  }

  async countRows(table: string): Promise<number> {
    const [row] = await this.#query(`select count(*) as count from ${quoteName(table)}`);
    return Number(row?.count ?? 0);
  }

  readerOf(shape: TableShape, limits: PageLimits): ReadRows {
    const isOfErrors = shape.table === errorTable;
    const words = isOfErrors ? errorPageWords : wordsFor(shape);
    const first = pageStatement(shape, words, limits, false);
    const later = pageStatement(shape, words, limits, true);
    return async (after) => {
      const parameters = after && (isOfErrors ? placeParameters(after) : after);
      const rows = await (parameters ? this.#query(later, parameters) : this.#query(first));
      return toRows(shape, isOfErrors ? rows.map(withDigest) : rows);
    };
  }

  /**
   * The rows that these rows refer to and that come later in the order of the key: after a clock was set back, a
   * parent can have a greater id than its child.
   */
  async readLaterParents(shape: TableShape, { rows, lastKey }: RowPage): Promise<CopiedRow[]> {
    const found = new Map<string, CopiedRow>();
    for (let open = rows; open.length > 0; ) {
      const wanted = parentKeys(shape, open).filter((key) => key > String(lastKey[0]) && !found.has(key));
      open = await this.#readByKey(shape, wanted);
      for (const row of open) found.set(String(keyOf(shape, row)[0]), row);
    }
    return [...found.values()];
  }

  async close(): Promise<void> {
    await this.#reader.close();
    this.#lock.release();
  }

  async #readByKey(shape: TableShape, keys: readonly string[]): Promise<CopiedRow[]> {
    if (keys.length === 0) return [];
    const [key = ''] = shape.key;
    const statement = `select ${columnList(shape)} from ${quoteName(shape.table)} where ${quoteName(key)} in (select value from json_each(?))`;
    return toRows(shape, await this.#query(statement, [JSON.stringify(keys)]));
  }

  async #firstUsers(): Promise<readonly SqliteRow[]> {
    return this.#query(selectInstallationID);
  }

  async #columnsOf(table: string): Promise<string[]> {
    const rows = await this.#query('select name from pragma_table_info(?)', [table]);
    return rows.map(({ name }) => String(name));
  }

  async #query(sql: string, parameters: readonly SqliteValue[] = []): Promise<readonly SqliteRow[]> {
    const { rows } = await this.#reader.execute({ sql, parameters });
    return rows;
  }
}

/** Each row has an integer that stands for it in rows of errors on SQLite. */
const tablesWithKeys = ['agent_error_groups', 'dismissals'];

function wordsFor({ key }: TableShape): PageWords {
  const values = key.map((_, index) => `?${index + 1}`);
  return {
    from: quoteName,
    keyPart: quoteName,
    isAfterKey: `(${key.map(quoteName).join(', ')}) > (${values.join(', ')})`,
  };
}

function lockForCopy(dataDirectory: string): DataDirectoryLock {
  try {
    return lockDataDirectory(dataDirectory);
  } catch (cause) {
    const refusal = cause instanceof Error ? cause.cause : undefined;
    if (refusal instanceof Error && /locked|busy/i.test(refusal.message)) {
      throw new Error(
        `${dataDirectory} is in use: stop the Muster that runs on it, and then run the same command again. A copy of a database that still changes would miss what comes after it was read.`,
      );
    }
    throw new Error(
      `${dataDirectory} cannot be locked, which the copy needs so that no Muster starts on it meanwhile. Run the copy as the user that Muster runs as.`,
      { cause },
    );
  }
}

function toRows({ columns }: TableShape, rows: readonly SqliteRow[]): CopiedRow[] {
  return rows.map((row) => columns.map(({ name }) => row[name] ?? null));
}

function parentKeys({ columns, parents }: TableShape, rows: readonly CopiedRow[]): string[] {
  const positions = parents.map((parent) => columns.findIndex(({ name }) => name === parent));
  const values = rows.flatMap((row) => positions.map((position) => row[position]));
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}
