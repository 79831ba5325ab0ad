import type { SqliteResult, SqliteStatement, StatementRunner } from './sqlite-messages.ts';
import type { SqliteThread } from './sqlite-thread-handle.ts';

interface LateThreadOptions {
  readonly start: () => SqliteThread;
  /** Called when a thread fails that has worked before. Absent: the next statement starts another one. */
  readonly onFatal?: (error: Error) => void;
  /** Default: a minute. */
  readonly idleMilliseconds?: number;
}

const usualIdleMilliseconds = 60_000;

/** A thread that is started when first needed. It ends when nobody has needed it for a while, because its heap and its page cache take some 10 MB. */
export class LateThread implements StatementRunner {
  readonly #options: LateThreadOptions;
  readonly #endings = new Set<Promise<void>>();
  #thread: SqliteThread | undefined;
  #running = 0;
  #isClosed = false;
  #endLater: NodeJS.Timeout | undefined;

  constructor(options: LateThreadOptions) {
    this.#options = options;
  }

  /** @throws Error after `close`: a thread that started then would keep the process from ending. */
  async execute(statement: SqliteStatement): Promise<SqliteResult> {
    if (this.#isClosed) throw new Error('the database has been closed');
    clearTimeout(this.#endLater);
    this.#thread ??= this.#start();
    this.#running += 1;
    try {
      return await this.#thread.execute(statement);
    } finally {
      this.#running -= 1;
      if (this.#running === 0 && !this.#isClosed) this.#endWhenIdle();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#endLater);
    await Promise.all([this.#thread?.close(), ...this.#endings]);
  }

  /** If it fails to start, the next statement starts it again; everything else works without it. */
  #start(): SqliteThread {
    const { start, onFatal } = this.#options;
    const thread = start();
    thread.onFatal = (error) => {
      if (onFatal !== undefined && thread.hasAnswered) onFatal(error);
      else if (this.#thread === thread) this.#thread = undefined;
    };
    return thread;
  }

  #endWhenIdle(): void {
    const { idleMilliseconds = usualIdleMilliseconds } = this.#options;
    clearTimeout(this.#endLater);
    this.#endLater = setTimeout(() => this.#end(), idleMilliseconds).unref();
  }

  #end(): void {
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    // A thread that fails now has ended too.
    const ending = thread
      .close()
      .catch(() => undefined)
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}
