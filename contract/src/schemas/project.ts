import { type Static, Type } from 'typebox';
import { ID, Nullable, Text, Timestamp } from './common.ts';

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
