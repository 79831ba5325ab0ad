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

/** What a database thread is started with. */
export interface SqliteThreadData {
  readonly file: string;
  readonly mode: 'read' | 'write';
}

/**
 * `statement`: one statement, in the transaction that is open, if any. `transaction`: all of the statements in
 * one transaction of their own, or none of them.
 */
export type SqliteRequest =
  | { readonly id: number; readonly kind: 'statement'; readonly statement: SqliteStatement }
  | { readonly id: number; readonly kind: 'transaction'; readonly statements: readonly SqliteStatement[] }
  | { readonly id: number; readonly kind: 'close' };

export type SqliteReply =
  | { readonly id: number; readonly results: readonly SqliteResult[] }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } };
