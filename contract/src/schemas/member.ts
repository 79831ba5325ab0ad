import { type Static, Type } from 'typebox';
import { maxGrants } from '../permissions.ts';
import { roles } from '../roles.ts';
import { Actor, ID, IDParameter, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';

const memberRoles = [...roles, 'custom'] as const;

const memberRole = OneOf(memberRoles, { description: '`custom`: a list of permissions of its own.' });

const permissions = Type.Array(Type.String(), {
  description: 'What the role permits in the project.',
  examples: [['read:*']],
});

/** A user with a role in a project. */
export const Member = Type.Object(
  {
    userID: ID,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    role: memberRole,
    permissions,
    createdAt: TimestampOf('When the user became a member.'),
    createdBy: Actor,
  },
  { description: 'A user with a role in a project.' },
);
export type Member = Static<typeof Member>;

/** A role of the contract, or a list of permissions: one of the two. */
const roleInput = {
  role: Type.Optional(
    OneOf(roles, {
      description:
        '`owner`: everything, members included. `operator`: everything but members and the project itself. `viewer`: reads everything. Leave it out to give a list of permissions.',
      examples: ['operator'],
    }),
  ),
  permissions: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: maxGrants,
      description: 'Instead of a role: exactly these permissions, such as `read:*` and `update:agent_error`.',
    }),
  ),
};

export const AddMember = Type.Object(
  {
    userID: IDParameter('The user.', { examples: ['0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d'] }),
    ...roleInput,
  },
  { additionalProperties: false, description: 'A user of the installation, and their role in the project.' },
);
export type AddMember = Static<typeof AddMember>;

export const UpdateMember = Type.Object(roleInput, {
  additionalProperties: false,
  description: 'The new role of a member, or the permissions instead.',
});
export type UpdateMember = Static<typeof UpdateMember>;

/** What the removal of a member did. */
export const RemovedMember = Type.Object(
  {
    keptTokensCount: Type.Integer({
      minimum: 0,
      description:
        'Valid project tokens that the user has created or rotated, and knows. They go on working, because agents use them: list the tokens of the project, and replace them.',
    }),
    revokedTokensCount: Type.Integer({
      minimum: 0,
      description:
        'Project tokens that were revoked, with those that were created with them. Of a token that somebody else has rotated since, only the values that the user knows are ended, and it counts too.',
    }),
  },
  { description: 'What became of the project tokens that the user has created or rotated.' },
);
export type RemovedMember = Static<typeof RemovedMember>;

/** For how many days an invitation can be accepted. */
export const invitationDays = 7;

/** Maximum number of invitations to a project that can still be accepted. */
export const maxOpenInvitations = 200;

const email = Text(3, 254, {
  description: 'For whom it is, as a note for the list: anybody who has the code can accept it.',
  examples: ['ada@example.com'],
});

export const CreateInvitation = Type.Object(
  { ...roleInput, email: Type.Optional(Nullable(email)) },
  { additionalProperties: false, description: 'An invitation to a project.' },
);
export type CreateInvitation = Static<typeof CreateInvitation>;

/** An invitation that can still be accepted. */
export const Invitation = Type.Object(
  {
    id: ID,
    projectID: ID,
    role: memberRole,
    permissions,
    email: Nullable(email),
    createdAt: Timestamp,
    expiresAt: TimestampOf(`${invitationDays} days after its creation.`),
    createdBy: Actor,
  },
  { description: 'An invitation that can still be accepted.' },
);
export type Invitation = Static<typeof Invitation>;

const code = Type.String({
  description: 'Works once. Only this answer contains it: send it to the person who is invited.',
  examples: ['mst_i_…'],
});

export const CreatedInvitation = Type.Object(
  { ...Invitation.properties, code },
  { description: 'An invitation, with the only copy of its code.' },
);
export type CreatedInvitation = Static<typeof CreatedInvitation>;

const codeInput = Text(1, 256, { description: 'The code of the invitation.', examples: ['mst_i_…'] });

export const AcceptInvitation = Type.Object(
  { code: codeInput },
  { additionalProperties: false, description: 'The code of an invitation.' },
);
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export const SignUp = Type.Object(
  { code: codeInput, name: Text(1, 128, { description: 'Your name.', examples: ['Ada Lovelace'] }) },
  { additionalProperties: false, description: 'The code of an invitation, and the name of the new user.' },
);
export type SignUp = Static<typeof SignUp>;

/** What an accepted invitation gave. */
export const AcceptedInvitation = Type.Object(
  { projectID: ID, userID: ID, role: memberRole, permissions },
  { description: 'The project, and the role of the user there.' },
);
export type AcceptedInvitation = Static<typeof AcceptedInvitation>;

export const SignedUp = Type.Object(
  {
    ...AcceptedInvitation.properties,
    token: Type.String({
      description: 'The first access token of the new user. Only this answer contains it.',
      examples: ['mst_u_…'],
    }),
  },
  { description: 'The new user, with their first access token.' },
);
export type SignedUp = Static<typeof SignedUp>;

/** A user of the installation. */
export const User = Type.Object(
  {
    id: ID,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    issuer: Nullable(
      Type.String({ description: 'The identity provider of the user. Null: a user of this installation.' }),
    ),
    subject: Nullable(Type.String({ description: 'The id of the user at the identity provider.' })),
    administrator: Type.Boolean({ description: 'True for an administrator of the installation.' }),
    claimValues: Type.Array(Type.String(), {
      description:
        'Values of the claim with roles in MUSTER_OIDC_ROLES that the user had at the last sign-in.',
      examples: [['telemetry']],
    }),
    projectsCount: Type.Integer({ minimum: 0, description: 'Projects of which the user is a member.' }),
    hasAccess: Type.Boolean({
      description: 'False for a user who has access to nothing until they get a role.',
    }),
    createdAt: Timestamp,
  },
  { description: 'A user of the installation.' },
);
export type User = Static<typeof User>;
