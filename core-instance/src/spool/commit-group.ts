import { FoldedItems } from './fold-items.ts';
import type { SpooledItem } from './spooled-item.ts';

/** Items that reach the disk together, with one sync. Equal errors among them are one record. */
export class CommitGroup {
  readonly #folded = new FoldedItems();
  readonly done: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  bytes = 0;
  /** True: it is synced, whatever its items are. */
  isSync = false;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Each caller handles its own copy of the rejection.
    this.done.catch(() => undefined);
  }

  add(item: SpooledItem, bytes: number): void {
    if (this.#folded.add(item)) this.bytes += bytes;
  }

  get items(): readonly SpooledItem[] {
    return this.#folded.items;
  }

  get keys(): readonly (string | undefined)[] {
    return this.#folded.keys;
  }

  settle(failure?: unknown): void {
    if (failure === undefined) this.#resolve();
    else this.#reject(failure);
  }
}
