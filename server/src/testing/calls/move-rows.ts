import { nothing } from '../stages/fleet-targets.ts';
import { anArrival, newArrival, someRunID } from '../stages/move-targets.ts';
import { theProject } from '../stages/people-targets.ts';
import type { Row } from './credential-row.ts';

/** The routes by which a project moves between two installations. */
export const moveRows: readonly Row[] = [
  moveRow('/v1/projects/{projectID}/departure', 'delete:project', theProject, {
    step: 'begin',
    runID: someRunID,
    targetURL: 'https://b.example.com',
  }),
  moveRow('/v1/projects/{projectID}/departure/rows', 'delete:project', theProject, { table: 'agents' }),
  moveRow('/v1/project_arrivals', 'create:project', nothing, () => newArrival()),
  moveRow('/v1/project_arrivals/{projectID}/rows', 'create:project', anArrival, {
    runID: someRunID,
    table: 'agents',
  }),
  moveRow('/v1/project_arrivals/{projectID}/finish', 'create:project', anArrival, { runID: someRunID }),
];

function moveRow(path: string, need: string, target: Row['target'], body: NonNullable<Row['body']>): Row {
  return {
    method: 'POST',
    path,
    takes: ['access'],
    needs: [need],
    success: 200,
    target,
    body,
    scope: 'installation',
  };
}
