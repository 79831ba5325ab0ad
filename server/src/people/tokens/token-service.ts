import { isDeepStrictEqual } from 'node:util';
import {
  allows,
  type CreateToken,
  formatProjectToken,
  type Grant,
  isWellFormedToken,
  presets,
  type RevokeToken,
  type UpdateToken,
} from '@muster/contract';
import { ReportRates } from '@muster/http/limits/report-rate';
import type { Kysely } from 'kysely';
import type { RegistrationService } from '../../fleet/agents/registration-service.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import type { Clock, MonotonicClock, NewID } from '../../foundation/clock.ts';
import { CredentialCache } from '../../foundation/credentials/credential-cache.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import {
  actorOf,
  grantsIn,
  hasPartIn,
  nameOf,
  type Principal,
  type ProjectTokenPrincipal,
  requireGrant,
  type UserPrincipal,
} from '../../foundation/credentials/principal.ts';
import { readExpiry } from '../../foundation/credentials/read-expiry.ts';
import { readGrants } from '../../foundation/credentials/read-grants.ts';
import type { StoredCredential } from '../../foundation/credentials/stored-credential.ts';
import { TokenUse } from '../../foundation/credentials/token-use.ts';
import type { Database } from '../../foundation/database/database.ts';
import { createFindMoving } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { type RandomBytes, Secret } from '../../foundation/secret.ts';
import { type AuditService, changedValues } from '../../record/audit/audit-service.ts';
import type { EarlierSecret, RotationRequest, RotationService } from '../rotations/rotation-service.ts';
import { auditedToken, createdToken, tokenChange } from './audited-token.ts';
import {
  checkGift,
  checkGiftOfUser,
  findMaker,
  planChange,
  planHandOver,
  storedGrants,
} from './delegation.ts';
import { deleteEndedTokens, revokeTokens } from './ended-token-store.ts';
import { type ChosenValue, newTokenRow, type TokenToInsert } from './new-token-row.ts';
import { listTokensByDigest } from './presented-token-store.ts';
import { effectiveGrants, statusAt } from './token.ts';
import { latestExpiry, refuseLasting } from './token-input.ts';
import { planLimits, readLimits, refuseLimitsOf } from './token-limits.ts';
import * as store from './token-store.ts';
import {
  countStoppingAgents,
  deleteOldDays,
  findOriginsOfEarlier,
  findUses,
  listAgentsOfToken,
} from './token-use-store.ts';
import { TokenUses } from './token-uses.ts';

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
  readonly rotations: RotationService;
  readonly audit: Pick<AuditService, 'record'>;
  /** Called in the same turn of the event loop in which tokens of agents have ended. */
  readonly onAgentsEnded: () => void;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly registrations: Pick<RegistrationService, 'flushReporters'>;
  /** Maximum lifetime of a token that a user of the identity provider creates or extends; 0: no limit. */
  readonly providedTokenDays: number;
  readonly onFailure: (error: unknown) => void;
}

/** A token with its values from before rotations that are still accepted, newest first. */
export type ShownToken = store.TokenRowWithCount & { readonly earlier: readonly EarlierSecret[] };

/** A token that was just created or rotated, with the only copy of its value. */
export interface NewToken {
  readonly row: ShownToken;
  readonly secret: Secret;
}

const dayMilliseconds = 86_400_000;
const maxShownAgents = 100;

/** Ends values from before rotations. */
const byFirstUse = { kind: 'system', name: 'first use of a newer value' } as const;

export class TokenService {
  readonly #options: TokenServiceOptions;
  readonly credentials: CredentialCache;
  readonly #uses: TokenUses;
  readonly #reportRates = new ReportRates();

