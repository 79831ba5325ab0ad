import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { PostgresPool } from './postgres/postgres-pool.ts';
import type { Tables } from './tables.ts';

/** Where lists, counts and searches for people are read: from the database itself, or from a standby of it. */
export interface Lists {
  /**
   * Calls `read`, and a second time with the database itself if a standby fails meanwhile. So it must change nothing.
   *
   * @param caller only what a user asks may come from a standby. Agents and project tokens report, and must find what they have reported; undefined: never
   */
  read<Result>(
    caller: ListCaller | undefined,
    read: (source: ListSource) => Promise<Result>,
    options?: ListOptions,
  ): Promise<Result>;
}

/** The kind of a principal: `access` is a user. */
interface ListCaller {
  readonly kind: string;
}

export interface ListOptions {
  /** True: it may take as long as a statement may, and is not tried again when that time is over. */
  readonly isSearch?: boolean;
}

export interface ListSource {
  readonly db: Kysely<Tables>;
  /** The connections that `db` uses. Undefined on SQLite. */
  readonly postgres: PostgresPool | undefined;
  /** Undefined: the database itself. */
  readonly standby: StandbySource | undefined;
}

export interface StandbySource {
  /** Everything that was committed before this time is there, in milliseconds. */
  readonly asOf: number;
  /** When this process learned of the last change by a user, in milliseconds; undefined if that is long ago. */
  readonly changedAt: number | undefined;
  /** Thrown by `read`: the counts there are too old for this list, so the database itself is asked. */
  readonly tooOld: () => Error;
}

/** Without a standby. */
export function listsOf(database: Database): Lists {
  const source = sourceOf(database);
  return { read: (_caller, read) => read(source) };
}

export function sourceOf(database: Database): ListSource {
  return {
    db: database.read,
    postgres: database.engine === 'postgres' ? database.postgres : undefined,
    standby: undefined,
  };
}
