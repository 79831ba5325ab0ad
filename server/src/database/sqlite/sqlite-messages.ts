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

/** Whatever runs statements one after the other. */
export interface StatementRunner {
  execute(statement: SqliteStatement): Promise<SqliteResult>;
}

/** The same statement for many rows. */
export interface SqliteRows {
  readonly sql: string;
  readonly rows: readonly (readonly SqliteValue[])[];
}

/** What a thread is for. A `checkpoint` moves the log into the database, and does nothing else. */
export type SqliteThreadMode = 'read' | 'write' | 'checkpoint';

/** What a database thread is started with. */
export interface SqliteThreadData {
  readonly file: string;
  readonly mode: SqliteThreadMode;
  /** Of a writer: a log that has grown beyond is cut to this size when it begins anew. */
  readonly maxLogBytes: number;
  /** The memory of its `ThreadControl`. */
  readonly control: SharedArrayBuffer;
}

/**
 * `statement`: one statement, in the transaction that is open, if any. `rows` and `procedure`: all of it in one
 * transaction of its own, or nothing.
 */
export type SqliteRequest =
  | { readonly id: number; readonly kind: 'statement'; readonly statement: SqliteStatement }
  | { readonly id: number; readonly kind: 'rows'; readonly rows: SqliteRows }
  | { readonly id: number; readonly kind: 'procedure'; readonly name: string; readonly input: unknown }
  | { readonly id: number; readonly kind: 'close' };

export type SqliteReply =
  | { readonly id: number; readonly output: unknown }
  | {
      readonly id: number;
      readonly error: { readonly message: string; readonly code: string | undefined };
      /** Nothing that this thread answers later is to be believed. */
      readonly isFatal: boolean;
    };
