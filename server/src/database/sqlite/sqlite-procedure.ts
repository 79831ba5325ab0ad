import type { SqliteRow, SqliteValue } from './sqlite-messages.ts';

/** Statements on the connection of a database thread; each is prepared once. */
export interface SqliteStatements {
  /** The first row. */
  get(sql: string, ...parameters: readonly SqliteValue[]): SqliteRow | undefined;
  all(sql: string, ...parameters: readonly SqliteValue[]): readonly SqliteRow[];
  /** Answers how many rows it has changed. */
  run(sql: string, ...parameters: readonly SqliteValue[]): number;
}

/** Tells of changes of columns, whatever statement of this connection makes them, before they are committed. */
export interface RowWatch {
  readonly table: string;
  readonly columns: readonly string[];
  /** The column that tells the rows from one another. */
  readonly key: string;
  readonly onChange: (key: SqliteValue) => void;
}

/**
 * Work that takes many small statements, each of which follows from the one before: it runs beside the connection,
 * in one durable commit, so that one message brings it all. Input and output are structured clones.
 */
export interface SqliteProcedure<Input, Output> {
  /** What it remembers of these rows it forgets when they change. */
  readonly watches?: readonly RowWatch[];
  run(statements: SqliteStatements, input: Input): Output;
  /** Called when what it did last was undone: it forgets what it has learnt from that. */
  undo?(): void;
}

/** By the names that requests call them by. `never`: what calls one by its name gives what it takes. */
export type SqliteProcedures = Readonly<Record<string, SqliteProcedure<never, unknown>>>;
