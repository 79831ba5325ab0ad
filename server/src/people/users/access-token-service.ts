import { type CreateAccessToken, formatToken, maxAccessTokens, surplusGrants } from '@muster/contract';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import { grantsIn, type UserPrincipal } from '../../foundation/credentials/principal.ts';
import { readExpiry } from '../../foundation/credentials/read-expiry.ts';
import { readGrants } from '../../foundation/credentials/read-grants.ts';
import type { Database } from '../../foundation/database/database.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { Secret } from '../../foundation/secret.ts';
import type { AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import type { RotationRequest, RotationService } from '../rotations/rotation-service.ts';
import * as store from './access-token-store.ts';
import { refuseTooFast } from './creation-pace.ts';
import { type Narrowing, narrowingOf } from './user-access.ts';
import type { UserService } from './user-service.ts';

interface AccessTokenServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly rotations: RotationService;
  readonly audit: Pick<AuditService, 'record'>;
  readonly users: Pick<
    UserService,
    'newSecret' | 'flushLastUsed' | 'forgetAccessTokens' | 'listExisting' | 'requireOpenSession'
  >;
  /** Lifetime of an access token that was created with a token of the identity provider; 0: until that token expires. */
  readonly providedTokenHours: number;
}

export interface NewAccessToken {
  readonly row: store.AccessTokenRow;
  readonly secret: Secret;
}

const hourMilliseconds = 3_600_000;

const notNarrowed: Narrowing = { grants: null, projectIDs: null };

/** The access tokens of users. A token does no more than the one that created it, expires no later, and is revoked with it. */
export class AccessTokenService {
  readonly #options: AccessTokenServiceOptions;

  constructor(options: AccessTokenServiceOptions) {
    this.#options = options;
  }

  async list(user: UserPrincipal, page: Page): Promise<PageOf<store.AccessTokenRow>> {
    const { database, users } = this.#options;
    await users.flushLastUsed();
    const rows = await store.listAccessTokens(database.read, user.userID, visibleTo(user), page);
    return toPage(rows, page);
  }

  async create(user: UserPrincipal, input: CreateAccessToken): Promise<NewAccessToken> {
    const { database, clock, newID, users, audit } = this.#options;
    const expiresAt = this.#readExpiry(user, input);
    const asked = await this.#readNarrowing(user, input);
    const secret = users.newSecret();
    return database.write.transaction().execute(async (trx) => {
      await users.requireOpenSession(trx, user);
      const parent =
        user.accessTokenID === undefined
          ? undefined
          : await store.lockForCreation(trx, database.engine, user.accessTokenID);
      if (user.accessTokenID !== undefined && (parent === undefined || parent.revoked_at !== null)) {
        throw new Refusal('revoked_credential');
      }
      // Requests at the same moment may exceed the limit by a few. It only has to keep the number small.
      if ((await store.countValidAccessTokens(trx, user.userID, clock())) >= maxAccessTokens)
        throw new Refusal('too_many_access_tokens');
      refuseTooFast('accessToken', await store.listCreationTimes(trx, user.userID), clock());
      const narrowing = withinOwn(parent === undefined ? notNarrowed : narrowingOf(parent), asked);
      const row: store.AccessTokenRow = {
        id: newID(),
        user_id: user.userID,
        name: input.name,
        digest: secret.digest(),
        last_four: secret.lastFour(),
        is_initial: 0,
        created_at: clock(),
        expires_at: expiresAt,
        last_used_at: null,
        revoked_at: null,
        secret_number: 1,
        rotated_at: null,
        leaked_at: null,
        leak_source: null,
        leaked_number: null,
        parent_id: parent?.id ?? null,
        permissions: narrowing.grants === null ? null : JSON.stringify(narrowing.grants),
        project_ids: narrowing.projectIDs === null ? null : JSON.stringify(narrowing.projectIDs),
      };
      await store.insertAccessToken(trx, row);
      await audit.record(trx, user, {
        ...changeOf('access_token.created', row),
        after: {
          name: row.name,
          expiresAt: toNullableTimestamp(expiresAt),
          permissions: narrowing.grants,
          projects: narrowing.projectIDs,
          parentID: row.parent_id,
        },
      });
      return { row, secret };
    });
  }

