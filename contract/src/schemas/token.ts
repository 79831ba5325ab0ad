import { type Static, Type } from 'typebox';
import { maxGrants, presets } from '../permissions.ts';
import { Actor, ID, Nullable, OneOf, Text, Timestamp, TimestampInput } from './common.ts';

export const tokenStatuses = ['active', 'expiring', 'expired', 'revoked'] as const;
export type TokenStatus = (typeof tokenStatuses)[number];

/** A token that expires within this many days is `expiring`. */
export const expiringWithinDays = 7;

const exampleNames = ['ci-deploy'];
const name = Text(1, 128, { description: 'Not unique.', examples: exampleNames });

const examplePermissions = [['create:*']];

/** A project token. */
export const Token = Type.Object(
  {
    id: ID,
    token: Type.String({
      description: 'The whole value in the answer that created it; masked (`mst_p_…wXyZ`) everywhere else.',
      examples: ['mst_p_…wXyZ'],
    }),
    name: Type.String({ examples: exampleNames }),
    permissions: Type.Array(Type.String(), {
      description:
        'What the token was granted: action:resource. A token that was created with another one may do as much of it as that one may.',
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
      description: 'Agents that last registered with this token, or last reported by machine id with it.',
    }),
  },
  {
    description:
      'A credential with which agents, core instances and command-line clients get into a project.',
  },
);
export type Token = Static<typeof Token>;

const permissionsInput = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: maxGrants,
  description: 'action:resource, wildcards allowed: `create:agent_error`, `read:*`, `*:*`.',
  examples: examplePermissions,
});

const expiresAtInput = Nullable(TimestampInput('When the token stops working; null for never.'));

export const CreateToken = Type.Object(
  {
    name,
    permissions: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 64 }), {
          maxItems: maxGrants,
          description: `Absent or null: what an agent needs (${presets.agent.join(', ')}). Empty: nothing.`,
          examples: examplePermissions,
        }),
      ),
    ),
    expiresAt: Type.Optional(expiresAtInput),
  },
  { additionalProperties: false, description: 'A token to be made.' },
);
export type CreateToken = Static<typeof CreateToken>;

export const UpdateToken = Type.Object(
  {
    name: Type.Optional(name),
    permissions: Type.Optional(permissionsInput),
    expiresAt: Type.Optional(expiresAtInput),
  },
  { additionalProperties: false, description: 'What changes of a token: absent fields stay as they are.' },
);
export type UpdateToken = Static<typeof UpdateToken>;
