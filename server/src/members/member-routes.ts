import {
  type AcceptedInvitation,
  type Actor,
  type Invitation,
  isRole,
  type Member,
  routes,
} from '@muster/contract';
import { toTimestamp } from '../clock.ts';
import { requireUser } from '../credentials/principal.ts';
import { answerPage, pageOf, type RouteMounter } from '../http/mount-route.ts';
import { grantsOf, type StoredRole } from '../stored-role.ts';
import type { InvitationService } from './invitation-service.ts';
import type { InvitationRow } from './invitation-store.ts';
import type { MemberService } from './member-service.ts';
import type { MemberRow } from './member-store.ts';

export function mountMemberRoutes(
  mounter: RouteMounter,
  members: MemberService,
  invitations: InvitationService,
): void {
  mounter.mount(routes.listMembers, async (call) => {
    const { projectID } = call.params;
    const list = `members of ${projectID}`;
    const page = await members.list(requireUser(call.principal), projectID, pageOf(list, call));
    return answerPage(list, call, page, toMember);
  });

  mounter.mount(routes.addMember, async ({ principal, params, body }) =>
    toMember(await members.add(requireUser(principal), params.projectID, body)),
  );

  mounter.mount(routes.updateMember, async ({ principal, params, body }) => {
    const { projectID, userID } = params;
    return toMember(await members.update(requireUser(principal), projectID, userID, body));
  });

  mounter.mount(routes.removeMember, async ({ principal, params, query }) =>
    members.remove(requireUser(principal), params.projectID, params.userID, {
      revokeTokens: query.revoke_tokens ?? false,
    }),
  );

  mounter.mount(routes.listInvitations, async (call) => {
    const { projectID } = call.params;
    const list = `invitations to ${projectID}`;
    const page = await invitations.list(requireUser(call.principal), projectID, pageOf(list, call));
    return answerPage(list, call, page, toInvitation);
  });

  mounter.mount(routes.createInvitation, async ({ principal, params, body }) => {
    const { row, code } = await invitations.create(requireUser(principal), params.projectID, body);
    return { ...toInvitation(row), code: code.reveal() };
  });

  mounter.mount(routes.revokeInvitation, async ({ principal, params }) => {
    await invitations.revoke(requireUser(principal), params.invitationID);
    return undefined;
  });

  mounter.mount(routes.acceptInvitation, async ({ principal, body }) =>
    toAccepted(await invitations.accept(requireUser(principal), body.code)),
  );

  mounter.mount(routes.signUp, async ({ body, origin }) => {
    const { member, token } = await invitations.signUp(body.code, body.name, origin);
    return { ...toAccepted(member), token: token.reveal() };
  });
}

function toMember(row: MemberRow): Member {
  return {
    userID: row.user_id,
    name: row.name,
    ...toRole(row),
    createdAt: toTimestamp(row.created_at),
    createdBy: { kind: row.created_by_kind as Actor['kind'], id: row.created_by_id }, // written by the service alone
  };
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    projectID: row.project_id,
    ...toRole(row),
    email: row.email,
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
    createdBy: { kind: 'user', id: row.created_by_id },
  };
}

function toAccepted(row: MemberRow): AcceptedInvitation {
  return { projectID: row.project_id, userID: row.user_id, ...toRole(row) };
}

function toRole(stored: StoredRole): Pick<Member, 'role' | 'permissions'> {
  const { role } = stored;
  return { role: isRole(role) ? role : 'custom', permissions: [...grantsOf(stored)] };
}
