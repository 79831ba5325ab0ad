import { type Static, Type } from 'typebox';
import { Agent } from './agent.ts';
import { OpenAgentError } from './agent-error.ts';
import { Actor, ID, IDParameter, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';

/** The orders in which lists of groups come, all descending. */
export const agentErrorGroupSorts = ['lastSeen', 'agents', 'occurrences', 'firstSeen'] as const;
export type AgentErrorGroupSort = (typeof agentErrorGroupSorts)[number];

/** Lengths of time that a history counts together. */
export const historyBuckets = ['minute', 'hour', 'day'] as const;
export type HistoryBucket = (typeof historyBuckets)[number];

/** Maximum number of buckets in a history. */
export const maxHistoryBuckets = 1000;

const groupID = Type.String({
  format: 'uuid',
  description: 'UUIDv8, lower case. The same cause in the same project always has the same id.',
});

const ErrorExplanation = Type.Object(
  {
    id: Type.String({ examples: ['fluent-bit/unknown-plugin'] }),
    title: Type.String(),
    meaning: Type.String(),
    causes: Type.Array(Type.String()),
    actions: Type.Array(Type.String(), { description: 'What to do. Commands stand in backticks.' }),
    link: Type.String({ description: "A page of the agent's own documentation." }),
    suggestion: Nullable(
      Type.String({
        description: 'The valid name nearest to the wrong one in `example`.',
        examples: ['dummy'],
      }),
    ),
  },
  { description: 'What a known error means, why it happens and what to do.' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Agent errors with the same cause in one project. */
export const AgentErrorGroup = Type.Object(
  {
    id: groupID,
    pattern: Type.String({
      description: 'The text without what differs between agents and times: numbers, ids, addresses, paths.',
      examples: ['[output:es:es.<n>] HTTP status=401 URI=/_bulk'],
    }),
    example: Type.String({
      description: 'The text of its first error.',
      examples: ['[output:es:es.0] HTTP status=401 URI=/_bulk'],
    }),
    agentsCount: count('Agents with an error that matches the filter of the list.'),
    agentsShare: Type.Number({
      minimum: 0,
      maximum: 1,
      examples: [0.23],
      description:
        '`agentsCount` divided by the number of agents of the project, or of the fleet of the filter.',
    }),
    errorsCount: count('Errors that match the filter of the list. Without a filter: open and current ones.'),
    errorsByState: Type.Object(
      {
        current: count('Open errors of configurations that their agents still have.'),
        superseded: count('Open errors of earlier configurations.'),
        dismissed: count('Dismissed errors.'),
      },
      { description: 'All stored errors of the group, whatever the filter.' },
    ),
    storedAgentsCount: count('Agents with any of these errors.'),
    occurrences: count('How often its stored errors were reported, repeats included, whatever the filter.'),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    firstConfigID: Nullable(ID),
    isNew: Type.Boolean({ description: 'True for 24 hours after `firstSeenAt`.' }),
    dismissedAt: Nullable(
      TimestampOf(
        'When its last open and current error was dismissed; null as soon as there is another one.',
      ),
    ),
    regressedAt: Nullable(
      TimestampOf(
        'When it came back after its errors had been dismissed: all of them, or those of the agent that has it again. Null after the next dismissal of all.',
      ),
    ),
    mutedUntil: Nullable(
      TimestampOf('Until then, new errors are stored as dismissed. Null: it is not muted.'),
    ),
    muteEndsWithConfiguration: Type.Boolean({
      description:
        'True: the mute also ends when an agent that got another configuration after it began has the error.',
    }),
    muteEndsAtAgentsCount: Nullable(
      Type.Integer({
        description:
          'The mute also ends when stored errors of the group, open and dismissed, are of this many agents. Null: it does not.',
      }),
    ),
    muteReason: Nullable(Type.String()),
    mutedBy: Type.Union([Actor, Type.Null()]),
    assignee: Type.Union([Actor, Type.Null()], { description: 'The user who looks after it.' }),
    note: Nullable(Type.String({ description: 'What people know of it.' })),
    link: Nullable(Type.String({ description: 'Where the work on it stands, such as a ticket.' })),
    notedAt: Nullable(TimestampOf('When the assignee, the note or the link was last changed.')),
    notedBy: Type.Union([Actor, Type.Null()]),
    explanation: Type.Union([ErrorExplanation, Type.Null()], {
      description: 'From the catalogue of known errors. Null: the error is not known.',
    }),
    countedAt: TimestampOf('Everything that was stored or dismissed before this time is counted.'),
  },
  {
    description:
      'Agent errors with the same cause: their texts differ in numbers, ids, addresses or paths only.',
  },
);
export type AgentErrorGroup = Static<typeof AgentErrorGroup>;

/** An agent with errors of a group. */
export const AgentErrorGroupAgent = Type.Object(
  {
    id: ID,
    name: Type.String(),
    machineID: Type.String(),
    version: Nullable(Type.String()),
    fleetID: Nullable(Type.String()),
    configID: Nullable(ID),
    fleet: Agent.properties.fleet,
    lastSeenAt: Timestamp,
    errorsCount: count('Errors of the group that match the filter. Without a filter: open and current ones.'),
    openError: Type.Union([OpenAgentError, Type.Null()], {
      description:
        'Its oldest open error of the group and of the configuration that it runs, whatever the filter. Null: there is none.',
    }),
  },
  { description: 'An agent with errors of a group.' },
);
export type AgentErrorGroupAgent = Static<typeof AgentErrorGroupAgent>;

const HistoryBucketCounts = Type.Object({
  startsAt: Timestamp,
  errorsCount: count('Stored errors that were created in this time. Repeats of them are not counted.'),
  agentsCount: count('Agents of these errors.'),
});

/** What was stored of a group over time, for a chart. */
export const AgentErrorGroupHistory = Type.Object(
  {
    bucket: OneOf(historyBuckets, { description: 'The length of time that is counted together.' }),
    buckets: Type.Array(HistoryBucketCounts, {
      description: 'Oldest first, also those in which nothing was created. Hours and days are in UTC.',
    }),
  },
  { description: 'What was stored of a group over time.' },
);
export type AgentErrorGroupHistory = Static<typeof AgentErrorGroupHistory>;

/** Where a group began, and who has it. */
export const AgentErrorGroupOrigin = Type.Object(
  {
    first: Nullable(
      Type.Object(
        {
          agentID: ID,
          agentName: Type.String({ examples: ['edge-7'] }),
          configID: ID,
          configuredAt: TimestampOf('When the agent got this configuration.'),
        },
        {
          description:
            'The agent of the first error, with the configuration that it had. Once the group has come back: of the agents with present errors, the one that reported it first since then, with the configuration that it has. Null: it sent none, or it is no longer stored.',
        },
      ),
    ),
    affectedCount: count('Agents with open errors of the group and of the configuration that they have now.'),
    fleetID: Nullable(
      Type.String({ description: 'The fleet of all these agents. Null: they are in several, or in none.' }),
    ),
    configuredCount: count(
      'Agents that have the configuration of `first` now. Configurations are the same if they differ in nothing but what each agent has for itself: its name, its machine id, what it adds for this service, and the values of variables in a version of a fleet.',
    ),
    affectedConfiguredCount: count('Those of them with such errors.'),
    agentsCount: count('Agents of the project.'),
  },
  { description: 'Where a group began, and who has it.' },
);
export type AgentErrorGroupOrigin = Static<typeof AgentErrorGroupOrigin>;

/** Maximum number of groups in the trends of a project. */
export const maxGroupTrends = 100;

/** Length of a trend. */
export const trendBuckets = 30;
export const trendBucketSeconds = 120;

/** How groups grew in the last hour. */
export const AgentErrorGroupTrends = Type.Object(
  {
    since: TimestampOf(`The start of the first bucket. Each takes ${trendBucketSeconds} seconds.`),
    groups: Type.Array(
      Type.Object({
        groupID,
        agentsCounts: Type.Array(Type.Integer({ minimum: 0 }), {
          minItems: trendBuckets,
          maxItems: trendBuckets,
          description: 'Agents for which an error of the group was created in each bucket, oldest first.',
          examples: [[...Array<number>(trendBuckets - 4).fill(0), 1, 12, 834, 308]],
        }),
      }),
      { maxItems: maxGroupTrends, description: 'The groups with the most new errors in this time.' },
    ),
  },
  {
    description: 'How the groups of a project grew in the last hour. Groups without a new error are absent.',
  },
);
export type AgentErrorGroupTrends = Static<typeof AgentErrorGroupTrends>;

/** Maximum number of groups that are updated at once. */
export const maxUpdatedGroups = 100;

export const UpdateAgentErrorGroups = Type.Object(
  {
    groupIDs: Type.Array(IDParameter('A group.'), {
      minItems: 1,
      maxItems: maxUpdatedGroups,
      examples: [['98a17ed9-f1d9-8a18-a9f0-c1a5b6925a0f']],
    }),
    assigneeID: Type.Optional(Nullable(IDParameter('A user who has access to the project. Null: nobody.'))),
    note: Type.Optional(
      Nullable(
        Text(1, 1000, { description: 'Null: none.', examples: ['Asking the platform team to stop it.'] }),
      ),
    ),
    link: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 1000,
          pattern: '^https?://[^\\s]+$',
          description: 'An address with http or https. Null: none.',
          examples: ['https://tickets.example.com/4711'],
        }),
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'Who looks after groups, and what people know of them. Absent fields stay as they are.',
  },
);
export type UpdateAgentErrorGroups = Static<typeof UpdateAgentErrorGroups>;

export const MuteAgentErrorGroup = Type.Object(
  {
    until: Type.String({
      format: 'date-time',
      maxLength: 64,
      description: 'When the mute ends. In the future.',
      examples: ['2030-01-31T00:00:00Z'],
    }),
    reason: Text(1, 100, { examples: ['Known until the update on Monday'] }),
    endsWithConfiguration: Type.Optional(
      Type.Boolean({
        description:
          'true: it also ends, within seconds, when an agent that got another configuration after the mute began has an error of the group.',
      }),
    ),
    moreAgents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'It also ends, within seconds, when errors of the group were stored for this many agents that had none when it began.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'How long, and why, new errors of a group are stored as dismissed.',
  },
);
export type MuteAgentErrorGroup = Static<typeof MuteAgentErrorGroup>;
