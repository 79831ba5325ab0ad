import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentError } from '@muster/contract';
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ReportService } from '../../errors/reporting/report-service.ts';
import { AgentService } from '../../fleet/agents/agent-service.ts';
import { RegistrationService } from '../../fleet/agents/registration-service.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { siteStatus } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../../testing/test-database.ts';

/** Everything that changes something while a batch is applied. What follows the one that is interrupted does not happen. */
const steps = [
  [ReportService.prototype, 'storeOfSite'],
  [ReportService.prototype, 'addRepeatsWithin'],
  [AgentService.prototype, 'update'],
  [RegistrationService.prototype, 'registerOfSite'],
  [RegistrationService.prototype, 'findOrRegister'],
] as const;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterEach(() => vi.restoreAllMocks());

afterAll(() => app.close());

/** From now on, the request fails after the given step; returns a function that tells whether it came so far. */
function interruptAfter(step: number, when: 'before' | 'after'): () => boolean {
  let done = 0;
  let isInterrupted = false;
  for (const [prototype, name] of steps) {
    const target = prototype as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>; // each is such a method
    const original = target[name];
    vi.spyOn(target, name).mockImplementation(async function (this: unknown, ...given: unknown[]) {
      done += 1;
      const isIt = done === step;
      if (isIt) isInterrupted = true;
      if (isIt && when === 'before') throw new Error('interrupted');
      const result = await original?.apply(this, given);
      if (isIt) throw new Error('interrupted');
      return result;
    });
  }
  return () => isInterrupted;
}

/** A site, and what sends its batch, with changes. */
async function startSite() {
  const project = await app.createProject();
  const site = await app.createCoreInstance(project);
  const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
    as: { project: project.token },
  });
  const known = await app.registerAgent(project, 'known');
  const batch = makeBatch(own.id, known.id);
  const send = (changes: object) =>
    app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: { ...batch, ...changes },
    });
  return { project, own, known, send };
}

describe('a batch that is interrupted', () => {
  it.each(['before', 'after'] as const)('%s any step is applied once when it is sent again', async (when) => {
    let step = 1;
    for (let reached = true; reached; step += 1) {
      const project = await app.createProject();
      const site = await app.createCoreInstance(project);
      const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
        as: { project: project.token },
      });
      const known = await app.registerAgent(project, 'known');
      const batch = makeBatch(own.id, known.id);
      const send = (aheadMilliseconds: number) =>
        app.request('POST', '/v1/core_instances/self/batches', {
          as: { core_instance: site.token },
          body: { ...batch, status: { ...batch.status, sentAt: app.clock.now() + aheadMilliseconds } },
        });
      const wasInterrupted = interruptAfter(step, when);
      const first = await send(0);
      reached = wasInterrupted();
      vi.restoreAllMocks();
      expect([step, first.status]).toEqual([step, reached ? 500 : 200]);
      // The clocks of the site and the service have gone on, not by the same time.
      app.clock.advance(7);
      const again = await send(3);
      expect([step, again.status, again.body]).toMatchObject([step, 200, { sequence: 1, refused: [] }]);
      expect([step, await describeErrors(project.id)]).toEqual([step, expected]);
      const configs = await app.request<unknown[]>('GET', `/v1/agents/${known.id}/config_history`, {
        as: { access: app.admin },
      });
      expect([step, configs.body.length]).toEqual([step, 3]);
    }
    expect(step).toBeGreaterThan(10);
  });
});

