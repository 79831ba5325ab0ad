import {
  type CreateToken,
  explainInvalidGrant,
  foldGrants,
  formatProjectToken,
  type Grant,
  isGrant,
  isWellFormedToken,
  presets,
  type UpdateToken,
} from '@muster/contract';
import type { Kysely } from 'kysely';
import type { RegistrationService } from '../agents/registration-service.ts';
import type { CacheFigures } from '../cache-figures.ts';
import { type Clock, type MonotonicClock, type NewID, toTimestamp } from '../clock.ts';
import { type ChoosePace, CredentialCache } from '../credentials/credential-cache.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { StoredCredential } from '../credentials/credential-look-ups.ts';
import {
  actorOf,
  hasPartIn,
  type Principal,
  type ProjectTokenPrincipal,
  type UserPrincipal,
} from '../credentials/principal.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { type Page, type PageOf, toPage } from '../page.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { readExpiry } from '../read-expiry.ts';
import { Refusal } from '../refusal.ts';
import { type RandomBytes, Secret } from '../secret.ts';
import { WriteBehind } from '../write-behind.ts';
import { checkGift, checkGiftOfUser, findMaker, planChange, storedGrants } from './delegation.ts';
import { effectiveGrants } from './token.ts';
import * as store from './token-store.ts';

interface TokenServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  /** What a user may do in a project, read inside a transaction of the caller. */
  readonly findGrants: (
    trx: Kysely<Tables>,
    user: UserPrincipal,
    projectID: string,
  ) => Promise<readonly Grant[]>;
  readonly registrations: Pick<RegistrationService, 'flushReporters'>;
  /** Maximum lifetime of a token that a user of the identity provider creates or extends; 0: no limit. */
  readonly providedTokenDays: number;
  readonly onFailure: (error: unknown) => void;
}

/** A token that was just created, with the only copy of its value. */
export interface NewToken {
  readonly row: store.TokenRowWithCount;
  readonly secret: Secret;
}

const lastUsedIntervalMilliseconds = 5_000;
const dayMilliseconds = 86_400_000;

