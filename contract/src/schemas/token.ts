import { type Static, Type } from 'typebox';
import { maxGrants, presets } from '../permissions.ts';
import { Actor, ID, Nullable, OneOf, Text, Timestamp, TimestampInput } from './common.ts';

export const tokenStatuses = ['active', 'expiring', 'expired', 'revoked'] as const;
export type TokenStatus = (typeof tokenStatuses)[number];

/** A token that expires within this many days has the status `expiring`. */
export const expiringWithinDays = 7;

const exampleNames = ['ci-deploy'];
const name = Text(1, 128, { description: 'Not unique.', examples: exampleNames });

const examplePermissions = [['create:*']];

/** A project token. */
export const Token = Type.Object(
  {
    id: ID,
    token: Type.String({
      description:
        'The whole value in the answer that created the token; masked (`mst_p_…wXyZ`) everywhere else.',
      examples: ['mst_p_…wXyZ'],
    }),
    name: Type.String({ examples: exampleNames }),
    permissions: Type.Array(Type.String(), {
      description:
        'The granted permissions: action:resource. A token that was created with another token can use only those that the other token also has.',
      examples: examplePermissions,
    }),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    lastUsedAt: Nullable(Timestamp),
    status: OneOf(tokenStatuses, {
      description: `\`expiring\`: valid, and expires within ${expiringWithinDays} days.`,
    }),
    createdBy: Actor,
    agentsCount: Type.Integer({
      minimum: 0,
      description: 'Number of agents that last registered, or last reported by machine id, with this token.',
    }),
  },
  {
    description: 'A credential with which agents, core instances and command-line clients access a project.',
  },
);
export type Token = Static<typeof Token>;

const permissionsInput = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: maxGrants,
  description: 'action:resource, wildcards allowed: `create:agent_error`, `read:*`, `*:*`.',
  examples: examplePermissions,
});

const expiresAtInput = Nullable(TimestampInput('When the token expires; null: never.'));

export const CreateToken = Type.Object(
  {
    name,
    permissions: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 64 }), {
          maxItems: maxGrants,
          description: `Absent or null: the permissions that an agent needs (${presets.agent.join(', ')}). Empty: none.`,
          examples: examplePermissions,
        }),
      ),
    ),
    expiresAt: Type.Optional(expiresAtInput),
  },
  { additionalProperties: false, description: 'A token to create.' },
);
export type CreateToken = Static<typeof CreateToken>;

export const UpdateToken = Type.Object(
  {
    name: Type.Optional(name),
    permissions: Type.Optional(permissionsInput),
    expiresAt: Type.Optional(expiresAtInput),
  },
  {
    additionalProperties: false,
    description: 'The fields of a token to change: absent fields stay as they are.',
  },
);
export type UpdateToken = Static<typeof UpdateToken>;