describe('a batch of which something is refused for the moment', () => {
  it.each([
    ['what came before an item', ReportService.prototype, 'storeOfSite', 'revoked_credential', 401],
    ['an item, because the project moves', AgentService.prototype, 'update', 'project_moving', 503],
  ] as const)('is not acknowledged if that is %s', async (_, prototype, name, code, status) => {
    const project = await app.createProject();
    const site = await app.createCoreInstance(project);
    const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const known = await app.registerAgent(project, 'known');
    const at = app.clock.now() - 50;
    const by = { tokenID: own.id };
    const lost = { error: 'no host', firstAt: at, lastAt: at, count: 1 };
    const rawConfig = '[INPUT]\n  name mem\n';
    const items = [
      { kind: 'errors', by, agentID: known.id, errors: [lost] },
      { kind: 'update', by: { agentID: known.id }, agentID: known.id, at, agent: { rawConfig } },
    ];
    const send = () =>
      app.request('POST', '/v1/core_instances/self/batches', {
        as: { core_instance: site.token },
        body: { protocol: 1, sequence: 1, status: siteStatus(app.clock.now()), items },
      });
    const target = prototype as unknown as Record<string, () => Promise<unknown>>; // each is such a method
    vi.spyOn(target, name).mockRejectedValueOnce(new Refusal(code, { retryAfterSeconds: 5 }));
    const refused = await send();
    expect([refused.status, refused.body]).toMatchObject([status, { code }]);
    vi.restoreAllMocks();
    const again = await send();
    expect([again.status, again.body]).toMatchObject([200, { sequence: 1, refused: [] }]);
    const { body: stored } = await app.request<AgentError[]>(
      'GET',
      `/v1/projects/${project.id}/agent_errors`,
      {
        as: { access: app.admin },
      },
    );
    expect(stored.map(({ error, occurrences }) => [error, occurrences])).toEqual([['no host', 1]]);
  });
});

describe('a batch that is sent again after its errors were stored', () => {
  const config = '[INPUT]\n  name mem\n';
  it.each([
    [
      'leaves dismissed what was dismissed meanwhile',
      'POST',
      (error: AgentError) => `/v1/agent_errors/${error.id}/dismiss`,
      { reason: 'known' },
      ['a current dismissed 6', 'b current open 2', 'of another open 1'],
    ],
    [
      'leaves of the configuration before what was reported with it',
      'PATCH',
      (error: AgentError) => `/v1/agents/${error.agentID}`,
      { rawConfig: config },
      ['a superseded open 6', 'b superseded open 2', 'of another open 1'],
    ],
  ] as const)('%s, and stores the others', async (_, method, urlOf, body, expectedErrors) => {
    // The clocks of the site and the service go on, or stand still.
    for (const [elapsed, ahead] of [
      [0, 0],
      [7, 3],
    ] as const) {
      const project = await app.createProject();
      const site = await app.createCoreInstance(project);
      const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
        as: { project: project.token },
      });
      const known = await app.registerAgent(project, 'known');
      const other = await app.registerAgent(project, 'other');
      const at = app.clock.now() - 50;
      const error = (text: string, count: number) => ({ error: text, firstAt: at, lastAt: at, count });
      const by = { tokenID: own.id };
      const items = [
        { kind: 'errors', by, agentID: known.id, errors: [error('a', 2), error('b', 2)] },
        { kind: 'errors', by, agentID: other.id, errors: [error('of another', 1)] },
        { kind: 'errors', by, agentID: known.id, errors: [error('a', 4)] },
      ];
      const send = (sentAt: number) =>
        app.request('POST', '/v1/core_instances/self/batches', {
          as: { core_instance: site.token },
          body: { protocol: 1, sequence: 1, status: siteStatus(sentAt), items },
        });
      interruptAfter(1, 'after');
      expect((await send(app.clock.now())).status).toBe(500);
      vi.restoreAllMocks();
      const list = async () =>
        (
          await app.request<AgentError[]>('GET', `/v1/projects/${project.id}/agent_errors`, {
            as: { access: app.admin },
          })
        ).body;
      const dismissed = (await list()).find((one) => one.error === 'a');
      if (dismissed === undefined) throw new Error('the first attempt stores the error');
      app.clock.advance(elapsed);
      const changed = await app.request(method, urlOf(dismissed), { as: { access: app.admin }, body });
      expect(changed.status).toBeLessThan(300);
      const again = await send(app.clock.now() + ahead);
      expect([again.status, again.body]).toMatchObject([200, { sequence: 1, refused: [] }]);
      const stored = (await list()).map(({ error: text, current, dismissedAt, occurrences }) =>
        [
          text,
          ...(text === 'of another' ? [] : [current ? 'current' : 'superseded']),
          dismissedAt === null ? 'open' : 'dismissed',
          occurrences,
        ].join(' '),
      );
      expect(stored.sort()).toEqual(expectedErrors);
    }
  });
});

