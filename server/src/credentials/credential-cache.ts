import { LRUCache } from 'lru-cache';
import type { CacheFigures } from '../cache-figures.ts';
import type { Clock, MonotonicClock } from '../clock.ts';
import { Refusal } from '../refusal.ts';
import { digestToken, type TokenDigest } from '../secret.ts';
import { CredentialLookUps, type FindCredentials } from './credential-look-ups.ts';
import type { Principal } from './principal.ts';

interface CredentialCacheOptions {
  /** For what expires at a time of day. */
  readonly clock: Clock;
  /** For how long something is remembered, whatever happens to the clock. */
  readonly monotonic: MonotonicClock;
  readonly find: FindCredentials;
  /** Refuses by shape and checksum what cannot be a token, so that it costs no look-up. */
  readonly isWellFormed: (value: string) => boolean;
  /**
   * The service alone makes these, at random: what was refused once is refused for good, and may be remembered.
   * Not so where an operator chooses a value, which may be tried before it is set.
   */
  readonly areAllRandom: boolean;
  readonly onUse?: (principal: Principal, at: number) => void;
  readonly maxEntries?: number;
  /** How long a look-up is believed, where others may end a credential unnoticed. Absent: until it is forgotten. */
  readonly ttlMilliseconds?: number | undefined;
}

interface Known {
  readonly principal: Principal;
  /** When its look-up began, by the monotonic clock. */
  readonly readAt: number;
}

/** `patient`: for a caller who has sent too many that were invalid. */
export type Pace = 'prompt' | 'patient';

/** Asked where something has to be looked up, and only there. */
export type ChoosePace = () => Pace;

type FinalCode = 'invalid_credential' | 'revoked_credential';

/** Ends what a database that was put back to an earlier state could contradict. */
const refusedMilliseconds = 30_000;
const maxRefused = 10_000;

/**
 * Credentials that were found valid, held in memory for as long as this process alone can change them, and for
 * moments those that were found not to be.
 *
 * A look-up that was under way while something was forgotten is not kept: it may have read what was true before.
 */
