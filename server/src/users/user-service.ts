import { type CreateAccessToken, formatToken, type Grant, isWellFormedToken } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { CacheFigures } from '../cache-figures.ts';
import { type Clock, type MonotonicClock, type NewID, toTimestamp } from '../clock.ts';
import { type ChoosePace, CredentialCache } from '../credentials/credential-cache.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { StoredCredential } from '../credentials/credential-look-ups.ts';
import { grantsOfUser, type Principal, type UserPrincipal } from '../credentials/principal.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { OidcRoles } from '../oidc-roles.ts';
import { type Page, type PageOf, toPage } from '../page.ts';
import { readExpiry } from '../read-expiry.ts';
import { Refusal } from '../refusal.ts';
import { type RandomBytes, Secret } from '../secret.ts';
import { WriteBehind } from '../write-behind.ts';
import type { OidcCheck } from './oidc-credential.ts';
import { ProvidedUsers } from './provided-users.ts';
import { type Narrowing, narrowAccess } from './user-access.ts';
import * as store from './user-store.ts';

interface UserServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly oidc: OidcCheck | undefined;
  readonly oidcRoles: OidcRoles | undefined;
  /** Lifetime of an access token that was created with a token of the identity provider; 0: until that token expires. */
  readonly providedTokenHours: number;
  readonly onFailure: (error: unknown) => void;
}

export interface NewAccessToken {
  readonly row: store.AccessTokenRow;
  readonly secret: Secret;
}

const administratorName = 'administrator';
const lastUsedIntervalMilliseconds = 5_000;
const hourMilliseconds = 3_600_000;

export class UserService {
  readonly #options: UserServiceOptions;
  readonly #provided: ProvidedUsers;
  readonly #credentials: CredentialCache;
  readonly #lastUsed: WriteBehind<number>;

