import type { AgentWithConfig, Fleet, FleetsStatus } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StockAgent } from '../../testing/calls/stock-agent.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';
import { ConfigThread, maxInlineBytes } from './config-thread.ts';

let app: TestApp;
let published = 0;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const rawConfig = '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name  stdout\n    Match *\n';
const contents = Buffer.from('# a file\n').toString('base64');

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

async function createFleet(project: TestProject, name: string, config = rawConfig, reporting = 'off') {
  const { body } = await call<{ id: string; versionID: string }>(
    'POST',
    `/v1/projects/${project.id}/fleets`,
    {
      name,
      rawConfig: config,
      reporting,
    },
  );
  return { ...body, url: `/v1/fleets/${body.id}` };
}

async function start() {
  const project = await app.createProject();
  return { project, ...(await createFleet(project, 'edge')) };
}

async function startAgent(project: TestProject, machineID: string, zoneSeconds = 0): Promise<StockAgent> {
  const agent = new StockAgent(app, { project, machineID, zoneSeconds });
  await agent.startByName('edge');
  return agent;
}

/** Another fleet of the project publishes 300 times. */
async function publishOften(project: TestProject): Promise<void> {
  published += 1;
  const other = await createFleet(project, `other-${published}`);
  await changeRows(
    app.dataDirectory,
    `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 300)
        insert into fleet_publications (project_id, seconds, fleet_id, version_id, published_at)
        select project_id, seconds + n, fleet_id, version_id, published_at from counted, fleet_publications
        where fleet_id = '${other.id}'`,
  );
  await call('PATCH', other.url, { reporting: 'on' });
}

async function describeAgent({ agent }: StockAgent): Promise<AgentWithConfig> {
  return (await call<AgentWithConfig>('GET', `/v1/agents/${agent?.id}`)).body;
}

async function stateOf(agent: StockAgent) {
  const { fleet } = await describeAgent(agent);
  return [fleet?.versionNumber, fleet?.state, fleet?.isDrifted];
}

async function statusOf(url: string): Promise<FleetsStatus> {
  return (await call<FleetsStatus>('GET', `${url}/status`)).body;
}

/** So that each poll is a little later, as in life. */
async function pollLater(agent: StockAgent, seconds = 15): Promise<boolean> {
  app.clock.advance(seconds * 1_000);
  return agent.poll();
}

describe('GET /v1/fleets/{fleetID}/config', () => {
  it('is the whole configuration, of exactly its media type, with its date', async () => {
    const { project, url } = await start();
    const { token } = await app.createToken(project.id, ['read:fleet']);
    const answer = await app.request('GET', `${url}/config?format=ini&config_format=ini`, {
      as: { project: token },
    });
    expect(answer).toMatchObject({ status: 200, text: rawConfig });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': String(rawConfig.length),
      'cache-control': 'no-store',
      'last-modified': expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
    });
    // Agents take a 304 for a failure.
    const again = await app.request('GET', `${url}/config`, {
      as: { project: token },
      headers: { 'if-modified-since': answer.headers['last-modified'] ?? '' },
    });
    expect(again).toMatchObject({ status: 200, text: rawConfig });
    expect(again.headers['last-modified']).toBe(answer.headers['last-modified']);
  });

  it('is made of a large version once for all who ask at the same time, on a thread', async () => {
    const large = `${rawConfig}\n[FILTER]\n    Name   modify\n    Match  *\n    Remove key\n`.repeat(800);
    const project = await app.createProject();
    const { url } = await createFleet(project, 'large', large);
    const { token } = await app.createToken(project.id, ['read:fleet']);
    const ask = () =>
      app.request('GET', `${url}/config?format=ini&config_format=ini`, { as: { project: token } });
    const threads = vi.spyOn(ConfigThread.prototype, 'run');
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    expect(threads.mock.calls.map(([{ kind }, bytes]) => [kind, bytes > maxInlineBytes])).toEqual([
      ['render', true],
    ]);
    await ask();
    expect(threads).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([large]));
  });

  it('is made once for each name of the service that is used, whoever asks by many others', async () => {
    const project = await app.createProject();
    const { url } = await createFleet(project, 'named', rawConfig, 'on');
    const { token } = await app.createToken(project.id, ['read:fleet']);
    const as = { project: token };
    const ask = (host: string) => app.request('GET', `${url}/config`, { as, headers: { host } });
    const rendered = vi.spyOn(ConfigThread.prototype, 'run');
    for (const host of ['one.example', 'one.example', 'other.example']) await ask(host);
    expect(rendered).toHaveBeenCalledTimes(2);
    for (let count = 0; count < 20; count += 1) await ask(`${count}.example`);
    expect(rendered).toHaveBeenCalledTimes(22);
    for (const host of ['one.example', 'other.example']) expect((await ask(host)).text).toContain(host);
    expect(rendered).toHaveBeenCalledTimes(22);
    vi.restoreAllMocks();
  });

  it('names the valid formats to those who ask for another one', async () => {
    const { url } = await start();
    expect(await call('GET', `${url}/config?config_format=toml`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_query_parameter', fields: [{ path: 'config_format' }] },
    });
  });
});