export class TokenService {
  readonly #options: TokenServiceOptions;
  readonly #credentials: CredentialCache;
  readonly #lastUsed: WriteBehind<number>;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
    this.#lastUsed = new WriteBehind({
      merge: Math.max,
      write: (portion) => store.updateLastUsed(options.database, portion),
      onFailure: options.onFailure,
      intervalMilliseconds: lastUsedIntervalMilliseconds,
    });
    this.#credentials = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      isWellFormed: (value) => isWellFormedToken('project', value),
      find: (digests) => this.#findCredentials(digests),
      areAllRandom: true,
      onUse: (principal, at) => {
        if (principal.kind === 'project') this.#lastUsed.add(principal.tokenID, at);
      },
    });
  }

  /** The principal of a project token. @throws Refusal with a 401 code (also as a rejection) */
  authenticate(value: string, choosePace: ChoosePace): Principal | Promise<Principal> {
    return this.#credentials.check(value, choosePace);
  }

  /** Figures of the caches of valid and of refused credentials. */
  get credentialFigures(): Readonly<Record<'known' | 'refused', CacheFigures>> {
    return { known: this.#credentials.figures, refused: this.#credentials.refusedFigures };
  }

  recall(value: string): Principal | undefined {
    return this.#credentials.recall(value);
  }

  recallRefusal(value: string): Refusal | undefined {
    return this.#credentials.recallRefusal(value);
  }

  async list(
    principal: Principal,
    projectID: string,
    filter: Pick<store.TokenFilter, 'name' | 'status'>,
    page: Page,
  ): Promise<PageOf<store.TokenRowWithCount>> {
    const { database, clock, projects, registrations } = this.#options;
    await projects.requireProject(principal, projectID);
    await Promise.all([this.#lastUsed.flush(), registrations.flushReporters()]);
    const rows = await store.listTokens(
      database.read,
      database.engine,
      { ...filter, projectID, now: clock() },
      page,
    );
    return toPage(rows, page);
  }

  async get(principal: Principal, tokenID: string): Promise<store.TokenRowWithCount> {
    await Promise.all([this.#lastUsed.flushKeys([tokenID]), this.#options.registrations.flushReporters()]);
    return this.#requireToken(this.#options.database.read, principal, tokenID);
  }

  async create(principal: Principal, projectID: string, input: CreateToken): Promise<NewToken> {
    await this.#options.projects.requireProject(principal, projectID);
    const wanted = input.permissions ?? presets.agent;
    const grants = readGrants(wanted);
    const asked = readExpiry(input.expiresAt, this.#options.clock());
    const until = this.#limitOf(principal);
    const expiresAt = asked === undefined && until !== undefined ? until : asked;
    refuseLasting(expiresAt, until);
    const { database } = this.#options;
    return database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      const maker = await findMaker(trx, principal);
      const held = await this.#findHeld(trx, principal, projectID);
      if (held !== undefined) checkGiftOfUser(held, grants);
      return this.insert(trx, {
        projectID,
        name: input.name,
        grants,
        expiresAt:
          maker === undefined || principal.kind !== 'project'
            ? (expiresAt ?? null)
            : await checkGift(trx, principal.tokenID, maker, { grants, expiresAt }),
        creator: principal,
      });
    });
  }

  /** Creates a token inside a transaction of the caller, without any check. */
  async insert(
    trx: Kysely<Tables>,
    token: {
      readonly projectID: string;
      readonly name: string;
      readonly grants: readonly Grant[];
      readonly expiresAt: number | null;
      /** Undefined: the service itself. */
      readonly creator: Principal | undefined;
    },
  ): Promise<NewToken> {
    const { clock, newID, randomBytes } = this.#options;
    const id = newID();
    const secret = new Secret(
      formatProjectToken({ projectID: token.projectID, tokenID: id }, randomBytes(32)),
    );
    const actor = token.creator === undefined ? { kind: 'system', id: null } : actorOf(token.creator);
    const row = {
      id,
      project_id: token.projectID,
      name: token.name,
      permissions: JSON.stringify(token.grants),
      digest: secret.digest(),
      last_four: secret.lastFour(),
      created_at: clock(),
      expires_at: token.expiresAt,
      last_used_at: null,
      revoked_at: null,
      created_by_kind: actor.kind,
      created_by_id: actor.id,
      parent_id: token.creator?.kind === 'project' ? token.creator.tokenID : null,
      own_permissions: null,
    };
    await store.insertToken(trx, row);
    return { row: { ...row, agents_count: 0 }, secret };
  }

  async update(principal: Principal, tokenID: string, input: UpdateToken): Promise<store.TokenRowWithCount> {
    const { database, clock } = this.#options;
    const grants = input.permissions === undefined ? undefined : readGrants(input.permissions);
    const expiresAt = readExpiry(input.expiresAt, clock());
    refuseLasting(expiresAt, this.#limitOf(principal));
    const { project_id: projectID } = await this.#requireToken(database.read, principal, tokenID);
    const changed = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      const descendants = await store.lockWithDescendants(trx, database.engine, tokenID);
      const row = await this.#requireToken(trx, principal, tokenID);
      if (row.revoked_at !== null) throw new Refusal('token_revoked');
      const held = await this.#findHeld(trx, principal, projectID);
      const change = await planChange(trx, principal, row, { grants, expiresAt }, held);
      await store.updateToken(trx, tokenID, { ...change, name: input.name ?? row.name });
      if (change.expires_at !== null) await store.endDescendantsBy(trx, tokenID, change.expires_at);
      await noteCredentialChange(trx);
      return [tokenID, ...descendants];
    });
    this.#forget(changed);
    return this.get(principal, tokenID);
  }

  async revoke(principal: Principal, tokenID: string): Promise<void> {
    const { database, clock } = this.#options;
    const { project_id: projectID } = await this.#requireToken(database.read, principal, tokenID);
    const revoked = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      await store.lockWithDescendants(trx, database.engine, tokenID);
      const ids = await store.revokeTokens(trx, tokenID, clock());
      await noteCredentialChange(trx);
      return ids;
    });
    this.#forget(revoked);
  }

  /** Called when a project was deleted: its tokens are no longer valid. */
  forgetProject(projectID: string): void {
    this.#credentials.forget(
      (principal) => principal.kind === 'project' && principal.projectID === projectID,
    );
  }

  /** Called when other replicas may have changed any credential. */
  forgetCredentials(): void {
    this.#credentials.forgetAll();
  }

  async close(): Promise<void> {
    await this.#lastUsed.close();
  }

  /** The latest expiry of a token that the caller creates or extends; undefined: no limit. */
  #limitOf(principal: Principal): number | undefined {
    const { clock, providedTokenDays: days } = this.#options;
    const isLimited = principal.kind === 'access' && principal.isProvided && days > 0;
    return isLimited ? clock() + days * dayMilliseconds : undefined;
  }

  /** What the calling user may do in the project now; undefined for other callers. */
  async #findHeld(trx: Kysely<Tables>, principal: Principal, projectID: string) {
    return principal.kind === 'access' ? this.#options.findGrants(trx, principal, projectID) : undefined;
  }

  #forget(tokenIDs: readonly string[]): void {
    const changed = new Set(tokenIDs);
    this.#credentials.forget((principal) => principal.kind === 'project' && changed.has(principal.tokenID));
  }

  /** Finds a token. A token of a project that the caller cannot access is refused like a missing one. */
  async #requireToken(
    db: Kysely<Tables>,
    principal: Principal,
    tokenID: string,
  ): Promise<store.TokenRowWithCount> {
    const row = await store.findToken(db, tokenID);
    if (row === undefined || !hasPartIn(principal, row.project_id)) {
      throw new Refusal('not_found', {
        detail: `There is no token ${tokenID} that this credential can see.`,
      });
    }
    return row;
  }

  async #findCredentials(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const rows = await store.listTokensByDigest(this.#options.database, digests);
    return new Map(
      rows.map(({ row, lineage }) => {
        const principal: ProjectTokenPrincipal = {
          kind: 'project',
          tokenID: row.id,
          name: row.name,
          projectID: row.project_id,
          grants: effectiveGrants(lineage.map(storedGrants)),
          expiresAt: row.expires_at,
        };
        return [row.digest, { principal, revoked: row.revoked_at !== null }];
      }),
    );
  }
}

