import { type AddMember, allows, type Grant, type Permission, type UpdateMember } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import { requireGrant, type UserPrincipal } from '../../foundation/credentials/principal.ts';
import { grantsOf } from '../../foundation/credentials/stored-role.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import type { CreatedTokenService } from '../tokens/created-token-service.ts';
import { type TokenService, tokensOf } from '../tokens/token-service.ts';
import type { UserService } from '../users/user-service.ts';
import { revokeInvitationsOf } from './invitation-store.ts';
import { type GivenRole, readRole, refuseMoreThanOwn, refuseStrongerMember } from './member-role.ts';
import * as store from './member-store.ts';

interface MemberServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly users: Pick<UserService, 'findGrants' | 'forgetUser' | 'isUser'>;
  readonly tokens: Pick<TokenService, 'forgetTokens'>;
  readonly createdTokens: Pick<CreatedTokenService, 'count' | 'revoke'>;
}

export interface RemovedMember {
  readonly keptTokensCount: number;
  readonly revokedTokensCount: number;
}

/** Who has which role in a project. */
export class MemberService {
  readonly #options: MemberServiceOptions;

  constructor(options: MemberServiceOptions) {
    this.#options = options;
  }

  async list(user: UserPrincipal, projectID: string, page: Page): Promise<PageOf<store.MemberRow>> {
    const { database, projects } = this.#options;
    await projects.requireProject(user, projectID);
    return toPage(await store.listMembers(database.read, projectID, page), page);
  }

  async add(user: UserPrincipal, projectID: string, input: AddMember): Promise<store.MemberRow> {
    const { users, audit } = this.#options;
    const role = readRole(input);
    const userID = input.userID.toLowerCase();
    const added = await this.change(user, projectID, 'create:member', async (trx, held) => {
      refuseMoreThanOwn(held, role.grants);
      if (!(await users.isUser(trx, userID))) {
        throw new Refusal('not_found', { detail: `There is no user ${userID} in this installation.` });
      }
      const member = await this.insert(trx, { projectID, userID, role, createdByID: user.userID });
      await audit.record(trx, user, addedMember(member));
      return member;
    });
    users.forgetUser(userID);
    return added;
  }

  /** Adds a member inside a transaction of the caller, who records it, and calls `forgetUser` afterwards. @throws Refusal already_member */
  async insert(
    trx: Kysely<Tables>,
    member: {
      readonly projectID: string;
      readonly userID: string;
      readonly role: Pick<GivenRole, 'permissions'> & { readonly role: string };
      readonly createdByID: string;
    },
  ): Promise<store.MemberRow> {
    const { clock, newID } = this.#options;
    const { projectID, userID, createdByID } = member;
    const { role, permissions } = member.role;
    const isNew = await store.insertMember(trx, {
      id: newID(),
      project_id: projectID,
      user_id: userID,
      role,
      permissions,
      created_at: clock(),
      created_by_kind: 'user',
      created_by_id: createdByID,
    });
    if (!isNew) throw new Refusal('already_member');
    return requireMember(await store.findMember(trx, projectID, userID), userID);
  }

  async update(
    user: UserPrincipal,
    projectID: string,
    memberID: string,
    input: UpdateMember,
  ): Promise<store.MemberRow> {
    const { clock, users, audit } = this.#options;
    const given = readRole(input);
    const updated = await this.change(user, projectID, 'update:member', async (trx, held) => {
      const member = requireMember(await store.findMember(trx, projectID, memberID), memberID);
      refuseStrongerMember(held, grantsOf(member));
      refuseMoreThanOwn(held, given.grants);
      if (given.role !== 'owner') await refuseLastOwner(trx, user, 'update:member', member);
      const { role, permissions } = given;
      await store.updateMember(trx, member.id, { role, permissions });
      await revokeInvitationsOf(trx, projectID, { userID: memberID, at: clock() });
      const updated = { ...member, role, permissions };
      await audit.record(trx, user, {
        ...changeOf('member.updated', member),
        before: roleOf(member),
        after: roleOf(updated),
      });
      return updated;
    });
    users.forgetUser(memberID);
    return updated;
  }

  /**
   * Ends what the user may do in the project, with any credential. Tokens of the project that the user has created belong to the project: agents
   * depend on them, so they are only revoked if that is asked for.
   */
  async remove(
    user: UserPrincipal,
    projectID: string,
    memberID: string,
    { revokeTokens }: { readonly revokeTokens: boolean },
  ): Promise<RemovedMember> {
    const { clock, users, tokens, createdTokens, audit } = this.#options;
    const removed = await this.change(user, projectID, 'delete:member', async (trx, held) => {
      const member = requireMember(await store.findMember(trx, projectID, memberID), memberID);
      refuseStrongerMember(held, grantsOf(member));
      await refuseLastOwner(trx, user, 'delete:member', member);
      if (revokeTokens) requireGrant(held, 'delete:token');
      await store.deleteMember(trx, member.id);
      await revokeInvitationsOf(trx, projectID, { userID: memberID, at: clock() });
      const revoked = revokeTokens
        ? await createdTokens.revoke(trx, user, { projectID, userID: memberID })
        : [];
      const keptTokensCount = await createdTokens.count(trx, { projectID, userID: memberID });
      await audit.record(trx, user, {
        ...changeOf('member.removed', member),
        before: roleOf(member),
        after: { keptTokensCount, revokedTokensCount: revoked.length },
      });
      return { revoked, keptTokensCount };
    });
    users.forgetUser(memberID);
    tokens.forgetTokens(removed.revoked);
    return { keptTokensCount: removed.keptTokensCount, revokedTokensCount: removed.revoked.length };
  }

  /**
   * Changes who may do what in a project. Such changes, and those of the project's tokens, are made one after the other, and what the caller may do is
   * read again: it may have ended since the request was admitted.
   *
   * @throws Refusal not_found, permission_denied, revoked_credential
   */
  async change<Result>(
    user: UserPrincipal,
    projectID: string,
    permission: Permission,
    work: (trx: Kysely<Tables>, held: readonly Grant[]) => Promise<Result>,
  ): Promise<Result> {
    const { database, projects, users } = this.#options;
    await projects.requireProject(user, projectID);
    return database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      const held = await users.findGrants(trx, user, projectID);
      requireGrant(held, permission);
      const result = await work(trx, held);
      await noteCredentialChange(trx);
      return result;
    });
  }
}

/** For the audit log. */
export function addedMember(row: store.MemberRow): AuditChange {
  return { ...changeOf('member.added', row), after: roleOf(row) };
}

function changeOf(action: AuditChange['action'], row: store.MemberRow): AuditChange {
  return { projectID: row.project_id, action, target: { kind: 'member', id: row.user_id, name: row.name } };
}

function roleOf(row: store.MemberRow) {
  return { role: row.role, permissions: grantsOf(row) };
}

function requireMember(row: store.MemberRow | undefined, userID: string): store.MemberRow {
  if (row !== undefined) return row;
  throw new Refusal('not_found', { detail: `There is no member ${userID} of this project.` });
}

/** An administrator of the installation stays responsible for a project without an owner. */
export async function refuseLastOwner(
  trx: Kysely<Tables>,
  user: UserPrincipal,
  permission: Permission,
  member: store.MemberRow,
): Promise<void> {
  if (member.role !== 'owner' || allows(user.access.installation, permission)) return;
  if (await store.hasOtherOwner(trx, member.project_id, member.user_id)) return;
  throw new Refusal('last_owner');
}
