import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { AgentWithConfig, Problem, Rollout, StartedRollout } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StockAgent } from '../../server/src/testing/calls/stock-agent.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { configOf, FleetScene, versionOf } from './fleet-scene.ts';
import type { Site } from './site.ts';

const soakSeconds = 120;
const longSoakSeconds = 3_600;
const host = 'plant-7.example.com:7410';

let scene: FleetScene;
beforeEach(async () => {
  scene = await FleetScene.start();
});
afterEach(() => scene.close());

async function deploy(more: object = {}): Promise<string> {
  const version = await scene.call<{ id: string }>('POST', `/v1/fleets/${scene.fleetID}/versions`, {
    rawConfig: configOf(2),
  });
  const { body } = await scene.call<StartedRollout>('POST', `/v1/fleets/${scene.fleetID}/rollouts`, {
    versionID: version.body.id,
    reason: 'a new output',
    stages: [
      { agents: 1, soakSeconds },
      { agents: '100%', soakSeconds },
    ],
    ...more,
  });
  return body.id ?? '';
}

async function rollout(id: string): Promise<Rollout> {
  await scene.centre.test.app.runRollouts();
  return (await scene.call<Rollout>('GET', `/v1/rollouts/${id}`)).body;
}

/** Lets the line pass. No time passes until the site has told when it heard its agents last: meanwhile, they would count as lost. */
async function reconnect(site: Site): Promise<void> {
  site.line.mode = 'pass';
  await eventually(async () => {
    const { body } = await scene.call<AgentWithConfig[]>(
      'GET',
      `/v1/projects/${scene.centre.project.id}/agents`,
    );
    const since = scene.centre.test.clock.now() - 60_000;
    const isUnheard = ({ fleet, lastSeenAt }: AgentWithConfig) =>
      fleet != null && Date.parse(lastSeenAt) < since;
    expect(body.filter(isUnheard)).toEqual([]);
  });
}

/** The time of a test passes while what a site tells is on its way, so a stage may wait for a person meanwhile. No evidence comes by going on. */
async function goOnIfPaused({ id, state }: Rollout): Promise<void> {
  if (state === 'paused')
    await scene.call('POST', `/v1/rollouts/${id}/resume`, { reason: 'the line is back' });
}

