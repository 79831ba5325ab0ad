import { type Static, Type } from 'typebox';
import { maxErrorLength } from './agent-error.ts';
import { Actor, ID, IDParameter, Nullable, OneOf, Text, Timestamp, TimestampInput } from './common.ts';

/** Maximum number of agents that the filter of a dismissal names. */
export const maxAgentsPerDismissal = 100;

/** Maximum number of groups that the filter of a dismissal names. */
export const maxGroupsPerDismissal = 100;

export const dismissalStates = ['running', 'done', 'undoing', 'undone'] as const;

export const DismissalFilter = Type.Object(
  {
    groupID: Type.Optional(IDParameter('Only errors of this group.')),
    groupIDs: Type.Optional(
      Type.Array(IDParameter('A group.'), {
        minItems: 1,
        maxItems: maxGroupsPerDismissal,
        description: 'Only errors of these groups. Not together with `groupID`.',
      }),
    ),
    error: Type.Optional(Text(1, maxErrorLength, { description: 'Only errors with exactly this text.' })),
    q: Type.Optional(
      Text(1, 256, {
        description: 'Only errors whose text contains this text; the case of ASCII letters is ignored.',
      }),
    ),
    agentIDs: Type.Optional(
      Type.Array(IDParameter('An agent.'), {
        minItems: 1,
        maxItems: maxAgentsPerDismissal,
        description: 'Only errors of these agents.',
      }),
    ),
    fleetID: Type.Optional(Text(1, 128, { description: 'Only errors of agents of this fleet.' })),
    current: Type.Optional(
      Type.Boolean({
        description:
          'true: only errors of the configuration that their agent has now. false: only errors of an earlier one.',
      }),
    ),
    createdBefore: Type.Optional(TimestampInput('Only errors created before this time.')),
    all: Type.Optional(
      Type.Boolean({ description: 'true: all open errors of the project. Takes no other condition.' }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Open errors for which all of these conditions hold. At least one condition is needed.',
    examples: [{ q: 'connection refused', current: true }],
  },
);
export type DismissalFilter = Static<typeof DismissalFilter>;

export const CreateDismissal = Type.Object(
  {
    reason: Text(1, 100, { examples: ['Fixed by the new password'] }),
    filter: DismissalFilter,
    dryRun: Type.Optional(
      Type.Boolean({ description: 'true: only count what would be dismissed. Nothing is stored.' }),
    ),
  },
  { additionalProperties: false, description: 'Which open errors need no more attention, and why.' },
);
export type CreateDismissal = Static<typeof CreateDismissal>;

const note = Nullable(
  Type.String({ description: 'Says so if no open error matches the filter; else null.' }),
);

export const DismissalUndo = Type.Object(
  {
    requestedAt: Timestamp,
    requestedBy: Actor,
    endedAt: Nullable(Timestamp),
    reopenedCount: Type.Integer({ minimum: 0, description: 'Errors reopened so far.' }),
    notReopenedCount: Type.Integer({ minimum: 0, description: 'Errors that could not be reopened.' }),
    notReopened: Type.Object(
      {
        equalErrorOpen: Type.Integer({
          minimum: 0,
          description:
            'Their agent has an open error with the same text and configuration. Work with that one.',
        }),
        changedSince: Type.Integer({
          minimum: 0,
          description: 'They were reopened or removed after the dismissal. Counted when the undo has ended.',
        }),
      },
      { description: 'Why they could not be reopened.' },
    ),
  },
  { description: 'The undo of a dismissal.' },
);

/** A dismissal of many agent errors at once. */
export const Dismissal = Type.Object(
  {
    id: ID,
    state: OneOf(dismissalStates, {
      description:
        '`running`: errors are being dismissed. `done`: all are. `undoing`: they are being reopened. `undone`: they are open again, except for those that `undo` counts.',
    }),
    errorsCount: Type.Integer({ minimum: 0, description: 'Errors that it has dismissed so far.' }),
    agentsCount: Type.Integer({ minimum: 0, description: 'Agents of these errors.' }),
    note,
    reason: Type.String(),
    filter: DismissalFilter,
    groups: Type.Array(
      Type.Object({
        id: ID,
        name: Type.String({
          description: 'The title of a known error, with its plugin, or the pattern of another.',
          examples: ['Destination not reachable (http)'],
        }),
      }),
      { description: 'The groups of the filter that are still stored, in its order.' },
    ),
    requestedAt: Timestamp,
    requestedBy: Actor,
    endedAt: Nullable(Timestamp),
    undo: Type.Union([DismissalUndo, Type.Null()]),
  },
  {
    description:
      'A dismissal of many agent errors. It applies to errors that were stored before it was requested, and is kept as long as dismissed errors.',
  },
);
export type Dismissal = Static<typeof Dismissal>;

export const DismissalPreview = Type.Object(
  {
    dryRun: Type.Literal(true),
    errorsCount: Type.Integer({ minimum: 0 }),
    agentsCount: Type.Integer({ minimum: 0 }),
    note,
  },
  { description: 'What a dismissal would dismiss at this moment.' },
);
export type DismissalPreview = Static<typeof DismissalPreview>;
