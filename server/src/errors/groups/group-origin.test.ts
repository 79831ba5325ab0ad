import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { StockAgent } from '../../testing/calls/stock-agent.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;

const minute = 60_000;
const refused = (host: number) => `no route to 10.0.0.${host}`;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  groups = callErrorGroups(test);
});
afterAll(() => test.close());

async function register(
  project: TestProject,
  name: string,
  more: { readonly fleetID?: string; readonly rawConfig?: string } = {},
): Promise<string> {
  const body = { name, machineID: name, ...more };
  const as = { project: project.token };
  return (await test.request<{ id: string }>('POST', '/v1/agents', { as, body })).body.id;
}

const groupOf = async (projectID: string) => (await groups.list(projectID)).body[0]?.id ?? '';

describe('GET /v1/agent_error_groups/{agentErrorGroupID}/origin', () => {
  it('names the first agent with its configuration, and counts who has that and who fails', async () => {
    const project = await test.createProject();
    const agents = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      agents.push(await register(project, name, { fleetID: 'eu', rawConfig: 'port 443' }));
    const [a = '', b = '', c = '', d = '', e = ''] = agents;
    test.clock.advance(minute);
    const configuredAt = new Date(test.clock.now()).toISOString();
    for (const agent of [b, a, c]) await errors.configure(agent, 'port 9');
    test.clock.advance(minute);
    await errors.report(project, b, refused(1));
    test.clock.advance(minute);
    for (const agent of [a, d]) await errors.report(project, agent, refused(2));
    const id = await groupOf(project.id);
    expect(await groups.origin(id)).toMatchObject({
      status: 200,
      body: {
        first: { agentID: b, agentName: 'b', configID: expect.stringMatching(/-7/), configuredAt },
        affectedCount: 3,
        fleetID: 'eu',
        configuredCount: 3,
        affectedConfiguredCount: 2,
        agentsCount: 5,
      },
    });
    // It has another configuration now, and so no open error of it.
    await errors.configure(a, 'port 443');
    await errors.report(project, await register(project, 'f', { fleetID: 'us' }), refused(3));
    await errors.report(project, e, refused(4));
    expect((await groups.origin(id)).body).toMatchObject({
      first: { agentID: b },
      affectedCount: 4,
      fleetID: null,
      configuredCount: 2,
      affectedConfiguredCount: 1,
      agentsCount: 6,
    });
  });

  it('stays the first agent with its configuration after a later release of it and of all others', async () => {
    const project = await test.createProject();
    const [first, other] = [await register(project, 'first'), await register(project, 'other')];
    for (const agent of [first, other]) await errors.configure(agent, 'port 9');
    for (const agent of [first, other]) await errors.report(project, agent, refused(1));
    const id = await groupOf(project.id);
    const { body: before } = await groups.origin(id);
    test.clock.advance(minute);
    for (const agent of [first, other]) await errors.configure(agent, 'port 10');
    await errors.report(project, other, refused(2));
    const { body } = await groups.origin(id);
    expect(before).toMatchObject({ first: { agentID: first }, configuredCount: 2, affectedCount: 2 });
    // Who has the configuration, and who fails, is counted as it is now.
    expect(body).toEqual({ ...before, configuredCount: 0, affectedCount: 1, affectedConfiguredCount: 0 });
  });

  it('names, once the cause has come back, the first agent that has it since, with what that runs now', async () => {
    const project = await test.createProject();
    const agents = [];
    for (const name of ['a', 'b', 'c', 'd']) agents.push(await register(project, name));
    const [a = '', b = '', c = '', d = ''] = agents;
    const release = async (rawConfig: string, ...on: string[]) => {
      test.clock.advance(minute);
      for (const agent of on) await errors.configure(agent, rawConfig);
    };
    await release('41', ...agents);
    await release('42', ...agents);
    for (const agent of agents) await errors.report(project, agent, refused(1));
    const id = await groupOf(project.id);
    expect((await groups.origin(id)).body).toMatchObject({
      first: { agentID: a },
      affectedConfiguredCount: 4,
    });
    await release('43', ...agents);
    await test.request('POST', `/v1/projects/${project.id}/dismissals`, {
      as: { access: test.admin },
      body: { reason: 'fixed by 43', filter: { groupID: id } },
    });
    await release('44', b, c, d);
    const configuredAt = new Date(test.clock.now()).toISOString();
    for (const agent of [c, b, d]) {
      test.clock.advance(1_000);
      await errors.report(project, agent, refused(2));
    }
    const expected = {
      first: { agentID: c, agentName: 'c', configID: expect.any(String), configuredAt },
      affectedCount: 3,
      fleetID: null,
      configuredCount: 3,
      affectedConfiguredCount: 3,
      agentsCount: 4,
    };
    expect((await groups.origin(id)).body).toEqual(expected);
    // Who has been put back does not stand for the others.
    await release('43', c);
    expect((await groups.origin(id)).body).toEqual({
      ...expected,
      first: { ...expected.first, agentID: b, agentName: 'b' },
      affectedCount: 2,
      configuredCount: 2,
      affectedConfiguredCount: 2,
    });
    await release('43', b, d);
    expect((await groups.origin(id)).body).toMatchObject({
      first: null,
      affectedCount: 0,
      configuredCount: 0,
    });
  });

  it('names nobody when the first agent sent no configuration, and when it is deleted', async () => {
    const project = await test.createProject();
    await errors.report(project, await register(project, 'silent'), refused(1));
    expect((await groups.origin(await groupOf(project.id))).body).toEqual({
      first: null,
      affectedCount: 1,
      fleetID: null,
      configuredCount: 0,
      affectedConfiguredCount: 0,
      agentsCount: 1,
    });
    const other = await test.createProject();
    const gone = await test.registerAgent(other, 'gone');
    const stays = await test.registerAgent(other, 'stays');
    await errors.configure(gone.id, 'port 9');
    for (const { id } of [gone, stays]) await errors.report(other, id, refused(1));
    const groupID = await groupOf(other.id);
    expect((await groups.origin(groupID)).body).toMatchObject({ first: { agentID: gone.id } });
    await test.request('DELETE', `/v1/agents/${gone.id}`, { as: { access: test.admin } });
    expect((await groups.origin(groupID)).body).toMatchObject({ first: null, affectedCount: 1 });
  });

  it('counts what stock agents report as one configuration, although each writes its machine and its name into it', async () => {
    const project = await test.createProject();
    const reported = (machine: string, name: string, port: number) =>
      `[OUTPUT]\n    name http.0\n    port ${port}\n    header host ${name}\n\n[OUTPUT]\n    name calyptia.1\n    machine_id ${machine}\n`;
    const agents: string[] = [];
    for (const number of [1, 2, 3]) {
      const [name, machineID] = [`edge-${number}`, `${number}`.repeat(64)];
      const body = { name, machineID, rawConfig: reported(machineID, name, 443) };
      const as = { project: project.token };
      const { id } = (await test.request<{ id: string }>('POST', '/v1/agents', { as, body })).body;
      await errors.configure(id, reported(machineID, name, number === 3 ? 10 : 9));
      await errors.report(project, id, refused(number));
      agents.push(id);
    }
    expect((await groups.origin(await groupOf(project.id))).body).toMatchObject({
      first: { agentID: agents[0] },
      affectedCount: 3,
      configuredCount: 2,
      affectedConfiguredCount: 2,
    });
  });

  it('counts a version of a fleet as one configuration, whatever its variables are on each agent', async () => {
    const project = await test.createProject();
    const as = { access: test.admin };
    const output = (port: number) =>
      `[OUTPUT]\n    Name http\n    Match *\n    Host \${GATEWAY}\n    Port ${port}\n`;
    const { body: fleet } = await test.request<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, {
      as,
      body: { name: 'edge', rawConfig: output(443), reporting: 'off' },
    });
    const agents = [1, 2, 3].map(
      (number) => new StockAgent(test, { project, machineID: `machine-${number}` }),
    );
    const poll = async (agent: StockAgent) => {
      test.clock.advance(15_000);
      return agent.poll();
    };
    const run = (agent: StockAgent) =>
      agent.reload(agent.config.replace(`\${GATEWAY}`, `10.0.0.${agents.indexOf(agent) + 1}`));
    for (const agent of agents) {
      await agent.startByName('edge');
      await run(agent);
      await poll(agent);
    }
    const since = new Date(test.clock.now()).toISOString();
    await test.request('PATCH', `/v1/fleets/${fleet.id}`, { as, body: { rawConfig: output(9) } });
    for (const [index, agent] of agents.entries()) {
      expect(await poll(agent)).toBe(true);
      await run(agent);
      await errors.report(project, agent.agent?.id ?? '', refused(index));
    }
    const id = await groupOf(project.id);
    const origin = { first: { agentID: agents[0]?.agent?.id }, affectedCount: 3, fleetID: fleet.id };
    expect((await groups.origin(id)).body).toMatchObject({ ...origin, configuredCount: 1 });
    // Each asks again, and so has shown that it runs the version.
    for (const agent of agents) await poll(agent);
    await test.request('GET', `/v1/agents/${agents[0]?.agent?.id}`, { as });
    expect((await groups.origin(id)).body).toMatchObject({
      ...origin,
      configuredCount: 3,
      affectedConfiguredCount: 3,
    });
    const { body } = await test.request<{ configurations: object[] }>(
      'GET',
      `/v1/projects/${project.id}/history?bucket=minute&since=${since}`,
      { as },
    );
    expect(body.configurations[0]).toMatchObject({ agentID: agents[0]?.agent?.id, agentsCount: 3 });
  });
});

