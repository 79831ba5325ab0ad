import { createRule, newRule } from '../calls/alert-calls.ts';
import { changeRows } from '../rows/change-rows.ts';
import type { TestApp, TestProject } from '../start-test-app.ts';
import type { Target } from './people-targets.ts';

export async function nothing(): Promise<Target> {
  return { params: {} };
}

export async function aNewProject(app: TestApp): Promise<Target> {
  const { id } = await app.createProject();
  return { params: { projectID: id } };
}

export async function aToken(app: TestApp, project: TestProject): Promise<Target> {
  const { id } = await app.createToken(project.id, []);
  return { params: { tokenID: id } };
}

export async function anAgent(app: TestApp, project: TestProject): Promise<Target> {
  const { id, token } = await app.registerAgent(project);
  return { params: { agentID: id }, agentToken: token };
}

export async function aConfiguredAgent(app: TestApp, project: TestProject): Promise<Target> {
  const target = await anAgent(app, project);
  await app.request('PATCH', `/v1/agents/${target.params.agentID}`, {
    as: { access: app.admin },
    body: { rawConfig: '[INPUT]\n    Name cpu\n' },
  });
  return target;
}

export async function anError(app: TestApp, project: TestProject): Promise<Target> {
  const agent = await app.registerAgent(project);
  const { body } = await app.request<{ id: string }>('POST', `/v1/agents/${agent.id}/errors`, {
    as: { agent: agent.token },
    body: { error: 'no upstream connections available' },
  });
  return { params: { agentErrorID: body.id } };
}

export async function aGroup(app: TestApp, project: TestProject): Promise<Target> {
  await anError(app, project);
  const list = async (query: string) =>
    (
      await app.request<{ id: string }[]>('GET', `/v1/projects/${project.id}/agent_error_groups${query}`, {
        as: { access: app.admin },
      })
    ).body;
  // A row before may have muted it.
  const [group] = [...(await list('')), ...(await list('?muted=true'))];
  return { params: { agentErrorGroupID: group?.id ?? '' } };
}

/** One whose mute can be ended. */
export async function aMutedGroup(app: TestApp, project: TestProject): Promise<Target> {
  const group = await aGroup(app, project);
  await app.request('POST', `/v1/agent_error_groups/${group.params.agentErrorGroupID}/mute`, {
    as: { access: app.admin },
    body: { until: '2999-01-01T00:00:00Z', reason: 'known' },
  });
  return group;
}

export async function aChannel(app: TestApp, project: TestProject): Promise<Target> {
  const { body } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/alert_channels`, {
    as: { access: app.admin },
    body: { name: 'on-call', kind: 'webhook', url: 'https://hooks.example.invalid/muster' },
  });
  return { params: { alertChannelID: body.id } };
}

export async function aRule(app: TestApp, project: TestProject): Promise<Target> {
  const { id } = await createRule(app, project, newRule());
  return { params: { alertRuleID: id } };
}

export async function aDismissedError(app: TestApp, project: TestProject): Promise<Target> {
  const target = await anError(app, project);
  await app.request('POST', `/v1/agent_errors/${target.params.agentErrorID}/dismiss`, {
    as: { access: app.admin },
    body: { reason: 'seen' },
  });
  return target;
}

export async function aDismissal(app: TestApp, project: TestProject): Promise<Target> {
  const { body } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/dismissals`, {
    as: { access: app.admin },
    body: { reason: 'seen', filter: { q: 'no upstream' } },
  });
  return { params: { dismissalID: body.id } };
}

const fleetConfig = '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name  stdout\n    Match *\n';

/** A fleet with a version and a file. */
async function createFleet(app: TestApp, project: TestProject) {
  const as = { access: app.admin };
  const name = `fleet-${(await app.createToken(project.id, [])).id.slice(-12)}`;
  const { body } = await app.request<{ id: string; versionID: string }>(
    'POST',
    `/v1/projects/${project.id}/fleets`,
    { as, body: { name, rawConfig: fleetConfig } },
  );
  const { body: file } = await app.request<{ id: string }>('POST', `/v1/fleets/${body.id}/files`, {
    as,
    body: { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' },
  });
  return { ...body, name, fileID: file.id };
}

export async function aFleet(app: TestApp, project: TestProject): Promise<Target> {
  const { id } = await createFleet(app, project);
  return { params: { fleetID: id } };
}

export async function aFleetVersion(app: TestApp, project: TestProject): Promise<Target> {
  const { id, versionID } = await createFleet(app, project);
  return { params: { fleetID: id, fleetVersionID: versionID } };
}

/** What agents of a fleet get at a site of its project. */
export async function aFleetContent(app: TestApp, project: TestProject): Promise<Target> {
  const { versionID } = await createFleet(app, project);
  const { token } = await app.createCoreInstance(project);
  return { params: { content: `${versionID}.on` }, coreInstanceToken: token };
}

export async function aFleetFile(app: TestApp, project: TestProject): Promise<Target> {
  const { fileID } = await createFleet(app, project);
  return { params: { fleetFileID: fileID } };
}

/** As a stock agent registers, without the time that it takes: others have credentials that end. */
async function registerByName(app: TestApp, project: TestProject, name: string): Promise<string> {
  const { body: found } = await app.request<{ id: string }[]>(
    'GET',
    `/v1/search?project_id=${project.id}&resource=fleet&term=${name}&exact=true`,
    { as: { project: project.token }, headers: { 'fleet-config-version': '-1' } },
  );
  const { body } = await app.request<{ id: string }>('POST', '/v1/agents', {
    as: { project: project.token },
    body: { name, machineID: name, fleetID: found[0]?.id },
  });
  return body.id;
}

/** An agent of one fleet, and another fleet. */
export async function anAgentOfAFleet(app: TestApp, project: TestProject): Promise<Target> {
  const { name } = await createFleet(app, project);
  const agentID = await registerByName(app, project, name);
  const { id } = await createFleet(app, project);
  return { params: { fleetID: id, agentID } };
}

/** A second version on its way to the only agent of a fleet. */
export async function aRollout(app: TestApp, project: TestProject): Promise<Target> {
  const { id, name } = await createFleet(app, project);
  await registerByName(app, project, name);
  const as = { access: app.admin };
  const { body: version } = await app.request<{ id: string }>('POST', `/v1/fleets/${id}/versions`, {
    as,
    body: { rawConfig: `${fleetConfig}# second\n` },
  });
  const { body: rollout } = await app.request<{ id: string }>('POST', `/v1/fleets/${id}/rollouts`, {
    as,
    body: { versionID: version.id, reason: 'to try it' },
  });
  return { params: { rolloutID: rollout.id } };
}

export async function aPausedRollout(app: TestApp, project: TestProject): Promise<Target> {
  const target = await aRollout(app, project);
  await app.request('POST', `/v1/rollouts/${target.params.rolloutID}/pause`, {
    as: { access: app.admin },
    body: { reason: 'to look' },
  });
  return target;
}

/** Waits for the approval of its second stage, as after the first one has run it for long enough. */
export async function aWaitingRollout(app: TestApp, project: TestProject): Promise<Target> {
  const target = await aRollout(app, project);
  await changeRows(
    app.dataDirectory,
    `update rollouts set state = 'waiting', revision = revision + 1,
       stages = '[{"agentsCount":1,"soakSeconds":600},{"agentsCount":0,"soakSeconds":600}]',
       verdict = '{"rule":"approval","stage":2}' where id = '${target.params.rolloutID}'`,
  );
  return target;
}
