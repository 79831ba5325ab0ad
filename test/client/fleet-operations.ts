import {
  approveRollout,
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
  getFreezeWindows,
  getRollout,
  listFleetFiles,
  listFleetSecrets,
  listFleets,
  listFleetVariables,
  listFleetVersions,
  listRolloutAgents,
  listRollouts,
  moveAgents,
  pauseRollout,
  promoteRollout,
  resumeRollout,
  revertRollout,
  search,
  startRollout,
  stopRollout,
  updateFleet,
  updateFleetFile,
  updateFleetSecrets,
  updateFleetVariables,
  updateFreezeWindows,
  validateFleetConfig,
} from '@muster/client';
import { expect } from 'vitest';
import { StockAgent } from '../../server/src/testing/calls/stock-agent.ts';
import type { TestApp, TestProject } from '../../server/src/testing/start-test-app.ts';
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
  const set = [{ name: 'region', value: 'eu-central' }];
  expect(await updateFleetVariables(admin, { fleetID, body: { set } })).toEqual({ changedCount: 1 });
  expect(await all(listFleetVariables(admin, { fleetID }))).toMatchObject([{ ...set[0], tag: null }]);
  expect(await updateFleetSecrets(admin, { fleetID, body: { set } })).toEqual({ changedCount: 1 });
  expect(await listFleetSecrets(admin, { fleetID })).toMatchObject({ secrets: [{ name: 'region' }] });
  expect(await deleteFleet(admin, { fleetID })).toMatchObject({ deleted: true });
}

/** Gives a version to the only agent of a fleet, in all ways in which a rollout can go. */
export async function useRollouts(admin: Client, app: TestApp, project: TestProject): Promise<void> {
  const { id: projectID } = project;
  const { id: fleetID } = await createFleet(admin, { projectID, body: { name: 'rolled', rawConfig } });
  const stock = new StockAgent(app, { project, machineID: 'rolled-1' });
  await stock.startByName('rolled');
  const { id: versionID } = await createFleetVersion(admin, {
    fleetID,
    body: { rawConfig: rawConfig.replace('dummy', 'random') },
  });
  const body = { versionID, reason: 'to try it' };
  const launch = { name: 'launch', startsAt: '2020-01-01T00:00:00Z', endsAt: '2020-01-02T00:00:00Z' };
  const windows = { freezeWindows: [launch], freeze: null, nextFreeze: null };
  expect(await updateFreezeWindows(admin, { projectID, body: { freezeWindows: [launch] } })).toEqual(windows);
  expect(await getFreezeWindows(admin, { projectID })).toEqual(windows);
  expect(await startRollout(admin, { fleetID, body: { ...body, dryRun: true } })).toMatchObject({ id: null });
  const { id } = await startRollout(admin, { fleetID, body });
  const rolloutID = id ?? '';
  const why = { rolloutID, body: { reason: 'to see' } };
  expect(await pauseRollout(admin, why)).toMatchObject({ state: 'paused' });
  expect(await resumeRollout(admin, why)).toMatchObject({ state: 'running' });
  expect((await all(listRolloutAgents(admin, { rolloutID }))).map(({ state }) => state)).toEqual(['waiting']);
  expect(await stopRollout(admin, why)).toMatchObject({ state: 'stopped' });
  expect(await revertRollout(admin, why)).toMatchObject({ state: 'reverting' });
  // The service goes on with a rollout that is not paused whenever it likes.
  const paused = await startRollout(admin, { fleetID, body });
  await pauseRollout(admin, { ...why, rolloutID: paused.id ?? '' });
  const again = await startRollout(admin, { fleetID, body });
  const promoted = await promoteRollout(admin, { ...why, rolloutID: again.id ?? '' });
  expect(promoted).toMatchObject({ state: 'completed' });
  await expect(approveRollout(admin, { ...why, rolloutID: again.id ?? '' })).rejects.toMatchObject({
    code: 'rollout_ended',
  });
  expect(await getRollout(admin, { rolloutID: paused.id ?? '' })).toMatchObject({ state: 'superseded' });
  expect((await all(listRollouts(admin, { projectID, fleet_id: fleetID }))).map((one) => one.id)).toEqual([
    again.id,
    paused.id,
    id,
  ]);
  const other = await createFleet(admin, { projectID, body: { name: 'other', rawConfig } });
  const moved = { fleetID: other.id, body: { agentIDs: [stock.agent?.id ?? ''] } };
  expect(await moveAgents(admin, moved)).toEqual({ movedCount: 1 });
}
