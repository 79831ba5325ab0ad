import { type Static, Type } from 'typebox';
import { historyBuckets } from './agent-error-group.ts';
import { ID, OneOf, Timestamp, TimestampOf } from './common.ts';

/** Maximum number of configurations that a history lists. */
export const maxListedConfigurations = 20;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const ProjectHistoryBucket = Type.Object({
  startsAt: Timestamp,
  errorsCount: count(
    'Agent errors that were created in this time and are still stored. Repeats of them are not counted.',
  ),
  newGroupsCount: count('Groups whose first error was created in this time.'),
  configChangesCount: count(
    'How often an agent got another configuration in this time, of those in `config_history`. Its first one is not counted.',
  ),
});

const RolledOutConfiguration = Type.Object(
  {
    configID: Type.String({
      format: 'uuid',
      description: 'The configuration of the agent that got it first, such as for `config_diff`.',
    }),
    agentID: ID,
    agentName: Type.String({ examples: ['edge-7'] }),
    agentsCount: Type.Integer({ minimum: 1, description: 'Agents that got it in the time of the history.' }),
    firstChangedAt: TimestampOf('When the first of these agents got it.'),
    lastChangedAt: TimestampOf('When the last of these agents got it.'),
  },
  {
    description:
      'A configuration that agents got in the time of the history. Configurations are the same if they differ in nothing but what each agent has for itself: its name, its machine id, what it adds for this service, the values of variables in a version of a fleet, and secrets.',
  },
);

/** What happened in a project over time, for a chart. */
export const ProjectHistory = Type.Object(
  {
    bucket: OneOf(historyBuckets, { description: 'The length of time that is counted together.' }),
    buckets: Type.Array(ProjectHistoryBucket, {
      description: 'Oldest first, also those in which nothing happened. Hours and days are in UTC.',
    }),
    configurations: Type.Array(RolledOutConfiguration, {
      maxItems: maxListedConfigurations,
      description: `The ${maxListedConfigurations} configurations that the most agents got, the largest first.`,
    }),
    configurationsCount: count('Different configurations that agents got in the time of the history.'),
  },
  { description: 'New errors and groups of a project over time, beside the configurations of its agents.' },
);
export type ProjectHistory = Static<typeof ProjectHistory>;
