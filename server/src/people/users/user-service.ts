import { formatToken, type Grant, isWellFormedToken } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock, MonotonicClock, NewID } from '../../foundation/clock.ts';
import { CredentialCache } from '../../foundation/credentials/credential-cache.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import {
  grantsOfUser,
  isOutsider,
  type Principal,
  type UserPrincipal,
} from '../../foundation/credentials/principal.ts';
import type { StoredCredential } from '../../foundation/credentials/stored-credential.ts';
import type { Database } from '../../foundation/database/database.ts';
import { LastUsed } from '../../foundation/database/last-used.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { type RandomBytes, Secret } from '../../foundation/secret.ts';
import type { OidcRoles } from '../../foundation/settings/oidc-roles.ts';
import type { AuditActor, AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import * as tokenStore from './access-token-store.ts';
import { administratorName, setAdministratorToken } from './administrator-token.ts';
import type { OidcCheck, OidcIdentity } from './oidc-credential.ts';
import { ProvidedUsers } from './provided-users.ts';
import { type Access, isNarrowing, narrowAccess, narrowingOf } from './user-access.ts';
import * as store from './user-store.ts';

interface UserServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly oidc: OidcCheck | undefined;
  readonly oidcRoles: OidcRoles | undefined;
  readonly rotations: RotationService;
  readonly audit: Pick<AuditService, 'record'>;
  readonly sessions: UserSessions;
  readonly onFailure: (error: unknown) => void;
}

/** What this service needs of the sessions of its users. */
interface UserSessions {
  forget(isMeant: (principal: Principal) => boolean): void;
  /** True if the session has not been revoked. It is not revoked until the transaction ends. */
  lockOpen(trx: Kysely<Tables>, sessionID: string): Promise<boolean>;
}

export interface DescribedUser {
  readonly id: string;
  readonly row: store.UserRowWithCount;
  /** The values of the claim that have a role now. */
  readonly claimValues: readonly string[];
  readonly hasAccess: boolean;
}

export interface NamedUser {
  readonly id: string;
  readonly name: string;
}

/** A user of an identity provider. */
interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

const firstTokenName = 'first';

/** Which acts by MUSTER_ADMIN_TOKEN. */
const bySettings = { kind: 'system', name: 'start of the service' } as const;
/** Ends values from before rotations. */
const byFirstUse = { kind: 'system', name: 'first use of a newer value' } as const;

export class UserService {
  readonly #options: UserServiceOptions;
  readonly #provided: ProvidedUsers;
  readonly credentials: CredentialCache;
  readonly #lastUsed: LastUsed;