describe('GET /v1/projects/{projectID}/agent_error_group_trends', () => {
  it('counts the agents of new errors in two minutes each, of the last hour', async () => {
    const project = await test.createProject();
    const [one, two] = [await test.registerAgent(project), await test.registerAgent(project)];
    // The start of a bucket.
    test.clock.advance(2 * minute - (test.clock.now() % (2 * minute)));
    await errors.report(project, one.id, 'too old');
    test.clock.advance(2 * minute);
    const since = new Date(test.clock.now()).toISOString();
    await errors.report(project, one.id, refused(1));
    test.clock.advance(59 * minute);
    await errors.report(project, one.id, refused(2));
    await errors.report(project, one.id, refused(3));
    await errors.report(project, two.id, refused(2));
    await errors.report(project, two.id, 'disk full');
    const { body: listed } = await groups.list(project.id);
    const idOf = (text: string) => listed.find(({ pattern }) => pattern.startsWith(text))?.id;
    const nothing = (length: number) => Array.from({ length }, () => 0);
    const { status, body } = await groups.trends(project.id);
    expect([status, body.since]).toEqual([200, since]);
    expect(new Map(body.groups.map(({ groupID, agentsCounts }) => [groupID, agentsCounts]))).toEqual(
      new Map([
        [idOf('no route'), [1, ...nothing(28), 2]],
        [idOf('disk full'), [...nothing(29), 1]],
      ]),
    );
  });
});
