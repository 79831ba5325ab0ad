import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { historyBuckets, maxHistoryBuckets } from '../schemas/agent-error-group.ts';
import { IDParameter, NameFilter, OneOf, pageQuery, TimestampInput } from '../schemas/common.ts';
import {
  CreatedProject,
  CreateProject,
  Project,
  ProjectSummary,
  ProjectWithUsage,
  UpdateProject,
} from '../schemas/project.ts';
import { ProjectHistory } from '../schemas/project-history.ts';

const params = Type.Object({ projectID: IDParameter('The project.') });

export const listProjects = defineRoute({
  operationID: 'listProjects',
  method: 'GET',
  path: '/v1/projects',
  tag: 'Projects',
  summary: 'List projects',
  description:
    'Newest first. Users see the projects in which they have the permission, administrators of the installation all. A project token sees only its own project.',
  credentials: ['access', 'project'],
  permission: 'read:project',
  scope: 'visible',
  query: Type.Object({ ...pageQuery, name: NameFilter('projects') }),
  answer: { status: 200, schema: Type.Array(Project), description: 'A page of projects.', paged: true },
});

export const createProject = defineRoute({
  operationID: 'createProject',
  method: 'POST',
  path: '/v1/projects',
  tag: 'Projects',
  summary: 'Create a project',
  description:
    'The project gets a first token named `default` with the permissions that an agent needs. For administrators of the installation.',
  credentials: ['access'],
  permission: 'create:project',
  scope: 'installation',
  body: jsonBody(CreateProject),
  answer: {
    status: 201,
    schema: CreatedProject,
    description: 'The project and its first token.',
  },
});

export const getProject = defineRoute({
  operationID: 'getProject',
  method: 'GET',
  path: '/v1/projects/{projectID}',
  tag: 'Projects',
  summary: 'Get a project',
  description: 'Includes what the project has stored and the limits of the installation.',
  credentials: ['access', 'project'],
  permission: 'read:project',
  params,
  answer: { status: 200, schema: ProjectWithUsage, description: 'The project and what it has stored.' },
  problems: ['not_found'],
});

export const getProjectSummary = defineRoute({
  operationID: 'getProjectSummary',
  method: 'GET',
  path: '/v1/projects/{projectID}/summary',
  tag: 'Projects',
  summary: 'Get the counts of a project',
  description:
    'Exact counts of agents, open errors and groups at `countedAt`, for a dashboard that asks every second. In a storm of changes, `countedAt` may lie a few seconds back.',
  credentials: ['access', 'project'],
  permission: 'read:project',
  params,
  answer: { status: 200, schema: ProjectSummary, description: 'The counts.' },
  problems: ['not_found'],
});

export const getProjectHistory = defineRoute({
  operationID: 'getProjectHistory',
  method: 'GET',
  path: '/v1/projects/{projectID}/history',
  tag: 'Projects',
  summary: 'Get the history of a project',
  description: `New errors, new groups and changed configurations in each minute, hour or day, for a chart. At most ${maxHistoryBuckets} buckets.`,
  credentials: ['access', 'project'],
  permission: 'read:project',
  params,
  query: Type.Object({
    bucket: Type.Optional(
      OneOf(historyBuckets, {
        description: 'The length of time that is counted together. Absent: hour.',
      }),
    ),
    since: Type.Optional(
      TimestampInput(
        'The first bucket contains this time. Absent: an hour before `until` by minute, a day by hour, 30 days by day.',
      ),
    ),
    until: Type.Optional(TimestampInput('The last bucket starts before this time. Absent: now.')),
  }),
  answer: { status: 200, schema: ProjectHistory, description: 'The history.' },
  problems: ['not_found'],
});

export const updateProject = defineRoute({
  operationID: 'updateProject',
  method: 'PATCH',
  path: '/v1/projects/{projectID}',
  tag: 'Projects',
  summary: 'Rename a project',
  credentials: ['access'],
  permission: 'update:project',
  params,
  body: jsonBody(UpdateProject),
  answer: { status: 200, schema: Project, description: 'The project as it is now.' },
  problems: ['not_found'],
});

export const deleteProject = defineRoute({
  operationID: 'deleteProject',
  method: 'DELETE',
  path: '/v1/projects/{projectID}',
  tag: 'Projects',
  summary: 'Delete a project',
  description: 'Also deletes its tokens, agents and errors. This cannot be undone.',
  credentials: ['access'],
  permission: 'delete:project',
  params,
  answer: { status: 204, description: 'Deleted.' },
  problems: ['not_found'],
});
