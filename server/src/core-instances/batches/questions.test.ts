import type { AgentError } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentService } from '../../fleet/agents/agent-service.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { idOfToken, siteStatus } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function start() {
  const project = await app.createProject();
  const site = await app.createCoreInstance(project);
  const tokenID = await idOfToken(app, project);
  const known = await app.registerAgent(project, 'known');
  const send = (changes: object) =>
    app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: { protocol: 1, status: siteStatus(app.clock.now()), ...changes },
    });
  return { project, tokenID, known, send };
}

describe('a question of a site, without items and without an id', () => {
  it('leaves a batch as far as it is, also behind a number that never came', async () => {
    const { project, tokenID, known, send } = await start();
    const at = app.clock.now() - 50;
    const by = { tokenID };
    const report = { error: 'one', firstAt: at, lastAt: at, count: 3 };
    const items = [
      { kind: 'errors', by, agentID: known.id, errors: [report] },
      // Of the same agent: what came before is committed.
      { kind: 'update', by: { agentID: known.id }, agentID: known.id, at, agent: { name: 'renamed' } },
    ];
    const id = '0192f0a0-0000-7000-8000-000000000003';
    const batch = { sequence: 3, id, items };
    const question = { items: [] };
    await send({ sequence: 1, id: '0192f0a0-0000-7000-8000-000000000001', items: [] });
    const overloaded = new Refusal('overloaded', { retryAfterSeconds: 5 });
    vi.spyOn(AgentService.prototype, 'update').mockRejectedValueOnce(overloaded);
    expect((await send(batch)).status).toBe(503);
    for (const sequence of [1, 2, 3, 4])
      expect((await send({ sequence, ...question })).body).toMatchObject({ sequence: 1, pendingID: id });
    expect((await send(batch)).body).toMatchObject({
      sequence: 3,
      batchID: id,
      pendingID: null,
      refused: [],
    });
    expect((await send({ sequence: 9, ...question })).body).toMatchObject({ sequence: 3, batchID: id });
    const { body: stored } = await app.request<AgentError[]>(
      'GET',
      `/v1/projects/${project.id}/agent_errors`,
      { as: { access: app.admin } },
    );
    expect(stored.map(({ error, occurrences }) => [error, occurrences])).toEqual([['one', 3]]);
  });

  it('tells a number that means no batch from the batch of the site, and uses up none', async () => {
    const { send } = await start();
    const idOf = (last: number) => `0192f0a0-0000-7000-8000-00000000000${last}`;
    await send({ sequence: 1, id: idOf(1), items: [] });
    // As after a restored state folder.
    const none = '00000000-0000-0000-0000-000000000000';
    expect((await send({ sequence: 1, id: idOf(2), items: [] })).body).toMatchObject({
      sequence: 2,
      batchID: none,
    });
    for (const sequence of [1, 2, 3])
      expect((await send({ sequence, items: [] })).body).toMatchObject({ sequence: 2, batchID: none });
  });
});
