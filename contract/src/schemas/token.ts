import { type Static, Type } from 'typebox';
import { maxGrants, presets } from '../permissions.ts';
import { Actor, ID, Nullable, OneOf, Text, Timestamp, TimestampInput, TimestampOf } from './common.ts';

export const tokenStatuses = ['active', 'expiring', 'expired', 'revoked'] as const;
export const tokenSorts = ['createdAt', 'expiresAt'] as const;

export type TokenStatus = (typeof tokenStatuses)[number];

/** A token that expires within this many days has the status `expiring`. */
export const expiringWithinDays = 7;

const exampleNames = ['ci-deploy'];
const name = Text(1, 128, { description: 'Not unique.', examples: exampleNames });

const examplePermissions = [['create:*']];

/** A value from before a rotation. */
export const EarlierValue = Type.Object(
  {
    token: Type.String({ description: 'Masked.', examples: ['mst_p_…wXyZ'] }),
    endsAt: Nullable(TimestampOf('When it ends; null: at the first use of a later value.')),
    retiresOnUse: Type.Boolean({ description: 'True if it ends at the first use of a later value.' }),
    lastUsedAt: Nullable(Timestamp),
  },
  { description: 'A value that a token had before a rotation, and that is still accepted.' },
);
export type EarlierValue = Static<typeof EarlierValue>;

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
      description: `\`expiring\`: valid, but it expires within ${expiringWithinDays} days, or one of its earlier values ends within that time.`,
    }),
    allowedNetworks: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'The networks from which it may be used; null: from everywhere.',
      examples: [null],
    }),
    reportsPerSecond: Nullable(
      Type.Integer({ description: 'Maximum number of reports per second on each replica; null: no limit.' }),
    ),
    rotatedAt: Nullable(TimestampOf('When it got its current value; null: when it was created.')),
    earlierValues: Type.Array(EarlierValue, {
      description: 'Values from before its last rotations that are still accepted, newest first.',
    }),
    createdBy: Actor,
    parentID: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'The project token that created this one, or widened or rotated it later: this one can do no more than it, and is revoked with it.',
      }),
    ),
    revokedAt: Nullable(Timestamp),
    revokedBy: Type.Union([Actor, Type.Null()]),
    revokeReason: Nullable(Type.String()),
    leakedAt: Nullable(TimestampOf('When somebody last reported that they have found a value of it.')),
    leakSource: Nullable(
      Type.String({ description: 'Where the value was found, in the words of whoever reported it.' }),
    ),
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

const lastUsedAt = Timestamp;

const origins = {
  addresses: Type.Array(Type.Object({ address: Type.String(), lastUsedAt }), {
    description:
      'The last five addresses, newest first. Of a token with many requests a second, only some requests are looked at.',
  }),
  userAgents: Type.Array(Type.Object({ userAgent: Type.String(), lastUsedAt }), {
    description: 'The last five texts that clients sent as User-Agent, newest first.',
  }),
};

export const TokenUsage = Type.Object(
  {
    lastUsedAt: Nullable(Timestamp),
    requestsByDay: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'In UTC.' }),
        requests: Type.Integer({ minimum: 1 }),
      }),
      { description: 'The last 30 days with a request, newest first.' },
    ),
    ...origins,
    earlierValues: Type.Array(Type.Object({ ...EarlierValue.properties, ...origins }), {
      description:
        'Values from before its last rotations that are still accepted, newest first, and who has used each of them since it was replaced. Who has not got the new value yet is among these.',
    }),
    agentsCount: Type.Integer({
      minimum: 0,
      description: 'Number of agents that last registered, or last reported by machine id, with this token.',
    }),
    stoppingAgentsCount: Type.Integer({
      minimum: 0,
      description:
        'Of these, how many stop when this token ends: they report by machine id with it, and have no token of their own.',
    }),
    agents: Type.Array(
      Type.Object({
        id: ID,
        name: Type.String(),
        registered: Type.Boolean({
          description:
            'It last registered with this token. It goes on with its own token if this one is revoked without its agents.',
        }),
        reports: Type.Boolean({
          description:
            'It last reported by machine id with this token. Such reports are refused if this one is revoked.',
        }),
        hasOwnToken: Type.Boolean({
          description:
            'It has a token of its own, such as `muster report` uses, with which it goes on. `false` with `reports`: it stops if this token is revoked.',
        }),
        lastSeenAt: Timestamp,
      }),
      {
        description:
          'At most 100 of these agents: those that stop when this token ends, then the others, each the newest first. None without the permission `read:agent`.',
      },
    ),
  },
  { description: 'Who uses a token, and who stops working if it is revoked.' },
);
export type TokenUsage = Static<typeof TokenUsage>;

const permissionsInput = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: maxGrants,
  description: 'action:resource, wildcards allowed: `create:agent_error`, `read:*`, `*:*`.',
  examples: examplePermissions,
});

const expiresAtInput = Nullable(TimestampInput('When the token expires; null: never.'));

const limitsInput = {
  allowedNetworks: Type.Optional(
    Type.Union([Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 32 }), Type.Null()], {
      description:
        'Networks in CIDR notation, or single addresses, from which the token may be used; null: from everywhere. Of a request through a proxy, the address that MUSTER_TRUST_PROXY trusts counts.',
      examples: [['10.0.0.0/8', '2001:db8::/32']],
    }),
  ),
  reportsPerSecond: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Maximum number of reports of errors per second with this token, on each replica; further ones get 429. Null: no limit.',
      }),
    ),
  ),
};

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
    ...limitsInput,
  },
  { additionalProperties: false, description: 'A token to create.' },
);
export type CreateToken = Static<typeof CreateToken>;

/** The longest time for which the earlier value of a rotated token is accepted. */
export const maxGraceSeconds = 7 * 86_400;

export const RotateToken = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxGraceSeconds,
        description: 'For how long the earlier value is accepted beside the new one.',
        examples: [86_400],
      }),
    ),
    retireOnUse: Type.Optional(
      Type.Boolean({
        description:
          'True: the earlier value is accepted until the new one is used for the first time, but not for longer than graceSeconds if that is given.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'What becomes of the earlier value of a token that is rotated.',
  },
);
export type RotateToken = Static<typeof RotateToken>;

export const RevokeToken = Type.Object(
  {
    reason: Type.Optional(
      Text(1, 100, {
        description: 'Shown with the revoked token.',
        examples: ['Found in a public repository'],
      }),
    ),
    revokeAgents: Type.Optional(
      Type.Boolean({
        description:
          'True: the agents that registered with the token are revoked too, and must register again with another one. Otherwise they go on with their own tokens.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Why a token is revoked, and what ends with it.' },
);
export type RevokeToken = Static<typeof RevokeToken>;

export const UpdateToken = Type.Object(
  {
    name: Type.Optional(name),
    permissions: Type.Optional(permissionsInput),
    expiresAt: Type.Optional(expiresAtInput),
    ...limitsInput,
  },
  {
    additionalProperties: false,
    description: 'The fields of a token to change: absent fields stay as they are.',
  },
);
export type UpdateToken = Static<typeof UpdateToken>;
