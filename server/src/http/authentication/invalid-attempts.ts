import type { ProblemCode } from '@muster/contract';
import type { CacheFigures } from '../../cache-figures.ts';
import type { Clock } from '../../clock.ts';
import type { Pace } from '../../credentials/credential-cache.ts';
import { Refusal, UntoldRefusal } from '../../refusal.ts';
import { type AddressBucket, AddressBuckets } from './address-buckets.ts';
import { addressOf, type Sender } from './sender.ts';

interface InvalidAttemptsOptions {
  /** Most of one address in a minute; 0: no limit. */
  readonly perMinute: number;
  readonly clock: Clock;
  readonly onAttempt: (outcome: 'refused' | 'limited') => void;
  /** Called once a minute at most for each address that is beyond its limit. */
  readonly onLimited: (excess: LimitedAddress) => void;
  readonly maxAddresses?: number;
}

interface LimitedAddress {
  /** Undefined: many that share what is left. */
  readonly address: string | undefined;
  /** Attempts beyond the limit since this was last told. */
  readonly attempts: number;
}

/** Sent by whoever does not have a credential of this installation. */
const mayBeGuesses: readonly ProblemCode[] = ['invalid_credential', 'masked_credential'];
/** Sent by whoever has, or had, one: they are always told why. */
const haveEnded: readonly ProblemCode[] = ['expired_credential', 'revoked_credential'];
const tellEveryMilliseconds = 60_000;

/**
 * Counts invalid credentials by the address that sent them. Beyond the limit an address is told to wait where it
 * would have been told that the credential is unknown. What is valid is let in all the same: the limit comes after
 * the check, and the check stays cheap by other means.
 */
export class InvalidAttempts {
  readonly #options: InvalidAttemptsOptions;
  readonly #buckets: AddressBuckets | undefined;

  constructor(options: InvalidAttemptsOptions) {
    this.#options = options;
    this.#buckets = options.perMinute === 0 ? undefined : new AddressBuckets(options);
  }

  /** Of the addresses that are remembered. */
  get figures(): CacheFigures {
    return this.#buckets?.figures ?? { size: 0, limit: 0, hits: 0, misses: 0 };
  }

  /** How the next credential of a sender is looked up. */
  paceOf(sender: Sender): Pace {
    return this.#buckets?.isEmpty(addressOf(sender)) ? 'patient' : 'prompt';
  }

  /** Counts what was refused for its credential; answers what to refuse it with. Any other failure stays. */
  judge(failure: unknown, sender: Sender): unknown {
    if (!(failure instanceof Refusal)) return failure;
    const mayBeGuess = mayBeGuesses.includes(failure.code);
    if (!mayBeGuess && !haveEnded.includes(failure.code)) return failure;
    const address = addressOf(sender);
    const attempt = this.#buckets?.take(address);
    const isLimited = attempt !== undefined && !attempt.taken;
    this.#options.onAttempt(isLimited && mayBeGuess ? 'limited' : 'refused');
    if (!isLimited || this.#buckets === undefined) return failure;
    this.#tell(attempt.isShared ? undefined : address, attempt.bucket);
    if (!mayBeGuess) return new UntoldRefusal(failure.code, { detail: failure.detail });
    return new UntoldRefusal('too_many_invalid_credentials', {
      detail: `This credential is not valid, and more than ${this.#options.perMinute} such attempts came from this address within a minute. Correct it, and wait as Retry-After says.`,
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
