import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentWithConfig, FleetsStatus, FleetVariable } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { countStatements } from '../../../testing/rows/count-statements.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';
import { testEngine } from '../../../testing/test-database.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const configOf = (tag: string, property = '') =>
  `[INPUT]\n    Name dummy\n    Tag  ${tag}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n${property}`;

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

async function createFleet(project: TestProject, name: string) {
  const body = { name, reporting: 'off' };
  const { body: fleet } = await call<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, body);
  return `/v1/fleets/${fleet.id}`;
}

/** A fleet with these variables and a configuration that uses them. */
async function start(vars: Record<string, string>, tag: string) {
  const project = await app.createProject();
  const url = await createFleet(project, 'edge');
  if (Object.keys(vars).length > 0) await setVars(url, vars);
  const answer = await call('PATCH', url, { rawConfig: configOf(tag) });
  expect(answer.status, answer.text).toBe(200);
  return { project, url };
}

function setVars(url: string, vars: Record<string, string>, more: object = {}) {
  const set = Object.entries(vars).map(([name, value]) => ({ name, value }));
  return call<{ changedCount: number }>('PATCH', `${url}/variables`, { set, ...more });
}

function setSecret(url: string, name: string, value: string) {
  return call('PATCH', `${url}/secrets`, { set: [{ name, value }] });
}

/** Whatever it gets, until it has nothing newer. */
async function settle(agent: StockAgent): Promise<number> {
  let loads = 0;
  for (let poll = 0; poll < 6; poll += 1) {
    app.clock.advance(15_000);
    if (await agent.poll()) {
      loads += 1;
      await agent.reload();
    }
  }
  return loads;
}

async function startAgent(project: TestProject, machineID: string, name = machineID, zoneSeconds = 0) {
  const agent = new StockAgent(app, { project, machineID, name, zoneSeconds });
  await agent.startByName('edge');
  await settle(agent);
  return agent;
}

async function describeAgent({ agent }: StockAgent) {
  return (await call<AgentWithConfig>('GET', `/v1/agents/${agent?.id}`)).body;
}

async function stateOf(agent: StockAgent) {
  const { fleet } = await describeAgent(agent);
  return [fleet?.versionNumber, fleet?.state, fleet?.isDrifted];
}

const tagOf = ({ config }: StockAgent) => /^ {4}Tag {2}(.*)$/m.exec(config)?.[1];

