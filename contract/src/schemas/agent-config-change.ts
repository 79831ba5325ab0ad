import { type Static, Type } from 'typebox';
import { ID, Timestamp, TimestampOf } from './common.ts';

/** Maximum number of causes that a change of the configuration lists on each side. */
export const maxListedCauses = 20;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const AgentConfigCause = Type.Object(
  {
    groupID: Type.String({ format: 'uuid', description: 'The group of the errors: UUIDv8, lower case.' }),
    pattern: Type.String({
      description: 'What the errors of the group have in common.',
      examples: ['[output:es:es.<n>] HTTP status=401 URI=/_bulk'],
    }),
    errorsCount: Type.Integer({
      minimum: 1,
      description:
        'Stored errors of the agent with this cause, open and dismissed, of the configuration that had them.',
    }),
    firstSeenAt: TimestampOf('When the first of these errors was created.'),
    lastSeenAt: TimestampOf('When one of these errors was last reported.'),
  },
  { description: 'A cause of errors of one agent with one configuration.' },
);

const listed = { maxItems: maxListedCauses };

/** What came and went with a configuration of an agent. */
export const AgentConfigChange = Type.Object(
  {
    configID: ID,
    createdAt: Timestamp,
    current: Type.Boolean({
      description:
        'True for the configuration that the agent runs: what is gone with it may still come back.',
    }),
    errorsCount: count('Stored errors of the agent with this configuration, open and dismissed.'),
    causesCount: count('Groups of these errors.'),
    came: Type.Array(AgentConfigCause, {
      ...listed,
      description: `Causes that the agent had with this configuration, and not with the one before it: the ${maxListedCauses} with the most errors, the largest first.`,
    }),
    cameCount: count('All causes that came.'),
    went: Type.Array(AgentConfigCause, {
      ...listed,
      description: `Causes that the agent had with the configuration before this one, and not with this one: the ${maxListedCauses} with the most errors, the largest first.`,
    }),
    wentCount: count('All causes that went.'),
  },
  {
    description:
      'A configuration of an agent, with the causes of errors that came and went with it. Errors that are no longer stored are not counted.',
  },
);
export type AgentConfigChange = Static<typeof AgentConfigChange>;
