import type { AgentWithConfig } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReachedByAgents, StockAgent } from '../../server/src/testing/calls/stock-agent.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { configOf, FleetScene, versionOf } from './fleet-scene.ts';
import type { Site } from './site.ts';

let scene: FleetScene;
beforeEach(async () => {
  scene = await FleetScene.start();
});
afterEach(() => scene.close());

describe('an agent that moves', () => {
  const move = async (to: string, { agent }: StockAgent) =>
    expect(await scene.call('POST', `/v1/fleets/${to}/agents`, { agentIDs: [agent?.id] })).toMatchObject({
      body: { movedCount: 1 },
    });

  async function createCanary(): Promise<string> {
    const body = { name: 'canary', rawConfig: configOf(7) };
    return (await scene.call<{ id: string }>('POST', `/v1/projects/${scene.centre.project.id}/fleets`, body))
      .body.id;
  }

  async function placeOf({ agent }: StockAgent): Promise<string> {
    const { fleet } = (await scene.call<AgentWithConfig>('GET', `/v1/agents/${agent?.id}`)).body;
    return `${fleet?.name} ${fleet?.versionNumber} ${fleet?.state}`;
  }

  it.each([0, 9 * 3_600, -5 * 3_600])(
    'to another fleet and back gets at its site what each serves, %i s ahead of UTC',
    async (zoneSeconds) => {
      const site = await scene.openSite();
      const canary = await createCanary();
      const agent = await scene.startAgent(site, 'machine-1', zoneSeconds);
      const other = await scene.startAgent(site, 'machine-2');
      const pollAll = (version: number, place: string) =>
        scene.pollUntil([agent, other], async () =>
          expect([versionOf(agent), await placeOf(agent)]).toEqual([version, place]),
        );
      await pollAll(1, 'edge 1 applied');
      await move(canary, agent);
      await pollAll(7, 'canary 1 applied');
      await scene.call('PATCH', `/v1/fleets/${canary}`, { rawConfig: configOf(8) });
      await pollAll(8, 'canary 2 applied');
      await move(scene.fleetID, agent);
      await pollAll(1, 'edge 1 applied');
      await move(canary, agent);
      await pollAll(8, 'canary 2 applied');
      expect([versionOf(other), await placeOf(other)]).toEqual([1, 'edge 1 applied']);
    },
  );

  it('to another fleet and then behind a site goes on with what it has, and may report there', async () => {
    const site = await scene.openSite();
    const canary = await createCanary();
    let at: ReachedByAgents = scene.centre.test;
    const moving: ReachedByAgents = {
      clock: scene.centre.test.clock,
      request: (...asked) => at.request(...asked),
    };
    const moved = await scene.startAgent(moving, 'machine-1');
    const returned = await scene.startAgent(moving, 'machine-2');
    for (const agent of [moved, returned]) await move(canary, agent);
    await scene.poll([moved, returned]);
    await move(scene.fleetID, returned);
    await scene.poll([moved, returned], 2);
    expect([moved, returned].map(versionOf)).toEqual([7, 1]);
    // Later than what the moved agent has.
    scene.centre.test.clock.advance(3_600_000);
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { rawConfig: configOf(2) });
    await eventually(async () => {
      const { text } = await site.ask(`/v1/fleets/${scene.fleetID}/config`);
      expect(text).toContain('version2');
    });
    at = site;
    for (const agent of [moved, returned]) {
      await agent.poll();
      const body = { error: 'disk full' };
      const as = { project: scene.centre.project.token };
      const path = `/v1/machines/${agent.fleetID}/errors`;
      expect(await site.request('POST', path, { as, body })).toMatchObject({ status: 201 });
    }
    expect([moved, returned].map(versionOf)).toEqual([7, 2]);
    await scene.pollUntil([moved, returned], async () => {
      expect(await placeOf(moved)).toBe('canary 1 applied');
      for (const { agent } of [moved, returned])
        expect((await scene.call('GET', `/v1/agents/${agent?.id}/errors`)).body).toMatchObject([
          { error: 'disk full' },
        ]);
    });
  });

  it('to another site goes on with its id, and nothing that the first one tells later is believed', async () => {
    const [one, other] = [await scene.openSite('one'), await scene.openSite('other')];
    let at: Site = one;
    const moving: ReachedByAgents = {
      clock: scene.centre.test.clock,
      request: (...asked) => at.request(...asked),
    };
    const agent = await scene.startAgent(moving, 'machine-1');
    await scene.pollUntil([agent], async () =>
      expect(await scene.states()).toEqual({ 'machine-1': '1 applied' }),
    );
    one.line.mode = 'cut';
    await scene.poll([agent], 2);
    at = other;
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { rawConfig: configOf(2) });
    await scene.pollUntil([agent], async () =>
      expect(await scene.states()).toEqual({ 'machine-1': '2 applied' }),
    );
    one.line.mode = 'pass';
    await eventually(async () => {
      const { body } = await scene.call<{ name: string; lagSeconds: number; lastContactAt: string }[]>(
        'GET',
        `/v1/projects/${scene.centre.project.id}/core_instances`,
      );
      scene.centre.test.clock.advance(1_000);
      const heard = body.find(({ name }) => name === 'one')?.lastContactAt ?? '';
      expect(Date.parse(heard)).toBeGreaterThan(scene.centre.test.clock.now() - 60_000);
    });
    expect(await scene.states()).toEqual({ 'machine-1': '2 applied' });
  });
});