  constructor(options: TokenServiceOptions) {
    this.#options = options;
    this.#uses = new TokenUses(options);
    this.credentials = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      isWellFormed: (value) => isWellFormedToken('project', value),
      find: (digests) => this.#findCredentials(digests),
      findMoving: createFindMoving(options.database, 'project'),
      areAllRandom: true,
      onUse: (principal, at) => {
        if (principal.kind === 'project' && principal.use !== undefined) this.#uses.note(principal.use, at);
      },
    });
  }

  /** Writes what is only counted in memory of the use of tokens. */
  async flush(): Promise<void> {
    await this.#uses.flush();
  }

  async list(
    principal: Principal,
    projectID: string,
    filter: Pick<store.TokenFilter, 'name' | 'status'>,
    page: Page,
  ): Promise<PageOf<ShownToken>> {
    const { database } = this.#options;
    const wanted = await this.#prepareList(principal, projectID, filter);
    const rows = await store.listTokens(database.read, database.engine, wanted, page);
    return toPage(await this.#withEarlier(rows), page);
  }

  /** Only tokens that expire, the soonest first. */
  async listByExpiry(
    principal: Principal,
    projectID: string,
    filter: Pick<store.TokenFilter, 'name' | 'status'>,
    page: { readonly limit: number; readonly before: store.ExpiryPosition | undefined },
  ): Promise<PageOf<ShownToken>> {
    const { database } = this.#options;
    const wanted = await this.#prepareList(principal, projectID, filter);
    const rows = await store.listTokensByExpiry(database.read, database.engine, wanted, page);
    return toPage(await this.#withEarlier(rows), { limit: page.limit, before: undefined });
  }

  /** @throws Refusal not_found */
  async #prepareList(
    principal: Principal,
    projectID: string,
    filter: Pick<store.TokenFilter, 'name' | 'status'>,
  ): Promise<store.TokenFilter> {
    const { clock, projects, registrations } = this.#options;
    await projects.requireProject(principal, projectID);
    await Promise.all([this.#uses.flush(), registrations.flushReporters()]);
    return { ...filter, projectID, now: clock() };
  }

  async get(principal: Principal, tokenID: string): Promise<ShownToken> {
    await Promise.all([this.#uses.flush(), this.#options.registrations.flushReporters()]);
    const row = await this.#requireToken(this.#options.database.read, principal, tokenID);
    const [shown = { ...row, earlier: [] }] = await this.#withEarlier([row]);
    return shown;
  }

  /** How a token is used, and the agents behind it: only their number for a caller that may not read agents. */
  async getUsage(principal: Principal, tokenID: string) {
    const { read } = this.#options.database;
    const token = await this.get(principal, tokenID);
    const seesAgents = allows(grantsIn(principal, token.project_id) ?? [], 'read:agent');
    const [uses, ofEarlier, stopping, agents] = [
      await findUses(read, tokenID),
      await findOriginsOfEarlier(
        read,
        token.earlier.map(({ digest }) => digest),
      ),
      await countStoppingAgents(read, tokenID),
      seesAgents ? await listAgentsOfToken(read, tokenID, maxShownAgents) : [],
    ];
    return { token, ...uses, ofEarlier, stopping, agents };
  }

  async create(principal: Principal, projectID: string, input: CreateToken): Promise<NewToken> {
    await this.#options.projects.requireProject(principal, projectID);
    const wanted = input.permissions ?? presets.agent;
    const grants = readGrants(wanted);
    const limits = planLimits(input);
    const asked = readExpiry(input.expiresAt, this.#options.clock());
    const until = this.#limitOf(principal);
    const expiresAt = asked === undefined && until !== undefined ? until : asked;
    refuseLasting(expiresAt, until);
    const { database, audit } = this.#options;
    return database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      const maker = await findMaker(trx, principal);
      const held = await this.#findHeld(trx, principal, projectID);
      if (held !== undefined) checkGiftOfUser(held, grants);
      const created = await this.insert(trx, {
        projectID,
        name: input.name,
        grants,
        limits,
        expiresAt:
          maker === undefined || principal.kind !== 'project'
            ? (expiresAt ?? null)
            : await checkGift(trx, principal.tokenID, maker, { grants, expiresAt }),
        creator: principal,
      });
      await audit.record(trx, principal, createdToken(created.row));
      return created;
    });
  }

  /** Creates a token inside a transaction of the caller, who records it, without any check. */
  async insert(
    trx: Kysely<Tables>,
    token: TokenToInsert & {
      /** Absent: a new one. */
      readonly value?: ChosenValue;
    },
  ): Promise<NewToken> {
    const value = token.value ?? this.#newValue(token.projectID);
    const row = newTokenRow(token, value, this.#options.clock());
    await store.insertToken(trx, row);
    return { row: { ...row, agents_count: 0, earlier: [] }, secret: value.secret };
  }

  #newValue(projectID: string): ChosenValue {
    const { newID, randomBytes } = this.#options;
    const id = newID();
    return { id, secret: new Secret(formatProjectToken({ projectID, tokenID: id }, randomBytes(32))) };
  }

  async update(principal: Principal, tokenID: string, input: UpdateToken): Promise<ShownToken> {
    const { database, clock, audit } = this.#options;
    const grants = input.permissions === undefined ? undefined : readGrants(input.permissions);
    const limits = planLimits(input);
    if (principal.kind === 'project') refuseLimitsOf(limits);
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
      const columns = { ...change, ...limits, name: input.name ?? row.name };
      await store.updateToken(trx, tokenID, columns);
      if (change.expires_at !== null) await store.endDescendantsBy(trx, tokenID, change.expires_at);
      await audit.record(trx, principal, {
        ...tokenChange('token.updated', row),
        ...changedValues(auditedToken(row), auditedToken({ ...row, ...columns })),
      });
      if (!isDeepStrictEqual({ ...row, ...columns }, row)) await noteCredentialChange(trx);
      return [tokenID, ...descendants];
    });
    this.forgetTokens(changed);
    return this.get(principal, tokenID);
  }

  /**
   * Gives a token a new value. Its expiry stays.
   *
   * @throws Refusal token_revoked, token_expired, and what `RotationService.rotate` and `planHandOver` throw
   */
  async rotate(principal: Principal, tokenID: string, request: RotationRequest): Promise<NewToken> {
    const { database, clock, rotations, audit } = this.#options;
    const { project_id: projectID } = await this.#requireToken(database.read, principal, tokenID);
    const { secret, changed } = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      const descendants = await store.lockWithDescendants(trx, database.engine, tokenID);
      const row = await this.#requireToken(trx, principal, tokenID);
      const status = statusAt(clock(), { expiresAt: row.expires_at, revokedAt: row.revoked_at });
      if (status === 'revoked') throw new Refusal('token_revoked');
      if (status === 'expired') throw new Refusal('token_expired');
      refuseLasting(row.expires_at, this.#limitOf(principal));
      const held = await this.#findHeld(trx, principal, projectID);
      const handOver = await planHandOver(trx, principal, row, held);
      const rotated = await rotations.rotate(trx, row, request, (random) =>
        formatProjectToken({ projectID, tokenID }, random),
      );
      if (rotated.change === undefined) return { secret: rotated.secret, changed: [] };
      await store.updateToken(trx, tokenID, {
        ...handOver,
        ...rotated.change,
        rotated_by_id: await this.#findRotator(trx, principal, tokenID, request),
      });
      await audit.record(trx, principal, {
        ...tokenChange('token.rotated', row),
        after: { graceSeconds: request.input.graceSeconds, retireOnUse: request.input.retireOnUse },
      });
      await noteCredentialChange(trx);
      return { secret: rotated.secret, changed: [tokenID, ...descendants] };
    });
    this.forgetTokens(changed);
    return { row: await this.get(principal, tokenID), secret };
  }

  /** Who knows the new value of a token: whoever has sent a value of it to get the next one knows both. */
  async #findRotator(
    trx: Kysely<Tables>,
    principal: Principal,
    tokenID: string,
    { credential }: RotationRequest,
  ): Promise<string | null> {
    if (principal.kind === 'access') return principal.userID;
    const isOwn = principal.kind === 'project' && principal.tokenID === tokenID;
    return isOwn ? this.#options.rotations.findRotator(trx, tokenID, credential.digest()) : null;
  }

  /** Of a token by itself. By default, a lost answer must not lock it out. */
  async rotateOwn(principal: ProjectTokenPrincipal, request: RotationRequest): Promise<NewToken> {
    const { graceSeconds, retireOnUse } = request.input;
    const isSilent = graceSeconds === undefined && retireOnUse === undefined;
    return this.rotate(principal, principal.tokenID, {
      ...request,
      input: isSilent ? { retireOnUse: true } : request.input,
    });
  }

  /**
   * Revokes a token and those that depend on it.
   *
   * @throws Refusal permission_denied, if agents shall end with it and the caller may not delete agents
   */
  async revoke(principal: Principal, tokenID: string, input: RevokeToken = {}): Promise<void> {
    const { database, clock, audit } = this.#options;
    const token = await this.#requireToken(database.read, principal, tokenID);
    const { project_id: projectID } = token;
    const endsAgents = input.revokeAgents === true;
    if (endsAgents) requireGrant(grantsIn(principal, projectID) ?? [], 'delete:agent');
    const by = { ...actorOf(principal), name: nameOf(principal) };
    const revocation = { at: clock(), by, reason: input.reason ?? null, endsAgents };
    const revoked = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      await store.lockWithDescendants(trx, database.engine, tokenID);
      const ids = await revokeTokens(trx, tokenID, revocation);
      await audit.record(trx, principal, {
        ...tokenChange('token.revoked', token),
        after: { reason: revocation.reason, revokeAgents: endsAgents, tokensCount: ids.length },
      });
      await noteCredentialChange(trx);
      return ids;
    });
    this.forgetTokens(revoked);
    if (endsAgents) this.#options.onAgentsEnded();
  }

  /** @param before milliseconds: tokens that ended earlier are removed. */
  async purge(before: number): Promise<void> {
    const { database, closing } = this.#options;
    await deleteEndedTokens(database, closing, before);
    await deleteOldDays(database, closing, Math.floor(before / dayMilliseconds));
  }

  /** Call it after a transaction that changed or revoked these. */
  forgetTokens(tokenIDs: readonly string[]): void {
    const changed = new Set(tokenIDs);
    this.credentials.forget((principal) => principal.kind === 'project' && changed.has(principal.tokenID));
  }

  /** Called when a project was deleted: its tokens are no longer valid. */
  forgetProject(projectID: string): void {
    this.credentials.forget((principal) => principal.kind === 'project' && principal.projectID === projectID);
  }

  async close(): Promise<void> {
    await this.#uses.close();
  }

  #limitOf(principal: Principal): number | undefined {
    const { clock, providedTokenDays } = this.#options;
    return latestExpiry(principal, providedTokenDays, clock());
  }

  /** What the calling user may do in the project now; undefined for other callers. */
  async #findHeld(trx: Kysely<Tables>, principal: Principal, projectID: string) {
    return principal.kind === 'access' ? this.#options.findGrants(trx, principal, projectID) : undefined;
  }

  /** Finds a token. A token of a project that the caller cannot access is refused like a missing one. */
  async #requireToken(
    db: Kysely<Tables>,
    principal: Principal,
    tokenID: string,
  ): Promise<store.TokenRowWithCount> {
    const row = await store.findToken(db, tokenID);
    if (row === undefined || !hasPartIn(principal, row.project_id)) {
      // It was removed, with its project, after it was admitted.
      if (principal.kind === 'project' && principal.tokenID === tokenID)
        throw new Refusal('invalid_credential');
      throw new Refusal('not_found', {
        detail: `There is no token ${tokenID} that this credential can see.`,
      });
    }
    return row;
  }

  /** The tokens of a project with these ids, as a request with their current values would find them. */
  async findForSite(
    projectID: string,
    tokenIDs: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<StoredCredential, 'principal' | 'revoked'>>> {
    const { database } = this.#options;
    const rows = await store.listCurrentDigests(database.read, database.engine, projectID, tokenIDs);
    const found = await this.#findCredentials(rows.map(({ digest }) => digest));
    return new Map(
      rows.flatMap(({ id, digest }) => {
        const credential = found.get(digest);
        return credential === undefined ? [] : [[id, credential] as const];
      }),
    );
  }

  /** Records that a site passed on what somebody sent with the token. */
  noteUse({ use }: ProjectTokenPrincipal, at: number): void {
    if (use !== undefined) this.#uses.note(use, at);
  }

  async #findCredentials(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const { database, clock } = this.#options;
    const rows = await listTokensByDigest(database, digests, clock());
    return new Map(
      rows.map(({ row, lineage, value }) => {
        const principal: ProjectTokenPrincipal = {
          kind: 'project',
          tokenID: row.id,
          name: row.name,
          projectID: row.project_id,
          grants: effectiveGrants(lineage.map(storedGrants)),
          expiresAt: row.expires_at,
          limits: readLimits(lineage, this.#reportRates),
          use: new TokenUse(row.id, value.isEarlier ? value.digest : undefined),
          earlierValue: value.isEarlier ? { endsAt: value.endsAt } : undefined,
        };
        const noteFirstUse = value.isAwaited ? this.#firstUseOf(row.id, value.number) : undefined;
        return [value.digest, { principal, revoked: row.revoked_at !== null, noteFirstUse }];
      }),
    );
  }

  /** Callers that look up the same value together share one transaction. */
  #firstUseOf(tokenID: string, number: number): () => Promise<void> {
    let noted: Promise<void> | undefined;
    return () => {
      noted ??= this.#noteFirstUse(tokenID, number);
      return noted;
    };
  }

  /**
   * Ends the earlier values that wait for the first use of this one. It is committed before the request with the new value is admitted: every
   * request that starts after its answer finds them ended, on every replica.
   */
  async #noteFirstUse(tokenID: string, number: number): Promise<void> {
    const { database, rotations, audit } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      if (!(await rotations.noteFirstUse(trx, tokenID, number))) return;
      const row = await store.findToken(trx, tokenID);
      if (row !== undefined)
        await audit.record(trx, byFirstUse, tokenChange('token.earlier_values_ended', row));
      await noteCredentialChange(trx);
    });
    this.forgetTokens([tokenID]);
  }

  async #withEarlier(rows: readonly store.TokenRowWithCount[]): Promise<ShownToken[]> {
    const { database, rotations } = this.#options;
    const earlier = await rotations.listEarlier(
      database.read,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, earlier: earlier.get(row.id) ?? [] }));
  }
}

/** The lock that serializes changes of who may do what in a project: of its tokens and of its members. */
export function tokensOf(projectID: string): string {
  return `tokens of ${projectID}`;
}

export function grantsOf(row: Pick<store.TokenRow, 'permissions'>): Grant[] {
  return JSON.parse(row.permissions) as Grant[]; // only this service writes it
}
