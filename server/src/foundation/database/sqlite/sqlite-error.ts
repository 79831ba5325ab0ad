/** A statement that SQLite refused, with the code of its driver. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}
