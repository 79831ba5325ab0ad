import { type Static, Type } from 'typebox';
import { Actor, DespiteFreeze, ID, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';

/** The largest number of stages of a rollout. */
const maxStages = 20;
/** Reports of errors and signs of life need some time to arrive. */
export const minSoakSeconds = 120;
export const defaultRolloutStages = [
  { agents: 1, soakSeconds: 600 },
  { agents: '10%', soakSeconds: 600 },
  { agents: '50%', soakSeconds: 600 },
  { agents: '100%', soakSeconds: 600 },
] as const;

export const rolloutStates = [
  'running',
  'waiting',
  'paused',
  'stopped',
  'reverting',
  'reverted',
  'completed',
  'superseded',
] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** What becomes of a rollout. `passed`: its next stage began by itself. `released`: a suspicion went away. */
const rolloutSteps = [
  'held',
  'released',
  'passed',
  'promoted',
  'waiting',
  'approved',
  'paused',
  'resumed',
  'stopped',
  'reverted',
  'completed',
] as const;

const StageAgents = Type.Union(
  [
    Type.Integer({ minimum: 1 }),
    Type.String({ pattern: '^(100|[1-9]?[0-9])(\\.[0-9]{1,2})?%$' }),
    Type.Object({ tag: Type.String({ minLength: 1, maxLength: 128 }) }),
    Type.Object({ names: Type.Array(Type.String({ maxLength: 255 }), { minItems: 1, maxItems: 1_000 }) }),
    Type.Object({ site: Type.String({ minLength: 1, maxLength: 255 }) }),
  ],
  {
    description:
      'A number or a share of the agents, with those of the stages before, or the agents with a tag, with these names, or at a site.',
    examples: ['10%'],
  },
);

export const RolloutStageRule = Type.Object(
  {
    agents: StageAgents,
    soakSeconds: Type.Integer({
      minimum: minSoakSeconds,
      maximum: 7 * 86_400,
      description:
        'For how long each agent of the stage has to run the version before the next stage begins.',
    }),
  },
  { description: 'A stage of a rollout to start.' },
);
export type RolloutStageRule = Static<typeof RolloutStageRule>;

const Reason = Text(1, 1_000, {
  description: 'Why. It is kept in the audit log.',
  examples: ['Send to the new collectors'],
});

export const StartRollout = Type.Object(
  {
    versionID: Type.String({
      format: 'uuid',
      description: 'The version to give to them.',
      examples: ['0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d'],
    }),
    stages: Type.Optional(
      Type.Array(RolloutStageRule, {
        minItems: 1,
        maxItems: maxStages,
        description:
          'Absent: one agent, 10%, 50%, and all, with ten minutes each. Agents that no stage takes are in a last one.',
      }),
    ),
    onFailure: Type.Optional(
      OneOf(['revert', 'hold'], {
        description:
          '`revert`: when the rollout stops by itself, agents go back to the version before. `hold`: they keep what they have. Absent: `revert`.',
      }),
    ),
    approval: Type.Optional(
      OneOf(['none', 'each_stage'], {
        description:
          '`each_stage`: each stage but the first begins only when somebody approves it. Until then, the agents that have the version are watched. Absent: `none`.',
      }),
    ),
    maxPerMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Agents of a stage that get the version in each minute. Absent: all of them at once.',
        examples: [100],
      }),
    ),
    reason: Reason,
    dryRun: Type.Optional(Type.Boolean({ description: 'True: nothing happens. The answer is the plan.' })),
    despiteFreeze: Type.Optional(
      Type.Boolean({
        description: 'True: its stages begin also during a freeze of the project.',
      }),
    ),
    despiteBad: Type.Optional(
      Type.Boolean({ description: 'True: also if a rollout of this version was stopped by itself before.' }),
    ),
  },
  { description: 'A version to give to the agents of a fleet, stage by stage.' },
);
export type StartRollout = Static<typeof StartRollout>;