  constructor(options: UserServiceOptions) {
    this.#options = options;
    this.#provided = new ProvidedUsers({ ...options, onChanged: (userID) => this.forgetUser(userID) });
    this.#lastUsed = new LastUsed(options.database, 'access_tokens', options.onFailure);
    this.credentials = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      // The operator's own MUSTER_ADMIN_TOKEN can have any form.
      isWellFormed: (value) => !value.startsWith('mst_') || isWellFormedToken('access', value),
      find: (digests) => this.#findCredentials(digests),
      areAllRandom: false,
      checkElsewhere: (value) =>
        this.#provided.isIssuedToken(value) ? this.#provided.authenticate(value) : undefined,
      onUse: (principal, at) => {
        if (principal.kind === 'access' && principal.accessTokenID !== undefined) {
          this.#lastUsed.add(principal.accessTokenID, at);
        }
      },
    });
  }

  /** Pages of all users, with what MUSTER_OIDC_ROLES gives them. */
  async list(page: Page): Promise<PageOf<DescribedUser>> {
    const found = toPage(await store.listUsers(this.#options.database.read, page), page);
    return { ...found, rows: found.rows.map((row) => this.#describe(row)) };
  }

  /** The ids of those projects that exist. */
  async listExisting(ids: readonly string[]): Promise<string[]> {
    const found = await store.listProjectsByID(this.#options.database, ids, ids.length);
    return found.map(({ id }) => id);
  }

  async flushLastUsed(): Promise<void> {
    await this.#lastUsed.flush();
  }

  newSecret(): Secret {
    return new Secret(formatToken('access', this.#options.randomBytes(32)));
  }

  async hasUsers(db: Kysely<Tables>): Promise<boolean> {
    return store.hasUsers(db);
  }

  /** Creates the administrator with their first access token, inside a transaction of the caller. */
  async insertAdministrator(trx: Kysely<Tables>, secret: Secret): Promise<void> {
    const { clock, newID, audit } = this.#options;
    const id = newID();
    await store.insertUser(trx, {
      id,
      name: administratorName,
      issuer: null,
      subject: null,
      created_at: clock(),
      is_administrator: 1,
    });
    await this.#insert(trx, id, administratorName, secret, 1);
    await audit.record(trx, bySettings, createdUser({ id, name: administratorName }));
  }

  /**
   * Makes this the only token that the installation's settings define, inside a transaction of the caller. Returns false if it stays revoked, because
   * its value was found in public.
   */
  async setAdministratorToken(
    trx: Kysely<Tables>,
    secret: Secret,
    by: AuditActor = bySettings,
  ): Promise<boolean> {
    return setAdministratorToken(trx, secret, by, this.#options);
  }

  /** What the caller may do in projects, with their names: where it may do more than in every project. */
  async listProjectsOf({ access }: UserPrincipal, limit: number): Promise<store.NamedProject[]> {
    return store.listProjectsByID(this.#options.database, [...access.projects.keys()], limit);
  }

  /**
   * What the credential of a user may do now in a project, read inside a transaction of the caller: since the request was admitted, the user may have
   * lost it.
   *
   * @throws Refusal revoked_credential
   */
  async findGrants(db: Kysely<Tables>, user: UserPrincipal, projectID: string): Promise<readonly Grant[]> {
    const access = await this.findAccess(db, user);
    await this.requireOpenSession(db, user);
    return grantsOfUser(access, projectID) ?? [];
  }

  /** Inside a transaction of the caller: since the request was admitted, its session may have been revoked. @throws Refusal revoked_credential */
  async requireOpenSession(trx: Kysely<Tables>, { session }: UserPrincipal): Promise<void> {
    if (session === undefined || (await this.#options.sessions.lockOpen(trx, session.id))) return;
    throw new Refusal('revoked_credential');
  }

  /** A user whom the identity provider has just let in. */
  async signInProvided(identity: OidcIdentity): Promise<store.UserRow> {
    return this.#provided.signIn(identity);
  }

  /** All that a user may do now. */
  accessOf(user: store.UserWithMemberships): Access {
    return this.#provided.accessOf(user);
  }

  /** What a user may do now in a project, read inside a transaction of the caller. */
  async findGrantsOf(db: Kysely<Tables>, userID: string, projectID: string): Promise<readonly Grant[]> {
    const found = await store.findUser(db, userID);
    return found === undefined ? [] : (grantsOfUser(this.#provided.accessOf(found), projectID) ?? []);
  }

  /** All that the credential of a user may do now, read inside a transaction of the caller. Its session is not looked at. @throws Refusal revoked_credential */
  async findAccess(db: Kysely<Tables>, user: UserPrincipal): Promise<Access> {
    const found = await store.findUser(db, user.userID);
    if (found === undefined) throw new Refusal('revoked_credential');
    const access = this.#provided.accessOf(found);
    if (user.accessTokenID === undefined) return access;
    const token = await tokenStore.findAccessToken(db, user.accessTokenID);
    if (token === undefined || token.revoked_at !== null) throw new Refusal('revoked_credential');
    return narrowAccess(access, narrowingOf(token));
  }

  async findNamed(db: Kysely<Tables>, id: string): Promise<NamedUser | undefined> {
    const found = await store.findUser(db, id);
    return found && { id, name: found.user.name };
  }

  async findProvided(db: Kysely<Tables>, { issuer, subject }: Identity): Promise<NamedUser | undefined> {
    const found = await store.findProvidedUser(db, issuer, subject);
    return found && { id: found.user.id, name: found.user.name };
  }

  /** Creates a user of the identity provider before the first sign-in, inside a transaction of the caller. The sign-in tells the name. */
  async insertProvided(trx: Kysely<Tables>, identity: Identity): Promise<NamedUser> {
    const { clock, newID } = this.#options;
    const user = { id: newID(), name: identity.subject };
    await store.insertUser(trx, { ...user, ...identity, created_at: clock() });
    return user;
  }

  async isUser(db: Kysely<Tables>, id: string): Promise<boolean> {
    return (await store.findUser(db, id)) !== undefined;
  }

  /** Creates a user of this installation with a first access token, inside a transaction of the caller. */
  async insertUser(
    trx: Kysely<Tables>,
    name: string,
  ): Promise<{ readonly userID: string; readonly secret: Secret }> {
    const { clock, newID } = this.#options;
    const userID = newID();
    await store.insertUser(trx, { id: userID, name, issuer: null, subject: null, created_at: clock() });
    const secret = this.newSecret();
    await this.#insert(trx, userID, firstTokenName, secret, 0);
    return { userID, secret };
  }

  /** Call it when what a user may do was changed. */
  forgetUser(userID: string): void {
    this.#forget((principal) => principal.kind === 'access' && principal.userID === userID);
  }

  forgetAccessTokens(ids: readonly string[]): void {
    const changed = new Set<string | undefined>(ids);
    this.#forget((principal) => principal.kind === 'access' && changed.has(principal.accessTokenID));
  }

  #forget(isMeant: (principal: Principal) => boolean): void {
    this.credentials.forget(isMeant);
    this.#options.sessions.forget(isMeant);
  }

  async close(): Promise<void> {
    await this.#lastUsed.close();
  }

  #describe(row: store.UserRowWithCount): DescribedUser {
    const access = this.#provided.accessOf({ user: row, memberships: [] });
    return {
      id: row.id,
      row,
      claimValues: this.#provided.valuesOf(row),
      hasAccess: row.projects_count > 0 || !isOutsider(access),
    };
  }

  async #insert(
    db: Kysely<Tables>,
    userID: string,
    name: string,
    secret: Secret,
    isInitial: 0 | 1,
  ): Promise<void> {
    await tokenStore.insertAccessToken(db, {
      id: this.#options.newID(),
      user_id: userID,
      name,
      digest: secret.digest(),
      last_four: secret.lastFour(),
      is_initial: isInitial,
      created_at: this.#options.clock(),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      rotated_at: null,
    });
  }

  async #findCredentials(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const { database, clock } = this.#options;
    const rows = await tokenStore.listAccessTokensByDigest(database, digests, clock());
    return new Map(
      rows.map(({ token, user, memberships, value }) => {
        const narrowing = narrowingOf(token);
        const principal: UserPrincipal = {
          kind: 'access',
          userID: user.id,
          name: user.name,
          accessTokenID: token.id,
          isProvided: user.issuer !== null,
          access: narrowAccess(this.#provided.accessOf({ user, memberships }), narrowing),
          isNarrowed: isNarrowing(narrowing),
          needs: undefined,
          expiresAt: token.expires_at,
          earlierValue: value.isEarlier ? { endsAt: value.endsAt } : undefined,
        };
        const noteFirstUse = value.isAwaited ? () => this.#noteFirstUse(token.id, value.number) : undefined;
        return [value.digest, { principal, revoked: token.revoked_at !== null, noteFirstUse }];
      }),
    );
  }

  /** Ends the earlier values that wait for the first use of this one, before the request with it is admitted. */
  async #noteFirstUse(id: string, number: number): Promise<void> {
    const { database, rotations, audit } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      if (!(await rotations.noteFirstUse(trx, id, number))) return;
      const row = await tokenStore.findAccessToken(trx, id);
      await audit.record(trx, byFirstUse, {
        projectID: null,
        action: 'access_token.earlier_values_ended',
        target: { kind: 'access_token', id, name: row?.name ?? null },
      });
      await noteCredentialChange(trx);
    });
    this.forgetAccessTokens([id]);
  }
}

/** For the audit log. */
export function createdUser({ id, name }: { readonly id: string; readonly name: string }): AuditChange {
  return { projectID: null, action: 'user.created', target: { kind: 'user', id, name }, after: { name } };
}