export class CredentialCache {
  readonly #options: CredentialCacheOptions;
  /** A Map, since each report looks here: a look-up in an lru-cache of 100,000 takes 210 ns, and here 23 ns. */
  readonly #known = new Map<TokenDigest, Known>();
  readonly #refused = new LRUCache<TokenDigest, { readonly code: FinalCode; readonly until: number }>({
    max: maxRefused,
  });
  readonly #counts = { hits: 0, misses: 0, refusedHits: 0, refusedMisses: 0 };
  readonly #lookUps: Readonly<Record<Pace, CredentialLookUps>>;
  readonly #maxEntries: number;
  readonly #ttlMilliseconds: number;
  #forgotten = 0;

  constructor(options: CredentialCacheOptions) {
    const { find } = options;
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? 200_000;
    this.#ttlMilliseconds = options.ttlMilliseconds ?? Number.POSITIVE_INFINITY;
    this.#lookUps = {
      prompt: new CredentialLookUps({ find, maxConcurrent: 4, pauseMilliseconds: 0 }),
      patient: new CredentialLookUps({ find, maxConcurrent: 1, pauseMilliseconds: 100 }),
    };
  }

  get figures(): CacheFigures {
    const { hits, misses } = this.#counts;
    return { size: this.#known.size, limit: this.#maxEntries, hits, misses };
  }

  /** Of those that were found not to be valid. */
  get refusedFigures(): CacheFigures {
    const { refusedHits: hits, refusedMisses: misses } = this.#counts;
    return { size: this.#refused.size, limit: maxRefused, hits, misses };
  }

  /**
   * Answers at once for a credential that is known, and without touching the database.
   *
   * @throws Refusal invalid_credential, expired_credential or revoked_credential (also as a rejection).
   */
  check(value: string, choosePace: ChoosePace): Principal | Promise<Principal> {
    const digest = digestToken(value);
    const now = this.#options.clock();
    const known = this.#known.get(digest);
    if (known !== undefined && this.#isBelieved(known)) {
      this.#counts.hits += 1;
      return this.#admit(known.principal, now);
    }
    this.#counts.misses += 1;
    const refusal = this.#refusalOf(value, digest);
    if (refusal !== undefined) throw refusal;
    return this.#lookUp(digest, choosePace());
  }

  /** A credential that is known and still valid; undefined says nothing. */
  recall(value: string): Principal | undefined {
    const known = this.#known.get(digestToken(value));
    if (known === undefined) return undefined;
    const now = this.#options.clock();
    if (!this.#isBelieved(known)) return undefined;
    const { principal } = known;
    if (principal.expiresAt !== null && principal.expiresAt <= now) return undefined;
    this.#counts.hits += 1;
    this.#options.onUse?.(principal, now);
    return principal;
  }

  /** What a credential is refused with, whatever others may have changed; undefined says nothing. */
  recallRefusal(value: string): Refusal | undefined {
    const digest = digestToken(value);
    return this.#known.has(digest) ? undefined : this.#refusalOf(value, digest);
  }

  /** Called in the same turn in which a change has been committed. */
  forget(isChanged: (principal: Principal) => boolean): void {
    this.#forgotten += 1;
    this.#refused.clear();
    for (const [digest, { principal }] of this.#known) {
      if (isChanged(principal)) this.#known.delete(digest);
    }
  }

  /** As above, where it is known which ones: takes no longer when many are held. */
  forgetDigests(digests: readonly string[]): void {
    this.#forgotten += 1;
    for (const digest of digests) this.#known.delete(digest as TokenDigest); // read from where digests are stored
  }

  async #lookUp(digest: TokenDigest, pace: Pace): Promise<Principal> {
    const forgottenBefore = this.#forgotten;
    const readAt = this.#options.monotonic();
    const found = await this.#lookUps[pace].find(digest);
    const mayKeep = this.#forgotten === forgottenBefore;
    if (found === undefined || found.revoked) {
      const code = found === undefined ? 'invalid_credential' : 'revoked_credential';
      if (mayKeep) this.#known.delete(digest);
      if (mayKeep && this.#options.areAllRandom) this.#keepRefused(digest, code);
      throw new Refusal(code);
    }
    if (mayKeep) this.#keep(digest, { principal: found.principal, readAt });
    return this.#admit(found.principal, this.#options.clock());
  }

  #isBelieved({ readAt }: Known): boolean {
    const believed = this.#ttlMilliseconds;
    return believed === Number.POSITIVE_INFINITY || this.#options.monotonic() - readAt < believed;
  }

  #admit(principal: Principal, now: number): Principal {
    if (principal.expiresAt !== null && principal.expiresAt <= now) throw new Refusal('expired_credential');
    this.#options.onUse?.(principal, now);
    return principal;
  }

  #refusalOf(value: string, digest: TokenDigest): Refusal | undefined {
    const refused = this.#refused.get(digest);
    if (refused !== undefined && refused.until > this.#options.monotonic()) {
      this.#counts.refusedHits += 1;
      return new Refusal(refused.code);
    }
    this.#counts.refusedMisses += 1;
    return this.#options.isWellFormed(value) ? undefined : new Refusal('invalid_credential');
  }

  #keep(digest: TokenDigest, known: Known): void {
    // To its end, so that what stands first was read first.
    this.#known.delete(digest);
    if (this.#known.size >= this.#maxEntries) dropOldest(this.#known);
    this.#known.set(digest, known);
  }

  #keepRefused(digest: TokenDigest, code: FinalCode): void {
    this.#refused.set(digest, { code, until: this.#options.monotonic() + refusedMilliseconds });
  }
}

function dropOldest(entries: Map<TokenDigest, unknown>): void {
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
