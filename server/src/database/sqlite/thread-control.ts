/** What a database thread and who asks it tell each other at once, also while the other one is busy. */
export class ThreadControl {
  readonly #memory: SharedArrayBuffer;
  readonly #numbers: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#memory = memory;
    this.#numbers = new BigInt64Array(memory);
  }

  /** For the other thread, which makes one of its own from it. */
  get memory(): SharedArrayBuffer {
    return this.#memory;
  }

  /** Nobody waits for statements up to this id any more: the database thread need not run them. */
  get abandonedUpTo(): number {
    return Number(Atomics.load(this.#numbers, 0));
  }

  set abandonedUpTo(id: number) {
    Atomics.store(this.#numbers, 0, BigInt(id));
  }

  /** Of a writer: how many frames the log held after its last request. */
  get logFrames(): number {
    return Number(Atomics.load(this.#numbers, 1));
  }

  set logFrames(frames: number) {
    Atomics.store(this.#numbers, 1, BigInt(frames));
  }
}
