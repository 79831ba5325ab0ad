import { allows, formatSignInSecret, type SessionMethod } from '@muster/contract';
import type { Kysely } from 'kysely';
import { type Clock, type NewID, toTimestamp } from '../../../foundation/clock.ts';
import { cleanUserAgent } from '../../../foundation/credentials/clean-user-agent.ts';
import { noteCredentialChange } from '../../../foundation/credentials/credential-freshness.ts';
import type { UserPrincipal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../../foundation/list-page.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { type RandomBytes, Secret } from '../../../foundation/secret.ts';
import type { AuditChange, AuditService } from '../../../record/audit/audit-service.ts';
import * as tokenStore from '../access-token-store.ts';
import { isOfSession, type SessionCredentials } from './session-credentials.ts';
import * as store from './session-store.ts';

interface SessionServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly audit: Pick<AuditService, 'record'>;
  readonly credentials: Pick<SessionCredentials, 'flushLastUsed' | 'forget'>;
  readonly idleMilliseconds: number;
  readonly maxMilliseconds: number;
}

/** The browser that signs in. */
export interface Browser {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** Of the request, for the audit log. */
  readonly requestID: string;
  /** The session whose cookie it has. It is replaced. */
  readonly earlierSession: Secret | undefined;
}

/** Who signs in, and what allows it. */
export interface SignIn {
  readonly userID: string;
  readonly userName: string;
  readonly method: SessionMethod;
  /** The access token, and the number of its value. Undefined: the identity provider. */
  readonly token: { readonly id: string; readonly number: number } | undefined;
  /** When what allows it ends, in milliseconds. */
  readonly until: number | null;
}

export interface NewSession {
  readonly secret: Secret;
  /** Its latest end, in milliseconds. */
  readonly expiresAt: number;
}

/** Sessions: browsers in which users are signed in. */
export class SessionService {
  readonly #options: SessionServiceOptions;

  constructor(options: SessionServiceOptions) {
    this.#options = options;
  }

  /** How long a session may be unused, in milliseconds. */
  get idleMilliseconds(): number {
    return this.#options.idleMilliseconds;
  }

  /** Signs in with an access token that was presented. @throws Refusal revoked_credential, rotated_credential, credential_kind_not_accepted */
  async createWithToken(user: UserPrincipal, presented: Secret, browser: Browser): Promise<NewSession> {
    const token = await this.requireToken(user, presented);
    const { userID, name: userName, expiresAt } = user;
    return this.create({ userID, userName, method: 'access_token', token, until: expiresAt }, browser);
  }

  /** The access token that a user has presented, with the number of its value. @throws Refusal as above */
  async requireToken(
    { accessTokenID, session }: UserPrincipal,
    presented: Secret,
  ): Promise<{ readonly id: string; readonly number: number }> {
    if (accessTokenID === undefined || session !== undefined) {
      throw new Refusal('credential_kind_not_accepted', {
        detail: 'This takes an access token of this installation (mst_u_…).',
      });
    }
    const number = await tokenStore.findValueNumber(
      this.#options.database.write,
      accessTokenID,
      presented.digest(),
    );
    // It was valid when the request was admitted.
    if (number === undefined) throw new Refusal('rotated_credential');
    return { id: accessTokenID, number };
  }

  /** Creates a session and ends the one that the browser has. */
  async create(signIn: SignIn, browser: Browser): Promise<NewSession> {
    const { database } = this.#options;
    const created = await database.write.transaction().execute((trx) => this.insert(trx, signIn, browser));
    created.onCommitted();
    return created;
  }

