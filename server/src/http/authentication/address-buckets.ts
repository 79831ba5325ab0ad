import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../../cache-figures.ts';
import type { Clock } from '../../clock.ts';

/** What one address has left of a limit that refills evenly. */
export interface AddressBucket {
  /** When it has its whole limit again. */
  fullAt: number;
  /** Attempts beyond the limit that no log line has told of yet. */
  untold: number;
  toldAt: number | undefined;
}

interface AddressBucketsOptions {
  readonly perMinute: number;
  readonly clock: Clock;
  readonly maxAddresses?: number;
}

const minute = 60_000;
/** What sums of intervals may be off by, in intervals: they are fractions, added to a time of day. */
const tolerance = 0.01;

/**
 * A bucket for each address that took from one lately. While as many as may be held are in use, all further
 * addresses share one: more addresses neither take more memory nor push out those that are over their limit.
 */
export class AddressBuckets {
  /** After this many milliseconds an address has one more. */
  readonly #interval: number;
  readonly #clock: Clock;
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

  get figures(): CacheFigures {
    return { size: this.#buckets.size, limit: this.#maxAddresses, ...this.#counts };
  }

  /** True while the address has nothing left. */
  isEmpty(address: string): boolean {
    const bucket = this.#buckets.peek(address) ?? (this.#hasRoom() ? undefined : this.#others);
    return bucket !== undefined && this.millisecondsToNext(bucket) > 0;
  }

  /** Takes one of what the address has left; tells how, and from which bucket. */
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

  /** Until there is one to take; 0 where there is. */
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
    // In place of the one that is unused for longest, where there are as many as may be held.
    this.#buckets.set(address, bucket);
    return bucket;
  }

  /** A bucket that is full again says no more than none. */
  #hasRoom(): boolean {
    if (this.#buckets.size < this.#maxAddresses) return true;
    const [oldest] = this.#buckets.rvalues();
    return oldest !== undefined && oldest.fullAt <= this.#clock();
  }

  /** Not before now; nor later than a minute from now, as it may seem after the clock went back. */
  #fullAt({ fullAt }: AddressBucket): number {
    const now = this.#clock();
    return Math.min(Math.max(fullAt, now), now + minute);
  }

  #full(): AddressBucket {
    return { fullAt: Number.NEGATIVE_INFINITY, untold: 0, toldAt: undefined };
  }
}
