import { type Access, requireText } from './access.ts';
import { type Client, textField } from './client.ts';
import { configurationOf, gatewayVariable, releases } from './configurations.ts';
import { DemoError } from './demo-error.ts';
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
  client: Client,
  { projectID, headers }: Access,
  signal: AbortSignal,
): Promise<ServedFleet | { readonly refused: string }> {
  const post = async (path: string, body: unknown, method: 'POST' | 'PATCH' = 'POST') =>
    (await client.require({ method, path, headers, body }, signal)).body;
  try {
    const created = await post(`/v1/projects/${projectID}/fleets`, { name: servedPlace });
    const id = requireText(created, 'id');
    let versionID = '';
    for (let release = 1; release <= releases.working; release += 1)
      versionID = requireText(await post(`/v1/fleets/${id}/versions`, versionOf(release)), 'id');
    await post(`/v1/fleets/${id}`, { versionID }, 'PATCH');
    return { id, name: servedPlace };
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    return { refused: error.message };
  }
}

/** Lets an alert tell when a rollout stops. False: the token may not, or a rule of somebody tells it already. */
export async function createAlertRule(client: Client, { projectID, headers }: Access): Promise<boolean> {
  const create = (what: string, body: object) =>
    client.require({ method: 'POST', path: `/v1/projects/${projectID}/${what}`, headers, body });
  try {
    await create('alert_rules', { kind: 'rollout_stopped' });
    await create('alert_channels', { name: 'demo', kind: 'dashboard' });
    return true;
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    return false;
  }
}

/** Deploys a release in stages, as `muster rollout start` does. Returns the id of the rollout. */
export async function startRollout(
  client: Client,
  { headers }: Access,
  { id }: ServedFleet,
  release: number,
): Promise<string> {
  const version = await client.require({
    method: 'POST',
    path: `/v1/fleets/${id}/versions`,
    headers,
    body: versionOf(release),
  });
  const versionID = requireText(version.body, 'id');
  const started = await client.require({
    method: 'POST',
    path: `/v1/fleets/${id}/rollouts`,
    headers,
    body: { versionID, stages, reason: `Release ${release}` },
  });
  return requireText(started.body, 'id');
}

/** What the newest alert of the project says. Undefined: there was none. */
export async function readAlert(client: Client, { projectID, headers }: Access): Promise<string | undefined> {
  const path = `/v1/projects/${projectID}/alert_deliveries?last=1`;
  const { body } = await client.require({ method: 'GET', path, headers });
  return Array.isArray(body) ? textField(body[0], 'title') : undefined;
}

/** Such as `running` or `reverted`. */
export async function readRolloutState(client: Client, { headers }: Access, id: string): Promise<string> {
  const { body } = await client.require({ method: 'GET', path: `/v1/rollouts/${id}`, headers });
  return textField(body, 'state') ?? '';
}

function versionOf(release: number) {
  return { rawConfig: configurationOf(release, gatewayVariable), note: `Release ${release}` };
}
