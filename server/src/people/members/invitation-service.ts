import {
  allows,
  type CreateInvitation,
  formatInvitationCode,
  invitationDays,
  isWellFormedInvitationCode,
  maxOpenInvitations,
  surplusGrants,
} from '@muster/contract';
import type { Kysely } from 'kysely';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { type Clock, type NewID, toTimestamp } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import { hasPartIn, type RequestOrigin, type UserPrincipal } from '../../foundation/credentials/principal.ts';
import { grantsOf } from '../../foundation/credentials/stored-role.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { digestToken, type RandomBytes, Secret } from '../../foundation/secret.ts';
import type { AuditActor, AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import { tokensOf } from '../tokens/token-service.ts';
import { createdUser, type UserService } from '../users/user-service.ts';
import * as store from './invitation-store.ts';
import { readRole, refuseMoreThanOwn } from './member-role.ts';
import { addedMember, type MemberService } from './member-service.ts';
import type { MemberRow } from './member-store.ts';

interface InvitationServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  readonly randomBytes: RandomBytes;
  readonly projects: Pick<ProjectService, 'find' | 'requireProject'>;
  readonly users: Pick<UserService, 'findGrantsOf' | 'forgetUser' | 'insertUser'>;
  readonly members: Pick<MemberService, 'change' | 'insert'>;
  /** People sign in through an identity provider: no user is created by an invitation. */
  readonly hasIdentityProvider: boolean;
}

export interface NewInvitation {
  readonly row: store.InvitationRow;
  readonly code: Secret;
}

/** What the holder of a code sees before they accept the invitation. */
export interface ShownInvitation {
  readonly id: string;
  readonly projectName: string;
}

/** A user who was created by an invitation, with their first access token. */
export interface SignedUpUser {
  readonly member: MemberRow;
  readonly token: Secret;
}

const dayMilliseconds = 86_400_000;

/** Invitations: codes that make somebody a member of a project, once. */
export class InvitationService {
  readonly #options: InvitationServiceOptions;

  constructor(options: InvitationServiceOptions) {
    this.#options = options;
  }

  async list(user: UserPrincipal, projectID: string, page: Page): Promise<PageOf<store.InvitationRow>> {
    const { database, projects, clock } = this.#options;
    await projects.requireProject(user, projectID);
    return toPage(await store.listInvitations(database.read, projectID, clock(), page), page);
  }

  async create(user: UserPrincipal, projectID: string, input: CreateInvitation): Promise<NewInvitation> {
    const { clock, newID, randomBytes, members, audit } = this.#options;
    const given = readRole(input);
    const code = new Secret(formatInvitationCode(randomBytes(32)));
    const now = clock();
    const row = {
      id: newID(),
      project_id: projectID,
      role: given.role,
      permissions: given.permissions,
      email: input.email ?? null,
      digest: code.digest(),
      created_at: now,
      created_by_id: user.userID,
      expires_at: now + invitationDays * dayMilliseconds,
      accepted_at: null,
      accepted_by_id: null,
      revoked_at: null,
    };
    await members.change(user, projectID, 'create:member', async (trx, held) => {
      refuseMoreThanOwn(held, given.grants);
      if ((await store.countOpenInvitations(trx, projectID, now)) >= maxOpenInvitations)
        throw new Refusal('too_many_invitations');
      await store.insertInvitation(trx, row);
      await audit.record(trx, user, {
        ...changeOf('invitation.created', row),
        after: {
          role: row.role,
          permissions: given.grants,
          email: row.email,
          expiresAt: toTimestamp(row.expires_at),
        },
      });
    });
    return { row, code };
  }

  /**
   * Ends an invitation. One that was revoked before stays as it is.
   *
   * @throws Refusal not_found, invitation_accepted
   */
  async revoke(user: UserPrincipal, id: string): Promise<void> {
    const { database, clock, members, audit } = this.#options;
    const row = await store.findInvitation(database.read, id);
    if (row === undefined || !hasPartIn(user, row.project_id)) {
      throw new Refusal('not_found', {
        detail: `There is no invitation ${id} that this credential can see.`,
      });
    }
    await members.change(user, row.project_id, 'delete:member', async (trx) => {
      // Somebody may have accepted it meanwhile. The lock of the project keeps this answer true.
      const current = await store.findInvitation(trx, id);
      if (current?.accepted_at != null) throw new Refusal('invitation_accepted');
      if (current === undefined || current.revoked_at !== null) return;
      await store.revokeInvitation(trx, id, clock());
      await audit.record(trx, user, changeOf('invitation.revoked', row));
    });
  }