describe('a stock agent that asks a core instance for its fleet', () => {
  it('gets the bytes and the date of the centre, with the address of the site in them, and is known there', async () => {
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    expect(versionOf(agent)).toBe(1);
    expect(agent.fleetID).not.toBe(scene.fleetID);
    await scene.pollUntil([agent], async () =>
      expect(await scene.states()).toEqual({ 'machine-1': '1 applied' }),
    );
    for (const format of ['ini', 'yaml']) {
      const path = `/v1/fleets/${agent.fleetID}/config?format=${format}&config_format=${format}`;
      const headers = { host, 'fleet-config-version': String(agent.version) };
      const [atSite, atCentre] = await Promise.all([
        sendWithHost(site.port, path, headers),
        sendWithHost(scene.centre.port, path, headers),
      ]);
      expect(atSite.text).toBe(atCentre.text);
      expect(atSite.text).toContain('plant-7');
      for (const name of ['last-modified', 'content-type', 'content-length', 'cache-control'])
        expect(atSite.headers[name]).toBe(atCentre.headers[name]);
    }
  });

  it('gets files, and 404 for what is of no fleet', async () => {
    const contents = Buffer.from('# a file\n').toString('base64');
    await scene.call('POST', `/v1/fleets/${scene.fleetID}/files`, { name: 'parsers.conf', contents });
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    expect(agent.files).toMatchObject([{ name: 'parsers.conf', contents }]);
    for (const path of [
      '/v1/fleets/0192f0a0-0000-7000-8000-00000000c0de/config',
      // Made for no fleet.
      `/v1/fleets/${agent.fleetID.slice(0, -1)}${agent.fleetID.endsWith('0') ? '1' : '0'}/config`,
    ])
      expect((await site.ask<Problem>(path)).body.code).toBe('not_found');
    expect((await site.ask('/v1/search?resource=fleet&term=other&exact=true')).body).toEqual([]);
    expect(await site.ask<Problem>('/v1/search?resource=agent')).toMatchObject({ status: 422 });
  });

  it('gets names of files filled in, and never a variable or a secret, which no site is told', async () => {
    const secret = 'correct horse battery staple';
    const contents = Buffer.from('# a file\n').toString('base64');
    const serve = async (tag: string) =>
      expect(
        (
          await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, {
            rawConfig: configOf(1).replace('version1', tag),
          })
        ).status,
      ).toBe(200);
    await scene.call('POST', `/v1/fleets/${scene.fleetID}/files`, { name: 'parsers.conf', contents });
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}/secrets`, {
      set: [{ name: 'key', value: secret }],
    });
    await serve('{{files.parsers.conf}}');
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    expect(agent.config).toContain('Tag parsers.conf\n');
    await serve('{{secrets.key}}');
    await eventually(async () => {
      const answer = await site.ask<Problem>(
        `/v1/fleets/${agent.fleetID}/config?format=ini&config_format=ini`,
        {
          'fleet-config-version': String(agent.version),
        },
      );
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'fleet_config_incomplete', detail: expect.stringContaining('{{secrets.key}}') },
      });
    });
    for (const file of readdirSync(site.folder, { recursive: true, withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(secret);
    // It has not been offered to anybody. The site passes on what its agents run with its next batch.
    await eventually(async () => expect(await scene.states()).toEqual({ 'machine-1': '3 applied' }));
  });

  it('is served as before while the centre is away, also after a restart of the site, and counted when it is back', async () => {
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    site.line.mode = 'cut';
    await site.stop();
    await site.start();
    expect(await agent.poll()).toBe(false);
    const other = await scene.startAgent(site, 'machine-2');
    expect([versionOf(other), other.fleetID === agent.fleetID]).toEqual([1, false]);
    await scene.poll([agent, other], 20);
    site.line.mode = 'pass';
    await scene.pollUntil([agent, other], async () =>
      expect(await scene.states()).toEqual({ 'machine-1': '1 applied', 'machine-2': '1 applied' }),
    );
    const folder = [join(site.folder, 'fleets.json'), ...contentsIn(site)];
    expect(folder.map((path) => statSync(path).mode & 0o777)).toEqual(folder.map(() => 0o600));
  });

  it('is answered with 503, and not with 404, until the site has heard of fleets', async () => {
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    await site.stop();
    for (const path of [join(site.folder, 'fleets.json'), ...contentsIn(site)]) rmSync(path);
    site.line.mode = 'cut';
    await site.start();
    const path = `/v1/fleets/${agent.fleetID}/config`;
    expect(await site.ask(path, { 'fleet-config-version': '-1' })).toMatchObject({ status: 503 });
    site.line.mode = 'pass';
    await eventually(async () => expect(await site.ask(path)).toMatchObject({ status: 200 }));
  });

  it('may not report with its id before it has registered', async () => {
    const site = await scene.openSite();
    const as = { project: scene.centre.project.token };
    const [found] = (
      await site.ask<{ id: string }[]>('/v1/search?resource=fleet&term=edge&exact=true', {
        'fleet-config-version': '-1',
      })
    ).body;
    await site.ask(`/v1/fleets/${found?.id}/config`, { 'fleet-config-version': '-1' });
    const body = { error: 'disk full' };
    const path = `/v1/machines/${found?.id}/errors`;
    expect(await site.request('POST', path, { as, body })).toMatchObject({ status: 503 });
  });
});

/** `fetch` names the host itself. */
function sendWithHost(port: number, path: string, headers: Record<string, string>) {
  const sent = { ...headers, 'x-project-token': scene.centre.project.token };
  return new Promise<{ text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request({ port, path, headers: sent, agent: false }, (answer) => {
      readAll(answer).then((body) => resolve({ text: body, headers: answer.headers }), reject);
    })
      .on('error', reject)
      .end();
  });
}

function contentsIn({ folder }: Site): string[] {
  return readdirSync(join(folder, 'fleets')).map((name) => join(folder, 'fleets', name));
}

describe('a rollout to agents behind a core instance', () => {
  it('gives nobody the version whom the centre has not named while the line is cut', async () => {
    const site = await scene.openSite();
    const agents: StockAgent[] = [];
    for (const number of [1, 2, 3]) agents.push(await scene.startAgent(site, `machine-${number}`));
    await scene.pollUntil(agents, async () =>
      expect(Object.values(await scene.states())).toEqual(['1 applied', '1 applied', '1 applied']),
    );
    const id = await deploy();
    await scene.pollUntil(agents, () => expect(agents.map(versionOf).sort()).toEqual([1, 1, 2]));
    site.line.mode = 'cut';
    await scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'to see' });
    agents.push(await scene.startAgent(site, 'machine-4'));
    for (let time = 0; time < 20; time += 1) {
      await scene.poll(agents);
      await rollout(id);
    }
    expect(agents.map(versionOf).sort()).toEqual([1, 1, 1, 2]);
    // Nothing was heard, which is no evidence for or against the version.
    const cut = await rollout(id);
    expect([cut.state, cut.agentsCount.observed, cut.agentsCount.rejected]).toEqual(['paused', 0, 0]);
    site.line.mode = 'pass';
    await scene.pollUntil(agents, async () => {
      const now = await rollout(id);
      await goOnIfPaused(now);
      expect(now.state).toBe('completed');
      expect(agents.map(versionOf)).toEqual([2, 2, 2, 2]);
    });
  });

  it('gives it only in the last stage to those that ask with the id of the fleet, since a site cannot count them', async () => {
    const site = await scene.openSite();
    const agents = [await scene.startAgent(site, 'machine-1')];
    for (const number of [2, 3]) {
      const agent = new StockAgent(site, { project: scene.centre.project, machineID: `machine-${number}` });
      await agent.startByID(scene.fleetID);
      agents.push(agent);
    }
    await scene.pollUntil(agents, async () =>
      expect(Object.keys(await scene.states()).sort()).toEqual(['machine-1', 'machine-2', 'machine-3']),
    );
    const id = await deploy({
      stages: [
        { agents: 1, soakSeconds: longSoakSeconds },
        { agents: '50%', soakSeconds },
      ],
    });
    expect((await rollout(id)).stages.map(({ agentsCount }) => agentsCount)).toEqual([1, 2]);
    await scene.pollUntil(agents, () => expect(agents.map(versionOf)).toEqual([2, 1, 1]));
    await scene.call('POST', `/v1/rollouts/${id}/promote`, { reason: 'to see' });
    await scene.pollUntil(agents, () => expect(agents.map(versionOf)).toEqual([2, 2, 2]));
  });

  /** Three agents, of which one runs the version of a rollout when the line is cut. Its stage takes longer than whatever the line takes. */
  async function startCanary() {
    const site = await scene.openSite();
    const agents: StockAgent[] = [];
    for (const number of [1, 2, 3]) agents.push(await scene.startAgent(site, `machine-${number}`));
    await scene.pollUntil(agents, async () =>
      expect(Object.values(await scene.states())).toEqual(['1 applied', '1 applied', '1 applied']),
    );
    const id = await deploy({
      stages: [
        { agents: 1, soakSeconds: longSoakSeconds },
        { agents: '100%', soakSeconds },
      ],
    });
    await scene.pollUntil(agents, async () =>
      expect(Object.values(await scene.states()).sort()).toEqual(['1 applied', '1 applied', '2 applied']),
    );
    site.line.mode = 'cut';
    const canary = agents.find((agent) => versionOf(agent) === 2);
    if (canary === undefined) throw new Error('no agent has the version');
    return { site, agents, canary, id };
  }

  it('passes a stage by what its site tells late, and by nothing before', async () => {
    const { site, agents, id } = await startCanary();
    for (let time = 0; time < longSoakSeconds / 30; time += 1) {
      await scene.poll(agents);
      const { state, stage, agentsCount, history } = await rollout(id);
      expect([state, stage, agentsCount.observed, history]).toEqual(['running', 1, 0, []]);
    }
    expect(agents.map(versionOf).sort()).toEqual([1, 1, 2]);
    await reconnect(site);
    await scene.pollUntil(agents, async () => {
      const now = await rollout(id);
      await goOnIfPaused(now);
      expect(now.state).toBe('completed');
    });
    expect(agents.map(versionOf)).toEqual([2, 2, 2]);
    const { history } = await rollout(id);
    expect(history.filter(({ kind }) => kind !== 'paused' && kind !== 'resumed')).toMatchObject([
      { kind: 'passed', stage: 1, by: null },
      { kind: 'completed', stage: 2, by: null },
    ]);
  });

  it('stops by what its site tells late, and has reached nobody else', async () => {
    const { site, agents, canary, id } = await startCanary();
    const as = { agent: canary.agent?.token ?? '' };
    const body = { error: '[output:http:http.0] connection refused by 10.0.0.1:9' };
    await site.request('POST', `/v1/agents/${canary.agent?.id}/errors`, { as, body });
    for (let time = 0; time < 10; time += 1) {
      await scene.poll(agents);
      expect(await rollout(id)).toMatchObject({ state: 'running', stage: 1, isHeld: false, history: [] });
    }
    const others = agents.filter((agent) => agent !== canary).map(({ version }) => version);
    await reconnect(site);
    await scene.pollUntil(agents, async () => {
      const now = await rollout(id);
      await goOnIfPaused(now);
      expect(now.state).toBe('reverted');
    });
    expect(agents.map(versionOf)).toEqual([1, 1, 1]);
    expect(agents.filter((agent) => agent !== canary).map(({ version }) => version)).toEqual(others);
    const { verdict, history } = await rollout(id);
    expect(verdict).toMatchObject({ rule: 'new_cause', agents: 1, of: 1 });
    expect(history.filter(({ kind }) => kind === 'stopped' || kind === 'reverted')).toMatchObject([
      { kind: 'stopped', stage: 1, by: null },
      { kind: 'reverted', stage: 1, by: null },
    ]);
  });

  it.each(['reverted', 'superseded'])('goes back, also if it is %s while the line is cut', async (state) => {
    const site = await scene.openSite();
    const agents = [await scene.startAgent(site, 'machine-1'), await scene.startAgent(site, 'machine-2')];
    await scene.pollUntil(agents, async () =>
      expect(Object.values(await scene.states())).toEqual(['1 applied', '1 applied']),
    );
    const id = await deploy();
    await scene.pollUntil(agents, () => expect(agents.map(versionOf).sort()).toEqual([1, 2]));
    const canary = agents.find((agent) => versionOf(agent) === 2);
    const other = agents.find((agent) => versionOf(agent) === 1);
    const before = other?.version;
    site.line.mode = 'cut';
    await scene.call('POST', `/v1/rollouts/${id}/revert`, { reason: 'to see' });
    if (state !== 'reverted')
      await scene.call('POST', `/v1/rollouts/${await deploy()}/pause`, { reason: 'x' });
    await scene.poll(agents, 5);
    expect(agents.map(versionOf).sort()).toEqual([1, 2]);
    site.line.mode = 'pass';
    await scene.pollUntil(agents, async () => {
      expect((await rollout(id)).state).toBe(state);
      expect(canary && versionOf(canary)).toBe(1);
    });
    expect(other?.version).toBe(before);
  });

  it('calls nobody rejected whose registration waits at the site', async () => {
    const site = await scene.openSite();
    const agents = [await scene.startAgent(site, 'machine-1'), await scene.startAgent(site, 'machine-2')];
    await scene.pollUntil(agents, async () =>
      expect(Object.values(await scene.states())).toEqual(['1 applied', '1 applied']),
    );
    const id = await deploy({ stages: [{ agents: '100%', soakSeconds }] });
    // The centre hears that they have it, and then nothing for long.
    scene.centre.test.clock.advance(30_000);
    await eventually(async () => {
      // No time passes meanwhile: one that has it for long counts as one that rejects it.
      for (const agent of agents) await agent.poll();
      expect(Object.values(await scene.states())).toEqual(['2 downloaded', '2 downloaded']);
    });
    site.line.mode = 'cut';
    for (const agent of agents) await agent.reload();
    await scene.poll(agents, 4);
    expect(await rollout(id)).toMatchObject({ state: 'running', agentsCount: { rejected: 0 } });
    await scene.poll(agents, 200);
    expect((await rollout(id)).verdict).not.toMatchObject({ rule: 'hard_failures' });
    site.line.mode = 'pass';
    await scene.pollUntil(agents, async () =>
      expect(Object.values(await scene.states())).toEqual(['2 applied', '2 applied']),
    );
    expect((await rollout(id)).agentsCount).toMatchObject({ rejected: 0 });
  });

  it('finds out who rejects a version, late', async () => {
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    await scene.pollUntil([agent], async () =>
      expect(await scene.states()).toEqual({ 'machine-1': '1 applied' }),
    );
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { rawConfig: configOf(2) });
    await eventually(async () => {
      scene.centre.test.clock.advance(30_000);
      expect(await agent.poll()).toBe(true);
    });
    site.line.mode = 'cut';
    const pollOnly = async () => {
      scene.centre.test.clock.advance(30_000);
      await agent.poll();
    };
    for (let time = 0; time < 10; time += 1) await pollOnly();
    site.line.mode = 'pass';
    await eventually(async () => {
      await pollOnly();
      expect(await scene.states()).toEqual({ 'machine-1': '2 rejected' });
    });
  });

  it('does not take it from a stranger that an agent runs a version, with MUSTER_REGISTRATION=once', async () => {
    await scene.close();
    scene = await FleetScene.start({ registration: 'once' });
    const site = await scene.openSite();
    const agent = await scene.startAgent(site, 'machine-1');
    await scene.pollUntil([agent], async () =>
      expect(await scene.states()).toEqual({ 'machine-1': '1 applied' }),
    );
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { rawConfig: configOf(2) });
    await eventually(async () => {
      scene.centre.test.clock.advance(30_000);
      expect(await agent.poll()).toBe(true);
    });
    await eventually(async () => {
      await agent.poll();
      expect(await scene.states()).toEqual({ 'machine-1': '2 downloaded' });
    });
    const body = { name: 'edge', machineID: 'machine-1', fleetID: agent.fleetID, rawConfig: configOf(2) };
    const as = { project: scene.centre.project.token };
    expect((await site.request('POST', '/v1/agents', { as, body })).status).toBe(201);
    await eventually(async () => {
      scene.centre.test.clock.advance(30_000);
      await agent.poll();
      expect(await scene.states()).toEqual({ 'machine-1': '2 rejected' });
    });
  });
});
