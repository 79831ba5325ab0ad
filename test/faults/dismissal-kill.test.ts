import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentError, Dismissal } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextPage } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { parseEvents, type ReceivedEvent } from '../../server/src/testing/receivers/event-stream.ts';
import { send } from '../replicas/send.ts';
import { faultSettings } from './fault-settings.ts';

const adminToken = randomBytes(32).toString('hex');
const admin = { authorization: `Bearer ${adminToken}` };
const agentCount = 6;
const errorsPerAgent = 1_000;
const errorCount = agentCount * errorsPerAgent;

let dataDirectory: string;
let service: MusterProcess;
let url: string;

beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-kill-'));
  await start();
});

afterAll(async () => {
  await service.end('SIGKILL');
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = await startMuster({
    env: { ...faultSettings, MUSTER_DATA_DIR: dataDirectory, MUSTER_ADMIN_TOKEN: adminToken },
  });
  url = service.url;
}

/** The next start goes on at once with what is unfinished. */
async function killAndStart(): Promise<void> {
  await service.end('SIGKILL');
  await start();
}

async function call<Body>(
  path: string,
  body?: unknown,
  headers: Record<string, string> = admin,
): Promise<Body> {
  const answer = await send<Body>(`${url}${path}`, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

async function readErrors(projectID: string): Promise<AgentError[]> {
  const errors: AgentError[] = [];
  let next: string | undefined = `/v1/projects/${projectID}/agent_errors?last=1000`;
  while (next !== undefined) {
    const page: { headers: Headers; body: AgentError[] } = await send(`${url}${next}`, { headers: admin });
    errors.push(...page.body);
    next = nextPage({ headers: Object.fromEntries(page.headers) });
  }
  return errors;
}

async function readEvents(projectID: string): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for (;;) {
    const response = await fetch(`${url}/v1/projects/${projectID}/events?follow=false`, {
      headers: { ...admin, 'last-event-id': events.at(-1)?.id ?? '0' },
    });
    const page = parseEvents(await response.text());
    if (page.length === 0) return events;
    events.push(...page);
  }
}

function countOf(events: readonly ReceivedEvent[], type: string): number {
  return events.filter((one) => one.type === type).reduce((sum, { data }) => sum + Number(data.count), 0);
}

/** Kills the service some times before the job has ended. */
async function killUntil(id: string, state: Dismissal['state']): Promise<Dismissal> {
  for (let kill = 0; kill < 3; kill += 1) await killAndStart();
  return eventually(async () => {
    const dismissal = await call<Dismissal>(`/v1/dismissals/${id}`);
    expect(dismissal.state).toBe(state);
    return dismissal;
  });
}

describe('kill -9 during a dismissal and its undo', () => {
  it('dismisses each error once, reopens exactly those, and tells of each once', async () => {
    const project = await call<{ id: string; token: string }>('/v1/projects', { name: 'killed' });
    const asProject = { 'x-project-token': project.token };
    for (let agent = 0; agent < agentCount; agent += 1) {
      const { id } = await call<{ id: string }>(
        '/v1/agents',
        { name: 'web', machineID: `web-${agent}` },
        asProject,
      );
      for (let first = 0; first < errorsPerAgent; first += 1_000) {
        const errors = Array.from({ length: 1_000 }, (_, index) => ({
          error: `no route to ${first + index}`,
        }));
        await call(`/v1/agents/${id}/errors`, errors, asProject);
      }
    }
    const [byHand, equal] = (await readErrors(project.id)).slice(-2);
    await call(`/v1/agent_errors/${byHand?.id}/dismiss`, { reason: 'by hand' });

    const requested = await call<Dismissal>(`/v1/projects/${project.id}/dismissals`, {
      reason: 'rolled back',
      filter: { q: 'no route' },
    });
    const done = await killUntil(requested.id, 'done');
    expect([done.errorsCount, done.agentsCount]).toEqual([errorCount - 1, agentCount]);
    const dismissed = await readErrors(project.id);
    expect(dismissed).toHaveLength(errorCount);
    const reasons = dismissed.map(({ dismissReason, dismissedAt }) => [dismissReason, dismissedAt]);
    expect(reasons.filter(([reason, at]) => reason !== 'rolled back' || at !== done.requestedAt)).toEqual([
      ['by hand', expect.any(String)],
    ]);

    // An equal error is open when it comes to be reopened.
    await call(`/v1/agents/${equal?.agentID}/errors`, { error: equal?.error }, asProject);
    await call(`/v1/dismissals/${done.id}/undo`, {});
    const undone = await killUntil(done.id, 'undone');
    expect(undone.undo).toMatchObject({
      reopenedCount: errorCount - 2,
      notReopened: { equalErrorOpen: 1, changedSince: 0 },
    });
    const reopened = await readErrors(project.id);
    expect(reopened.filter(({ dismissedAt }) => dismissedAt !== null).map(({ id }) => id)).toEqual(
      [equal?.id, byHand?.id].sort().reverse(),
    );

    await eventually(async () => {
      const events = await readEvents(project.id);
      expect([
        countOf(events, 'agent_error.created'),
        countOf(events, 'agent_error.dismissed'),
        countOf(events, 'agent_error.reopened'),
      ]).toEqual([errorCount + 1, errorCount, errorCount - 2]);
      expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, index) => index + 1));
    });
  });
});
