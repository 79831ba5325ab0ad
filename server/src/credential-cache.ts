import type { Clock } from './clock.ts';
import type { Principal } from './principal.ts';
import { Refusal } from './refusal.ts';
import { digestToken, type TokenDigest } from './secret.ts';

/** What is stored of a credential: whom it stands for, and whether it still does. */
export interface StoredCredential {
  readonly principal: Principal;
  readonly revoked: boolean;
}

interface CredentialCacheOptions {
  readonly clock: Clock;
  /** Looks a credential up among what is committed. */
  readonly find: (digest: TokenDigest) => Promise<StoredCredential | undefined>;
  /** Refuses by shape and checksum what cannot be a token, so that it costs no look-up. */
  readonly isWellFormed: (value: string) => boolean;
  readonly onUse?: (principal: Principal, at: number) => void;
  readonly mostEntries?: number;
}

/**
 * Credentials that were found valid, held in memory for as long as this process alone can change them.
 *
 * A look-up that was under way while something was forgotten is not kept: it may have read what was true before.
 */
export class CredentialCache {
  readonly #options: CredentialCacheOptions;
  readonly #known = new Map<TokenDigest, Principal>();
  readonly #mostEntries: number;
  #forgotten = 0;

  constructor(options: CredentialCacheOptions) {
    this.#options = options;
    this.#mostEntries = options.mostEntries ?? 200_000;
  }

  /**
   * Answers at once for a credential that is known, and without touching the database.
   *
   * @throws Refusal invalid_credential, expired_credential or revoked_credential (also as a rejection).
   */
  check(value: string): Principal | Promise<Principal> {
    const digest = digestToken(value);
    const known = this.#known.get(digest);
    if (known !== undefined) return this.#admit(known);
    if (!this.#options.isWellFormed(value)) throw new Refusal('invalid_credential');
    return this.#lookUp(digest);
  }

  /** A credential that is known and still valid; undefined says nothing. */
  recall(value: string): Principal | undefined {
    const known = this.#known.get(digestToken(value));
    if (known === undefined) return undefined;
    const now = this.#options.clock();
    if (known.expiresAt !== null && known.expiresAt <= now) return undefined;
    this.#options.onUse?.(known, now);
    return known;
  }

  /** Called in the same turn in which a change has been committed. */
  forget(isChanged: (principal: Principal) => boolean): void {
    this.#forgotten += 1;
    for (const [digest, principal] of this.#known) {
      if (isChanged(principal)) this.#known.delete(digest);
    }
  }

  /** As above, where it is known which ones: takes no longer when many are held. */
  forgetDigests(digests: readonly string[]): void {
    this.#forgotten += 1;
    for (const digest of digests) this.#known.delete(digest as TokenDigest); // read from where digests are stored
  }

  async #lookUp(digest: TokenDigest): Promise<Principal> {
    const forgottenBefore = this.#forgotten;
    const found = await this.#options.find(digest);
    if (found === undefined) throw new Refusal('invalid_credential');
    if (found.revoked) throw new Refusal('revoked_credential');
    const principal = this.#admit(found.principal);
    if (this.#forgotten === forgottenBefore) this.#keep(digest, principal);
    return principal;
  }

  #admit(principal: Principal): Principal {
    const now = this.#options.clock();
    if (principal.expiresAt !== null && principal.expiresAt <= now) throw new Refusal('expired_credential');
    this.#options.onUse?.(principal, now);
    return principal;
  }

  #keep(digest: TokenDigest, principal: Principal): void {
    if (this.#known.size >= this.#mostEntries) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(digest, principal);
  }
}
