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

/**
 * The same statement for many rows. Where it returns no row for one, `otherwise` runs with that row's first
 * parameters: what an insert that was turned down has run into.
 */
export interface SqliteRows {
  readonly sql: string;
  readonly rows: readonly (readonly SqliteValue[])[];
  readonly otherwise?: { readonly sql: string; readonly parameterCount: number };
}

/** What a database thread is started with. */
export interface SqliteThreadData {
  readonly file: string;
  readonly mode: 'read' | 'write';
}

/**
 * `statement`: one statement, in the transaction that is open, if any. `rows`: all of
 * them in one transaction of its own, or none.
 */
export type SqliteRequest =
  | { readonly id: number; readonly kind: 'statement'; readonly statement: SqliteStatement }
  | { readonly id: number; readonly kind: 'rows'; readonly rows: SqliteRows }
  | { readonly id: number; readonly kind: 'close' };

export type SqliteReply =
  | { readonly id: number; readonly results: readonly SqliteResult[] }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } };
