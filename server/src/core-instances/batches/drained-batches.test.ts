import type { AgentError, CoreInstanceBatchResult, CoreInstanceErrors } from '@muster/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { siteStatus } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;

afterEach(() => app.close());

const minute = 60_000;

/** A site with an agent behind it. */
async function startSite(config: Parameters<typeof startTestApp>[0] = {}) {
  app = await startTestApp(config);
  const project = await app.createProject();
  const site = await app.createCoreInstance(project);
  const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
    as: { project: project.token },
  });
  const agent = await app.registerAgent(project);
  let sequence = 0;
  const send = (items: readonly object[], oldestSpooledAt: number | null = null) => {
    const status = siteStatus(app.clock.now(), { oldestSpooledAt });
    return app.request<CoreInstanceBatchResult>('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: { protocol: 1, sequence: ++sequence, status, items },
    });
  };
  const itemOf = (errors: CoreInstanceErrors['errors']): CoreInstanceErrors => ({
    kind: 'errors',
    by: { tokenID: own.id },
    agentID: agent.id,
    errors,
  });
  return { project, site, agent, send, itemOf };
}

function errorAt(error: string, at: number) {
  return { error, firstAt: at, lastAt: at, count: 1 };
}

/** All errors of the project, oldest first. */
async function readErrors({ id }: TestProject) {
  const found: AgentError[] = [];
  let url = `/v1/projects/${id}/agent_errors?last=1000`;
  for (;;) {
    const { body, headers } = await app.request<AgentError[]>('GET', url, { as: { access: app.admin } });
    found.push(...body);
    const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    if (next === undefined) return found.reverse();
    url = next.replace(/^https?:\/\/[^/]+/, '');
  }
}

describe('what agents reported during an outage of six hours', () => {
  it('arrives whole within a minute, each error with its time, whatever the limits by time', async () => {
    const newErrorsPerAgentPerMinute = 6;
    const { project, agent, send, itemOf } = await startSite({
      config: { newErrorsPerAgentPerMinute, newErrorsPerProjectPerSecond: 2, maxOpenErrorsPerAgent: 0 },
    });
    const end = app.clock.now();
    const start = end - 360 * minute;
    // As many a minute as the site accepts, all of one cause.
    const reported = Array.from({ length: 360 * newErrorsPerAgentPerMinute }, (_, index) => {
      const at = start + Math.floor((index * minute) / newErrorsPerAgentPerMinute);
      return { error: `chunk ${index} cannot be written`, at };
    });
    for (let from = 0; from < reported.length; from += 500) {
      const part = reported.slice(from, from + 500);
      const answer = await send([itemOf(part.map(({ error, at }) => errorAt(error, at)))], start);
      expect([answer.status, answer.body.refused]).toEqual([200, []]);
      app.clock.advance(5_000);
    }
    expect(app.clock.now() - end).toBeLessThan(minute);
    const stored = await readErrors(project);
    expect(stored.map(({ error, createdAt, occurrences }) => [error, createdAt, occurrences])).toEqual(
      reported.map(({ error, at }) => [error, new Date(at).toISOString(), 1]),
    );
    // The same errors directly are too many in a minute.
    const direct = await app.request('POST', `/v1/agents/${agent.id}/errors`, {
      as: { agent: agent.token },
      body: reported.slice(0, 7).map(({ error }) => ({ error: `directly: ${error}` })),
    });
    expect(direct.status).toBe(429);
  });

  it('arrives together with direct reports, to which the limits by time apply', async () => {
    const { project, send, itemOf } = await startSite({
      config: { newErrorsPerAgentPerMinute: 10, maxOpenErrorsPerAgent: 0 },
    });
    const direct = await app.registerAgent(project);
    const now = app.clock.now();
    const [drained, answer] = await Promise.all([
      send([itemOf(Array.from({ length: 100 }, (_, index) => errorAt(`spooled ${index}`, now)))], now),
      app.request('POST', `/v1/agents/${direct.id}/errors`, {
        as: { agent: direct.token },
        body: Array.from({ length: 100 }, (_, index) => ({ error: `${index} direct` })),
      }),
    ]);
    expect([drained.status, drained.body.refused, answer.status]).toEqual([200, [], 429]);
    const stored = (await readErrors(project)).map(({ agentID }) => agentID);
    expect(stored.filter((id) => id !== direct.id)).toHaveLength(100);
    expect(stored.filter((id) => id === direct.id)).toHaveLength(10);
  });

  it('is refused as far as the agent would have too many open errors', async () => {
    const { project, agent, send, itemOf } = await startSite({ config: { maxOpenErrorsPerAgent: 20 } });
    const now = app.clock.now();
    // Each of its own cause.
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const { status, body } = await send([
      itemOf([...letters].map((letter, index) => errorAt(letter.repeat(9), now - 26_000 + index * 1_000))),
    ]);
    expect(status).toBe(200);
    expect(body.refused).toEqual([
      {
        index: 0,
        error: {
          ...problemBody(
            'too_many_open_errors',
            'This agent has 20 open errors, which is the maximum. Dismiss some, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT.',
          ),
          fields: Array.from({ length: 6 }, (_, index) => ({
            path: `/errors/${20 + index}`,
            message: 'is refused: too_many_open_errors',
          })),
        },
      },
    ]);
    expect(await readErrors(project)).toHaveLength(20);
    // Also a refused report is a sign of life of its agent.
    app.clock.advance(minute);
    const late = await send([itemOf([errorAt('one more', now + minute)])]);
    expect(late.body.refused).toHaveLength(1);
    const heard = await app.request('GET', `/v1/agents/${agent.id}`, { as: { access: app.admin } });
    expect(heard.body).toMatchObject({ lastSeenAt: new Date(now + minute).toISOString() });
  });
});