describe('a stock agent that is configured with the name of its fleet', () => {
  it('gets an id of its own, of which nothing is stored before it registers', async () => {
    const { project, id, url } = await start();
    const one = await startAgent(project, 'machine-1');
    const other = await startAgent(project, 'machine-2');
    expect(one.fleetID).not.toBe(other.fleetID);
    expect(one.config).toBe(rawConfig);
    const { fleetID, fleet } = await describeAgent(one);
    expect([fleetID, fleet]).toEqual([
      id,
      {
        id,
        name: 'edge',
        versionID: expect.any(String),
        versionNumber: 1,
        state: 'offered',
        isDrifted: false,
      },
    ]);
    await pollLater(one);
    expect(await stateOf(one)).toEqual([1, 'applied', false]);
    expect(await statusOf(url)).toEqual({ managed: 2, healthy: 1, inProgress: 1, unhealthy: 0 });
    expect((await call<Fleet>('GET', url)).body.agentsCount).toEqual({
      active: 2,
      inactive: 0,
      withErrors: 0,
      errors: 0,
    });
    const reported = await call('GET', `/v1/projects/${project.id}/reported_fleets`);
    expect(reported.body).toEqual({ fleets: [{ id, name: 'edge', agentsCount: 2 }] });
  });

  it('reports errors with its id once it has registered, and is unknown to other projects', async () => {
    const { project } = await start();
    const agent = await startAgent(project, 'machine-1');
    const report = (handle: string, { token }: TestProject) =>
      app.request('POST', `/v1/machines/${handle}/errors`, {
        as: { project: token },
        body: { error: 'disk full' },
      });
    expect((await report(agent.fleetID, project)).status).toBe(201);
    const other = await app.createProject();
    expect((await report(agent.fleetID, other)).status).toBe(201);
    const listed = async ({ id }: TestProject) =>
      (await call<AgentWithConfig[]>('GET', `/v1/projects/${id}/agents`)).body;
    expect(await listed(project)).toMatchObject([{ id: agent.agent?.id, openErrorsCount: 1 }]);
    expect(await listed(other)).toMatchObject([{ machineID: agent.fleetID, fleet: null }]);
    const { body: found } = await app.request<{ id: string }[]>(
      'GET',
      `/v1/search?project_id=${project.id}&resource=fleet&term=edge&exact=true`,
      { as: { project: project.token }, headers: { 'fleet-config-version': '-1' } },
    );
    expect(await report(found[0]?.id ?? '', project)).toMatchObject({
      status: 503,
      body: {
        code: 'overloaded',
        detail: 'The agent has not registered yet. Send the report again in some seconds.',
      },
    });
  });

  it('gets a change with its files, and is known to run it', async () => {
    const { project, url } = await start();
    const agent = await startAgent(project, 'machine-1');
    await pollLater(agent);
    expect(await pollLater(agent)).toBe(false);
    await call('POST', `${url}/files`, { name: 'parsers.conf', contents });
    expect(await pollLater(agent)).toBe(true);
    expect(agent.files).toMatchObject([{ name: 'parsers.conf', contents }]);
    expect(await stateOf(agent)).toEqual([2, 'offered', false]);
    await agent.reload();
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([2, 'applied', false]);
  });

  it('is known to run a version also if it asks again before it has reloaded', async () => {
    const { project, url } = await start();
    const agent = await startAgent(project, 'machine-1');
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([1, 'applied', false]);
    await call('PATCH', url, { rawConfig: rawConfig.replace('dummy', 'random') });
    await pollLater(agent);
    await pollLater(agent, 4);
    expect(await stateOf(agent)).toEqual([2, 'downloaded', false]);
    await agent.reload();
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([2, 'applied', false]);
  });

  it('gets both of two changes within a second, and one that goes back', async () => {
    const { project, url } = await start();
    const agent = await startAgent(project, 'machine-1');
    const mem = rawConfig.replace('dummy', 'random');
    await call('PATCH', url, { rawConfig: mem });
    expect(await agent.poll()).toBe(true);
    await call('PATCH', url, { rawConfig });
    expect(await agent.poll()).toBe(true);
    expect(agent.config).toBe(rawConfig);
    await call('PATCH', url, { rawConfig, tags: ['eu'] });
    expect(await agent.poll()).toBe(false);
  });

  it('is known to have rejected a version: it has it, and went on without it', async () => {
    const { project, url } = await start();
    const agent = await startAgent(project, 'machine-1');
    await pollLater(agent);
    await call('PATCH', url, {
      rawConfig: rawConfig.replace('stdout', 'stdour'),
      skipConfigValidation: true,
    });
    await pollLater(agent);
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([2, 'downloaded', false]);
    for (let poll = 0; poll < 5; poll += 1) await pollLater(agent);
    expect(await stateOf(agent)).toEqual([2, 'rejected', false]);
    expect(await statusOf(url)).toEqual({ managed: 1, healthy: 0, inProgress: 0, unhealthy: 1 });

    // Its process restarts: it runs what it ran before, and downloads the bad version again.
    const rejected = agent.version;
    agent.version = -1;
    await agent.reload(rawConfig);
    await pollLater(agent);
    expect(agent.version).toBe(rejected);
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([2, 'downloaded', false]);
    for (let poll = 0; poll < 5; poll += 1) await pollLater(agent);
    expect(await stateOf(agent)).toEqual([2, 'rejected', false]);

    await call('PATCH', url, { rawConfig });
    await pollLater(agent);
    await agent.reload();
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([3, 'applied', false]);
  });

  it.each([9 * 3_600, -5 * 3_600, 5.75 * 3_600])(
    'is understood with a clock of another zone (%d s)',
    async (zone) => {
      const { project, url } = await start();
      const agent = await startAgent(project, 'machine-1', zone);
      await pollLater(agent);
      expect(await stateOf(agent)).toEqual([1, 'applied', false]);
      await call('PATCH', url, { rawConfig: rawConfig.replace('dummy', 'random') });
      await pollLater(agent);
      expect(await stateOf(agent)).toEqual([2, 'offered', false]);
      await agent.reload();
      await pollLater(agent);
      expect(await stateOf(agent)).toEqual([2, 'applied', false]);
    },
  );

  it('has drifted if it runs other plugins than the others with its version', async () => {
    const { project } = await start();
    const one = await startAgent(project, 'machine-1');
    await pollLater(one);
    const other = await startAgent(project, 'machine-2');
    await pollLater(other);
    expect(await stateOf(other)).toEqual([1, 'applied', false]);
    await other.reload(`${other.config}\n[OUTPUT]\n    Name  null\n    Match *\n`);
    expect(await stateOf(other)).toEqual([1, 'applied', true]);
    expect(await stateOf(one)).toEqual([1, 'applied', false]);
  });

  it('gets a new id if it has lost its folder, and is the same agent', async () => {
    const { project, id } = await start();
    const before = await startAgent(project, 'machine-1');
    const after = await startAgent(project, 'machine-1');
    expect(after.fleetID).not.toBe(before.fleetID);
    expect(after.agent?.id).toBe(before.agent?.id);
    await pollLater(after);
    expect(await describeAgent(after)).toMatchObject({ fleetID: id, fleet: { state: 'applied' } });
  });

  it('costs no statement while nothing changes, and its polls are signs of life', async () => {
    const { project } = await start();
    const agent = await startAgent(project, 'machine-1');
    await pollLater(agent);
    await describeAgent(agent);
    await pollLater(agent);
    app.clock.advance(15_000);
    const statements = countStatements();
    await agent.poll();
    expect(statements.count()).toBe(testEngine === 'sqlite' ? 0 : 1);
    vi.restoreAllMocks();
    const { lastSeenAt, fleet } = await describeAgent(agent);
    expect(Date.parse(lastSeenAt)).toBe(app.clock.now());
    expect(fleet?.state).toBe('applied');
    app.clock.advance(91_000);
    expect(await describeAgent(agent)).toMatchObject({ status: 'offline' });
  });

  it('waits for the database seven times when it registers', async () => {
    const { project } = await start();
    await startAgent(project, 'machine-1');
    const agent = new StockAgent(app, { project, machineID: 'machine-2', zoneSeconds: 0 });
    const statements = countStatements();
    await agent.startByName('edge');
    const searchesAndPolls = 2 + 2;
    // Which it is, the transaction, whether its project moves, its machine, the agent, its fleet, and the end of the transaction: all else goes with one of these.
    if (testEngine === 'sqlite') expect(statements.count()).toBe(searchesAndPolls + 7);
    vi.restoreAllMocks();
    expect(await describeAgent(agent)).toMatchObject({ fleet: { name: 'edge', versionNumber: 1 } });
  });

  it.each([0, 9 * 3_600])(
    'costs no statement either after 300 publications of other fleets (%i s ahead of UTC)',
    async (zone) => {
      const { project } = await start();
      const agent = await startAgent(project, 'machine-1', zone);
      await pollLater(agent);
      await publishOften(project);
      await pollLater(agent);
      await describeAgent(agent);
      await pollLater(agent);
      app.clock.advance(15_000);
      const statements = countStatements();
      expect(await agent.poll()).toBe(false);
      expect(statements.count()).toBe(testEngine === 'sqlite' ? 0 : 1);
      vi.restoreAllMocks();
      expect(await stateOf(agent)).toEqual([1, 'applied', false]);
    },
  );

  it('goes back from the version of a rollout, also after 300 publications of other fleets', async () => {
    const { project, id, url } = await start();
    const agent = await startAgent(project, 'machine-1');
    await pollLater(agent);
    const { body: version } = await call<{ id: string }>('POST', `${url}/versions`, {
      rawConfig: `${rawConfig}# 2\n`,
    });
    const { body: rollout } = await call<{ id: string }>('POST', `/v1/fleets/${id}/rollouts`, {
      versionID: version.id,
      reason: 'tried',
    });
    expect(await pollLater(agent)).toBe(true);
    await agent.reload();
    await publishOften(project);
    expect(await pollLater(agent)).toBe(false);
    expect(await stateOf(agent)).toEqual([2, 'applied', false]);
    const { status } = await call('POST', `/v1/rollouts/${rollout.id}/revert`, { reason: 'tried enough' });
    expect(status).toBe(200);
    await publishOften(project);
    expect(await pollLater(agent)).toBe(true);
    expect(agent.config).toBe(rawConfig);
    await agent.reload();
    await pollLater(agent);
    expect(await stateOf(agent)).toEqual([1, 'applied', false]);
  });

  it('keeps what it has when the fleet is deleted', async () => {
    const { project, url } = await start();
    const agent = await startAgent(project, 'machine-1');
    await call('DELETE', url);
    const answer = await app.request('GET', `/v1/fleets/${agent.fleetID}/config`, {
      as: { project: project.token },
      headers: { 'fleet-config-version': String(agent.version) },
    });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await agent.reload();
    expect(await describeAgent(agent)).toMatchObject({ fleet: null });
  });

  it('is no way into another project, and an invented id is refused', async () => {
    const { project } = await start();
    const { fleetID } = await startAgent(project, 'machine-1');
    const other = await app.createProject();
    const ask = (id: string, { token }: TestProject) =>
      app.request('GET', `/v1/fleets/${id}/config`, {
        as: { project: token },
        headers: { 'fleet-config-version': '-1' },
      });
    expect((await ask(fleetID, project)).status).toBe(200);
    expect((await ask(fleetID, other)).status).toBe(404);
    const invented = fleetID.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect((await ask(invented, project)).status).toBe(404);
  });
});