  constructor(options: UserServiceOptions) {
    this.#options = options;
    this.#provided = new ProvidedUsers({ ...options, onChanged: (userID) => this.forgetUser(userID) });
    this.#lastUsed = new WriteBehind({
      merge: Math.max,
      write: (portion) => store.updateLastUsed(options.database, portion),
      onFailure: options.onFailure,
      intervalMilliseconds: lastUsedIntervalMilliseconds,
    });
    this.#credentials = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      // The operator's own MUSTER_ADMIN_TOKEN can have any form.
      isWellFormed: (value) => !value.startsWith('mst_') || isWellFormedToken('access', value),
      find: (digests) => this.#findCredentials(digests),
      areAllRandom: false,
      onUse: (principal, at) => {
        if (principal.kind === 'access' && principal.accessTokenID !== undefined) {
          this.#lastUsed.add(principal.accessTokenID, at);
        }
      },
    });
  }

  /** The caller of a bearer credential. @throws Refusal with a 401 code (also as a rejection) */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal> {
    return this.#provided.isIssuedToken(value)
      ? this.#provided.authenticate(value)
      : this.#credentials.check(value, choosePace);
  }

  /** Sizes of the caches of credentials, by name. */
  get credentialFigures(): Readonly<Record<'known' | 'refused', CacheFigures>> {
    return { known: this.#credentials.figures, refused: this.#credentials.refusedFigures };
  }

  recall(value: string): Principal | undefined {
    return this.#credentials.recall(value);
  }

  recallRefusal(value: string): Refusal | undefined {
    return this.#credentials.recallRefusal(value);
  }

  async listAccessTokens(user: UserPrincipal, page: Page): Promise<PageOf<store.AccessTokenRow>> {
    await this.#lastUsed.flush();
    return toPage(await store.listAccessTokens(this.#options.database.read, user.userID, page), page);
  }

  async createAccessToken(user: UserPrincipal, input: CreateAccessToken): Promise<NewAccessToken> {
    const asked = readExpiry(input.expiresAt, this.#options.clock());
    const { until, reason } = this.#limitOf(user);
    const expiresAt = asked === undefined ? until : asked;
    if (until !== null && (expiresAt === null || expiresAt > until)) {
      throw new Refusal('expiry_exceeds_own', {
        detail: `The token may be valid until ${toTimestamp(until)} at most, ${reason}.`,
        fields: [{ path: '/expiresAt', message: `must be ${toTimestamp(until)} or earlier` }],
      });
    }
    const secret = this.newSecret();
    return this.#insert(this.#options.database.write, user.userID, input.name, secret, expiresAt, 0);
  }

  async revokeAccessToken(user: UserPrincipal, id: string): Promise<void> {
    const { database, clock } = this.#options;
    const revoked = await database.write.transaction().execute(async (trx) => {
      if (!(await store.revokeAccessToken(trx, user.userID, id, clock()))) return false;
      await noteCredentialChange(trx);
      return true;
    });
    this.#credentials.forget((principal) => principal.kind === 'access' && principal.accessTokenID === id);
    if (!revoked) {
      throw new Refusal('not_found', { detail: `You have no access token ${id}.` });
    }
  }

  /** The latest expiry of an access token that this credential creates. An access token creates none that outlives it. */
  #limitOf(user: UserPrincipal): { readonly until: number | null; readonly reason: string } {
    const { clock, providedTokenHours: hours } = this.#options;
    if (user.accessTokenID !== undefined || hours === 0)
      return { until: user.expiresAt, reason: 'because the credential that creates it expires then' };
    return {
      until: clock() + hours * hourMilliseconds,
      reason: `because this installation limits users of the identity provider to ${hours} hours (MUSTER_OIDC_ACCESS_TOKEN_HOURS)`,
    };
  }

  newSecret(): Secret {
    return new Secret(formatToken('access', this.#options.randomBytes(32)));
  }

  async hasUsers(db: Kysely<Tables>): Promise<boolean> {
    return store.hasUsers(db);
  }

  /** Creates the administrator with their first access token, inside a transaction of the caller. */
  async insertAdministrator(trx: Kysely<Tables>, secret: Secret): Promise<void> {
    const { clock, newID } = this.#options;
    const id = newID();
    await store.insertUser(trx, {
      id,
      name: administratorName,
      issuer: null,
      subject: null,
      created_at: clock(),
      is_administrator: 1,
    });
    await this.#insert(trx, id, administratorName, secret, null, 1);
  }

  /** Makes this the only token that the installation's settings define, inside a transaction of the caller. */
  async setAdministratorToken(trx: Kysely<Tables>, secret: Secret): Promise<void> {
    const administrator = await store.findAdministrator(trx);
    if (administrator === undefined) throw new Error('there is no administrator who could get a token');
    await store.lockInitialTokens(trx, this.#options.database.engine, administrator.id);
    const existing = await store.findAccessTokenByDigest(trx, secret.digest());
    if (existing === undefined) await this.#insert(trx, administrator.id, administratorName, secret, null, 1);
    else if (existing.revoked_at !== null) await store.restoreInitialToken(trx, existing.id);
    const { clock } = this.#options;
    const hasRevoked = await store.revokeOtherInitialTokens(trx, administrator.id, secret.digest(), clock());
    if (hasRevoked) await noteCredentialChange(trx);
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
    const found = await store.findUser(db, user.userID);
    if (found === undefined) throw new Refusal('revoked_credential');
    const access = this.#provided.accessOf(found);
    if (user.accessTokenID === undefined) return grantsOfUser(access, projectID) ?? [];
    const token = await store.findAccessToken(db, user.accessTokenID);
    if (token === undefined || token.revoked_at !== null) throw new Refusal('revoked_credential');
    return grantsOfUser(narrowAccess(access, narrowingOf(token)), projectID) ?? [];
  }

  /** Call it when what a user may do was changed. */
  forgetUser(userID: string): void {
    this.#credentials.forget((principal) => principal.kind === 'access' && principal.userID === userID);
  }

  /** Called when other replicas may have changed any credential. */
  forgetCredentials(): void {
    this.#credentials.forgetAll();
  }

  async close(): Promise<void> {
    await this.#lastUsed.close();
  }

  async #insert(
    db: Kysely<Tables>,
    userID: string,
    name: string,
    secret: Secret,
    expiresAt: number | null,
    isInitial: 0 | 1,
  ): Promise<NewAccessToken> {
    const row = {
      id: this.#options.newID(),
      user_id: userID,
      name,
      digest: secret.digest(),
      last_four: secret.lastFour(),
      is_initial: isInitial,
      created_at: this.#options.clock(),
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
      parent_id: null,
      permissions: null,
      project_ids: null,
      secret_number: 1,
      rotated_at: null,
    };
    await store.insertAccessToken(db, row);
    return { row, secret };
  }

  async #findCredentials(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const rows = await store.listAccessTokensByDigest(this.#options.database, digests);
    return new Map(
      rows.map(({ token, user, memberships }) => {
        const principal: UserPrincipal = {
          kind: 'access',
          userID: user.id,
          name: user.name,
          accessTokenID: token.id,
          isProvided: user.issuer !== null,
          access: narrowAccess(this.#provided.accessOf({ user, memberships }), narrowingOf(token)),
          needs: undefined,
          expiresAt: token.expires_at,
        };
        return [token.digest, { principal, revoked: token.revoked_at !== null }];
      }),
    );
  }
}

function narrowingOf({ permissions, project_ids }: store.AccessTokenRow): Narrowing {
  return {
    grants: permissions === null ? null : (JSON.parse(permissions) as Grant[]), // only this service writes it
    projectIDs: project_ids === null ? null : (JSON.parse(project_ids) as string[]), // as above
  };
}
