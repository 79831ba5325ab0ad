import { withResolvers } from '../../with-resolvers.ts';
import type { SqliteResult, SqliteStatement, StatementRunner } from './sqlite-messages.ts';
import type { SqliteThread } from './sqlite-thread-handle.ts';

/** One for what is quick, the others for what takes long, of which each takes a processor for itself. */
const mostThreads = 3;

/**
 * The threads that read. Nothing can interrupt a statement, and a search through millions of rows takes half a minute:
 * a thread that is occupied by one is left to it and to statements of the same text, and another one, started
 * when it is needed first, takes all others.
 */
export class SqliteReaders implements StatementRunner {
  readonly #start: () => SqliteThread;
  readonly #onFatal: (error: Error) => void;
  #threads: SqliteThread[] = [];
  /** By their thread. */
  readonly #occupants = new Map<SqliteThread, SqliteStatement>();
  #quick: SqliteThread;
  readonly #checks = new Set<() => void>();

  constructor(start: () => SqliteThread, onFatal: (error: Error) => void) {
    this.#start = start;
    this.#onFatal = onFatal;
    this.#quick = this.#startThread();
  }

  execute(statement: SqliteStatement): Promise<SqliteResult> {
    return this.#threadFor(statement).execute(statement);
  }

  /** Resolves when a read is answered, or is seen at work while all threads are occupied. Rejects where they stand still. */
  async check(): Promise<void> {
    const { promise, resolve, reject } = withResolvers<void>();
    this.#checks.add(resolve);
    this.execute({ sql: 'select 1', parameters: [] }).then(() => resolve(), reject);
    try {
      await promise;
    } finally {
      this.#checks.delete(resolve);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #threadFor({ sql }: SqliteStatement): SqliteThread {
    for (const [thread, occupant] of this.#occupants) {
      if (thread.isIdle) this.#occupants.delete(thread);
      else if (occupant.sql === sql) return thread;
    }
    return this.#quick;
  }

  #startThread(): SqliteThread {
    const thread = this.#start();
    thread.onFatal = (error) => this.#onThreadFatal(thread, error);
    thread.onOccupied = (statement) => this.#makeWay(thread, statement);
    this.#threads.push(thread);
    return thread;
  }

  /** Everything else gets another thread, also what waits already. Where there is none, it is asked for again. */
  #makeWay(occupied: SqliteThread, occupant: SqliteStatement): void {
    if (occupied !== this.#quick) return;
    const free = this.#threads.find(({ isIdle }) => isIdle);
    if (free === undefined && this.#threads.length === mostThreads) {
      for (const resolve of this.#checks) resolve();
      return;
    }
    this.#quick = free ?? this.#startThread();
    this.#occupants.delete(this.#quick);
    this.#occupants.set(occupied, occupant);
    for (const queued of occupied.releaseQueued()) this.#threadFor(queued.statement).takeOver(queued);
  }

  /** Without one that did not come up it goes on as before. */
  #onThreadFatal(thread: SqliteThread, error: Error): void {
    const others = this.#threads.filter((other) => other !== thread);
    const [first] = others;
    if (thread.hasAnswered || first === undefined) {
      this.#onFatal(error);
      return;
    }
    this.#threads = others;
    if (this.#quick === thread) this.#quick = first;
  }
}
