import { v7 } from 'uuid';
import type { TestApp } from '../start-test-app.ts';
import type { Target } from './people-targets.ts';

/** Of the run of the command that all arrivals of tests have. */
export const someRunID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';

/** What an installation says of a project that is to arrive at one like it. */
export function newArrival(projectID: string = v7()): object {
  return {
    projectID,
    name: 'arriving',
    runID: someRunID,
    sourceURL: 'https://a.example.com',
    version: '0.0.0-test',
    migrations: ['0001-initial'],
  };
}

export async function anArrival(app: TestApp): Promise<Target> {
  const projectID = v7();
  await app.request('POST', '/v1/project_arrivals', {
    as: { access: app.admin },
    body: newArrival(projectID),
  });
  return { params: { projectID } };
}