/** The lock that serializes creating, changing and revoking the tokens of a project. */
function tokensOf(projectID: string): string {
  return `tokens of ${projectID}`;
}

export function grantsOf(row: Pick<store.TokenRow, 'permissions'>): Grant[] {
  return JSON.parse(row.permissions) as Grant[]; // only this service writes it
}

/** @throws Refusal invalid_permission, which names the element and the nearest valid one */
function readGrants(permissions: readonly string[]): Grant[] {
  const fields = permissions.flatMap((text, index) =>
    isGrant(text) ? [] : [{ path: `/permissions/${index}`, message: explainInvalidGrant(text) }],
  );
  if (fields.length > 0) {
    throw new Refusal('invalid_permission', {
      detail: fields.map(({ message }) => message).join(' '),
      fields,
    });
  }
  return foldGrants(permissions.filter(isGrant));
}

/** @throws Refusal expiry_exceeds_own */
function refuseLasting(expiresAt: number | null | undefined, until: number | undefined): void {
  if (expiresAt === undefined || until === undefined) return;
  if (expiresAt !== null && expiresAt <= until) return;
  throw new Refusal('expiry_exceeds_own', {
    detail: `The token may be valid until ${toTimestamp(until)} at most, because this installation limits tokens that users of the identity provider create (MUSTER_OIDC_PROJECT_TOKEN_DAYS).`,
    fields: [{ path: '/expiresAt', message: `must be ${toTimestamp(until)} or earlier` }],
  });
}