describe('an interrupted batch', () => {
  it('is applied once, also if the batch before it comes a second time', async () => {
    const { project, send } = await startSite();
    const before = { id: randomUUID(), sequence: 1, items: [] };
    expect((await send(before)).status).toBe(200);
    const next = { id: randomUUID(), sequence: 2 };
    interruptAfter(3, 'before');
    expect((await send(next)).status).toBe(500);
    vi.restoreAllMocks();
    expect((await send(before)).body).toMatchObject({ sequence: 1, refused: [], aliases: [] });
    expect((await send(next)).body).toMatchObject({ sequence: 2 });
    expect(await describeErrors(project.id)).toEqual(expected);
  });

  it('does not go on with another batch that has its number, as after a restored state folder', async () => {
    const { project, own, known, send } = await startSite();
    const now = app.clock.now();
    const errors = [{ error: 'other', firstAt: now, lastAt: now, count: 2 }];
    const others = [{ kind: 'errors', by: { tokenID: own.id }, agentID: known.id, errors }];
    // The first items are committed before the configuration changes.
    interruptAfter(3, 'before');
    expect((await send({ id: randomUUID() })).status).toBe(500);
    vi.restoreAllMocks();
    const answer = await send({ id: randomUUID(), items: others });
    expect([answer.status, answer.body]).toMatchObject([200, { sequence: 1, refused: [] }]);
    expect(await describeErrors(project.id)).toEqual([
      'known a current 2',
      'known b current 1',
      'known other current 2',
    ]);
  });
});

describe('a batch that is sent again while an equal error is open', () => {
  it('counts its reports to the error that it was stored as', async () => {
    const project = await app.createProject();
    const site = await app.createCoreInstance(project);
    const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const known = await app.registerAgent(project, 'known');
    const at = app.clock.now() - 50;
    const item = (count: number) => ({
      kind: 'errors',
      by: { tokenID: own.id },
      agentID: known.id,
      errors: [{ error: 'a', firstAt: at, lastAt: at, count }],
    });
    const send = () =>
      app.request('POST', '/v1/core_instances/self/batches', {
        as: { core_instance: site.token },
        body: { protocol: 1, sequence: 1, status: siteStatus(app.clock.now()), items: [item(2), item(4)] },
      });
    interruptAfter(1, 'after');
    expect((await send()).status).toBe(500);
    vi.restoreAllMocks();
    const list = async () =>
      (await app.request<AgentError[]>('GET', `/v1/agents/${known.id}/errors`, { as: { access: app.admin } }))
        .body;
    const [first] = await list();
    await app.request('POST', `/v1/agent_errors/${first?.id}/dismiss`, {
      as: { access: app.admin },
      body: { reason: 'known' },
    });
    const direct = await app.request<{ id: string }>('POST', `/v1/agents/${known.id}/errors`, {
      as: { agent: known.token },
      body: { error: 'a' },
    });
    expect((await send()).status).toBe(200);
    expect(
      (await list()).map(({ id, dismissedAt, occurrences }) => [id, dismissedAt !== null, occurrences]),
    ).toEqual([
      [direct.body.id, false, 1],
      [first?.id, true, 6],
    ]);
  });
});

