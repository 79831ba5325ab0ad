import { expect } from 'vitest';
import { TestBrowser } from '../receivers/test-browser.ts';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';
import { addUser } from './people-targets.ts';

/** A project in which everything exists that a process remembers, with the credentials that it does so for. */
export interface RememberedWorld {
  app: TestApp;
  readonly project: TestProject;
  readonly browser: TestBrowser;
  /** What paths name. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the agents. */
  readonly token: string;
  readonly ownToken: string;
  readonly agentToken: string;
  readonly memberToken: string;
  readonly siteToken: string;
  /** How the agent names its fleet. */
  readonly handle: string;
}

/** What an answer shows of what was decided, without ids and times. */
export interface Shown {
  readonly status: number;
  readonly code?: string | undefined;
  readonly told?: string | undefined;
  readonly text?: string | undefined;
}

const anID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const machineID = 'web-01';
const agentPermissions = ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet', 'read:agent'];
const texts = { open: 'no upstream connections available', muted: 'cannot open the file' };

export async function createRememberedWorld(app: TestApp): Promise<RememberedWorld> {
  const admin = { access: app.admin };
  async function post<Body = { id: string; token: string }>(url: string, body: object, as: object = admin) {
    const answer = await app.request<Body>('POST', url, { as, body });
    expect(answer.status, `${url}: ${answer.text}`).toBeLessThan(300);
    return answer.body;
  }
  const project = await app.createProject();
  const ofProject = `/v1/projects/${project.id}`;
  const reporter = await app.createToken(project.id, agentPermissions);
  const own = await app.createToken(project.id, ['update:own_token']);
  const fleet = await post<{ id: string; versionID: string }>(`${ofProject}/fleets`, {
    name: 'edge',
    rawConfig: '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name stdout\n    Match *\n',
  });
  const file = await post(`/v1/fleets/${fleet.id}/files`, {
    name: 'parsers.conf',
    contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K',
  });
  const { body: found } = await app.request<{ id: string }[]>(
    'GET',
    `/v1/search?project_id=${project.id}&resource=fleet&term=edge&exact=true`,
    { as: { project: reporter.token }, headers: { 'fleet-config-version': '-1' } },
  );
  const handle = found[0]?.id ?? '';
  const agent = await post(
    '/v1/agents',
    { name: machineID, machineID, fleetID: handle, rawConfig: '[INPUT]\n  name cpu\n' },
    { project: reporter.token },
  );
  const errors: string[] = [];
  for (const error of Object.values(texts)) {
    const { id } = await post(`/v1/agents/${agent.id}/errors`, { error }, { agent: agent.token });
    errors.push(id);
  }
  const { body: groups } = await app.request<{ id: string; example: string }[]>(
    'GET',
    `${ofProject}/agent_error_groups`,
    { as: admin },
  );
  const groupOf = (text: string) => groups.find(({ example }) => example === text)?.id ?? '';
  await post(`/v1/agent_error_groups/${groupOf(texts.muted)}/mute`, {
    until: '2999-01-01T00:00:00Z',
    reason: 'known',
  });
  const member = await addUser(app);
  await post(`${ofProject}/members`, { userID: member.userID, role: 'viewer' });
  const site = await app.createCoreInstance(project);
  const browser = new TestBrowser(app);
  await browser.signIn(member.token);
  const { body: me } = await browser.call<{ sessionID: string }>('GET', '/v1/me');
  const { body: access } = await app.request<{ id: string }>('GET', '/v1/access_tokens/self', {
    as: { access: member.token },
  });
  return {
    app,
    project,
    browser,
    params: {
      projectID: project.id,
      tokenID: reporter.id,
      agentID: agent.id,
      machineID,
      agentErrorID: errors[0] ?? '',
      agentErrorGroupID: groupOf(texts.open),
      mutedGroupID: groupOf(texts.muted),
      fleetID: fleet.id,
      fleetVersionID: fleet.versionID,
      fleetFileID: file.id,
      coreInstanceID: site.id,
      userID: member.userID,
      accessTokenID: access.id,
      sessionID: me.sessionID,
    },
    token: reporter.token,
    ownToken: own.token,
    agentToken: agent.token,
    memberToken: member.token,
    siteToken: site.token,
    handle,
  };
}

/** Asks everything that is answered from what a process remembers. */
export async function askRemembered(world: RememberedWorld): Promise<Record<string, Shown>> {
  const { app, params, handle } = world;
  const shown: Record<string, Shown> = {};
  async function ask(name: string, asked: Promise<Answer<{ code?: string }>>, hasText = false) {
    const { status, headers, body, text } = await asked;
    const told = headers['muster-agent-error'];
    // What is gone is not found by those who knew of it, and denied to all others.
    const code = status < 400 ? undefined : body.code;
    const isDenied = code === 'permission_denied' || code === 'not_found';
    shown[name] = {
      status: isDenied ? 404 : status,
      ...(code === undefined || isDenied ? {} : { code }),
      ...(told === undefined ? {} : { told }),
      ...(hasText && status < 400 ? { text: text.replaceAll(anID, 'id') } : {}),
    };
  }
  const me = (as: object) => app.request<{ code?: string }>('GET', '/v1/me', { as });
  await ask('token', me({ project: world.token }));
  await ask('own token', me({ project: world.ownToken }));
  await ask('agent token', me({ agent: world.agentToken }));
  await ask('access token', me({ access: world.memberToken }));
  await ask('site', me({ core_instance: world.siteToken }));
  await ask('session', world.browser.call('GET', '/v1/me'));
  const ofProject = `/v1/projects/${params.projectID}`;
  await ask(
    'member',
    app.request('GET', `${ofProject}/agents?last=1`, { as: { access: world.memberToken } }),
  );
  const agent = { as: { project: world.token }, headers: { 'fleet-config-version': '-1' } };
  const ofFleet = `/v1/fleets/${handle}`;
  await ask('poll', app.request('GET', `${ofFleet}/config?format=ini&config_format=ini`, agent), true);
  const ofPerson = `/v1/fleets/${params.fleetID}/config?config_format=ini`;
  await ask('poll of a person', app.request('GET', ofPerson, { as: { access: app.admin } }), true);
  await ask('files', app.request('GET', `${ofFleet}/files`, agent), true);
  const ofAgent = `/v1/agents/${params.agentID}`;
  await ask('heartbeat', app.request('POST', `${ofAgent}/heartbeat`, { as: { agent: world.agentToken } }));
  const ofMachine = `/v1/machines/${machineID}`;
  await ask(
    'beat of machine',
    app.request('POST', `${ofMachine}/heartbeat`, { as: { project: world.token } }),
  );
  for (const [name, error] of Object.entries(texts)) {
    const body = { error };
    await ask(
      `${name} error`,
      app.request('POST', `${ofAgent}/errors`, { as: { project: world.token }, body }),
    );
    await ask(
      `${name} error of machine`,
      app.request('POST', `${ofMachine}/errors`, { as: { project: world.token }, body }),
    );
  }
  return shown;
}
