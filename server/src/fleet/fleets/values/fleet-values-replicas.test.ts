import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StockAgent } from '../../../testing/calls/stock-agent.ts';
import { textOfMessage } from '../../../testing/receivers/text-of-message.ts';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestApp } from '../../../testing/start-test-app.ts';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());

function call<Body>(app: TestApp, method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: replicas.admin }, ...(body && { body }) });
}

/** A fleet whose configuration has a variable and a secret, and an agent of it that asks a replica. */
async function start(asks: TestApp) {
  const project = await replicas.other.createProject();
  const { body: fleet } = await call<{ id: string }>(
    replicas.one,
    'POST',
    `/v1/projects/${project.id}/fleets`,
    {
      name: 'edge',
      reporting: 'off',
    },
  );
  const url = `/v1/fleets/${fleet.id}`;
  const set = (kind: 'variables' | 'secrets', name: string, value: string, more: object = {}) =>
    call(replicas.one, 'PATCH', `${url}/${kind}`, { set: [{ name, value }], ...more });
  await set('variables', 'region', 'eu');
  await set('secrets', 'key', 'first secret');
  await call(replicas.one, 'PATCH', url, {
    rawConfig:
      '[INPUT]\n    Name dummy\n    Tag  {{vars.region}}\n\n[OUTPUT]\n    Name  es\n    Match *\n    HTTP_Passwd {{secrets.key}}\n',
  });
  const agent = new StockAgent(asks, { project, machineID: 'machine-1' });
  await agent.startByName('edge');
  await settle(agent);
  return { project, agent, url, set };
}

async function settle(agent: StockAgent): Promise<void> {
  for (let poll = 0; poll < 3; poll += 1) {
    replicas.clock.advance(15_000);
    if (await agent.poll()) await agent.reload();
  }
}

const valuesOf = ({ config }: StockAgent) => [
  /Tag {2}(.*)$/m.exec(config)?.[1],
  /HTTP_Passwd (.*)$/m.exec(config)?.[1],
];

describe('a replica that did not make the change', () => {
  it('gives agents other values from the next poll on', async () => {
    const { agent, set } = await start(replicas.other);
    expect(valuesOf(agent)).toEqual(['eu', 'first secret']);
    await set('secrets', 'key', 'second secret');
    await settle(agent);
    await set('variables', 'region', 'us', { agentID: agent.agent?.id });
    await settle(agent);
    expect(valuesOf(agent)).toEqual(['us', 'second secret']);
  });

  it('removes a new secret from the next report that it takes', async () => {
    const { project, agent, set } = await start(replicas.one);
    const { id = '', token = '' } = agent.agent ?? {};
    const report = (error: string) =>
      replicas.other.request('POST', `/v1/agents/${id}/errors`, { as: { agent: token }, body: { error } });
    // It knows the credential and the secrets now.
    expect((await report('cannot sign in with first secret')).status).toBe(201);
    await set('secrets', 'key', 'second secret');
    expect((await report('cannot sign in with second secret')).status).toBe(201);
    const { text } = await call(replicas.one, 'GET', `/v1/projects/${project.id}/agent_errors`);
    expect(text).toContain('cannot sign in with --redacted--');
    expect(text).not.toMatch(/first secret|second secret/);
  });

  it('reads the secrets of all fleets again after a change of secrets, and after no other change', async () => {
    const { agent, url, set } = await start(replicas.one);
    const { id = '', token = '' } = agent.agent ?? {};
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const readsOf = async (error: string) => {
      query.mockClear();
      await replicas.other.request('POST', `/v1/agents/${id}/errors`, {
        as: { agent: token },
        body: { error },
      });
      return query.mock.calls.filter(([first]) => textOfMessage(first).includes('fleet_secrets')).length;
    };
    expect(await readsOf('one')).toBe(1);
    await set('variables', 'region', 'us');
    await call(replicas.one, 'PATCH', url, { tags: ['eu'] });
    expect(await readsOf('two')).toBe(0);
    await set('secrets', 'key', 'third secret');
    expect(await readsOf('three')).toBe(1);
    query.mockRestore();
  });

  it('gives an agent another value also if whoever answered it last was killed before that was stored', async () => {
    const { project, agent, set } = await start(replicas.other);
    // As it was before the agent got its version.
    await changeRows(
      replicas.one.dataDirectory,
      `update fleet_agents set offered_seconds = null, offered_at = null, downloaded_seconds = null, downloaded_at = null,
        applied_seconds = null, values_digest = null where project_id = '${project.id}'`,
    );
    await set('variables', 'region', 'own', { agentID: agent.agent?.id });
    await settle(agent);
    expect(valuesOf(agent)).toEqual(['own', 'first secret']);
  });
});
