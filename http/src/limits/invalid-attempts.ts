import type { ProblemCode } from '@muster/contract';
import { Refusal, UntoldRefusal } from '../refusal.ts';
import { type AddressBucket, AddressBuckets } from './address-buckets.ts';

interface InvalidAttemptsOptions {
  /** Maximum per address and minute; 0: no limit. */
  readonly perMinute: number;
  readonly clock: () => number;
  readonly onAttempt: (outcome: 'refused' | 'limited') => void;
  /** Called at most once a minute for each address that exceeds its limit. */
  readonly onLimited: (excess: LimitedAddress) => void;
  readonly maxAddresses?: number;
}

interface LimitedAddress {
  /** Undefined: many addresses that share one limit. */
  readonly address: string | undefined;
  /** Attempts beyond the limit since the last call. */
  readonly attempts: number;
}

/** Codes for senders that may have no credential of this installation. */
const mayBeGuesses: readonly ProblemCode[] = ['invalid_credential', 'masked_credential'];
/** Codes for senders that have, or had, a valid credential: they always get the reason. */
const haveEnded: readonly ProblemCode[] = ['expired_credential', 'revoked_credential'];
const tellEveryMilliseconds = 60_000;

/**
 * Counts invalid credentials per sending address. Beyond the limit, an address gets 429 instead of the 401 for an unknown credential. Valid
 * credentials are still accepted, because the limit applies after the check, which other limits keep cheap.
 */
export class InvalidAttempts {
  readonly #options: InvalidAttemptsOptions;
  readonly #buckets: AddressBuckets | undefined;

  constructor(options: InvalidAttemptsOptions) {
    this.#options = options;
    this.#buckets = options.perMinute === 0 ? undefined : new AddressBuckets(options);
  }

  /** Figures of the remembered addresses. */
  get figures() {
    return this.#buckets?.figures ?? { size: 0, limit: 0, hits: 0, misses: 0 };
  }

  /** True if a further invalid credential of the address gets 429. */
  isLimited(address: string): boolean {
    return this.#buckets?.isEmpty(address) === true;
  }

  /** Counts a refused credential and returns the refusal to send. Any other failure is returned unchanged. */
  judge(failure: unknown, address: string): unknown {
    if (!(failure instanceof Refusal)) return failure;
    const mayBeGuess = mayBeGuesses.includes(failure.code);
    if (!mayBeGuess && !haveEnded.includes(failure.code)) return failure;
    const attempt = this.#buckets?.take(address);
    const isLimited = attempt !== undefined && !attempt.taken;
    this.#options.onAttempt(isLimited && mayBeGuess ? 'limited' : 'refused');
    if (!isLimited || this.#buckets === undefined) return failure;
    this.#tell(attempt.isShared ? undefined : address, attempt.bucket);
    if (!mayBeGuess) return new UntoldRefusal(failure.code, { detail: failure.detail });
    return new UntoldRefusal('too_many_invalid_credentials', {
      detail: `This credential is not valid, and more than ${this.#options.perMinute} such attempts came from this address within a minute. Correct it, and wait for the seconds in Retry-After.`,
      retryAfterSeconds: this.#buckets.millisecondsToNext(attempt.bucket) / 1_000,
    });
  }

  #tell(address: string | undefined, bucket: AddressBucket): void {
    bucket.untold += 1;
    const now = this.#options.clock();
    if (bucket.toldAt !== undefined && now - bucket.toldAt < tellEveryMilliseconds) return;
    bucket.toldAt = now;
    this.#options.onLimited({ address, attempts: bucket.untold });
    bucket.untold = 0;
  }
}
