import { type AcceptedInvitation, type Invitation, isRole, type Member, routes } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import { requireUser } from '../../foundation/credentials/principal.ts';
import { grantsOf, type StoredRole } from '../../foundation/credentials/stored-role.ts';
import type { Admitter } from '../../foundation/http/authentication/admitter.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import type { ActorNameService, ToActor } from '../actors/actor-name-service.ts';
import type { InvitationService } from './invitation-service.ts';
import type { InvitationRow } from './invitation-store.ts';
import type { MemberService } from './member-service.ts';
import type { MemberRow } from './member-store.ts';

export function mountMemberRoutes(
  mounter: RouteMounter,
  members: MemberService,
  invitations: InvitationService,
  actors: ActorNameService,
  admitter: Admitter,
): void {
  const answer = async (row: MemberRow): Promise<Member> =>
    toMember(row, await actors.read([creatorOf(row)]));
  mounter.mount(routes.listMembers, async (call) => {
    const { projectID } = call.params;
    const list = `members of ${projectID}`;
    const page = await members.list(requireUser(call.principal), projectID, pageOf(list, call));
    const toActor = await actors.read(page.rows.map(creatorOf));
    return answerPage(list, call, page, (row) => toMember(row, toActor));
  });

  mounter.mount(routes.addMember, async ({ principal, params, body }) =>
    answer(await members.add(requireUser(principal), params.projectID, body)),
  );

  mounter.mount(routes.updateMember, async ({ principal, params, body }) => {
    const { projectID, userID } = params;
    return answer(await members.update(requireUser(principal), projectID, userID, body));
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
    const toActor = await actors.read(page.rows.map(inviterOf));
    return answerPage(list, call, page, (row) => toInvitation(row, toActor));
  });

  mounter.mount(routes.createInvitation, async ({ principal, params, body }) => {
    const { row, code } = await invitations.create(requireUser(principal), params.projectID, body);
    return { ...toInvitation(row, await actors.read([inviterOf(row)])), code: code.reveal() };
  });

  mounter.mount(routes.revokeInvitation, async ({ principal, params }) => {
    await invitations.revoke(requireUser(principal), params.invitationID);
    return undefined;
  });

  mounter.mount(routes.acceptInvitation, async ({ principal, body, request }) =>
    admitter.countUnknownCodes(request, async () =>
      toAccepted(await invitations.accept(requireUser(principal), body.code)),
    ),
  );

  mounter.mount(routes.signUp, async ({ body, origin, request }) =>
    admitter.countUnknownCodes(request, async () => {
      const { member, token } = await invitations.signUp(body.code, body.name, origin);
      return { ...toAccepted(member), token: token.reveal() };
    }),
  );
}

function creatorOf(row: MemberRow) {
  return { kind: row.created_by_kind, id: row.created_by_id };
}

function inviterOf(row: InvitationRow) {
  return { kind: 'user', id: row.created_by_id };
}

function toMember(row: MemberRow, toActor: ToActor): Member {
  return {
    userID: row.user_id,
    name: row.name,
    ...toRole(row),
    createdAt: toTimestamp(row.created_at),
    createdBy: toActor(creatorOf(row)),
  };
}

function toInvitation(row: InvitationRow, toActor: ToActor): Invitation {
  return {
    id: row.id,
    projectID: row.project_id,
    ...toRole(row),
    email: row.email,
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
    createdBy: toActor(inviterOf(row)),
  };
}

function toAccepted(row: MemberRow): AcceptedInvitation {
  return { projectID: row.project_id, userID: row.user_id, ...toRole(row) };
}

function toRole(stored: StoredRole): Pick<Member, 'role' | 'permissions'> {
  const { role } = stored;
  return { role: isRole(role) ? role : 'custom', permissions: [...grantsOf(stored)] };
}
