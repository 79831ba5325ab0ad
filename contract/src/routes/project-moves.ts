import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { IDParameter } from '../schemas/common.ts';
import {
  Arrival,
  ArrivingRows,
  BeginArrival,
  DepartingRows,
  DepartProject,
  Departure,
  FinishArrival,
  ReadDepartingRows,
  WriteArrivingRows,
} from '../schemas/project-move.ts';

const params = Type.Object({ projectID: IDParameter('The project.') });
const ofAdministrators = {
  method: 'POST',
  tag: 'Projects',
  credentials: ['access'],
  scope: 'installation',
  // Whoever moves a project can read all of it, its secrets too, and writes it elsewhere.
  permission: '*:*',
  repeatable: true,
} as const;
/** A page has at most half a MiB, or one row; in JSON, each byte of a text may take six. */
const pageLimitBytes = 32 * 1024 * 1024;

export const departProject = defineRoute({
  ...ofAdministrators,
  operationID: 'departProject',
  path: '/v1/projects/{projectID}/departure',
  summary: 'Let a project leave for another installation',
  description:
    'A step of `muster copy --project`, which speaks to both installations. For administrators of the installation, with a credential that is not narrowed.',
  params,
  body: jsonBody(DepartProject),
  answer: { status: 200, schema: Departure, description: 'The project after the step.' },
  problems: ['not_found', 'project_move_refused'],
});

export const readDepartingRows = defineRoute({
  ...ofAdministrators,
  operationID: 'readDepartingRows',
  path: '/v1/projects/{projectID}/departure/rows',
  summary: 'Read rows of a project that leaves',
  description:
    'Secrets are encrypted with the public key of the installation where the project arrives, which the run in charge has named in its step `copy`. For administrators of the installation, with a credential that is not narrowed.',
  params,
  body: jsonBody(ReadDepartingRows),
  answer: { status: 200, schema: DepartingRows, description: 'The rows, or their digest.' },
  problems: ['not_found', 'project_move_refused'],
});

export const beginArrival = defineRoute({
  ...ofAdministrators,
  operationID: 'beginArrival',
  path: '/v1/project_arrivals',
  summary: 'Let a project arrive from another installation',
  description:
    'Until its arrival is finished, nothing shows the project, and none of its credentials is accepted. The newest run of the command is in charge. For administrators of the installation, with a credential that is not narrowed.',
  body: jsonBody(BeginArrival),
  answer: { status: 200, schema: Arrival, description: 'The arrival.' },
  problems: ['project_move_refused'],
});

export const writeArrivingRows = defineRoute({
  ...ofAdministrators,
  operationID: 'writeArrivingRows',
  path: '/v1/project_arrivals/{projectID}/rows',
  summary: 'Write rows of a project that arrives',
  description:
    'The rows of the range become those that are sent, or none of them. Without `rows`, nothing is written. For administrators of the installation, with a credential that is not narrowed.',
  params,
  body: jsonBody(WriteArrivingRows, pageLimitBytes),
  answer: { status: 200, schema: ArrivingRows, description: 'What the range holds.' },
  problems: ['not_found', 'project_move_refused', 'project_page_refused'],
});

export const finishArrival = defineRoute({
  ...ofAdministrators,
  operationID: 'finishArrival',
  path: '/v1/project_arrivals/{projectID}/finish',
  summary: 'Finish the arrival of a project',
  description:
    'From now on the project is here, and the caller is an owner of it. Call it after the source has left it, and never before. For administrators of the installation, with a credential that is not narrowed.',
  params,
  body: jsonBody(FinishArrival),
  answer: { status: 200, schema: Arrival, description: 'The arrival.' },
  problems: ['not_found', 'project_move_refused'],
});