  /** Also revokes what was created with the token. */
  async revoke(user: UserPrincipal, id: string): Promise<void> {
    const { database, clock, users, audit } = this.#options;
    const revoked = await database.write.transaction().execute(async (trx) => {
      if (!(await store.hasAccessToken(trx, user.userID, visibleTo(user), id))) return undefined;
      const row = await store.findAccessToken(trx, id);
      const ids = await store.revokeAccessTokens(trx, database.engine, [id], clock());
      await audit.record(trx, user, {
        ...changeOf('access_token.revoked', row ?? { id, name: null }),
        after: { tokensCount: ids.length },
      });
      await noteCredentialChange(trx);
      return ids;
    });
    if (revoked === undefined) throw notFound(id);
    users.forgetAccessTokens(revoked);
  }

  /** The access token of the request. @throws Refusal credential_kind_not_accepted, if the identity provider made the credential */
  async getOwn(user: UserPrincipal): Promise<store.AccessTokenRow> {
    await this.#options.users.flushLastUsed();
    const { database } = this.#options;
    const row =
      user.accessTokenID === undefined || user.session !== undefined
        ? undefined
        : await store.findAccessToken(database.read, user.accessTokenID);
    if (row !== undefined) return row;
    throw new Refusal('credential_kind_not_accepted', {
      detail: 'The credential of this request is no access token of this installation.',
    });
  }

  /**
   * Gives a token a new value. A token rotates itself and what it created. By default, a lost answer must not lock out a token that rotates
   * itself.
   *
   * @throws Refusal not_found, permissions_exceed_own, expiry_exceeds_own, token_revoked, token_expired, token_of_settings
   */
  async rotate(user: UserPrincipal, id: string, request: RotationRequest): Promise<NewAccessToken> {
    const { database, rotations, users, audit } = this.#options;
    const { graceSeconds, retireOnUse } = request.input;
    const isSilent = id === user.accessTokenID && graceSeconds === undefined && retireOnUse === undefined;
    const input = isSilent ? { retireOnUse: true } : request.input;
    const rotated = await database.write.transaction().execute(async (trx) => {
      const row = await store.lockAccessToken(trx, database.engine, user.userID, id);
      if (row === undefined) throw notFound(id);
      this.#requireRotatable(user, row);
      const value = await rotations.rotate(trx, row, { ...request, input }, (random) =>
        formatToken('access', random),
      );
      if (value.change === undefined) return { row, secret: value.secret };
      await store.updateValue(trx, id, value.change);
      await audit.record(trx, user, {
        ...changeOf('access_token.rotated', row),
        after: { graceSeconds: input.graceSeconds, retireOnUse: input.retireOnUse },
      });
      await noteCredentialChange(trx);
      return { row: { ...row, ...value.change }, secret: value.secret };
    });
    users.forgetAccessTokens([id]);
    return rotated;
  }

  #requireRotatable(user: UserPrincipal, row: store.AccessTokenRow): void {
    const own = user.accessTokenID;
    // A session outlives the value that it was created with by nothing, and must not get a new one.
    if (user.session !== undefined && row.id === own) {
      throw new Refusal('credential_kind_not_accepted', {
        detail: 'A session does not rotate the access token with which it was created. Use the token itself.',
      });
    }
    if (own !== undefined && row.id !== own && row.parent_id !== own) {
      if (user.isNarrowed) throw notFound(row.id);
      throw new Refusal('permissions_exceed_own', {
        detail: 'An access token rotates only itself and those that it created. Use the token itself.',
      });
    }
    if (row.revoked_at !== null) throw new Refusal('token_revoked');
    if (row.expires_at !== null && row.expires_at <= this.#options.clock())
      throw new Refusal('token_expired');
    // The next start would make the old value valid again.
    if (row.is_initial === 1) throw new Refusal('token_of_settings');
    if (row.id === own) return;
    const { until, reason } = this.#limitOf(user);
    if (until === null || (row.expires_at !== null && row.expires_at <= until)) return;
    throw new Refusal('expiry_exceeds_own', {
      detail: `This token lasts longer than ${toTimestamp(until)}, ${reason}. Rotate it with itself.`,
    });
  }