describe('variables', () => {
  it.each([0, 9 * 3_600])(
    'are replaced for each agent, most specific first (%i s ahead of UTC)',
    async (zone) => {
      const { project, url } = await start(
        { region: 'eu' },
        '{{vars.region}}.{{agent.name}}.{{agent.machineID}}',
      );
      const one = await startAgent(project, 'machine-1', 'web-1', zone);
      const two = await startAgent(project, 'machine-2', 'web-2', zone);
      expect([tagOf(one), tagOf(two)]).toEqual(['eu.web-1.machine-1', 'eu.web-2.machine-2']);
      expect([await stateOf(one), await stateOf(two)]).toEqual([
        [1, 'applied', false],
        [1, 'applied', false],
      ]);
      await call('PATCH', `/v1/agents/${two.agent?.id}`, { tags: ['b', 'a'] });
      // Two changes in one second, of a tag and of an agent.
      await setVars(url, { region: 'of-b' }, { tag: 'b' });
      await setVars(url, { region: 'of-a' }, { tag: 'a' });
      expect((await call<FleetsStatus>('GET', `${url}/status`)).body).toMatchObject({
        managed: 2,
        healthy: 2,
      });
      expect([await settle(one), await settle(two)]).toEqual([0, 1]);
      expect([tagOf(one), tagOf(two)]).toEqual(['eu.web-1.machine-1', 'of-a.web-2.machine-2']);
      await setVars(url, { region: 'own' }, { agentID: two.agent?.id });
      await setVars(url, { port: '443' });
      const list = async (query = '') =>
        (await call<FleetVariable[]>('GET', `${url}/variables${query}`)).body.map(
          ({ name, value, tag, agentName, isUsed }) => [name, value, tag, agentName, isUsed],
        );
      expect(await list()).toEqual([
        ['port', '443', null, null, false],
        ['region', 'own', null, 'web-2', true],
        ['region', 'of-a', 'a', null, true],
        ['region', 'of-b', 'b', null, true],
        ['region', 'eu', null, null, true],
      ]);
      expect(await list('?name=port')).toEqual([['port', '443', null, null, false]]);
      app.clock.advance(15_000);
      expect(await two.poll()).toBe(true);
      expect(await stateOf(two)).toEqual([1, 'offered', false]);
      await two.reload();
      expect(await settle(two)).toBe(0);
      expect(await stateOf(two)).toEqual([1, 'applied', false]);
      expect(tagOf(two)).toBe('own.web-2.machine-2');
      // For the whole fleet: only agents without a value of their own get another content, but all get the date.
      await setVars(url, { region: 'us' });
      expect([await settle(one), await settle(two)]).toEqual([1, 1]);
      expect([tagOf(one), tagOf(two)]).toEqual(['us.web-1.machine-1', 'own.web-2.machine-2']);
      await call('PATCH', `${url}/variables`, { unset: ['region'], agentID: two.agent?.id });
      expect(await settle(two)).toBe(1);
      expect(tagOf(two)).toBe('of-a.web-2.machine-2');
    },
  );

  it('follow the name of an agent, whoever changes it', async () => {
    const { project } = await start({}, '{{agent.name}}');
    const agent = await startAgent(project, 'machine-1', 'web-1');
    await call('PATCH', `/v1/agents/${agent.agent?.id}`, { name: 'web-9' });
    app.clock.advance(15_000);
    expect(await agent.poll()).toBe(true);
    expect(tagOf(agent)).toBe('web-9');
    // It registers with its own name again.
    await agent.reload();
    await settle(agent);
    expect(tagOf(agent)).toBe('web-1');
    expect(await stateOf(agent)).toEqual([1, 'applied', false]);
  });

  it('keep an agent waiting until it is known, and never give it the values of nobody', async () => {
    const { project } = await start({}, '{{agent.machineID}}');
    const agent = new StockAgent(app, { project, machineID: 'machine-1' });
    await agent.startByName('edge');
    expect(agent.config).toContain('muster.waiting');
    app.clock.advance(15_000);
    expect(await agent.poll()).toBe(true);
    expect(tagOf(agent)).toBe('machine-1');
  });

  it.each([
    'a"b',
    'a b',
    'a\n[OUTPUT]',
    'a: b',
    '../x',
    'a/b',
    '$' + '{HOME}',
    '{{secrets.x}}',
    '-x',
    'ä',
    '$(id)',
    '*',
  ])('refuse an agent that calls itself %j, which goes on with what it has', async (name) => {
    const { project } = await start({}, '{{agent.name}}');
    const agent = await startAgent(project, 'machine-1', 'web-1');
    const renamed = await call('PATCH', `/v1/agents/${agent.agent?.id}`, { name });
    expect(renamed.status).toBe(204);
    const answer = await app.request(
      'GET',
      `/v1/fleets/${agent.fleetID}/config?format=ini&config_format=ini`,
      {
        as: { project: project.token },
        headers: { 'fleet-config-version': String(agent.version) },
      },
    );
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'fleet_config_incomplete', detail: expect.stringContaining('{{agent.name}}') },
    });
  });

  it('are refused with their line and the nearest name, and stay while they are used', async () => {
    const { url } = await start({ region: 'eu' }, '{{vars.region}}');
    const wrong = await call<{ detail: string }>('PATCH', url, { rawConfig: configOf('{{vars.regoin}}') });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'invalid_fleet_config' } });
    expect(wrong.body.detail).toBe(
      'line 3: Nothing is known by the name {{vars.regoin}}. Use {{vars.region}}.',
    );
    expect(await call('PATCH', `${url}/variables`, { unset: ['region'] })).toMatchObject({
      status: 422,
      body: { code: 'invalid_fleet_config', detail: expect.stringContaining('{{vars.region}}') },
    });
    await call('PATCH', url, { rawConfig: configOf('plain') });
    expect((await call('PATCH', `${url}/variables`, { unset: ['region'] })).status).toBe(200);
    const { body: versions } = await call<{ id: string }[]>('GET', `${url}/versions`);
    expect(await call('PATCH', url, { versionID: versions[1]?.id })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('Version 1 uses {{vars.region}}') },
    });
  });

  it.each([
    ['a\nb', 'one line'],
    ['a\u2028b', 'one line'],
    [' a', 'space'],
    ['\uE000\uE000secrets.x\uE001\uE001', 'one line'],
    [`ghp_${'a1B2'.repeat(9)}`, 'is a secret'],
  ])('refuse the value %j', async (value, reason) => {
    const { url } = await start({}, 'plain');
    expect(await setVars(url, { region: value })).toMatchObject({
      status: 422,
      body: { fields: [{ path: '/set/0/value', message: expect.stringContaining(reason) }] },
    });
  });

  it('refuse values of 10 MiB, names that are none, and what says nothing', async () => {
    const { url } = await start({}, 'plain');
    expect((await setVars(url, { region: 'a'.repeat(10 * 1024 * 1024) })).status).toBeGreaterThanOrEqual(400);
    expect((await setVars(url, { 'a}} {{secrets.b': 'x' })).status).toBe(422);
    expect((await setVars(url, {})).status).toBe(422);
    expect((await setVars(url, { region: 'eu' }, { unset: ['region'] })).status).toBe(422);
    expect((await setVars(url, { region: 'eu' }, { tag: 'a', agentID: app.admin })).status).toBe(422);
  });

  it('are a change once, in the audit log by name alone, and cost an unchanged poll no statement', async () => {
    const { project, url } = await start({ region: 'eu' }, '{{vars.region}}.{{agent.name}}');
    const agent = await startAgent(project, 'machine-1');
    expect((await setVars(url, { region: 'eu' })).body).toEqual({ changedCount: 0 });
    expect((await setVars(url, { region: 'value-of-region' })).body).toEqual({ changedCount: 1 });
    const { text } = await call('GET', `/v1/projects/${project.id}/audit_log`);
    expect(text).toContain('"fleet.variables_changed"');
    expect(text).not.toContain('value-of-region');
    await settle(agent);
    app.clock.advance(15_000);
    const statements = countStatements();
    await agent.poll();
    expect(statements.count()).toBe(testEngine === 'sqlite' ? 0 : 1);
    vi.restoreAllMocks();
  });

  it('of the fleet alone are for agents that ask with its id, which are told nothing of others', async () => {
    const { project, url } = await start({ region: 'eu' }, '{{vars.region}}');
    await setVars(url, { region: 'of-tag' }, { tag: 'a' });
    const agent = new StockAgent(app, { project, machineID: 'machine-1' });
    await agent.startByID(url.slice('/v1/fleets/'.length));
    expect(tagOf(agent)).toBe('eu');
    await setVars(url, { region: 'us' });
    app.clock.advance(15_000);
    expect(await agent.poll()).toBe(true);
    expect(tagOf(agent)).toBe('us');
    await call('PATCH', url, { rawConfig: configOf('{{agent.name}}') });
    const answer = await app.request('GET', `${url}/config?format=ini`, {
      as: { project: project.token },
      headers: { 'fleet-config-version': '-1' },
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'fleet_config_incomplete' } });
  });

  it('are not for fleets, agents and credentials of other projects', async () => {
    const { project, url } = await start({ region: 'eu' }, '{{vars.region}}');
    const other = await app.createProject();
    const { token } = await app.createToken(other.id, ['read:fleet', 'update:fleet']);
    for (const kind of ['variables', 'secrets']) {
      expect((await app.request('GET', `${url}/${kind}`, { as: { project: token } })).status).toBe(404);
      const body = { set: [{ name: 'region', value: 'somewhere' }] };
      expect((await app.request('PATCH', `${url}/${kind}`, { as: { project: token }, body })).status).toBe(
        404,
      );
    }
    const stranger = await app.registerAgent(other, 'machine-1');
    expect((await setVars(url, { region: 'x' }, { agentID: stranger.id })).status).toBe(404);
    const reader = await app.createToken(project.id, ['read:fleet']);
    const body = { set: [{ name: 'region', value: 'somewhere' }] };
    expect(
      (await app.request('PATCH', `${url}/variables`, { as: { project: reader.token }, body })).status,
    ).toBe(403);
  });
});

