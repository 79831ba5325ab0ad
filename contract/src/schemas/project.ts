import { type Static, Type } from 'typebox';
import { ID, Text, Timestamp } from './common.ts';

const exampleNames = ['Edge'];
const name = Text(1, 128, { description: 'Not unique.', examples: exampleNames });

export const Project = Type.Object(
  { id: ID, name: Type.String({ examples: exampleNames }), createdAt: Timestamp, updatedAt: Timestamp },
  { description: 'What tokens, agents and their errors belong to.' },
);
export type Project = Static<typeof Project>;

export const CreateProject = Type.Object(
  { name },
  { additionalProperties: false, description: 'A project to be made.' },
);
export type CreateProject = Static<typeof CreateProject>;

export const CreatedProject = Type.Object(
  {
    id: ID,
    token: Type.String({
      description: "The project's first token, named `default`, with what an agent needs.",
      examples: ['eyJQcm9qZWN0SUQi….mst_p_…'],
    }),
    createdAt: Timestamp,
  },
  { description: 'The project and its first token.' },
);
export type CreatedProject = Static<typeof CreatedProject>;

export const UpdateProject = Type.Object(
  { name: Type.Optional(name) },
  { additionalProperties: false, description: 'What changes of a project: absent fields stay as they are.' },
);
export type UpdateProject = Static<typeof UpdateProject>;
