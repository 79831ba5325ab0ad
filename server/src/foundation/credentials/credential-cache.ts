import { createLruCache } from '@muster/http/lru-cache';
import type { CacheFigures } from '../cache-figures.ts';
import type { Clock, MonotonicClock } from '../clock.ts';
import { Refusal } from '../refusal.ts';
import { LookUps } from '../scheduling/look-ups.ts';
import { digestToken, type TokenDigest } from '../secret.ts';
import { type KnownCredential, type KnownCredentials, KnownPrincipals } from './known-credentials.ts';
import { endOf, type Principal } from './principal.ts';
import type { FindCredentials, FindMoving, StoredCredential } from './stored-credential.ts';

interface CredentialCacheOptions {
  /** For expiry times. */
  readonly clock: Clock;
  /** For how long something is remembered, regardless of changes to the clock. */
  readonly monotonic: MonotonicClock;
  readonly find: FindCredentials;
  /** Of those that it does not find. Absent: they belong to no project. */
  readonly findMoving?: FindMoving;
  /** False for a value whose format or checksum is wrong, which is refused without a look-up. */
  readonly isWellFormed: (value: string) => boolean;
  /**
   * True if these credentials are made at random by the service, or by a site that registers them: a refusal can be remembered until `forgetDigests`. A value
   * that an operator chooses may be tried before it is set.
   */
  readonly areAllRandom: boolean;
  readonly onUse?: (principal: Principal, at: number) => void;
  /** Checks a value that others issue and nobody stores. Undefined for every other value. */
  readonly checkElsewhere?: (value: string) => Promise<Principal> | undefined;
  /** False for a principal that needs more than to be remembered. Absent: true. */
  readonly mayRecall?: (principal: Principal) => boolean;
  /** Where those that are valid are remembered. Absent: in a Map. */
  readonly known?: KnownCredentials;
  readonly maxEntries?: number;
  /** How long a look-up is trusted if other processes may end a credential unnoticed. Absent: until it is forgotten. */
  readonly ttlMilliseconds?: number | undefined;
}

/** `patient`: for a caller that has sent too many invalid credentials. */
export type Pace = 'prompt' | 'patient';

/** Called only when a look-up is needed. */
export type ChoosePace = () => Pace;

type FinalCode =
  | 'invalid_credential'
  | 'revoked_credential'
  | 'rotated_credential'
  | NonNullable<StoredCredential['deleted']>;

/** Bounds how long a refusal can be wrong after the database was restored to an earlier state. */
const refusedMilliseconds = 30_000;
const maxRefused = 10_000;

/**
 * Remembers valid credentials for as long as only this process can change them, and invalid ones for a short time.
 *
 * The result of a look-up that was under way while something was forgotten is not kept, because it may be outdated.
 */