describe('a change of a variable while a rollout is under way', () => {
  it('is refused if a version of the rollout uses it, and two changes at once are both made', async () => {
    const { project, url } = await start({ region: 'eu' }, '{{vars.region}}');
    await startAgent(project, 'machine-1');
    const { body: version } = await call<{ id: string }>('POST', `${url}/versions`, {
      rawConfig: configOf('other'),
    });
    const { body: rollout } = await call<{ id: string }>('POST', `${url}/rollouts`, {
      versionID: version.id,
      reason: 'to try',
    });
    expect(await setVars(url, { region: 'us' })).toMatchObject({
      status: 409,
      body: { code: 'fleet_rollout_open' },
    });
    expect((await setVars(url, { unused: 'x' })).status).toBe(200);
    await call('POST', `/v1/rollouts/${rollout.id}/stop`, { reason: 'to try' });
    const answers = await Promise.all([setVars(url, { region: 'a' }), setVars(url, { region: 'b' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a change after a rollout that was stopped and left its version with some agents', () => {
  /** One of two agents has the version of the rollout. */
  async function stopHalfway(start: (agent: StockAgent) => Promise<void>, count = 2) {
    const project = await app.createProject();
    const url = await createFleet(project, 'edge');
    await setVars(url, { region: 'eu' });
    await setSecret(url, 'key', 'first secret');
    await call('PATCH', url, { rawConfig: configOf('one.{{vars.region}}') });
    const agents: StockAgent[] = [];
    for (let number = 1; number <= count; number += 1) {
      const agent = new StockAgent(app, { project, machineID: `machine-${number}` });
      agent.fleetID = url.slice('/v1/fleets/'.length);
      await start(agent);
      await settle(agent);
      agents.push(agent);
    }
    const { body: version } = await call<{ id: string }>('POST', `${url}/versions`, {
      rawConfig: configOf('two.{{vars.region}}.{{secrets.key}}'),
    });
    const { body: rollout } = await call<{ id: string }>('POST', `${url}/rollouts`, {
      versionID: version.id,
      reason: 'to try',
      stages: [
        { agents: 1, soakSeconds: 3_600 },
        { agents: '100%', soakSeconds: 3_600 },
      ],
    });
    for (const agent of agents) await settle(agent);
    await call('POST', `/v1/rollouts/${rollout.id}/stop`, { reason: 'to try' });
    for (const agent of agents) await settle(agent);
    const tags = () => agents.map(tagOf).toSorted();
    return { url, rollout, agents, tags };
  }

  it('reaches each agent whose own version uses it, and takes no version away', async () => {
    const { url, agents, tags } = await stopHalfway((agent) => agent.startByName('edge'));
    expect(tags()).toEqual(['one.eu', 'two.eu.first secret']);
    expect((await setVars(url, { region: 'us' })).status).toBe(200);
    for (const agent of agents) expect(await settle(agent)).toBe(1);
    expect(tags()).toEqual(['one.us', 'two.us.first secret']);
    // Only the version of the rollout uses it.
    expect((await call('GET', `${url}/secrets`)).body).toMatchObject({
      secrets: [{ name: 'key', isUsed: true }],
    });
    expect((await setSecret(url, 'key', 'second secret')).status).toBe(200);
    const loads: number[] = [];
    for (const agent of agents) loads.push(await settle(agent));
    expect(loads.toSorted()).toEqual([0, 1]);
    expect(tags()).toEqual(['one.us', 'two.us.second secret']);
    expect((await call('PATCH', `${url}/secrets`, { unset: ['key'] })).status).toBe(422);
  });

  it('is refused where agents cannot be told apart, until it was reverted', async () => {
    const { url, rollout, agents, tags } = await stopHalfway((agent) => agent.startByID(agent.fleetID), 3);
    expect(tags()).toEqual(['one.eu', 'one.eu', 'two.eu.first secret']);
    expect(await setVars(url, { region: 'us' })).toMatchObject({
      status: 409,
      body: { code: 'fleet_rollout_open', detail: expect.stringContaining('fleet_id') },
    });
    await call('POST', `/v1/rollouts/${rollout.id}/revert`, { reason: 'to try' });
    for (let look = 0; look < 3; look += 1) {
      for (const agent of agents) await settle(agent);
      await app.app.runRollouts();
    }
    expect((await setVars(url, { region: 'us' })).status).toBe(200);
    for (const agent of agents) await settle(agent);
    expect(tags()).toEqual(['one.us', 'one.us', 'one.us']);
  });
});

describe('a change during a freeze of the project', () => {
  it('is refused if agents use the value, unless it is said to', async () => {
    const { project, url } = await start({ region: 'eu' }, '{{vars.region}}');
    const { id = '' } = (await startAgent(project, 'machine-1')).agent ?? {};
    const at = (minutes: number) => new Date(app.clock.now() + minutes * 60_000).toISOString();
    await call('PATCH', `/v1/projects/${project.id}/freeze_windows`, {
      freezeWindows: [{ name: 'launch', startsAt: at(-1), endsAt: at(60) }],
    });
    const frozen = { status: 409, body: { code: 'rollouts_frozen' } };
    expect(await setVars(url, { region: 'us' })).toMatchObject(frozen);
    expect(await setVars(url, { region: 'us' }, { agentID: id })).toMatchObject(frozen);
    expect((await setVars(url, { unused: 'us' })).status).toBe(200);
    expect((await setSecret(url, 'unused', 'not used yet')).status).toBe(200);
    expect((await setVars(url, { region: 'us' }, { despiteFreeze: true })).status).toBe(200);
    const { body: log } = await call<{ after: object }[]>(
      'GET',
      `/v1/projects/${project.id}/audit_log?last=1`,
    );
    expect(log[0]?.after).toEqual({ names: ['region'], freeze: 'launch' });
  });
});

describe('secrets', () => {
  const password = 'Tr0ub4dor "&" 3: {{vars.x}}';

  async function startWithSecret() {
    const project = await app.createProject();
    const url = await createFleet(project, 'edge');
    expect((await setSecret(url, 'db_password', password)).status).toBe(200);
    const rawConfig = configOf('app', '    HTTP_Passwd {{secrets.db_password}}\n').replace('stdout', 'es');
    const answer = await call('PATCH', url, { rawConfig });
    expect(answer.status, answer.text).toBe(200);
    return { project, url };
  }

  it('are in what agents get, and in nothing else', async () => {
    const { project, url } = await startWithSecret();
    const agent = await startAgent(project, 'machine-1');
    expect(agent.config).toContain(`    HTTP_Passwd ${password}\n`);
    expect(await stateOf(agent)).toEqual([1, 'applied', false]);
    // The agent reports what it runs, and what goes wrong with it.
    await app.request('POST', `/v1/agents/${agent.agent?.id}/errors`, {
      as: { agent: agent.agent?.token ?? '' },
      body: { error: `[output:es] cannot sign in with ${password} at es-1` },
    });
    const { body: versions } = await call<{ id: string }[]>('GET', `${url}/versions`);
    const paths = [
      url,
      `${url}/config`,
      `${url}/variables`,
      `${url}/secrets`,
      `${url}/versions`,
      `/v1/fleet_versions/${versions[0]?.id}`,
      `/v1/fleet_versions/${versions[0]?.id}/diff`,
      `/v1/agents/${agent.agent?.id}`,
      `/v1/agents/${agent.agent?.id}/config_history`,
      `/v1/agents/${agent.agent?.id}/errors`,
      `/v1/projects/${project.id}/agent_errors`,
      `/v1/projects/${project.id}/agent_error_groups`,
      `/v1/projects/${project.id}/fleets`,
      `/v1/projects/${project.id}/audit_log`,
    ];
    for (const path of paths) {
      const { status, text } = await call('GET', path);
      expect([path, status]).toEqual([path, 200]);
      expect([path, text.includes('Tr0ub4dor')]).toEqual([path, false]);
    }
    expect((await call('GET', `${url}/secrets`)).body).toEqual({
      secrets: [
        { name: 'db_password', isUsed: true, updatedAt: expect.any(String), updatedBy: expect.anything() },
      ],
    });
    if (testEngine !== 'sqlite') return;
    for (const name of readdirSync(app.dataDirectory))
      expect([name, readFileSync(join(app.dataDirectory, name)).includes('Tr0ub4dor')]).toEqual([
        name,
        false,
      ]);
  });

  it('are not for people, nor for tokens that no agent has', async () => {
    const { project, url } = await startWithSecret();
    const headers = { 'fleet-config-version': '-1' };
    const byPerson = await app.request('GET', `${url}/config`, { as: { access: app.admin }, headers });
    expect(byPerson.status).toBe(403);
    const reader = await app.createToken(project.id, ['read:fleet']);
    const byReader = await app.request('GET', `${url}/config`, { as: { project: reader.token }, headers });
    expect(byReader).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    const shown = await app.request('GET', `${url}/config`, { as: { project: reader.token } });
    expect(shown.text).toContain('{{secrets.db_password}}');
  });

  it('reach agents when they are replaced, and earlier ones are still removed from reports', async () => {
    const { project, url } = await startWithSecret();
    const agent = await startAgent(project, 'machine-1');
    await setSecret(url, 'db_password', 'another one');
    await app.request('POST', `/v1/agents/${agent.agent?.id}/errors`, {
      as: { agent: agent.agent?.token ?? '' },
      body: { error: `refused ${password}, not another one` },
    });
    const { text } = await call('GET', `/v1/agents/${agent.agent?.id}/errors`);
    expect(text).not.toMatch(/Tr0ub4dor|another one/);
    expect(await settle(agent)).toBe(1);
    expect(agent.config).toContain('HTTP_Passwd another one\n');
    expect((await call('PATCH', `${url}/secrets`, { unset: ['db_password'] })).status).toBe(422);
  });

  it.each(['short', 'a\nsecond line', '$' + '{HOME} sweet', ' spaced out '])(
    'cannot be %j',
    async (value) => {
      const { url } = await start({}, 'plain');
      const answer = await setSecret(url, 'db_password', value);
      expect(answer.status).toBe(422);
      expect(answer.text).not.toContain(value);
    },
  );
});
