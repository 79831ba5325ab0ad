import { type Static, Type } from 'typebox';
import { credentialKinds } from '../token-format.ts';
import { ID, Nullable, OneOf, Text, Timestamp, TimestampInput } from './common.ts';

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
  },
  { description: "A credential of a person or of an operator's script." },
);
export type AccessToken = Static<typeof AccessToken>;

export const CreateAccessToken = Type.Object(
  {
    name,
    expiresAt: Type.Optional(Nullable(TimestampInput('When the token expires; null: never.'))),
  },
  { additionalProperties: false, description: 'An access token to create for the caller.' },
);
export type CreateAccessToken = Static<typeof CreateAccessToken>;

/** Whom a credential identifies. */
export const Me = Type.Object(
  {
    kind: OneOf(credentialKinds),
    id: ID,
    name: Type.String({ examples: exampleNames }),
    permissions: Type.Array(Type.String(), { examples: [['*']] }),
    projectID: Nullable(ID),
    expiresAt: Nullable(Timestamp),
  },
  { description: 'Whom the credential identifies, and what it may do.' },
);
export type Me = Static<typeof Me>;
