import type { SqliteResult, SqliteStatement, StatementRunner } from './sqlite-messages.ts';
import { SqliteThread } from './sqlite-thread-handle.ts';

/** A thread that moves the log into the database. It is started when first needed, and again after a failure. */
export class Checkpointer implements StatementRunner {
  readonly #file: string;
  #thread: SqliteThread | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async execute(statement: SqliteStatement): Promise<SqliteResult> {
    this.#thread ??= this.#start();
    return this.#thread.execute(statement);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  #start(): SqliteThread {
    const thread = new SqliteThread({ file: this.#file, mode: 'checkpoint' });
    thread.onFatal = () => {
      if (this.#thread === thread) this.#thread = undefined;
    };
    return thread;
  }
}
