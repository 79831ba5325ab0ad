import {
  type Client,
  type Credential,
  createCoreInstance,
  createFleet,
  createToken,
  deleteCoreInstance,
  getCoreInstance,
  getSiteFleetContent,
  listCoreInstances,
  listSiteCredentials,
  listSiteFleets,
  rotateCoreInstance,
  rotateOwnCoreInstance,
  sendCoreInstanceBatch,
  updateCoreInstance,
} from '@muster/client';
import { expect } from 'vitest';
import { all } from './outcomes.ts';

/** Creates a core instance, lets it speak, and deletes it. */
export async function useCoreInstances(
  admin: Client,
  clientOf: (credential: Credential) => Client,
  projectID: string,
): Promise<void> {
  const body = { name: 'sites', permissions: ['create:core_instance'] } as const;
  const { token } = await createToken(admin, { projectID, body });
  const maker = clientOf({ projectToken: token });
  const created = await createCoreInstance(maker, { body: { name: 'plant-7' } });
  expect(created).toMatchObject({ name: 'plant-7', status: 'waiting' });
  const coreInstanceID = created.id;
  const first = clientOf({ coreInstanceToken: created.token });
  const rotated = await rotateOwnCoreInstance(first, { body: {} });
  const own = clientOf({ coreInstanceToken: rotated.token });
  const status = {
    version: '0.1.0',
    startedAt: 0,
    spooledCount: 0,
    spooledBytes: 0,
    oldestSpooledAt: null,
    lostCount: 0,
    lastLossAt: null,
    sentAt: Date.now(),
  };
  const batch = { protocol: 1, sequence: 1, id: coreInstanceID, status, items: [] };
  expect(await sendCoreInstanceBatch(own, { body: batch })).toMatchObject({ sequence: 1, refused: [] });
  const { items, more, reset } = await listSiteCredentials(own);
  expect([items.length > 0, more, reset]).toEqual([true, true, true]);
  await createFleet(admin, {
    projectID,
    body: { name: 'at-sites', rawConfig: '[INPUT]\n    Name dummy\n[OUTPUT]\n    Name null\n    Match *\n' },
  });
  const { changed } = await listSiteFleets(own);
  const [fleet] = changed?.fleets ?? [];
  const content = fleet?.current?.content ?? '';
  expect(await getSiteFleetContent(own, { content })).toMatchObject({ files: expect.any(String) });
  expect(await updateCoreInstance(admin, { coreInstanceID, body: { tags: ['eu'] } })).toMatchObject({
    tags: ['eu'],
    version: '0.1.0',
  });
  expect(await getCoreInstance(admin, { coreInstanceID })).toMatchObject({ status: 'running' });
  expect((await all(listCoreInstances(admin, { projectID, tag: 'eu' }))).map(({ id }) => id)).toEqual([
    coreInstanceID,
  ]);
  expect((await rotateCoreInstance(admin, { coreInstanceID, body: {} })).token).toMatch(/^mst_c_…/);
  expect(await deleteCoreInstance(admin, { coreInstanceID })).toBeUndefined();
}