export const BeginStage = Type.Object(
  {
    reason: Reason,
    despiteFreeze: DespiteFreeze,
    stage: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The stage in which you saw the rollout. If it is in another one, which may have begun by itself, nothing is done. Absent: whichever it is in.',
        examples: [1],
      }),
    ),
  },
  { description: 'Why.' },
);
export type BeginStage = Static<typeof BeginStage>;

export const RolloutReason = Type.Object({ reason: Reason }, { description: 'Why.' });
export type RolloutReason = Static<typeof RolloutReason>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const PlannedRolloutStage = Type.Object({
  agentsCount: count('Agents that get the version in this stage.'),
  aliveCount: count('Of these, the ones that were heard lately.'),
  soakSeconds: Type.Integer({ minimum: 1 }),
  names: Type.Array(Type.String(), {
    description: 'Of its first agents, at most ten.',
    examples: [['edge-7']],
  }),
});

export const StartedRollout = Type.Object(
  {
    id: Nullable(Type.String({ format: 'uuid', description: 'Null: it was a dry run.' })),
    stages: Type.Array(PlannedRolloutStage),
  },
  { description: 'The rollout, and who gets the version when.' },
);
export type StartedRollout = Static<typeof StartedRollout>;

const NumberedVersion = Type.Object({ id: ID, number: Type.Integer({ minimum: 1 }) });

const RolloutVerdict = Type.Object(
  {
    rule: OneOf(
      [
        'hard_failures',
        'new_cause',
        'unhealthy',
        'not_enough_evidence',
        'silent_sites',
        'approval',
        'freeze',
        'person',
        'pending',
      ],
      {
        description:
          '`hard_failures`: agents rejected the version, crashed with it, or fell silent. `new_cause`: agents with the version report an error that the others do not. `unhealthy`: too many report one of any kind. `not_enough_evidence`, `silent_sites`: too few have shown that they work, or sites do not deliver what their agents report. `approval`: it waits until somebody approves the next stage. `freeze`: the next stage begins when the freeze of the project ends. `person`: somebody decided it. `pending`: it ended, and some have not shown it.',
      },
    ),
    agents: Type.Optional(count('Agents that show it.')),
    of: Type.Optional(count('Of so many.')),
    stage: Type.Optional(Type.Integer({ minimum: 1, description: 'The stage that waits.' })),
    freeze: Type.Optional(
      Type.String({ description: 'The freeze window that it waits for, or despite which it was done.' }),
    ),
    until: Type.Optional(TimestampOf('When the freeze ends.')),
    groupID: Type.Optional(ID),
    agentIDs: Type.Optional(Type.Array(ID, { description: 'The first of them.' })),
    reason: Type.Optional(Type.String({ description: 'What the person gave as the reason.' })),
  },
  { description: 'Why a rollout is in its state.' },
);

const RolloutStep = Type.Object({
  at: Timestamp,
  kind: OneOf(rolloutSteps),
  stage: Type.Integer({ minimum: 1, description: 'The stage in which it was.' }),
  by: Nullable(
    Type.String({
      description: 'Whoever decided it. Null: it happened by itself.',
      examples: ['mira@example.com'],
    }),
  ),
});

