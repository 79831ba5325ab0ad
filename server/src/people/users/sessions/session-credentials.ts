import { isWellFormedSignInSecret } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock, MonotonicClock } from '../../../foundation/clock.ts';
import { type ChoosePace, CredentialCache } from '../../../foundation/credentials/credential-cache.ts';
import type { Principal, UserPrincipal } from '../../../foundation/credentials/principal.ts';
import type { StoredCredential } from '../../../foundation/credentials/stored-credential.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { LastUsed } from '../../../foundation/database/last-used.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { type Access, isNarrowing, type Narrowing, narrowAccess, narrowingOf } from '../user-access.ts';
import type { UserWithMemberships } from '../user-store.ts';
import * as store from './session-store.ts';

interface SessionCredentialsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly onFailure: (error: unknown) => void;
  /** All that a user may do. */
  readonly accessOf: (user: UserWithMemberships) => Access;
  /** The issuer whose users may have sessions; undefined: there is no identity provider. */
  readonly issuer: string | undefined;
  readonly idleMilliseconds: number;
  readonly cookieName: string;
}

/** Accuracy of the time of the last use, and how long another replica may not know of it. */
const noticeMilliseconds = 60_000;

const notNarrowed: Narrowing = { grants: null, projectIDs: null };

/**
 * Checks the secrets of sessions. A use moves the end of a session: it is noted at most once a minute, and written behind. A session that is
 * remembered is read again after a minute, because another replica may have noted a use.
 */
export class SessionCredentials {
  readonly #options: SessionCredentialsOptions;
  readonly cache: CredentialCache;
  readonly #lastUsed: LastUsed;

  constructor(options: SessionCredentialsOptions) {
    this.#options = options;
    this.#lastUsed = new LastUsed(options.database, 'sessions', options.onFailure);
    this.cache = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      isWellFormed: (value) => isWellFormedSignInSecret('session', value),
      find: (digests) => this.#find(digests),
      areAllRandom: true,
      maxEntries: 10_000,
      ttlMilliseconds: noticeMilliseconds,
    });
  }

  /** The cookie that carries the secret. */
  get cookieName(): string {
    return this.#options.cookieName;
  }

  /** The user of a session. @throws Refusal with a 401 code (also as a rejection) */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal> {
    try {
      const found = this.cache.authenticate(value, choosePace);
      return found instanceof Promise ? found.catch((error) => Promise.reject(explainEnd(error))) : found;
    } catch (error) {
      throw explainEnd(error);
    }
  }

  recallRefusal(value: string): Refusal | undefined {
    const refusal = this.cache.recallRefusal(value);
    return refusal === undefined ? undefined : toSessionEnd(refusal);
  }

  /** A request was admitted with the session. Checks that no person caused, as those of an open event stream, are no use. */
  noteUse({ session }: UserPrincipal): void {
    if (session === undefined) return;
    const now = this.#options.clock();
    if (now - session.lastUsedAt < noticeMilliseconds) return;
    this.#lastUsed.add(session.id, now);
    // The next request reads the later end.
    this.forget(isOfSession(session.id));
  }

  async flushLastUsed(): Promise<void> {
    await this.#lastUsed.flush();
  }

  forget(isMeant: (principal: Principal) => boolean): void {
    this.cache.forget(isMeant);
  }

  /** True if the session has not been revoked. It is not revoked until the transaction ends. */
  async lockOpen(trx: Kysely<Tables>, sessionID: string): Promise<boolean> {
    const row = await store.lockSession(trx, this.#options.database.engine, sessionID);
    return row !== undefined && row.revoked_at === null;
  }

  async close(): Promise<void> {
    await this.#lastUsed.close();
  }

  async #find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    if (this.#lastUsed.size > 0) await this.#lastUsed.flush();
    const rows = await store.listSessionsByDigest(this.#options.database, digests);
    return new Map(rows.map((row) => [row.session.digest, this.#toCredential(row)]));
  }

  #toCredential(found: store.FoundSession): StoredCredential {
    const { session, user, token } = found;
    const narrowing = token === undefined ? notNarrowed : narrowingOf(token.narrowing);
    const principal: UserPrincipal = {
      kind: 'access',
      userID: user.id,
      name: user.name,
      accessTokenID: session.access_token_id ?? undefined,
      session: {
        id: session.id,
        lastUsedAt: session.last_used_at,
        tokenExpiresAt: token?.expiresAt ?? null,
      },
      isProvided: user.issuer !== null,
      access: narrowAccess(this.#options.accessOf(found), narrowing),
      isNarrowed: isNarrowing(narrowing),
      needs: undefined,
      expiresAt: Math.min(
        session.expires_at,
        session.last_used_at + this.#options.idleMilliseconds,
        token?.expiresAt ?? Number.POSITIVE_INFINITY,
      ),
      earlierValue: token?.earlierValue,
    };
    return { principal, revoked: session.revoked_at !== null || !this.#isBacked(found) };
  }

  /** True if what let the user in still does: the access token, or the identity provider of the settings. */
  #isBacked({ session, user, token }: store.FoundSession): boolean {
    if (session.access_token_id !== null) return token !== undefined && !token.isRevoked;
    return user.issuer !== null && user.issuer === this.#options.issuer;
  }
}

export function isOfSession(id: string) {
  return (principal: Principal) => principal.kind === 'access' && principal.session?.id === id;
}

function explainEnd(error: unknown): unknown {
  return error instanceof Refusal ? toSessionEnd(error) : error;
}

/** The catalog speaks of tokens. */
function toSessionEnd({ code }: Refusal): Refusal {
  const reasons: Readonly<Record<string, string>> = {
    expired_credential: 'it has expired, or was not used for too long',
    revoked_credential: 'it was revoked, or what allowed it was',
    rotated_credential: 'the access token with which it was created was rotated',
  };
  const reason = reasons[code];
  return new Refusal(
    code,
    reason === undefined ? {} : { detail: `This session has ended: ${reason}. Sign in again.` },
  );
}
