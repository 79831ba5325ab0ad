import {
  type Client,
  createFleet,
  createFleetFile,
  createFleetVersion,
  deleteFleet,
  deleteFleetFile,
  getFleet,
  getFleetConfig,
  getFleetFile,
  getFleetStatus,
  getFleetsStatus,
  getFleetVersion,
  getFleetVersionCounts,
  getFleetVersionDiff,
  listFleetFiles,
  listFleets,
  listFleetVersions,
  search,
  updateFleet,
  updateFleetFile,
  validateFleetConfig,
} from '@muster/client';
import { expect } from 'vitest';
import { all } from './outcomes.ts';

const rawConfig = '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name  stdout\n    Match *\n';

/** Creates a fleet with files and versions, and deletes it. */
export async function useFleets(admin: Client, projectID: string): Promise<void> {
  const nobody = { managed: 0, healthy: 0, inProgress: 0, unhealthy: 0 };
  const body = { name: 'edge', rawConfig, reporting: 'off', note: 'the first' } as const;
  const { id: fleetID, versionID } = await createFleet(admin, { projectID, body });
  expect(await getFleet(admin, { fleetID })).toMatchObject({ name: 'edge', currentVersion: { number: 1 } });
  expect(
    await search(admin, { project_id: projectID, resource: 'fleet', term: 'edge', exact: true }),
  ).toEqual([{ id: fleetID, name: 'edge', ID: fleetID, Name: 'edge' }]);
  expect(await getFleetConfig(admin, { fleetID })).toBe(rawConfig);
  const contents = 'IyBhIGZpbGUK';
  const file = await createFleetFile(admin, { fleetID, body: { name: 'parsers.conf', contents } });
  expect((await all(listFleetFiles(admin, { fleetID }))).map(({ id }) => id)).toEqual([file.id]);
  const fleetFileID = file.id;
  expect(await updateFleetFile(admin, { fleetFileID, body: { name: 'more.conf' } })).toBeUndefined();
  expect(await getFleetFile(admin, { fleetFileID })).toMatchObject({ name: 'more.conf', contents });
  expect(await deleteFleetFile(admin, { fleetFileID })).toBeUndefined();
  await updateFleet(admin, { fleetID, body: { rawConfig: rawConfig.replace('dummy', 'random') } });
  expect(await validateFleetConfig(admin, { fleetID, body: {} })).toEqual({ isValid: true, findings: [] });
  const draft = await createFleetVersion(admin, { fleetID, body: { rawConfig, note: 'a draft' } });
  expect((await all(listFleetVersions(admin, { fleetID }))).map(({ number }) => number)).toEqual([
    6, 5, 4, 3, 2, 1,
  ]);
  expect(await getFleetVersion(admin, { fleetVersionID: draft.id })).toEqual({ ...draft, rawConfig });
  const diff = await getFleetVersionDiff(admin, { fleetVersionID: draft.id, against: versionID ?? '' });
  expect(diff).toMatchObject({ diff: '', from: { number: 1 }, to: { number: 6 } });
  expect(await getFleetStatus(admin, { fleetID })).toEqual(nobody);
  expect(await getFleetsStatus(admin, { projectID })).toEqual(nobody);
  expect(await getFleetVersionCounts(admin, { projectID, fleet_id: fleetID })).toEqual({ counts: [] });
  expect((await all(listFleets(admin, { projectID, name: 'edge' }))).map(({ id }) => id)).toEqual([fleetID]);
  expect(await deleteFleet(admin, { fleetID })).toMatchObject({ deleted: true });
}
