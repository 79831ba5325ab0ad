import { nothing } from '../stages/fleet-targets.ts';
import { anArrival, newArrival, someRunID } from '../stages/move-targets.ts';
import { theProject } from '../stages/people-targets.ts';
import type { Row } from './credential-row.ts';

/** The routes by which a project moves between two installations. */
export const moveRows: readonly Row[] = [
  moveRow('/v1/projects/{projectID}/departure', theProject, {
    step: 'begin',
    runID: someRunID,
    targetURL: 'https://b.example.com',
  }),
  moveRow('/v1/projects/{projectID}/departure/rows', theProject, { table: 'agents' }),
  moveRow('/v1/project_arrivals', nothing, () => newArrival()),
  moveRow('/v1/project_arrivals/{projectID}/rows', anArrival, {
    runID: someRunID,
    table: 'agents',
  }),
  moveRow('/v1/project_arrivals/{projectID}/finish', anArrival, { runID: someRunID }),
];

function moveRow(path: string, target: Row['target'], body: NonNullable<Row['body']>): Row {
  return {
    method: 'POST',
    path,
    takes: ['access'],
    needs: ['*:*'],
    success: 200,
    target,
    body,
    scope: 'installation',
  };
}
