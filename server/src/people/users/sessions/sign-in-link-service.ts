import {
  formatSignInSecret,
  isWellFormedSignInSecret,
  maxSignInLinks,
  signInLinkMinutes,
} from '@muster/contract';
import type { Kysely } from 'kysely';
import { type Clock, type NewID, toTimestamp } from '../../../foundation/clock.ts';
import type { UserPrincipal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { digestToken, type RandomBytes, Secret } from '../../../foundation/secret.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import * as tokenStore from '../access-token-store.ts';
import { refuseTooFast } from '../creation-pace.ts';
import type { Browser, NewSession, SessionService } from './session-service.ts';
import * as store from './sign-in-link-store.ts';

interface SignInLinkServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly audit: Pick<AuditService, 'record'>;
  readonly sessions: Pick<SessionService, 'insert' | 'requireToken'>;
}

export interface NewSignInLink {
  readonly id: string;
  readonly secret: Secret;
  /** Milliseconds. */
  readonly expiresAt: number;
}

/** Why a link does not work. `ended`: the access token that created it is no longer valid. */
export type LinkFault = 'unknown' | 'used' | 'expired' | 'ended';

const minuteMilliseconds = 60_000;
/** Somebody may start the service in a container, and look for the link later. It is in a file of theirs, or on their terminal. */
const firstLinkMinutes = 60;

/** Links with which a browser signs in, once. */
export class SignInLinkService {
  readonly #options: SignInLinkServiceOptions;

  constructor(options: SignInLinkServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal credential_kind_not_accepted for a session and for a token of the identity provider, too_many_new_credentials */
  async create(user: UserPrincipal, presented: Secret): Promise<NewSignInLink> {
    const { database, audit, sessions } = this.#options;
    const { userID, name } = user;
    const token = await sessions.requireToken(user, presented);
    return database.write.transaction().execute(async (trx) => {
      await this.#refuseTooMany(trx, userID);
      const link = await this.#insert(trx, { userID, token, minutes: signInLinkMinutes });
      await audit.record(trx, user, {
        projectID: null,
        action: 'sign_in_link.created',
        target: { kind: 'sign_in_link', id: link.id, name },
        after: { expiresAt: toTimestamp(link.expiresAt) },
      });
      return link;
    });
  }

  async #refuseTooMany(trx: Kysely<Tables>, userID: string): Promise<void> {
    const now = this.#options.clock();
    const links = await store.listUnexpiredLinks(trx, userID, now);
    refuseTooFast(
      'signInLink',
      links.map(({ created_at: at }) => at),
      now,
    );
    const ends = links.filter(({ used_at: at }) => at === null).map(({ expires_at: at }) => at);
    if (ends.length < maxSignInLinks) return;
    throw new Refusal('too_many_new_credentials', { retryAfterSeconds: (Math.min(...ends) - now) / 1_000 });
  }

  /** The link that the first start shows, inside its transaction. */
  async insertFirst(trx: Kysely<Tables>, accessToken: Secret): Promise<NewSignInLink> {
    const row = await tokenStore.findAccessTokenByDigest(trx, accessToken.digest());
    if (row === undefined) throw new Error('there is no such access token');
    const token = { id: row.id, number: row.secret_number };
    return this.#insert(trx, { userID: row.user_id, token, minutes: firstLinkMinutes });
  }

  /** Whom a link signs in. Does not use it up, because programs that show previews of links open them too. */
  async describe(text: string): Promise<{ readonly id: string; readonly userName: string } | LinkFault> {
    const { database, clock } = this.#options;
    const row = await this.#find(database.read, text);
    if (row === undefined) return 'unknown';
    if (row.used_at !== null) return 'used';
    if (row.expires_at <= clock()) return 'expired';
    if ((await this.#findToken(database.read, row)) === undefined) return 'ended';
    return { id: row.id, userName: row.user_name };
  }

  /**
   * Uses up a link.
   *
   * @param shownID the id of the link that the user has confirmed. Another one is not used up: pages of other sites can make a browser open a link.
   */
  async redeem(
    text: string,
    shownID: string,
    browser: Browser,
  ): Promise<NewSession | LinkFault | 'not shown'> {
    const { database, clock, sessions } = this.#options;
    // Before the transaction: anyone can send secrets, and transactions wait for one another.
    const shown = await this.#find(database.read, text);
    if (shown === undefined) return 'unknown';
    if (shown.id !== shownID) return 'not shown';
    const outcome = await database.write.transaction().execute(async (trx) => {
      const row = await this.#find(trx, text);
      if (row === undefined) return 'unknown';
      if (row.expires_at <= clock()) return row.used_at === null ? 'expired' : 'used';
      const token = await this.#findToken(trx, row);
      if (!(await store.useSignInLink(trx, row.id, clock()))) return 'used';
      if (token === undefined) return 'ended';
      return sessions.insert(
        trx,
        {
          userID: row.user_id,
          userName: row.user_name,
          method: 'sign_in_link',
          token: { id: row.access_token_id, number: row.token_number },
          until: token.expires_at,
        },
        browser,
      );
    });
    if (typeof outcome !== 'string') outcome.onCommitted();
    return outcome;
  }

  async #insert(
    db: Kysely<Tables>,
    of: {
      readonly userID: string;
      readonly token: { readonly id: string; readonly number: number };
      readonly minutes: number;
    },
  ): Promise<NewSignInLink> {
    const { clock, newID, randomBytes } = this.#options;
    const secret = new Secret(formatSignInSecret('signInLink', randomBytes(32)));
    const now = clock();
    const expiresAt = now + of.minutes * minuteMilliseconds;
    const id = newID();
    await store.insertSignInLink(db, {
      id,
      digest: secret.digest(),
      user_id: of.userID,
      access_token_id: of.token.id,
      token_number: of.token.number,
      created_at: now,
      expires_at: expiresAt,
    });
    return { id, secret, expiresAt };
  }

  async #find(db: Kysely<Tables>, text: string) {
    return isWellFormedSignInSecret('signInLink', text)
      ? store.findSignInLink(db, digestToken(text))
      : undefined;
  }

  /** The access token that created a link, if it is still valid. The session checks it again, with each request. */
  async #findToken(
    db: Kysely<Tables>,
    { access_token_id: id, token_number: number }: store.SignInLinkRow,
  ): Promise<tokenStore.AccessTokenRow | undefined> {
    const now = this.#options.clock();
    const row = await tokenStore.findAccessToken(db, id);
    if (row === undefined || row.revoked_at !== null) return undefined;
    if (row.expires_at !== null && row.expires_at <= now) return undefined;
    return (await tokenStore.isValueValid(db, row, number, now)) ? row : undefined;
  }
}
