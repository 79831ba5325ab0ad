import { type Static, Type } from 'typebox';
import { Actor, ID, IDParameter, Nullable, OneOf, Text, Timestamp } from './common.ts';

/** What a rule looks for. */
export const alertRuleKinds = [
  'new_group',
  'regression',
  'widespread_group',
  'agents_offline',
  'core_instance_unreachable',
  'rollout_stopped',
  'token_expiring',
  'wildcard_token',
  'member_added',
] as const;
export type AlertRuleKind = (typeof alertRuleKinds)[number];

/** Maximum number of channels that a rule names. */
export const maxChannelsPerRule = 20;

const day = 86_400;

const name = Text(1, 128, { description: 'Not unique.', examples: ['bad rollouts'] });

const conditionInputs = {
  agents: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'For `widespread_group` and `agents_offline`: at least so many agents. With `share` too, either of the two is enough.',
      }),
    ),
  ),
  share: Type.Optional(
    Nullable(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description:
          'For `widespread_group` and `agents_offline`: at least this share of the agents of the project; 0.1 is 10%.',
      }),
    ),
  ),
  windowSeconds: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 60,
        maximum: day,
        description: 'For `widespread_group`: the time in which their errors were created. Absent: 3600.',
      }),
    ),
  ),
  days: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 365,
        description: 'For `token_expiring`: how many days before the end. Absent: 7.',
      }),
    ),
  ),
};

const otherInputs = {
  channelIDs: Type.Optional(
    Type.Union(
      [Type.Array(IDParameter('A channel of the project.'), { maxItems: maxChannelsPerRule }), Type.Null()],
      { description: 'Who is told; null: all channels of the project, also later ones.' },
    ),
  ),
  cooldownSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7 * day,
      description:
        'After a message about a group, a token that is about to expire, a core instance or offline agents, how long no further one about the same is sent, unless it says that it is over. `rollout_stopped`, `wildcard_token` and `member_added` tell of each event, whenever it happens. Absent: 3600.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'false: it looks for nothing.' })),
};

export const CreateAlertRule = Type.Object(
  {
    name: Type.Optional(name),
    kind: OneOf(alertRuleKinds, {
      examples: ['new_group'],
      description:
        '`new_group`: a group of errors has its first error. `regression`: a group has an error again after all were dismissed, or an agent has one again that was dismissed there. `widespread_group`: errors of one group were created on many agents within a time. `agents_offline`: many agents are offline. `core_instance_unreachable`: a core instance is not heard any more; the agents behind it are `unknown`, and not offline. `rollout_stopped`: a rollout stopped by itself, or waits for a person. `token_expiring`: a project token is about to expire. `wildcard_token`: a project token was created with a wildcard, or got one. `member_added`: a user became a member.',
    }),
    ...conditionInputs,
    ...otherInputs,
  },
  { additionalProperties: false, description: 'When people are told.' },
);
export type CreateAlertRule = Static<typeof CreateAlertRule>;

export const UpdateAlertRule = Type.Object(
  { name: Type.Optional(name), ...conditionInputs, ...otherInputs },
  { additionalProperties: false, description: 'What to change. Absent fields stay as they are.' },
);
export type UpdateAlertRule = Static<typeof UpdateAlertRule>;

/** When people are told. */
export const AlertRule = Type.Object(
  {
    id: ID,
    name: Type.String(),
    kind: OneOf(alertRuleKinds),
    agents: Nullable(Type.Integer({ minimum: 1 })),
    share: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    windowSeconds: Nullable(Type.Integer({ minimum: 60 })),
    days: Nullable(Type.Integer({ minimum: 1 })),
    channelIDs: Type.Union([Type.Array(ID), Type.Null()], {
      description: 'Null: all channels of the project.',
    }),
    cooldownSeconds: Type.Integer({ minimum: 0 }),
    enabled: Type.Boolean(),
    createdAt: Timestamp,
    createdBy: Actor,
  },
  { description: 'When people are told, and by which channels.' },
);
export type AlertRule = Static<typeof AlertRule>;
