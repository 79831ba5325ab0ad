import type { SpooledError } from '../state/spooled-error.ts';

/** Limit on all pending texts together. A text counts as twice its length, the most that a string takes in memory. */
const maxBytes = 1_048_576;
const bytesOfEntry = 128;

/** Keeps errors in addition to memory. */
export interface ErrorStore {
  append(errors: readonly SpooledError[]): void;
  clear(): void;
}

/** Errors to send, oldest first. Its size is limited: when it is full, the oldest error is dropped and counted. */
export class Outbox {
  #store: ErrorStore | undefined;
  #pending: SpooledError[] = [];
  #bytes = 0;
  #droppedCount = 0;

  get pending(): readonly SpooledError[] {
    return this.#pending;
  }

  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Keeps all errors, pending ones included, in a store too. */
  keepIn(store: ErrorStore): void {
    this.#store = store;
    if (this.#pending.length > 0) store.append(this.#pending);
  }

  add(error: SpooledError): void {
    this.#pending.push(error);
    this.#bytes += bytesOf(error);
    this.#store?.append([error]);
    this.#dropOldest();
  }

  /** Puts errors of earlier runs before all others. */
  addLeftovers(errors: readonly SpooledError[]): void {
    this.#pending = [...errors, ...this.#pending];
    this.#bytes += errors.reduce((sum, error) => sum + bytesOf(error), 0);
    this.#store?.append(errors);
    this.#dropOldest();
  }

  /** These errors were sent, or need not be sent. */
  remove(errors: readonly SpooledError[]): void {
    const removed = new Set(errors);
    this.#pending = this.#pending.filter((error) => !removed.has(error));
    this.#bytes = this.#pending.reduce((sum, error) => sum + bytesOf(error), 0);
    if (this.#pending.length === 0) this.#store?.clear();
  }

  countDropped(count: number): void {
    this.#droppedCount += count;
  }

  #dropOldest(): void {
    let dropped = 0;
    for (const error of this.#pending) {
      if (this.#bytes <= maxBytes) break;
      this.#bytes -= bytesOf(error);
      dropped += 1;
    }
    if (dropped === 0) return;
    this.#pending = this.#pending.slice(dropped);
    this.#droppedCount += dropped;
  }
}

function bytesOf({ text }: SpooledError): number {
  return text.length * 2 + bytesOfEntry;
}
