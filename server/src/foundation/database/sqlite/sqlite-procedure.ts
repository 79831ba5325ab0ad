import type { SqliteRow, SqliteValue } from './sqlite-messages.ts';

/** Statements on the connection of a database thread; each is prepared once. */
export interface SqliteStatements {
  /** The first row. */
  get(sql: string, ...parameters: readonly SqliteValue[]): SqliteRow | undefined;
  all(sql: string, ...parameters: readonly SqliteValue[]): readonly SqliteRow[];
  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: readonly SqliteValue[]): number;
}

/** Notifies of changes of columns by any statement of this connection, before they are committed. */
export interface RowWatch {
  readonly table: string;
  readonly columns: readonly string[];
  /** The column that identifies the rows. */
  readonly key: string;
  readonly onChange: (key: SqliteValue) => void;
}

/**
 * Work of many small statements that depend on each other. It runs on the database thread in one durable commit, with one message. Input and output
 * are structured clones.
 */
export interface SqliteProcedure<Input, Output> {
  /** Rows of which the procedure remembers something that it must forget when they change. */
  readonly watches?: readonly RowWatch[];
  run(statements: SqliteStatements, input: Input): Output;
  /** Called after a rollback of its last run, so that it forgets what it learned from that. */
  undo?(): void;
}

/** By their names in requests. `never`: the caller of a name must pass the right input. */
export type SqliteProcedures = Readonly<Record<string, SqliteProcedure<never, unknown>>>;
