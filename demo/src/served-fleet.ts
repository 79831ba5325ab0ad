import {
  createAlertChannel,
  createAlertRule,
  createFleet,
  createFleetVersion,
  getRollout,
  listAlertDeliveries,
  type Rollout,
  startRollout,
  updateFleet,
} from '@muster/client';
import type { Access } from './access.ts';
import { configurationOf, gatewayVariable, releases } from './configurations.ts';
import { DemoError, isRefusal } from './demo-error.ts';
import { servedPlace } from './roles.ts';

/** The fleet whose agents get their configuration from Muster. */
export interface ServedFleet {
  readonly id: string;
  readonly name: string;
}

/** As short as Muster allows. */
const soakSeconds = 120;
const stages = ['1%', '10%', '50%', '100%'].map((agents) => ({ agents, soakSeconds }));

/** The fleet with a version for each release so far, or why there is none. */
export async function createServedFleet(
  { client, projectID }: Access,
  signal: AbortSignal,
): Promise<ServedFleet | { readonly refused: string }> {
  try {
    const { id: fleetID } = await createFleet(client, { projectID, body: { name: servedPlace } }, { signal });
    let versionID = '';
    for (let release = 1; release <= releases.working; release += 1)
      versionID = (await createFleetVersion(client, { fleetID, body: versionOf(release) }, { signal })).id;
    await updateFleet(client, { fleetID, body: { versionID } }, { signal });
    return { id: fleetID, name: servedPlace };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refused: error.message };
  }
}

/** Lets an alert tell when a rollout stops. False: the token may not, or a rule of somebody tells it already. */
export async function tellOfStops({ client, projectID }: Access): Promise<boolean> {
  try {
    await createAlertRule(client, { projectID, body: { kind: 'rollout_stopped' } });
    await createAlertChannel(client, { projectID, body: { name: 'demo', kind: 'dashboard' } });
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return false;
  }
}

/** Deploys a release in stages, as `muster rollout start` does. Returns the id of the rollout. */
export async function deployRelease(
  { client }: Access,
  { id: fleetID }: ServedFleet,
  release: number,
): Promise<string> {
  const { id: versionID } = await createFleetVersion(client, { fleetID, body: versionOf(release) });
  const body = { versionID, stages, reason: `Release ${release}` };
  const { id } = await startRollout(client, { fleetID, body });
  if (id === null) throw new DemoError(`Release ${release} was not deployed.`);
  return id;
}

/** What the newest alert of the project says. Undefined: there was none. */
export async function readAlert({ client, projectID }: Access): Promise<string | undefined> {
  const { items } = await listAlertDeliveries(client, { projectID, last: 1 }).first();
  return items[0]?.title;
}

export async function readRolloutState({ client }: Access, rolloutID: string): Promise<Rollout['state']> {
  return (await getRollout(client, { rolloutID })).state;
}

function versionOf(release: number) {
  return { rawConfig: configurationOf(release, gatewayVariable), note: `Release ${release}` };
}