export class CredentialCache {
  readonly #options: CredentialCacheOptions;
  readonly #known: KnownCredentials;
  readonly #refused = createLruCache<TokenDigest, { readonly code: FinalCode; readonly until: number }>(
    maxRefused,
  );
  readonly #counts = { hits: 0, misses: 0, refusedHits: 0, refusedMisses: 0 };
  readonly #lookUps: Readonly<Record<Pace, LookUps<TokenDigest, StoredCredential | Refusal>>>;
  readonly #maxEntries: number;
  readonly #ttlMilliseconds: number;
  #forgotten = 0;

  constructor(options: CredentialCacheOptions) {
    const find = findWithMoving(options);
    this.#options = options;
    this.#known = options.known ?? new KnownPrincipals();
    this.#maxEntries = options.maxEntries ?? 200_000;
    this.#ttlMilliseconds = options.ttlMilliseconds ?? Number.POSITIVE_INFINITY;
    // A flood of unknown credentials costs the database a bounded number of statements.
    this.#lookUps = {
      prompt: new LookUps({ find, maxConcurrent: 4, pauseMilliseconds: 0 }),
      patient: new LookUps({ find, maxConcurrent: 1, pauseMilliseconds: 100 }),
    };
  }

  get figures(): CacheFigures {
    const { hits, misses } = this.#counts;
    return { size: this.#known.size, limit: this.#maxEntries, hits, misses };
  }

  /** Figures of the remembered refusals. */
  get refusedFigures(): CacheFigures {
    const { refusedHits: hits, refusedMisses: misses } = this.#counts;
    return { size: this.#refused.size, limit: maxRefused, hits, misses };
  }

  /**
   * Answers synchronously, without the database, for a credential that is remembered.
   *
   * @throws Refusal with a 401 code (also as a rejection).
   */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal> {
    const elsewhere = this.#options.checkElsewhere?.(value);
    if (elsewhere !== undefined) return elsewhere;
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

  /** The principal of a remembered credential that is still valid; undefined if a look-up is needed. */
  recall(value: string): Principal | undefined {
    const known = this.#known.get(digestToken(value));
    if (known === undefined) return undefined;
    const now = this.#options.clock();
    if (!this.#isBelieved(known)) return undefined;
    const { principal } = known;
    if (endOf(principal, now) !== undefined || this.#options.mayRecall?.(principal) === false)
      return undefined;
    this.#counts.hits += 1;
    this.#options.onUse?.(principal, now);
    return principal;
  }

  /** The remembered refusal of a credential, which no change by others can lift; undefined if a look-up is needed. */
  recallRefusal(value: string): Refusal | undefined {
    const digest = digestToken(value);
    return this.#known.get(digest) !== undefined ? undefined : this.#refusalOf(value, digest);
  }

  /** Call it in the same turn of the event loop in which a change was committed. */
  forget(isChanged: (principal: Principal) => boolean): void {
    this.#forgotten += 1;
    this.#refused.clear();
    this.#known.deleteWhere(isChanged);
  }

  forgetAll(): void {
    this.#forgotten += 1;
    this.#refused.clear();
    this.#known.clear();
  }

  /** As above, for known digests, also new ones. Its cost does not depend on how many credentials are held. */
  forgetDigests(digests: readonly string[]): void {
    this.#forgotten += 1;
    for (const digest of digests as readonly TokenDigest[]) {
      // read from where digests are stored
      this.#known.delete(digest);
      this.#refused.delete(digest);
    }
  }

  async #lookUp(digest: TokenDigest, pace: Pace): Promise<Principal> {
    const forgottenBefore = this.#forgotten;
    const readAt = this.#options.monotonic();
    const found = await this.#lookUps[pace].find(digest);
    // It is asked for again with each request: it may be here the next moment.
    if (found instanceof Refusal) throw found;
    const code = finalCodeOf(found, this.#options.clock());
    if (found === undefined || code !== undefined) {
      throw this.#refuse(digest, code ?? 'invalid_credential', this.#forgotten === forgottenBefore);
    }
    if (endOf(found.principal, this.#options.clock()) === undefined) await found.noteFirstUse?.();
    const mayKeep = this.#forgotten === forgottenBefore;
    if (mayKeep) this.#keep(digest, { principal: found.principal, readAt });
    return this.#admit(found.principal, this.#options.clock());
  }

  #refuse(digest: TokenDigest, code: FinalCode, mayKeep: boolean): Refusal {
    if (mayKeep) this.#known.delete(digest);
    if (mayKeep && this.#options.areAllRandom) {
      this.#refused.set(digest, { code, until: this.#options.monotonic() + refusedMilliseconds });
    }
    return new Refusal(code);
  }

  #isBelieved({ readAt }: KnownCredential): boolean {
    const believed = this.#ttlMilliseconds;
    return believed === Number.POSITIVE_INFINITY || this.#options.monotonic() - readAt < believed;
  }

  #admit(principal: Principal, now: number): Principal {
    const end = endOf(principal, now);
    if (end !== undefined) throw new Refusal(end);
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

  #keep(digest: TokenDigest, known: KnownCredential): void {
    // Moves it to the end, so that the first entry has the oldest look-up.
    this.#known.delete(digest);
    if (this.#known.size >= this.#maxEntries) this.#known.deleteOldest();
    this.#known.set(digest, known);
  }
}

/**
 * Asks where the project of a credential has gone only if the credential is not found, so that others cost nothing more. A project may have stopped
 * moving between the two questions: what neither knows is looked up once more.
 */
function findWithMoving({ find, findMoving }: CredentialCacheOptions) {
  return async (
    digests: readonly TokenDigest[],
  ): Promise<ReadonlyMap<string, StoredCredential | Refusal>> => {
    const found = await find(digests);
    const others = findMoving === undefined ? [] : digests.filter((digest) => !found.has(digest));
    if (findMoving === undefined || others.length === 0) return found;
    const moving = await findMoving(others);
    if (moving === undefined) return found;
    const unknown = others.filter((digest) => !moving.has(digest));
    const here = unknown.length === 0 ? [] : await find(unknown);
    return new Map<string, StoredCredential | Refusal>([...found, ...moving, ...here]);
  };
}

/** Why a credential will never be valid again; undefined if it may be. */
function finalCodeOf(found: StoredCredential | undefined, now: number): FinalCode | undefined {
  if (found === undefined) return 'invalid_credential';
  if (found.deleted !== undefined) return found.deleted;
  if (found.revoked) return 'revoked_credential';
  const end = endOf(found.principal, now);
  return end === 'rotated_credential' ? end : undefined;
}
