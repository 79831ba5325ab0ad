import { LRUCache } from 'lru-cache';

/** The remaining attempts of one address, as a token bucket that refills evenly. */
export interface AddressBucket {
  /** The time at which the bucket is full again. */
  fullAt: number;
  /** Attempts beyond the limit that are not logged yet. */
  untold: number;
  toldAt: number | undefined;
}

interface AddressBucketsOptions {
  readonly perMinute: number;
  readonly clock: () => number;
  readonly maxAddresses?: number;
}

const minute = 60_000;
/** Tolerated rounding error, in intervals: intervals are fractions that are added to a large timestamp. */
const tolerance = 0.01;

/**
 * A bucket for each recently active address. While the maximum number of buckets is in use, all further addresses share one, so that more addresses
 * neither take more memory nor evict those that exceed their limit.
 */
export class AddressBuckets {
  /** Milliseconds until an address gets one more attempt. */
  readonly #interval: number;
  readonly #clock: () => number;
  readonly #maxAddresses: number;
  readonly #buckets: LRUCache<string, AddressBucket>;
  readonly #counts = { hits: 0, misses: 0 };
  readonly #others: AddressBucket;

  constructor({ perMinute, clock, maxAddresses = 10_000 }: AddressBucketsOptions) {
    this.#interval = minute / perMinute;
    this.#clock = clock;
    this.#maxAddresses = maxAddresses;
    this.#buckets = new LRUCache({ max: maxAddresses });
    this.#others = this.#full();
  }

  get size(): number {
    return this.#buckets.size;
  }

  get figures() {
    return { size: this.#buckets.size, limit: this.#maxAddresses, ...this.#counts };
  }

  /** True if the address has no attempts left. */
  isEmpty(address: string): boolean {
    const bucket = this.#buckets.peek(address) ?? (this.#hasRoom() ? undefined : this.#others);
    return bucket !== undefined && this.millisecondsToNext(bucket) > 0;
  }

  /** Uses one attempt of the address. Returns whether that succeeded, and the bucket. */
  take(address: string): {
    readonly taken: boolean;
    readonly isShared: boolean;
    readonly bucket: AddressBucket;
  } {
    const bucket = this.#bucketOf(address);
    const taken = this.millisecondsToNext(bucket) === 0;
    bucket.fullAt = this.#fullAt(bucket) + (taken ? this.#interval : 0);
    return { taken, isShared: bucket === this.#others, bucket };
  }

  /** Time until the next attempt is possible; 0 if one is possible now. */
  millisecondsToNext(bucket: AddressBucket): number {
    const wait = this.#fullAt(bucket) + this.#interval - minute - this.#clock();
    return wait <= tolerance * this.#interval ? 0 : wait;
  }

  #bucketOf(address: string): AddressBucket {
    const known = this.#buckets.get(address);
    this.#counts[known === undefined ? 'misses' : 'hits'] += 1;
    if (known !== undefined) return known;
    if (!this.#hasRoom()) return this.#others;
    const bucket = this.#full();
    // If the maximum is reached, it replaces the least recently used one.
    this.#buckets.set(address, bucket);
    return bucket;
  }

  /** True if a bucket can be added. A bucket that is full again can be dropped without loss. */
  #hasRoom(): boolean {
    if (this.#buckets.size < this.#maxAddresses) return true;
    const [oldest] = this.#buckets.rvalues();
    return oldest !== undefined && oldest.fullAt <= this.#clock();
  }

  /** Between now and a minute from now. A stored time can be later only after the clock was set back. */
  #fullAt({ fullAt }: AddressBucket): number {
    const now = this.#clock();
    return Math.min(Math.max(fullAt, now), now + minute);
  }

  #full(): AddressBucket {
    return { fullAt: Number.NEGATIVE_INFINITY, untold: 0, toldAt: undefined };
  }
}
