import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextPage } from '../../server/src/testing/calls/agent-error-calls.ts';
import type { Credentials, TestApp } from '../../server/src/testing/start-test-app.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { type Filled, fillEveryTable } from '../backup/fill-every-table.ts';
import { type Installation, move, startInstallation } from './move-places.ts';

interface Created {
  readonly id: string;
  readonly token: string;
}

async function post<Body>(app: TestApp, url: string, as: Credentials, body: unknown): Promise<Body> {
  const answer = await app.request<Body>('POST', url, { as, body });
  expect(answer.status, `${url}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

/** Status and body of every page. */
async function allPages(app: TestApp, url: string, as: Credentials): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const { status, body, headers } = await app.request('GET', next, { as });
    expect(status, `${next}: ${JSON.stringify(body)}`).toBe(200);
    next = nextPage({ headers });
    pages.push(withoutNames(body));
  }
  return pages;
}

/**
 * People stay at the source: where a row has no name of its own, the target knows only the id. When counts were brought up to date last is of each
 * installation.
 */
function withoutNames(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll('"name":"administrator"', '"name":null')
    .replaceAll(/"countedAt":"[^"]*"/g, '"countedAt":""');
  return JSON.parse(text);
}

const lists = [
  'tokens',
  'tokens?status=revoked',
  'agents',
  'agents?status=unhealthy',
  'agent_errors',
  'agent_errors?dismissed=true',
  'agent_errors?q=fault',
  'agent_error_groups',
  'agent_error_groups?dismissed=true',
  'dismissals',
  'fleets',
  'fleets/status',
  'core_instances',
  'alert_channels',
  'alert_rules',
  'alert_deliveries',
  'freeze_windows',
  'history',
];

describe.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
] as const)('a project that moves from %s to %s', (from, to) => {
  let source: Installation;
  let target: Installation;
  let filled: Filled;
  let project: Created;
  let agent: Created;
  let before: Map<string, unknown>;
  let lastEvent: number;
  let kept: Map<string, unknown>;

  async function answersOf({ app }: Installation): Promise<Map<string, unknown>> {
    const answers = new Map<string, unknown>();
    const as = { access: app.admin };
    for (const id of [filled.projectID, project.id]) {
      for (const list of lists) {
        const url = `/v1/projects/${id}/${list}`;
        answers.set(url, await allPages(app, url, as));
      }
      const { body } = await app.request<object>('GET', `/v1/projects/${id}/summary`, { as });
      answers.set(`summary of ${id}`, { ...body, countedAt: '' });
    }
    return answers;
  }

  beforeAll(async () => {
    const clock = createTestClock();
    source = await startInstallation(from, { clock, name: 'a' });
    target = await startInstallation(to, { clock, name: 'b' });
    const { app } = source;
    filled = await fillEveryTable(app, app.admin);
    const { id, token } = await app.createProject('second');
    project = { id, token };
    agent = await post<Created>(
      app,
      '/v1/agents',
      { project: token },
      { name: 'é', machineID: 'm1', rawConfig: '# ß' },
    );
    const reports = Array.from({ length: 1_200 }, (_, index) => ({ error: `fault ${index} of é 👩‍👩‍👧` }));
    await post(app, `/v1/agents/${agent.id}/errors`, { agent: agent.token }, reports.slice(0, 1_000));
    await post(app, `/v1/agents/${agent.id}/errors`, { agent: agent.token }, reports.slice(1_000));
    await post(app, `/v1/agents/${agent.id}/errors`, { agent: agent.token }, reports.slice(0, 7));
    // The other installation has had projects of its own.
    const other = await target.app.createProject('another');
    const theirs = await target.app.registerAgent(other, 'm1');
    await post(target.app, `/v1/agents/${theirs.id}/errors`, { agent: theirs.token }, reports.slice(0, 5));
    // Repeats are written when somebody looks.
    await allPages(app, `/v1/agents/${agent.id}/errors`, { access: app.admin });
    await answersOf(source);
    before = await answersOf(source);
    kept = await listsOf(target, other.id);
    // Some answers tell what came in each of the last minutes.
    const atOnce = { wait: async () => undefined };
    const report = await move(source, target, filled.projectID, atOnce);
    expect(report).toMatchObject({ isMoved: true, name: 'whole' });
    lastEvent = (await listEvents(source, 0)).at(-1)?.id ?? 0;
    await move(source, target, project.id, atOnce);
    expect(await listsOf(target, other.id)).toEqual(kept);
  });

  async function listsOf({ app }: Installation, id: string): Promise<Map<string, unknown>> {
    const answers = new Map<string, unknown>();
    for (const list of ['tokens', 'agents', 'agent_errors', 'agent_error_groups'])
      answers.set(list, await allPages(app, `/v1/projects/${id}/${list}`, { access: app.admin }));
    return answers;
  }

  afterAll(async () => {
    await source.close();
    await target.close();
  });

  it('gives the same answers as before', async () => {
    const after = await answersOf(target);
    for (const [question, answer] of before) expect(after.get(question), question).toEqual(answer);
  });

  it('numbers its events after those of the source', async () => {
    expect(lastEvent).toBeGreaterThan(1);
    expect(await listEvents(target, lastEvent)).toEqual([]);
    expect(await listEvents(target, lastEvent - 1)).toEqual([{ id: lastEvent, type: 'reset' }]);
    await post(
      target.app,
      `/v1/projects/${project.id}/tokens`,
      { access: target.app.admin },
      { name: 'new' },
    );
    expect(await listEvents(target, lastEvent)).toEqual([{ id: lastEvent + 1, type: 'token.created' }]);
  });

  /** Those that follow a number. */
  async function listEvents({ app }: Installation, after: number) {
    // They are numbered when errors are counted.
    await allPages(app, `/v1/projects/${project.id}/agent_error_groups`, { access: app.admin });
    const { text } = await app.request('GET', `/v1/projects/${project.id}/events?follow=false`, {
      as: { access: app.admin },
      headers: { 'last-event-id': String(after) },
    });
    const frames = text.matchAll(/^id: (\d+)\nevent: (.+)$/gm);
    return [...frames].map(([, id, type]) => ({ id: Number(id), type }));
  }

  it('accepts the same credentials', async () => {
    const { app } = target;
    const as = { agent: agent.token };
    const report = (error: string) =>
      app.request('POST', `/v1/agents/${agent.id}/errors`, { as, body: { error } });
    const open = await report('fault 5 of é 👩‍👩‍👧');
    expect([open.status, open.headers['muster-agent-error']]).toEqual([201, 'ignored']);
    const fresh = await report('new');
    expect([fresh.status, fresh.headers['muster-agent-error']]).toEqual([201, 'created']);
    expect((await app.request('POST', `/v1/agents/${agent.id}/heartbeat`, { as })).status).toBe(204);
    const again = await post<Created>(
      app,
      '/v1/agents',
      { project: project.token },
      { name: 'é', machineID: 'm1' },
    );
    expect(again.id).toBe(agent.id);
    expect(await filled.readFleetSecret(app)).toBe(true);
    const url = `/v1/alert_channels/${filled.channelID}/test`;
    const { body } = await app.request('POST', url, { as: { access: app.admin } });
    expect(body).toMatchObject({ failure: 'hooks.example.com could not be reached (ENOTFOUND).' });
  });

  it('answers at the source where it has gone', async () => {
    const { app } = source;
    const gone = [410, { code: 'project_moved', detail: expect.stringContaining(target.url) }];
    // Agents keep what they have, and send it again.
    const elsewhere = [503, { code: 'project_moving', detail: expect.stringContaining(target.url) }, '30'];
    const report = await app.request('POST', `/v1/agents/${agent.id}/errors`, {
      as: { agent: agent.token },
      body: { error: 'late' },
    });
    expect([report.status, report.body, report.headers['retry-after']]).toMatchObject(elsewhere);
    const register = await app.request('POST', '/v1/agents', {
      as: { project: project.token },
      body: { name: 'x', machineID: 'x' },
    });
    expect([register.status, register.body, register.headers['retry-after']]).toMatchObject(elsewhere);
    const list = await app.request('GET', `/v1/projects/${project.id}/agents`, { as: { access: app.admin } });
    expect([list.status, list.body]).toMatchObject(gone);
  });
});