const RolloutEvidence = Type.Object(
  {
    at: TimestampOf('When it stood so.'),
    updatedCount: count('Agents that run the version and are heard.'),
    othersCount: count('Agents that they are compared with.'),
    causes: Type.Array(
      Type.Object({
        groupID: ID,
        updatedCount: count('Agents with the version that got it since.'),
        othersCount: count('Other agents that got it since.'),
        comesWithVersion: Type.Boolean({
          description:
            'True: on enough agents with the version, and so much more often than on the others that it is hardly chance. The rollout stops if that is still so after a minute.',
        }),
        firstAt: TimestampOf('When the first agent with the version reported it.'),
      }),
      { description: 'Those that agents with the version did not have before: the most widespread ones.' },
    ),
    failedCount: count(
      'Agents that rejected the version, crashed with it, or fell silent while the others did not.',
    ),
    worse: Type.Object({
      updatedCount: count('Agents with the version that report anything new.'),
      othersCount: count('Other agents that do.'),
    }),
    watchedCount: count('Agents of the stage that have run it for the whole soak.'),
    stageCount: count('Agents of the stage that were heard when it began.'),
    silentSites: Type.Array(Type.String({ examples: ['plant-7'] }), {
      description: 'Sites with agents of the stage whose reports do not come in.',
    }),
    agents: Type.Array(
      Type.Object({
        agentID: ID,
        name: Type.String({ examples: ['edge-7'] }),
        appliedAt: TimestampOf('Since when it runs the version.'),
        reportedAt: Nullable(TimestampOf('When it first reported something new. Null: it has not.')),
      }),
      { description: 'The first ones that run it.' },
    ),
  },
  { description: 'What agents have shown.' },
);
export type RolloutEvidence = Static<typeof RolloutEvidence>;

const RolloutApproval = Type.Object({
  stage: Type.Integer({ minimum: 1 }),
  approvedBy: Actor,
  approvedAt: Timestamp,
  reason: Type.String(),
});

export const Rollout = Type.Object(
  {
    id: ID,
    projectID: ID,
    fleetID: ID,
    fleetName: Type.String({ description: 'Its name, or the last one that it had.', examples: ['edge'] }),
    fleetDeletedAt: Nullable(
      TimestampOf('When the fleet was deleted: its versions cannot be read any more.'),
    ),
    from: NumberedVersion,
    to: NumberedVersion,
    state: OneOf(rolloutStates),
    stage: Type.Integer({ minimum: 1, description: 'The stage that runs, or in which it ended.' }),
    stages: Type.Array(
      Type.Object({ agentsCount: count('Agents of the stage.'), soakSeconds: Type.Integer({ minimum: 1 }) }),
    ),
    isHeld: Type.Boolean({
      description:
        'True: nobody further gets the version until a suspicion is settled, for a minute at most.',
    }),
    heldUntil: Nullable(TimestampOf('When it stops by itself if the suspicion lasts. Null: it is not held.')),
    onFailure: OneOf(['revert', 'hold']),
    approval: OneOf(['none', 'each_stage']),
    approvals: Type.Array(RolloutApproval, { description: 'Who has approved which stage.' }),
    maxPerMinute: Nullable(
      Type.Integer({ minimum: 1, description: 'Agents of a stage that get the version in each minute.' }),
    ),
    despiteFreeze: Type.Boolean({
      description: 'True: its stages begin also during a freeze of the project.',
    }),
    reason: Type.String(),
    verdict: Nullable(RolloutVerdict),
    agentsCount: Type.Object({
      offered: count('Agents that were offered the version, with all below.'),
      applied: count('Agents that run it.'),
      rejected: count('Agents that have downloaded it and go on with another one.'),
      observed: count('Agents of the stage that have run it for the whole soak.'),
    }),
    evidence: Nullable(RolloutEvidence),
    history: Type.Array(RolloutStep, {
      description: 'What became of it, oldest first: the latest 200 steps.',
    }),
    stageStartedAt: Timestamp,
    startedAt: Timestamp,
    startedBy: Actor,
    endedAt: Nullable(Timestamp),
  },
  { description: 'A version on its way to the agents of a fleet.' },
);
export type Rollout = Static<typeof Rollout>;

export const RolloutAgent = Type.Object(
  {
    agentID: ID,
    name: Type.String(),
    stage: Type.Integer({ minimum: 1 }),
    state: OneOf(['waiting', 'offered', 'downloaded', 'applied', 'rejected']),
    status: Nullable(Type.String({ examples: ['healthy'] })),
  },
  { description: 'How far an agent is with the version of a rollout.' },
);
export type RolloutAgent = Static<typeof RolloutAgent>;