describe('a batch that is tried again by another process', () => {
  // SQLite has one process at a time.
  it.each([
    ['after a restart', true],
    ...(testEngine === 'postgres' ? ([['at another replica', false]] as const) : []),
  ] as const)('has the times and ids of its first attempt %s', async (_, isRestart) => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
    const clock = createTestClock();
    const start = () => startTestApp({ dataDirectory, clock });
    const first = await start();
    const project = await first.createProject();
    const site = await first.createCoreInstance(project);
    const { body: own } = await first.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const known = await first.registerAgent(project, 'known');
    const at = clock.now();
    const error = (text: string, count: number) => ({ error: text, firstAt: at, lastAt: at, count });
    const errors = [error('a', 2), error('b', 3)];
    const items = [{ kind: 'errors', by: { tokenID: own.id }, agentID: known.id, errors }];
    const sendTo = (app: TestApp, sentAt: number) =>
      app.request('POST', '/v1/core_instances/self/batches', {
        as: { core_instance: site.token },
        body: { protocol: 1, sequence: 1, status: siteStatus(sentAt), items },
      });
    // The clock of the site is a little ahead.
    interruptAfter(1, 'after');
    expect((await sendTo(first, at + 20)).status).toBe(500);
    vi.restoreAllMocks();
    if (isRestart) await first.close();
    const second = await start();
    const list = async () =>
      (
        await second.request<AgentError[]>('GET', `/v1/agents/${known.id}/errors`, {
          as: { access: second.admin },
        })
      ).body;
    const stored = await list();
    expect(stored.map(({ error: text, occurrences }) => [text, occurrences])).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
    clock.advance(7);
    const dismissed = await second.request('POST', `/v1/agent_errors/${stored[1]?.id}/dismiss`, {
      as: { access: second.admin },
      body: { reason: 'known' },
    });
    expect(dismissed.status).toBe(200);
    const again = await sendTo(second, at + 30);
    expect([again.status, again.body]).toMatchObject([200, { sequence: 1, refused: [] }]);
    const [b, a] = stored;
    expect(await list()).toEqual([
      { ...b, occurrences: 3 },
      {
        ...a,
        occurrences: 2,
        dismissedAt: new Date(clock.now()).toISOString(),
        dismissReason: 'known',
        dismissedBy: expect.objectContaining({ kind: 'user' }),
      },
    ]);
    for (const app of isRestart ? [second] : [first, second]) await app.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });
});

describe('a batch that is not applied yet', () => {
  it('is no sign that anything of the site has arrived since it was heard before', async () => {
    const project = await app.createProject();
    const site = await app.createCoreInstance(project);
    const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const { id } = await app.registerAgent(project);
    const idOf = (sequence: number) => `0192f0a0-0000-7000-8000-00000000000${sequence}`;
    const send = (sequence: number, items: readonly object[]) =>
      app.request('POST', '/v1/core_instances/self/batches', {
        as: { core_instance: site.token },
        body: { protocol: 1, sequence, id: idOf(sequence), status: siteStatus(app.clock.now()), items },
      });
    const shown = async () =>
      (await app.request('GET', `/v1/core_instances/${site.id}`, { as: { access: app.admin } })).body;
    await send(1, []);
    const heardAt = new Date(app.clock.now()).toISOString();
    expect(await shown()).toMatchObject({ lastContactAt: heardAt, oldestSpooledAt: null });
    app.clock.advance(120_000);
    const now = app.clock.now();
    const errors = [{ error: 'one', firstAt: now, lastAt: now, count: 1 }];
    const items = [{ kind: 'errors', by: { tokenID: own.id }, agentID: id, errors }];
    interruptAfter(1, 'before');
    expect((await send(2, items)).status).toBe(500);
    vi.restoreAllMocks();
    const lastContactAt = new Date(now).toISOString();
    expect(await shown()).toMatchObject({ lastContactAt, oldestSpooledAt: heardAt, lagSeconds: 120 });
    expect((await send(1, [])).body).toMatchObject({ sequence: 1, batchID: idOf(1), pendingID: idOf(2) });
    expect((await send(2, items)).body).toMatchObject({ sequence: 2, batchID: idOf(2), pendingID: null });
    expect(await shown()).toMatchObject({ lastContactAt, oldestSpooledAt: null, lagSeconds: 0 });
  });
});

