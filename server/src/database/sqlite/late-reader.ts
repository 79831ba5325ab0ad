import type { SqliteResult, SqliteStatement, StatementRunner } from './sqlite-messages.ts';
import type { SqliteThread } from './sqlite-thread-handle.ts';

/** A reader thread that is started when first needed. */
export class LateReader implements StatementRunner {
  readonly #start: () => SqliteThread;
  readonly #onFatal: (error: Error) => void;
  #thread: SqliteThread | undefined;

  constructor(start: () => SqliteThread, onFatal: (error: Error) => void) {
    this.#start = start;
    this.#onFatal = onFatal;
  }

  execute(statement: SqliteStatement): Promise<SqliteResult> {
    this.#thread ??= this.#startThread();
    return this.#thread.execute(statement);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  /** If it fails to start, the next statement starts it again; everything else works without it. */
  #startThread(): SqliteThread {
    const thread = this.#start();
    thread.onFatal = (error) => {
      if (thread.hasAnswered) this.#onFatal(error);
      else this.#thread = undefined;
    };
    return thread;
  }
}
