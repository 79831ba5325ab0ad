import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';
import { CreateDismissal, Dismissal, DismissalPreview } from '../schemas/dismissal.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });
const dismissalParams = Type.Object({ dismissalID: IDParameter('The dismissal.') });

export const createDismissal = defineRoute({
  operationID: 'createDismissal',
  method: 'POST',
  path: '/v1/projects/{projectID}/dismissals',
  tag: 'Dismissals',
  summary: 'Dismiss many agent errors',
  description:
    'Dismisses all open errors that match the filter and were stored before the request. There is no limit on their number: the answer comes after the first portion, and the rest follows in the background. With `dryRun`, it only counts them.',
  credentials: ['access', 'project'],
  permission: 'update:agent_error',
  params: projectParams,
  body: jsonBody(CreateDismissal),
  answer: {
    status: 201,
    schema: Type.Union([Dismissal, DismissalPreview]),
    description: 'The dismissal, which is stored durably; with `dryRun`, the counts alone.',
  },
  problems: ['not_found'],
});

export const listDismissals = defineRoute({
  operationID: 'listDismissals',
  method: 'GET',
  path: '/v1/projects/{projectID}/dismissals',
  tag: 'Dismissals',
  summary: 'List dismissals of a project',
  description: 'Newest first. Errors that were dismissed one by one are not listed here.',
  credentials: ['access', 'project'],
  permission: 'read:agent_error',
  params: projectParams,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    schema: Type.Array(Dismissal),
    description: 'A page of dismissals.',
    paged: true,
  },
  problems: ['not_found'],
});

export const getDismissal = defineRoute({
  operationID: 'getDismissal',
  method: 'GET',
  path: '/v1/dismissals/{dismissalID}',
  tag: 'Dismissals',
  summary: 'Get a dismissal',
  description: 'Its counts are those of this moment, so they show the progress.',
  credentials: ['access', 'project'],
  permission: 'read:agent_error',
  params: dismissalParams,
  answer: { status: 200, schema: Dismissal, description: 'The dismissal.' },
  problems: ['not_found'],
});

export const undoDismissal = defineRoute({
  operationID: 'undoDismissal',
  method: 'POST',
  path: '/v1/dismissals/{dismissalID}/undo',
  tag: 'Dismissals',
  summary: 'Undo a dismissal',
  description:
    'Reopens the errors that this dismissal has dismissed and that are still dismissed by it. A dismissal that is running is stopped first. To undo it again changes nothing.',
  credentials: ['access', 'project'],
  permission: 'update:agent_error',
  params: dismissalParams,
  answer: { status: 200, schema: Dismissal, description: 'The dismissal, with the state of its undo.' },
  repeatable: true,
  problems: ['not_found'],
});