describe('a batch that took less time on its way than the one before', () => {
  it('is later, with its reports in their order', async () => {
    const project = await app.createProject();
    const site = await app.createCoreInstance(project);
    const { body: own } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
      as: { project: project.token },
    });
    const { id } = await app.registerAgent(project);
    const now = app.clock.now();
    const errorAt = (error: string, at: number) => ({ error, firstAt: at, lastAt: at, count: 1 });
    const send = (sequence: number, sentAt: number, errors: readonly object[]) =>
      app.request('POST', '/v1/core_instances/self/batches', {
        as: { core_instance: site.token },
        body: {
          protocol: 1,
          sequence,
          status: siteStatus(now, { sentAt }),
          items: [{ kind: 'errors', by: { tokenID: own.id }, agentID: id, errors }],
        },
      });
    await send(1, now - 500, [errorAt('one', now - 510)]);
    const later = Array.from({ length: 9 }, (_, index) => errorAt(`later ${index}`, now - 400 + index));
    await send(2, now, later);
    const { body } = await app.request<AgentError[]>('GET', `/v1/agents/${id}/errors`, {
      as: { access: app.admin },
    });
    expect(body.map(({ error, createdAt }) => [error, Date.parse(createdAt) - now])).toEqual([
      ...later.map(({ error }) => [error, -9]).reverse(),
      ['one', -10],
    ]);
  });
});

const expected = [
  'known a current 11',
  'known a superseded 2',
  'known a superseded 7',
  'known b superseded 1',
  'web-1 a current 5',
  'web-2 a current 6',
];

async function describeErrors(projectID: string): Promise<string[]> {
  const list = async (current: boolean) =>
    (
      await app.request<AgentError[]>('GET', `/v1/projects/${projectID}/agent_errors?current=${current}`, {
        as: { access: app.admin },
      })
    ).body;
  const agents = await app.request<{ id: string; machineID: string }[]>(
    'GET',
    `/v1/projects/${projectID}/agents`,
    { as: { access: app.admin } },
  );
  const nameOf = new Map(agents.body.map(({ id, machineID }) => [id, machineID]));
  const all = [...(await list(true)), ...(await list(false))];
  return all
    .map(
      ({ agentID, error, current, occurrences }) =>
        `${nameOf.get(agentID)} ${error} ${current ? 'current' : 'superseded'} ${occurrences}`,
    )
    .sort();
}

function makeBatch(tokenID: string, agentID: string) {
  const now = app.clock.now();
  const by = { tokenID };
  const error = (text: string, count: number) => ({
    error: text,
    firstAt: now - 50,
    lastAt: now - 10,
    count,
  });
  const update = (rawConfig: string) => ({ kind: 'update', at: now, by, agentID, agent: { rawConfig } });
  const registered = v7({ msecs: now - 100 });
  const items = [
    { kind: 'errors', by, agentID, errors: [error('a', 1), error('b', 1)] },
    { kind: 'errors', by, agentID, errors: [error('a', 1)] },
    update('[INPUT]\n  name mem\n'),
    { kind: 'errors', by, agentID, errors: [error('a', 4)] },
    { kind: 'errors', by, machineID: 'web-1', errors: [error('a', 5)] },
    { kind: 'errors', by, agentID, errors: [error('a', 3)] },
    {
      kind: 'registration',
      at: now,
      agentID: registered,
      tokenDigest: hash('sha256', registered),
      tokenID,
      agent: { name: 'web-2', machineID: 'web-2', rawConfig: 'x' },
    },
    { kind: 'errors', by: { agentID: registered }, agentID: registered, errors: [error('a', 6)] },
    update('[INPUT]\n  name disk\n'),
    { kind: 'errors', by, agentID, errors: [error('a', 11)] },
  ];
  return { protocol: 1, sequence: 1, status: siteStatus(now), items };
}
