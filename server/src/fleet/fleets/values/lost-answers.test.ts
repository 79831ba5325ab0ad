import type { Rollout } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const configOf = (tag: string) =>
  `[INPUT]\n    Name dummy\n    Tag  ${tag}.{{vars.region}}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

async function pollLater(agent: StockAgent): Promise<boolean> {
  app.clock.advance(15_000);
  const hasNews = await agent.poll();
  if (hasNews) await agent.reload();
  return hasNews;
}

/** The agent asks, and never gets the answer. */
async function loseAnswer(agent: StockAgent): Promise<void> {
  const { version, config } = agent;
  app.clock.advance(15_000);
  expect(await agent.poll()).toBe(true);
  Object.assign(agent, { version, config });
}

function setRegion(url: string, value: string) {
  return call('PATCH', `${url}/variables`, { set: [{ name: 'region', value }] });
}

const tagOf = ({ config }: StockAgent) => /^ {4}Tag {2}(.*)$/m.exec(config)?.[1];

/** Its only agent has the version of a rollout that was stopped and left it there. */
async function startStopped() {
  const project = await app.createProject();
  const { body: fleet } = await call<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, {
    name: 'edge',
    reporting: 'off',
  });
  const url = `/v1/fleets/${fleet.id}`;
  await setRegion(url, 'eu');
  await call('PATCH', url, { rawConfig: configOf('one') });
  const agent = new StockAgent(app, { project, machineID: 'machine-1' });
  await agent.startByName('edge');
  await pollLater(agent);
  await pollLater(agent);
  const { body: version } = await call<{ id: string }>('POST', `${url}/versions`, {
    rawConfig: configOf('two'),
  });
  const { body: rollout } = await call<{ id: string }>('POST', `${url}/rollouts`, {
    versionID: version.id,
    reason: 'to try',
  });
  await pollLater(agent);
  await pollLater(agent);
  await call('POST', `/v1/rollouts/${rollout.id}/stop`, { reason: 'to try' });
  expect(tagOf(agent)).toBe('two.eu');
  const stateOfRollout = async () => {
    await app.app.runRollouts();
    const { body } = await call<Rollout>('GET', `/v1/rollouts/${rollout.id}`);
    return body.state;
  };
  return { url, agent, rollout, stateOfRollout };
}

describe('an agent whose values have changed, and whose answer was lost', () => {
  it('gets them with the version that a stopped rollout has left to it, as often as it asks', async () => {
    const { url, agent } = await startStopped();
    await setRegion(url, 'us');
    await loseAnswer(agent);
    await loseAnswer(agent);
    await setRegion(url, 'asia');
    await loseAnswer(agent);
    expect(await pollLater(agent)).toBe(true);
    expect(tagOf(agent)).toBe('two.asia');
    expect(await pollLater(agent)).toBe(false);
  });

  it('goes back with the rollout, which waits for that', async () => {
    const { url, agent, rollout, stateOfRollout } = await startStopped();
    await setRegion(url, 'us');
    await loseAnswer(agent);
    await call('POST', `/v1/rollouts/${rollout.id}/revert`, { reason: 'to try' });
    expect(await stateOfRollout()).toBe('reverting');
    expect(await pollLater(agent)).toBe(true);
    expect(tagOf(agent)).toBe('one.us');
    await pollLater(agent);
    expect(await stateOfRollout()).toBe('reverted');
  });

  it('that has lost its folder since gets what its fleet serves to everybody', async () => {
    const { url, agent } = await startStopped();
    await setRegion(url, 'us');
    await loseAnswer(agent);
    agent.version = -1;
    expect(await pollLater(agent)).toBe(true);
    expect(tagOf(agent)).toBe('one.us');
  });

  it('is not taken to have the version of a stopped rollout that it was offered after a move', async () => {
    const project = await app.createProject();
    const create = (name: string) =>
      call<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, { name, reporting: 'off' });
    const urls: string[] = [];
    for (const name of ['first', 'second']) {
      const { body } = await create(name);
      urls.push(`/v1/fleets/${body.id}`);
      await setRegion(`/v1/fleets/${body.id}`, 'eu');
      await call('PATCH', `/v1/fleets/${body.id}`, { rawConfig: configOf(name) });
    }
    const [, url = ''] = urls;
    const agent = new StockAgent(app, { project, machineID: 'machine-1' });
    await agent.startByName('first');
    await pollLater(agent);
    await pollLater(agent);
    expect((await call('POST', `${url}/agents`, { agentIDs: [agent.agent?.id] })).body).toEqual({
      movedCount: 1,
    });
    const { body: version } = await call<{ id: string }>('POST', `${url}/versions`, {
      rawConfig: configOf('bad'),
    });
    const { body: rollout } = await call<{ id: string }>('POST', `${url}/rollouts`, {
      versionID: version.id,
      reason: 'to try',
    });
    await loseAnswer(agent);
    await call('POST', `/v1/rollouts/${rollout.id}/stop`, { reason: 'to try' });
    expect(await pollLater(agent)).toBe(true);
    expect(tagOf(agent)).toBe('second.eu');
  });
});