  #readExpiry(user: UserPrincipal, input: CreateAccessToken): number | null {
    const asked = readExpiry(input.expiresAt, this.#options.clock());
    const { until, reason } = this.#limitOf(user);
    const expiresAt = asked === undefined ? until : asked;
    if (until === null || (expiresAt !== null && expiresAt <= until)) return expiresAt;
    throw new Refusal('expiry_exceeds_own', {
      detail: `The token may be valid until ${toTimestamp(until)} at the latest, ${reason}.`,
      fields: [{ path: '/expiresAt', message: `must be ${toTimestamp(until)} or earlier` }],
    });
  }

  /** The latest expiry of an access token that this credential creates. An access token creates none that outlives it. */
  #limitOf(user: UserPrincipal): { readonly until: number | null; readonly reason: string } {
    const { clock, providedTokenHours: hours } = this.#options;
    if (user.accessTokenID !== undefined || hours === 0)
      return { until: creatorsEnd(user), reason: 'because the credential that creates it expires then' };
    return {
      until: clock() + hours * hourMilliseconds,
      reason: `because this installation limits users of the identity provider to ${hours} hours (MUSTER_OIDC_ACCESS_TOKEN_HOURS)`,
    };
  }

  async #readNarrowing(
    user: UserPrincipal,
    { permissions, projects }: CreateAccessToken,
  ): Promise<Narrowing> {
    return {
      grants: permissions === undefined || permissions === null ? null : readGrants(permissions),
      projectIDs:
        projects === undefined || projects === null ? null : await this.#readProjects(user, projects),
    };
  }

  /** @throws Refusal not_found, the same for a project that does not exist and for one in which the user has no part */
  async #readProjects(user: UserPrincipal, projects: readonly string[]): Promise<string[]> {
    const ids = [...new Set(projects.map((id) => id.toLowerCase()))];
    const existing = new Set(await this.#options.users.listExisting(ids));
    const missing = ids.find((id) => !existing.has(id) || grantsIn(user, id) === undefined);
    if (missing === undefined) return ids;
    throw new Refusal('not_found', {
      detail: `There is no project ${missing} that this credential can see.`,
    });
  }
}

function changeOf(
  action: AuditChange['action'],
  { id, name }: { readonly id: string; readonly name: string | null },
): AuditChange {
  return { projectID: null, action, target: { kind: 'access_token', id, name } };
}

/** A session ends within days; what is created in it depends on the access token with which it was created. */
function creatorsEnd({ session, accessTokenID, expiresAt }: UserPrincipal): number | null {
  return session === undefined || accessTokenID === undefined ? expiresAt : session.tokenExpiresAt;
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', { detail: `You have no access token ${id}.` });
}

/** A narrowed token sees itself and what was created with it, so that it cannot revoke what may do more. */
function visibleTo({ accessTokenID, isNarrowed }: UserPrincipal): string | undefined {
  return isNarrowed ? accessTokenID : undefined;
}

/** Where nothing is asked for, a token gets the limits of the one that creates it. @throws Refusal permissions_exceed_own */
function withinOwn(own: Narrowing, asked: Narrowing): Narrowing {
  if (own.grants !== null && asked.grants !== null) {
    const surplus = surplusGrants(own.grants, asked.grants);
    if (surplus.length > 0) {
      throw new Refusal('permissions_exceed_own', {
        detail: `Your token is narrowed and does not have ${surplus.map((grant) => `'${grant}'`).join(', ')}, so it cannot create a token with that. Leave it out, or use a token that has it.`,
      });
    }
  }
  return { grants: asked.grants ?? own.grants, projectIDs: asked.projectIDs ?? own.projectIDs };
}
