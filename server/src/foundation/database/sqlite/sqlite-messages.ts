export type SqliteValue = null | number | bigint | string | Uint8Array;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

export interface SqliteResult {
  readonly rows: readonly SqliteRow[];
  readonly changes: number;
}

/** Runs statements one after the other. */
export interface StatementRunner {
  /** @param earlier statements that run before it. If one fails, those after it do not run, and its error is the result. */
  execute(statement: SqliteStatement, earlier?: readonly SqliteStatement[]): Promise<SqliteResult>;
}

/** The same statement for many rows. */
export interface SqliteRows {
  readonly sql: string;
  readonly rows: readonly (readonly SqliteValue[])[];
}

/** The purpose of a thread. A `checkpoint` thread only moves the log into the database. */
export type SqliteThreadMode = 'read' | 'write' | 'checkpoint';

/** The start parameters of a database thread. */
export interface SqliteThreadData {
  readonly file: string;
  readonly mode: SqliteThreadMode;
  /** For a writer: a larger log is truncated to this size when it restarts. */
  readonly maxLogBytes: number;
  /** The memory of its `ThreadControl`. */
  readonly control: SharedArrayBuffer;
}

/**
 * `statement`: one statement after the earlier ones, in the open transaction if there is one. `rows` and `procedure`: everything in one transaction of its own, or nothing.
 */
export type SqliteRequest =
  | {
      readonly id: number;
      readonly kind: 'statement';
      readonly statement: SqliteStatement;
      readonly earlier?: readonly SqliteStatement[];
    }
  | { readonly id: number; readonly kind: 'rows'; readonly rows: SqliteRows }
  | { readonly id: number; readonly kind: 'procedure'; readonly name: string; readonly input: unknown }
  | { readonly id: number; readonly kind: 'close' };

export type SqliteReply =
  | { readonly id: number; readonly output: unknown }
  | {
      readonly id: number;
      readonly error: { readonly message: string; readonly code: string | undefined };
      /** True if no later answer of this thread can be trusted. */
      readonly isFatal: boolean;
    };