describe('GET /v1/projects/{projectID}/fleets/version_counts', () => {
  it('tells who runs what, who has drifted, and who has rejected a version', async () => {
    const { project, url, id: fleetID, versionID: first } = await start();
    const agents: StockAgent[] = [];
    for (const machineID of ['machine-1', 'machine-2', 'machine-3', 'machine-4']) {
      const agent = await startAgent(project, machineID);
      await pollLater(agent);
      expect(await stateOf(agent)).toEqual([1, 'applied', false]);
      agents.push(agent);
    }
    const [, drifted, ...others] = agents;
    await createFleet(project, 'empty');
    const { body } = await call<{ versionID: string }>('PATCH', url, {
      rawConfig: rawConfig.replace('dummy', 'random'),
    });
    for (const agent of others) {
      await pollLater(agent);
      await agent.reload();
      await pollLater(agent);
      expect(await stateOf(agent)).toEqual([2, 'applied', false]);
    }
    await drifted?.poll();
    await drifted?.reload(`${drifted.config}\n[OUTPUT]\n    Name  null\n    Match *\n`);
    for (let poll = 0; poll < 8; poll += 1) for (const agent of agents) await pollLater(agent, 4);
    await app.request('POST', `/v1/agents/${others[0]?.agent?.id}/errors`, {
      as: { project: project.token },
      body: { error: 'disk full' },
    });

    const counted = { fleetID, agentsCount: 1, unhealthyCount: 0, rejectedCount: 0, isDrifted: false };
    const { body: all } = await call('GET', `/v1/projects/${project.id}/fleets/version_counts`);
    expect(all).toEqual({
      counts: [
        { ...counted, versionID: first, number: 1, rejectedCount: 1 },
        { ...counted, versionID: body.versionID, number: 2, agentsCount: 2, unhealthyCount: 1 },
        { ...counted, versionID: body.versionID, number: 2, isDrifted: true },
      ],
    });
    const { body: one } = await call(
      'GET',
      `/v1/projects/${project.id}/fleets/version_counts?fleet_id=${fleetID}`,
    );
    expect(one).toEqual(all);
  });

  it('counts an agent of which nothing is known', async () => {
    const { project, id: fleetID } = await start();
    const agent = new StockAgent(app, { project, machineID: 'machine-1' });
    await agent.startByName('edge');
    const { body } = await call('GET', `/v1/projects/${project.id}/fleets/version_counts`);
    const counted = { agentsCount: 1, unhealthyCount: 0, rejectedCount: 0, isDrifted: false };
    expect(body).toEqual({ counts: [{ fleetID, versionID: null, number: null, ...counted }] });
  });
});

describe('stock agents that are configured with the id of their fleet', () => {
  it('are counted, get changes, and are known by what they report', async () => {
    const { project, id, url } = await start();
    const agent = new StockAgent(app, { project, machineID: 'machine-1' });
    await agent.startByID(id);
    expect(agent.config).toBe(rawConfig);
    expect(await describeAgent(agent)).toMatchObject({
      fleetID: id,
      fleet: { name: 'edge', state: 'applied' },
    });
    await call('PATCH', url, { rawConfig: rawConfig.replace('dummy', 'random') });
    expect(await statusOf(url)).toEqual({ managed: 1, healthy: 0, inProgress: 1, unhealthy: 0 });
    expect(await pollLater(agent)).toBe(true);
    await agent.reload();
    expect(await stateOf(agent)).toEqual([2, 'applied', false]);
    expect(await statusOf(url)).toEqual({ managed: 1, healthy: 1, inProgress: 0, unhealthy: 0 });
  });
});
