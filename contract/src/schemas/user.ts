import { type Static, Type } from 'typebox';
import { maxGrants } from '../permissions.ts';
import { credentialKinds } from '../token-format.ts';
import { ID, IDParameter, Nullable, OneOf, Text, Timestamp, TimestampInput, TimestampOf } from './common.ts';

const exampleNames = ['laptop'];
const name = Text(1, 128, { description: 'Not unique.', examples: exampleNames });

export const AccessToken = Type.Object(
  {
    id: ID,
    token: Type.String({
      description: 'The whole value in the answer that created the token; masked everywhere else.',
      examples: ['mst_u_…wXyZ'],
    }),
    name: Type.String({ examples: exampleNames }),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    lastUsedAt: Nullable(Timestamp),
    permissions: Nullable(
      Type.Array(Type.String(), {
        description:
          'The permissions to which it is narrowed, of those that its user has. Null: all of them.',
        examples: [['read:*']],
      }),
    ),
    projects: Nullable(
      Type.Array(ID, {
        description:
          'The projects to which it is narrowed. Null: all projects of its user, and the installation.',
      }),
    ),
    leakedAt: Nullable(TimestampOf('When somebody last reported that they have found a value of it.')),
    leakSource: Nullable(
      Type.String({ description: 'Where the value was found, in the words of whoever reported it.' }),
    ),
    createdWith: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The access token that created it. It is revoked with that one.',
      }),
    ),
  },
  { description: "A credential of a person or of an operator's script." },
);
export type AccessToken = Static<typeof AccessToken>;

/** Maximum number of valid access tokens of a user. */
export const maxAccessTokens = 1_000;

/** How many of them a user creates in a minute at most. */
export const newCredentialsPerMinute = { accessToken: 60, signInLink: 20 } as const;

export const CreateAccessToken = Type.Object(
  {
    name,
    expiresAt: Type.Optional(Nullable(TimestampInput('When the token expires; null: never.'))),
    permissions: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 64 }), {
          maxItems: maxGrants,
          description: `Narrows the token to these permissions, as far as you have them where it is used. Absent or null: those of the credential that creates it.`,
          examples: [['read:*']],
        }),
      ),
    ),
    projects: Type.Optional(
      Nullable(
        Type.Array(IDParameter('A project.'), {
          minItems: 1,
          maxItems: 100,
          description:
            'Narrows the token to these projects. Absent or null: those of the credential that creates it.',
        }),
      ),
    ),
  },
  { additionalProperties: false, description: 'An access token to create for the caller.' },
);
export type CreateAccessToken = Static<typeof CreateAccessToken>;

const MyProject = Type.Object(
  { id: ID, name: Type.String(), permissions: Type.Array(Type.String(), { examples: [['read:*']] }) },
  { description: 'A project of the caller, and what the credential may do there.' },
);

/** Maximum number of projects in the answer about the caller. */
export const maxProjectsOfMe = 100;

/** Whom a credential identifies. */
export const Me = Type.Object(
  {
    kind: OneOf(credentialKinds),
    id: ID,
    name: Type.String({ examples: exampleNames }),
    permissions: Type.Array(Type.String(), {
      description:
        'Of a project token, an agent and a core instance: what it may do in its project. Of a user: what the credential may do in every project.',
      examples: [['*']],
    }),
    projectID: Nullable(ID),
    expiresAt: Nullable(Timestamp),
    installationPermissions: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Of a user: what the credential may do on the installation itself, such as creating projects. Administrators have `*`.',
      }),
    ),
    backups: Type.Optional(
      Type.Object(
        {
          lastAt: Nullable(
            TimestampOf('When the newest complete backup in MUSTER_BACKUP_DIR began. Null: it has none.'),
          ),
          everySeconds: Type.Integer({ minimum: 1, description: 'MUSTER_BACKUP_EVERY.' }),
        },
        {
          description:
            'Of an administrator: the backups that the service makes by itself. Absent: it makes none, because MUSTER_BACKUP_DIR is not set.',
        },
      ),
    ),
    projects: Type.Optional(
      Type.Array(MyProject, {
        description: `Of a user: projects where the credential may do more than in every project, the newest ${maxProjectsOfMe}.`,
      }),
    ),
    sessionID: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Of a browser that has signed in: the session of the request.',
      }),
    ),
    note: Type.Optional(
      Type.String({ description: 'Of a user without access to any project: how to get it.' }),
    ),
  },
  { description: 'Whom the credential identifies, and what it may do.' },
);
export type Me = Static<typeof Me>;
