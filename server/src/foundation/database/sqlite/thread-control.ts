/** Shared memory of a database thread and its caller, readable even while the other one is busy. */
export class ThreadControl {
  readonly #memory: SharedArrayBuffer;
  readonly #numbers: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#memory = memory;
    this.#numbers = new BigInt64Array(memory);
  }

  /** For the other thread, which creates its own ThreadControl from it. */
  get memory(): SharedArrayBuffer {
    return this.#memory;
  }

  /** Statements up to this id are abandoned: the database thread need not run them. */
  get abandonedUpTo(): number {
    return Number(Atomics.load(this.#numbers, 0));
  }

  set abandonedUpTo(id: number) {
    Atomics.store(this.#numbers, 0, BigInt(id));
  }

  /** For a writer: the number of frames in the log after its last request. */
  get logFrames(): number {
    return Number(Atomics.load(this.#numbers, 1));
  }

  set logFrames(frames: number) {
    Atomics.store(this.#numbers, 1, BigInt(frames));
  }

  /** For a writer: how long the commit of the last call took, in microseconds, without its statements. */
  get commitMicroseconds(): number {
    return Number(Atomics.load(this.#numbers, 2));
  }

  set commitMicroseconds(microseconds: number) {
    Atomics.store(this.#numbers, 2, BigInt(Math.round(microseconds)));
  }

  /** The id of the last request that the database thread has begun. */
  get begun(): number {
    return Number(Atomics.load(this.#numbers, 3));
  }

  set begun(id: number) {
    Atomics.store(this.#numbers, 3, BigInt(id));
  }
}
