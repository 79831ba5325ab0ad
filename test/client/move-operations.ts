import { randomUUID } from 'node:crypto';
import {
  beginArrival,
  type Client,
  departProject,
  finishArrival,
  readDepartingRows,
  writeArrivingRows,
} from '@muster/client';
import { expect } from 'vitest';

/** Calls the operations that move a project: one that leaves, and an empty one that arrives. */
export async function moveProjects(admin: Client, projectID: string): Promise<void> {
  const runID = randomUUID();
  const newID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
  const departure = await departProject(admin, {
    projectID,
    body: { step: 'begin', runID, targetURL: 'https://b.example.com' },
  });
  expect(departure).toMatchObject({ projectID, state: 'here', targetURL: null, frozenUntil: null });
  const page = await readDepartingRows(admin, { projectID, body: { table: 'projects' } });
  expect(page).toMatchObject({ rowsCount: 1, last: [projectID] });
  const { name, version, migrations } = departure;
  const sourceURL = 'https://a.example.com';
  const arrival = await beginArrival(admin, {
    body: { projectID: newID, name, runID, sourceURL, version, migrations },
  });
  expect(arrival).toEqual({ projectID: newID, state: 'arriving', publicKey: expect.any(String) });
  const held = await writeArrivingRows(admin, { projectID: newID, body: { runID, table: 'projects' } });
  expect(held.rowsCount).toBe(1);
  expect(await finishArrival(admin, { projectID: newID, body: { runID } })).toMatchObject({
    state: 'arrived',
  });
}