  /** As above, inside a transaction of the caller, who calls `onCommitted` in the turn in which it has committed. */
  async insert(
    trx: Kysely<Tables>,
    signIn: SignIn,
    browser: Browser,
  ): Promise<NewSession & { readonly onCommitted: () => void }> {
    const { clock, newID, randomBytes, maxMilliseconds, credentials, audit } = this.#options;
    const { userID, method, token, until } = signIn;
    const { address, userAgent, earlierSession } = browser;
    const secret = new Secret(formatSignInSecret('session', randomBytes(32)));
    const now = clock();
    const expiresAt = Math.min(now + maxMilliseconds, until ?? Number.POSITIVE_INFINITY);
    const id = newID();
    await store.insertSession(trx, {
      id,
      digest: secret.digest(),
      user_id: userID,
      method,
      access_token_id: token?.id ?? null,
      token_number: token?.number ?? null,
      created_at: now,
      expires_at: expiresAt,
      last_used_at: now,
      address: address ?? null,
      user_agent: userAgent === undefined ? null : cleanUserAgent(userAgent),
    });
    const replaced = earlierSession === undefined ? undefined : await this.#replace(trx, earlierSession);
    await audit.record(
      trx,
      asPrincipal(signIn, browser),
      { ...changeOf('session.created', id, signIn), after: { method, expiresAt: toTimestamp(expiresAt) } },
      ...(replaced === undefined ? [] : [changeOf('session.revoked', replaced, { userName: null })]),
    );
    if (replaced !== undefined) await noteCredentialChange(trx);
    return {
      secret,
      expiresAt,
      onCommitted() {
        if (replaced !== undefined) credentials.forget(isOfSession(replaced));
      },
    };
  }

  /** Sessions of the caller, or of the named user. @throws Refusal not_found, for callers who see no other users */
  async list(
    user: UserPrincipal,
    userID: string | undefined,
    page: Page,
  ): Promise<PageOf<store.SessionWithUser>> {
    const { database, clock, credentials, idleMilliseconds } = this.#options;
    const isOwn = userID === undefined || userID === user.userID;
    if (!isOwn && !allows(user.access.installation, 'read:member')) {
      throw new Refusal('not_found', { detail: `There is no user ${userID} that this credential can see.` });
    }
    await credentials.flushLastUsed();
    const now = clock();
    const filter = {
      userID: userID ?? user.userID,
      // A narrowed token does not see what may do more.
      accessTokenID: isOwn && user.isNarrowed ? user.accessTokenID : undefined,
      usedAfter: now - idleMilliseconds,
      now,
    };
    return toPage(await store.listSessions(database.read, filter, page), page);
  }

  /** @throws Refusal not_found, the same for a session that does not exist and for one of somebody else */
  async revoke(user: UserPrincipal, id: string): Promise<void> {
    const row = await store.findSession(this.#options.database.read, id);
    if (row === undefined || !mayRevoke(user, row)) {
      throw new Refusal('not_found', { detail: `There is no session ${id} that this credential can see.` });
    }
    await this.#end(user, id);
  }

  /** Ends the session of the request, if it is one. */
  async signOut(user: UserPrincipal): Promise<void> {
    if (user.session !== undefined) await this.#end(user, user.session.id);
  }

  async #end(by: UserPrincipal, id: string): Promise<void> {
    const { database, clock, credentials, audit } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.revokeSession(trx, id, clock()))) return;
      await audit.record(trx, by, changeOf('session.revoked', id, { userName: null }));
      await noteCredentialChange(trx);
    });
    credentials.forget(isOfSession(id));
  }

  /** Returns the id of the session that was ended, if there was one. */
  async #replace(trx: Kysely<Tables>, secret: Secret): Promise<string | undefined> {
    const earlier = await store.findSessionByDigest(trx, secret.digest());
    if (earlier === undefined || !(await store.revokeSession(trx, earlier.id, this.#options.clock()))) {
      return undefined;
    }
    return earlier.id;
  }
}

/** A session has no name: it is called like its user. */
function changeOf(
  action: AuditChange['action'],
  id: string,
  { userName: name }: { readonly userName: string | null },
): AuditChange {
  return { projectID: null, action, target: { kind: 'session', id, name } };
}

/** Whoever signs in acts as the user from then on. */
function asPrincipal({ userID, userName, token }: SignIn, { address, requestID }: Browser): UserPrincipal {
  return {
    kind: 'access',
    userID,
    name: userName,
    accessTokenID: token?.id,
    isProvided: token === undefined,
    access: { installation: [], everyProject: [], projects: new Map() },
    isNarrowed: false,
    needs: undefined,
    expiresAt: null,
    origin: { address, requestID },
  };
}

function mayRevoke(user: UserPrincipal, row: store.SessionRow): boolean {
  const isOwn =
    row.user_id === user.userID && (!user.isNarrowed || row.access_token_id === user.accessTokenID);
  return isOwn || allows(user.access.installation, 'delete:member');
}
