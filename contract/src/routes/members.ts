import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';
import {
  AcceptedInvitation,
  AcceptInvitation,
  AddMember,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  invitationDays,
  Member,
  maxOpenInvitations,
  RemovedMember,
  SignedUp,
  SignUp,
  UpdateMember,
  User,
} from '../schemas/member.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });
const memberParams = Type.Object({
  projectID: IDParameter('The project.'),
  userID: IDParameter('The user.'),
});

/** People act for themselves: no token of a project changes who its members are. */
const people = { tag: 'People', credentials: ['access'] } as const;

const giving = ['not_found', 'invalid_permission', 'permissions_exceed_own'] as const;

export const listMembers = defineRoute({
  operationID: 'listMembers',
  method: 'GET',
  path: '/v1/projects/{projectID}/members',
  summary: 'List members of a project',
  description:
    'Newest first. Administrators of the installation and users who have a role by MUSTER_OIDC_ROLES are not members.',
  ...people,
  permission: 'read:member',
  params: projectParams,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(Member), description: 'A page of members.', paged: true },
  problems: ['not_found'],
});

export const addMember = defineRoute({
  operationID: 'addMember',
  method: 'POST',
  path: '/v1/projects/{projectID}/members',
  summary: 'Add a user to a project',
  description: 'For a user who has signed in before. Send everybody else an invitation.',
  ...people,
  permission: 'create:member',
  params: projectParams,
  body: jsonBody(AddMember),
  answer: { status: 201, schema: Member, description: 'The member.' },
  problems: [...giving, 'already_member'],
});

export const updateMember = defineRoute({
  operationID: 'updateMember',
  method: 'PATCH',
  path: '/v1/projects/{projectID}/members/{userID}',
  summary: 'Change the role of a member',
  description:
    'Applies to every request that starts after the answer, with any credential of the user. Nobody changes a member who may do more than they themselves. Invitations of the member that are not accepted yet end. Project tokens that the member has created do not change.',
  ...people,
  permission: 'update:member',
  params: memberParams,
  body: jsonBody(UpdateMember),
  answer: { status: 200, schema: Member, description: 'The member as it is now.' },
  problems: [...giving, 'last_owner'],
});

export const removeMember = defineRoute({
  operationID: 'removeMember',
  method: 'DELETE',
  path: '/v1/projects/{projectID}/members/{userID}',
  summary: 'Remove a member from a project',
  description:
    'Applies to every request that starts after the answer, with any credential of the user. Invitations of the member that are not accepted yet end. Project tokens that the member has created or rotated go on working, because agents depend on them, unless `revoke_tokens=true` is given. The answer counts them. Nobody removes a member who may do more than they themselves. Only an administrator of the installation removes the last owner.',
  ...people,
  permission: 'delete:member',
  params: memberParams,
  query: Type.Object({
    revoke_tokens: Type.Optional(
      Type.Boolean({
        description:
          'true: also revoke the project tokens that the member has created or rotated. Agents that report with them stop working.',
      }),
    ),
  }),
  answer: { status: 200, schema: RemovedMember, description: 'Removed.' },
  problems: ['not_found', 'permissions_exceed_own', 'last_owner'],
});

export const listInvitations = defineRoute({
  operationID: 'listInvitations',
  method: 'GET',
  path: '/v1/projects/{projectID}/invitations',
  summary: 'List invitations to a project',
  description: 'Newest first. Only those that can still be accepted. The codes are not stored.',
  ...people,
  permission: 'read:member',
  params: projectParams,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(Invitation), description: 'A page of invitations.', paged: true },
  problems: ['not_found'],
});

export const createInvitation = defineRoute({
  operationID: 'createInvitation',
  method: 'POST',
  path: '/v1/projects/{projectID}/invitations',
  summary: 'Invite somebody to a project',
  description: `The code works once, within ${invitationDays} days, and only while you may give the role yourself. A project has at most ${maxOpenInvitations} open invitations.`,
  ...people,
  permission: 'create:member',
  params: projectParams,
  body: jsonBody(CreateInvitation),
  answer: { status: 201, schema: CreatedInvitation, description: 'The invitation with its code.' },
  problems: [...giving, 'too_many_invitations'],
});

export const revokeInvitation = defineRoute({
  operationID: 'revokeInvitation',
  method: 'DELETE',
  path: '/v1/invitations/{invitationID}',
  summary: 'Revoke an invitation',
  description:
    'An invitation that was revoked before stays as it is. An accepted one cannot be revoked: remove the member instead.',
  ...people,
  permission: 'delete:member',
  params: Type.Object({ invitationID: IDParameter('The invitation.') }),
  answer: { status: 204, description: 'Revoked.' },
  problems: ['not_found', 'invitation_accepted'],
});

export const acceptInvitation = defineRoute({
  operationID: 'acceptInvitation',
  method: 'POST',
  path: '/v1/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'The user of the access token becomes a member of the project. A narrowed access token accepts no invitation.',
  ...people,
  body: jsonBody(AcceptInvitation),
  answer: { status: 200, schema: AcceptedInvitation, description: 'The project and the role.' },
  problems: ['permission_denied', 'not_found', 'already_member', 'invitation_ended'],
});

export const signUp = defineRoute({
  operationID: 'signUp',
  method: 'POST',
  path: '/v1/invitations/sign_up',
  tag: 'People',
  summary: 'Accept an invitation as a new user',
  description:
    'Needs no credential: creates a user of this installation with an access token. Not available where people sign in through an identity provider (MUSTER_OIDC_ISSUER).',
  credentials: [],
  body: jsonBody(SignUp),
  answer: { status: 201, schema: SignedUp, description: 'The new user with an access token.' },
  problems: ['not_found', 'sign_up_unavailable', 'invitation_ended', 'too_many_invalid_credentials'],
});

export const listUsers = defineRoute({
  operationID: 'listUsers',
  method: 'GET',
  path: '/v1/users',
  summary: 'List users of the installation',
  description: 'Newest first. For administrators of the installation. Shows who has no access yet.',
  ...people,
  permission: 'read:member',
  scope: 'installation',
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(User), description: 'A page of users.', paged: true },
});
