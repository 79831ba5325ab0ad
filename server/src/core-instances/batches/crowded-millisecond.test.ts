import type { AgentError } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ReportService } from '../../errors/reporting/report-service.ts';
import { siteStatus } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

describe('a batch whose errors happened in the same millisecond as ten others', () => {
  it('finds those that it has stored when it is sent again', async () => {
    const project = await app.createProject();
    const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const at = app.clock.now() - 50;
    const passOn = async (texts: readonly string[]) => {
      const site = await app.createCoreInstance(project);
      const { id: agentID } = await app.registerAgent(project);
      const errors = texts.map((error) => ({ error, firstAt: at, lastAt: at, count: 2 }));
      const items = [{ kind: 'errors', by: { tokenID: own.id }, agentID, errors }];
      const send = () =>
        app.request('POST', '/v1/core_instances/self/batches', {
          as: { core_instance: site.token },
          body: { protocol: 1, sequence: 1, status: siteStatus(app.clock.now()), items },
        });
      return { agentID, send };
    };
    const others = await passOn([...'abcdefghij']);
    expect((await others.send()).body).toMatchObject({ refused: [] });
    const { agentID, send } = await passOn(['first', 'second']);
    const { storeOfSite } = ReportService.prototype;
    vi.spyOn(ReportService.prototype, 'storeOfSite').mockImplementationOnce(async function (
      this: ReportService,
      ...given
    ) {
      await storeOfSite.apply(this, given);
      throw new Error('interrupted');
    });
    expect((await send()).status).toBe(500);
    vi.restoreAllMocks();
    const list = async () =>
      (await app.request<AgentError[]>('GET', `/v1/agents/${agentID}/errors`, { as: { access: app.admin } }))
        .body;
    const stored = await list();
    const first = stored.find(({ error }) => error === 'first');
    await app.request('POST', `/v1/agent_errors/${first?.id}/dismiss`, {
      as: { access: app.admin },
      body: { reason: 'known' },
    });
    expect((await send()).body).toMatchObject({ sequence: 1, refused: [] });
    expect((await list()).map(({ id, error, occurrences }) => [id, error, occurrences])).toEqual(
      stored.map(({ id, error }) => [id, error, 2]),
    );
  });
});
