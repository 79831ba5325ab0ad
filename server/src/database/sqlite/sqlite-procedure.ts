import type { SqliteRow, SqliteValue } from './sqlite-messages.ts';

/** Statements on the connection of a database thread; each is prepared once. */
export interface SqliteStatements {
  /** The first row. */
  get(sql: string, ...parameters: readonly SqliteValue[]): SqliteRow | undefined;
  run(sql: string, ...parameters: readonly SqliteValue[]): void;
}

/**
 * Work that takes many small statements, each of which follows from the one before: it runs beside the connection,
 * in one durable commit, so that one message brings it all. Input and output are structured clones.
 */
export type SqliteProcedure<Input, Output> = (statements: SqliteStatements, input: Input) => Output;

/** By the names that requests call them by. `never`: what calls one by its name gives what it takes. */
export type SqliteProcedures = Readonly<Record<string, SqliteProcedure<never, unknown>>>;