  /** @throws Refusal not_found, invitation_ended */
  async describe(code: string): Promise<ShownInvitation> {
    const { database, projects } = this.#options;
    const invitation = await this.#find(database.read, code);
    await this.#refuseEnded(database.read, invitation);
    const project = await projects.find(database.read, invitation.project_id);
    if (project === undefined) throw new Refusal('invitation_ended');
    return { id: invitation.id, projectName: project.name };
  }

  /** Makes the user a member. @throws Refusal permission_denied, not_found, invitation_ended, already_member */
  async accept(user: UserPrincipal, code: string): Promise<MemberRow> {
    // The role is the user's: it would give the token, or its user, more than the token was made for.
    if (user.isNarrowed) {
      throw new Refusal('permission_denied', {
        detail:
          'A narrowed access token accepts no invitation, because its user would get a role that the token does not have. Sign in, or use an access token that is not narrowed.',
      });
    }
    const member = await this.#redeem(code, async () => user);
    this.#options.users.forgetUser(user.userID);
    return member;
  }

  /** Creates a user of this installation, as a member. @throws Refusal not_found, invitation_ended, sign_up_unavailable */
  async signUp(code: string, name: string, origin: RequestOrigin): Promise<SignedUpUser> {
    const { hasIdentityProvider, users } = this.#options;
    if (hasIdentityProvider) throw new Refusal('sign_up_unavailable');
    let token: Secret | undefined;
    const member = await this.#redeem(code, async (trx) => {
      const created = await users.insertUser(trx, name);
      token = created.secret;
      return { kind: 'user', id: created.userID, name, origin };
    });
    if (token === undefined) throw new Error('no user was created');
    return { member, token };
  }

  async #redeem(
    code: string,
    findUser: (trx: Kysely<Tables>) => Promise<UserPrincipal | SignedUp>,
  ): Promise<MemberRow> {
    const { database, clock, members, audit } = this.#options;
    const found = await this.#find(database.read, code);
    return database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(found.project_id));
      const invitation = await this.#find(trx, code);
      await this.#refuseEnded(trx, invitation);
      const user = await findUser(trx);
      const userID = user.kind === 'user' ? user.id : user.userID;
      const member = await members.insert(trx, {
        projectID: invitation.project_id,
        userID,
        role: invitation,
        createdByID: invitation.created_by_id,
      });
      await store.acceptInvitation(trx, invitation.id, { userID, at: clock() });
      await audit.record(
        trx,
        user,
        changeOf('invitation.accepted', invitation),
        addedMember(member),
        ...(user.kind === 'user' ? [createdUser(user)] : []),
      );
      await noteCredentialChange(trx);
      return member;
    });
  }

  async #find(db: Kysely<Tables>, code: string): Promise<store.InvitationRow> {
    const row = isWellFormedInvitationCode(code)
      ? await store.findInvitationByDigest(db, digestToken(code))
      : undefined;
    if (row !== undefined) return row;
    throw new Refusal('not_found', {
      detail: 'There is no invitation with this code. Copy the whole code again, or ask for another one.',
    });
  }

  /** Also where whoever sent it may no longer give the role: an invitation is worth no more than its sender. */
  async #refuseEnded(db: Kysely<Tables>, invitation: store.InvitationRow): Promise<void> {
    const { clock, users } = this.#options;
    const isOpen =
      invitation.accepted_at === null && invitation.revoked_at === null && invitation.expires_at > clock();
    if (isOpen) {
      const held = await users.findGrantsOf(db, invitation.created_by_id, invitation.project_id);
      if (allows(held, 'create:member') && surplusGrants(held, grantsOf(invitation)).length === 0) return;
    }
    throw new Refusal('invitation_ended');
  }
}

type SignedUp = AuditActor & { readonly kind: 'user' };

function changeOf(
  action: AuditChange['action'],
  { id, project_id: projectID, email }: Pick<store.InvitationRow, 'id' | 'project_id' | 'email'>,
): AuditChange {
  return { projectID, action, target: { kind: 'invitation', id, name: email } };
}
