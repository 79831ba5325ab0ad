import { type Static, Type } from 'typebox';
import { ID, Nullable, Text, Timestamp, TimestampOf } from './common.ts';

const exampleNames = ['Edge'];
const name = Text(1, 128, { description: 'Not unique.', examples: exampleNames });

export const Project = Type.Object(
  { id: ID, name: Type.String({ examples: exampleNames }), createdAt: Timestamp, updatedAt: Timestamp },
  { description: 'A project contains tokens, agents and their errors.' },
);
export type Project = Static<typeof Project>;

const limit = (description: string) => Nullable(Type.Integer({ minimum: 1, description }));

/** What a project has stored, with the limits of the installation. */
const usage = Type.Object(
  {
    agents: Type.Integer({ minimum: 0, description: 'Agents that are registered now.' }),
    maxAgents: limit('MUSTER_MAX_AGENTS_PER_PROJECT. Null: no limit.'),
    storedBytes: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'Size of what its agents have stored, at the last count. Counted at most once a minute. Null: not counted yet, or no limit is set.',
      }),
    ),
    maxStoredBytes: limit('MUSTER_MAX_STORED_BYTES_PER_PROJECT. Null: no limit.'),
  },
  { description: 'What the project has stored, with its limits.' },
);

/** One project with what it has stored. */
export const ProjectWithUsage = Type.Object(
  { ...Project.properties, usage },
  { description: 'A project with what it has stored.' },
);
export type ProjectWithUsage = Static<typeof ProjectWithUsage>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Maximum number of versions that a summary lists. */
export const maxListedVersions = 20;

/** The state of a project in numbers. */
export const ProjectSummary = Type.Object(
  {
    countedAt: TimestampOf('Everything that was stored before this time is counted.'),
    agentsCount: count('Agents that are registered.'),
    agentsByStatus: Type.Object(
      {
        healthy: count('Agents with this status.'),
        unhealthy: count('Agents with this status.'),
        offline: count('Agents with this status.'),
        stopped: count('Agents with this status.'),
        unknown: count('Agents with this status.'),
      },
      { description: 'The sum is `agentsCount`.' },
    ),
    agentsByVersion: Type.Array(
      Type.Object({
        type: Nullable(Type.String({ examples: ['fluentbit'] })),
        version: Nullable(Type.String({ examples: ['5.1.1'] })),
        agentsCount: Type.Integer({ minimum: 1 }),
      }),
      {
        maxItems: maxListedVersions,
        description: `The ${maxListedVersions} versions with the most agents, the largest first. Null: the agents did not say.`,
      },
    ),
    agentsOfOtherVersionsCount: count('Agents of the versions that are not listed.'),
    openErrorsByState: Type.Object(
      {
        current: count('Open errors of configurations that their agents still have.'),
        superseded: count('Open errors of earlier configurations.'),
      },
      { description: 'Errors that are not dismissed.' },
    ),
    openGroupsCount: count('Groups with an open and current error.'),
    newGroupsCount: Type.Object(
      {
        lastHour: count('Groups whose first error was created in the last hour.'),
        lastDay: count('Groups whose first error was created in the last 24 hours.'),
      },
      { description: 'Also groups that have been dismissed since.' },
    ),
    coreInstances: Type.Object(
      {
        waiting: count('Core instances with this status.'),
        running: count('Core instances with this status.'),
        unreachable: count('Core instances with this status.'),
        maxLagSeconds: count('The longest time for which something waits at a site.'),
      },
      { description: 'Musters at sites.' },
    ),
  },
  { description: 'Exact counts of a project.' },
);
export type ProjectSummary = Static<typeof ProjectSummary>;

export const CreateProject = Type.Object(
  { name },
  { additionalProperties: false, description: 'A project to create.' },
);
export type CreateProject = Static<typeof CreateProject>;

export const CreatedProject = Type.Object(
  {
    id: ID,
    token: Type.String({
      description: "The project's first token, named `default`, with the permissions that an agent needs.",
      examples: ['eyJQcm9qZWN0SUQi….mst_p_…'],
    }),
    createdAt: Timestamp,
  },
  { description: 'The project and its first token.' },
);
export type CreatedProject = Static<typeof CreatedProject>;

export const UpdateProject = Type.Object(
  { name: Type.Optional(name) },
  {
    additionalProperties: false,
    description: 'The fields of a project to change: absent fields stay as they are.',
  },
);
export type UpdateProject = Static<typeof UpdateProject>;