describe('a site that sends too much', () => {
  it('gets 422 for a batch of too many errors, of which nothing is stored', async () => {
    const { project, send, itemOf } = await startSite();
    const now = app.clock.now();
    const item = itemOf(Array.from({ length: 500 }, (_, index) => errorAt(`error ${index}`, now)));
    const tooMuch = await send([
      ...Array.from({ length: 10 }, () => item),
      itemOf([errorAt('one more', now)]),
    ]);
    expect(tooMuch.status).toBe(422);
    expect(tooMuch.body).toMatchObject({
      code: 'invalid_body',
      fields: [{ path: '/items', message: 'must have at most 5000 errors in all items together' }],
    });
    expect(await readErrors(project)).toEqual([]);
  });

  it('has to wait, and can send all of it later', async () => {
    const { project, send, itemOf } = await startSite({ config: { maxOpenErrorsPerAgent: 0 } });
    const now = app.clock.now();
    const listOf = (name: string) =>
      Array.from({ length: 10 }, (_, part) =>
        itemOf(Array.from({ length: 500 }, (_, index) => errorAt(`${name} ${part} ${index % 5}`, now))),
      );
    expect((await send(listOf('first'))).status).toBe(200);
    expect((await send(listOf('second'))).status).toBe(200);
    const third = await send(listOf('third'));
    expect(third).toMatchObject({ status: 503, body: problemBody('overloaded') });
    expect(third.headers['retry-after']).toBe('1');
    expect(await readErrors(project)).toHaveLength(100);
    app.clock.advance(1_000);
    expect((await send(listOf('third'))).body.refused).toEqual([]);
    expect(await readErrors(project)).toHaveLength(150);
  });

  it('has to wait the longer the more repeats it claims', async () => {
    const { agent, send, itemOf } = await startSite();
    const now = app.clock.now();
    const claimed = { ...errorAt('disk full', now), count: 1_000_000_000 };
    const claim = () => send([itemOf(Array.from({ length: 50 }, () => claimed))]);
    expect((await claim()).status).toBe(200);
    const answer = await claim();
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    const { body } = await app.request<AgentError[]>('GET', `/v1/agents/${agent.id}/errors`, {
      as: { access: app.admin },
    });
    expect(body.map(({ occurrences }) => occurrences)).toEqual([50_000_000_000]);
  });
});
