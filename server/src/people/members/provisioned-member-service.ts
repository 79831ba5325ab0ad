import type { ApplyProvisioning } from '@muster/contract';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { requireGrant } from '../../foundation/credentials/principal.ts';
import { grantsOf } from '../../foundation/credentials/stored-role.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import {
  differingFields,
  type Provisioning,
  type ProvisionOutcome,
  skipped,
} from '../provisioning-record/provisioned-service.ts';
import type { NamedUser, UserService } from '../users/user-service.ts';
import { revokeInvitationsOf } from './invitation-store.ts';
import { type GivenRole, readRole, refuseMoreThanOwn, refuseStrongerMember } from './member-role.ts';
import { refuseLastOwner } from './member-service.ts';
import * as store from './member-store.ts';

type ProvisionedMember = NonNullable<ApplyProvisioning['projects'][number]['members']>[number];

interface ProvisionedMemberServiceOptions {
  readonly clock: Clock;
  readonly newID: NewID;
  readonly users: Pick<UserService, 'findNamed' | 'findProvided' | 'insertProvided'>;
  /** The identity provider whose subjects a file names. */
  readonly issuer: string | undefined;
}

/** Members of projects as a file names them: by the id of the user, or by the subject at the identity provider. */
export class ProvisionedMemberService {
  readonly #options: ProvisionedMemberServiceOptions;

  constructor(options: ProvisionedMemberServiceOptions) {
    this.#options = options;
  }

  /**
   * Makes a user a member as a file says, inside a transaction that holds the lock of the project. Returns what was changed.
   *
   * @throws Refusal invalid_body, not_found, invalid_permission, permission_denied, permissions_exceed_own, last_owner
   */
  async apply(by: Provisioning, input: ProvisionedMember): Promise<ProvisionOutcome[]> {
    const role = readRole(input);
    const user = await this.#findUser(by, input);
    const member = await store.findMember(by.trx, by.projectID, user.id);
    const key = `${by.projectID}/${user.id}`;
    by.memory.refuseSecond('member', key, input.userID === undefined ? '/subject' : '/userID');
    if (member !== undefined) {
      // Also that nothing changes tells which role the member has.
      requireGrant(by.held, 'read:member');
      const changed = await this.#update(by, member, role);
      await by.memory.note('member', key);
      return changed;
    }
    requireGrant(by.held, 'create:member');
    if (await by.memory.has('member', key)) {
      return [skipped(user, 'a person has removed this member since; add them again with muster member add')];
    }
    if (by.user !== undefined) refuseMoreThanOwn(by.held, role.grants);
    const { clock, newID } = this.#options;
    await store.insertMember(by.trx, {
      id: newID(),
      project_id: by.projectID,
      user_id: user.id,
      role: role.role,
      permissions: role.permissions,
      created_at: clock(),
      created_by_kind: by.user === undefined ? 'system' : 'user',
      created_by_id: by.user?.userID ?? null,
    });
    await by.memory.note('member', key);
    return [{ action: 'create', ...user, fields: differingFields({}, describe(role)), reason: null }];
  }

  async #update(by: Provisioning, member: store.MemberRow, given: GivenRole): Promise<ProvisionOutcome[]> {
    const fields = differingFields(describe(member), describe(given));
    if (fields.length === 0) return [];
    if (by.user !== undefined) {
      requireGrant(by.held, 'update:member');
      refuseStrongerMember(by.held, grantsOf(member));
      refuseMoreThanOwn(by.held, given.grants);
      if (given.role !== 'owner') await refuseLastOwner(by.trx, by.user, 'update:member', member);
    }
    const { role, permissions } = given;
    await store.updateMember(by.trx, member.id, { role, permissions });
    await revokeInvitationsOf(by.trx, by.projectID, { userID: member.user_id, at: this.#options.clock() });
    return [{ action: 'update', id: member.user_id, name: member.name, fields, reason: null }];
  }

  /** A user of the identity provider who has not signed in yet gets a place to which the first sign-in leads. */
  async #findUser(by: Provisioning, { userID, subject }: ProvisionedMember): Promise<NamedUser> {
    const { users, issuer } = this.#options;
    if (userID === undefined && subject === undefined) {
      throw invalidBody([{ path: '/userID', message: 'is missing; give userID or subject' }]);
    }
    if (userID !== undefined && subject !== undefined) {
      throw invalidBody([{ path: '/subject', message: 'cannot be given together with userID' }]);
    }
    if (userID !== undefined) {
      const found = await users.findNamed(by.trx, userID.toLowerCase());
      if (found !== undefined) return found;
      throw new Refusal('not_found', {
        detail: `There is no user ${userID} in this installation.`,
        fields: [
          { path: '/userID', message: `names no user of this installation. 'muster user list' lists them` },
        ],
      });
    }
    if (issuer === undefined) {
      throw invalidBody([
        {
          path: '/subject',
          message:
            'needs an identity provider, but MUSTER_OIDC_ISSUER is not set. Without one, give the userID',
        },
      ]);
    }
    const identity = { issuer, subject: subject ?? '' };
    const found = await users.findProvided(by.trx, identity);
    if (found !== undefined) return found;
    if (by.user !== undefined) requireGrant(by.held, 'create:member');
    return users.insertProvided(by.trx, identity);
  }
}

function describe(stored: { readonly role: string; readonly permissions: string | null }) {
  return {
    role: stored.role,
    permissions: stored.role === 'custom' ? grantsOf(stored).join(', ') : null,
  };
}
