import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { eventually } from '../../testing/eventually.ts';
import {
  type EventStream,
  listen,
  openEventStream,
  parseEvents,
  type ReceivedEvent,
} from '../../testing/receivers/event-stream.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../../testing/test-database.ts';

/** More runs, for whoever looks for a fault. */
const runs = rounds(testEngine === 'sqlite' ? 60 : 30);

const place = { project: fc.nat(1), replica: fc.nat(1) };
const pick = fc.nat(50);
const texts = ['cannot reach the host', 'no space left', 'bad key'];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      ...place,
      agent: fc.nat(1),
      texts: fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dismiss' as const), ...place, pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen' as const), ...place, pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('createToken' as const), ...place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revokeToken' as const), ...place, pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('register' as const), ...place }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('listen' as const), ...place, isNarrow: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('cut' as const), pick, replica: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.integer({ min: 1, max: 900 }),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const clock = createTestClock();
const directory = mkdtempSync(join(tmpdir(), 'muster-events-'));
const apps: TestApp[] = [];

beforeAll(async () => {
  for (let count = 0; count < (testEngine === 'sqlite' ? 1 : 2); count += 1) {
    const app = await startTestApp({
      clock,
      dataDirectory: directory,
      groupIntervalMilliseconds: 5,
      eventPollMilliseconds: 5,
      config: { maxEventListeners: 0, maxEventListenersPerProject: 0, maxEventListenersPerCredential: 0 },
    });
    await listen(app);
    apps.push(app);
  }
});

afterAll(async () => {
  for (const app of apps) await app.close();
  rmSync(directory, { recursive: true });
  await dropTestDatabase(directory);
});

function appAt(replica: number): TestApp {
  const app = apps[replica % apps.length];
  if (app === undefined) throw new Error('there is an app');
  return app;
}

/** A client that connects again and again, with the id of the last event that it has. */
interface Client {
  readonly project: ModelProject;
  readonly isNarrow: boolean;
  readonly firstID: number;
  readonly received: ReceivedEvent[];
  stream: EventStream;
}

interface ModelProject extends TestProject {
  readonly reader: string;
  readonly agents: string[];
  readonly errors: string[];
  readonly tokens: string[];
  /** How many events of a kind there must be; of errors, how many errors they tell of. */
  readonly expected: Map<string, number>;
}

function count({ expected }: ModelProject, type: string): void {
  expected.set(type, (expected.get(type) ?? 0) + 1);
}

async function createProject(): Promise<ModelProject> {
  // The last start has set the administrator's token.
  const admin = appAt(apps.length - 1);
  const project = await admin.createProject();
  const { token: reader } = await admin.createToken(project.id, ['*']);
  const expected = new Map([
    ['token.created', 2],
    ['agent.registered', 0],
  ]);
  const model = { ...project, reader, agents: [], errors: [], tokens: [], expected };
  for (let number = 0; number < 2; number += 1) await register(model, 0);
  return model;
}

async function register(project: ModelProject, replica: number): Promise<void> {
  const { id } = await appAt(replica).registerAgent(project);
  project.agents.push(id);
  count(project, 'agent.registered');
}

async function openStream(client: Client, replica: number): Promise<EventStream> {
  const last = client.received.at(-1)?.id ?? String(client.firstID);
  return openEventStream(appAt(replica), client.project.id, {
    as: { project: client.project.reader },
    lastEventID: last,
    query: client.isNarrow ? '?types=token.*' : '',
  });
}

/** What has come so far, which may be in the middle of an event. */
async function cut(client: Client): Promise<void> {
  client.stream.close();
  await client.stream.ended;
  const { events } = client.stream;
  client.received.push(...events);
}

async function run(projects: readonly ModelProject[], clients: Client[], one: Step): Promise<void> {
  if (one.kind === 'wait') {
    clock.advance(one.milliseconds);
    return;
  }
  const app = appAt(one.replica);
  if (one.kind === 'cut') {
    const client = clients[one.pick % clients.length];
    if (client === undefined) return;
    await cut(client);
    client.stream = await openStream(client, one.replica);
    return;
  }
  const project = projects[one.project];
  if (project === undefined) throw new Error('there are two projects');
  const as = { project: project.reader };
  switch (one.kind) {
    case 'report': {
      const agentID = project.agents[one.agent];
      const { body } = await app.request<{ id: string }[]>('POST', `/v1/agents/${agentID}/errors`, {
        as,
        body: one.texts.map((error) => ({ error })),
      });
      for (const { id } of body) {
        // Ignored: it stands for the report.
        if (project.errors.includes(id)) continue;
        project.errors.push(id);
        count(project, 'agent_error.created');
      }
      break;
    }
    case 'dismiss': {
      const id = project.errors[one.pick % project.errors.length];
      if (id === undefined) break;
      const body = { reason: 'seen' };
      const { status } = await app.request('POST', `/v1/agent_errors/${id}/dismiss`, { as, body });
      if (status === 200) count(project, 'agent_error.dismissed');
      break;
    }
    case 'reopen': {
      const id = project.errors[one.pick % project.errors.length];
      if (id === undefined) break;
      const { status } = await app.request('POST', `/v1/agent_errors/${id}/reopen`, { as });
      if (status === 200) count(project, 'agent_error.reopened');
      break;
    }
    case 'createToken': {
      const body = { name: 'made', permissions: [] };
      const { body: made } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/tokens`, {
        as,
        body,
      });
      project.tokens.push(made.id);
      count(project, 'token.created');
      break;
    }
    case 'revokeToken': {
      const [id] = project.tokens.splice(one.pick % (project.tokens.length || 1), 1);
      if (id === undefined) break;
      await app.request('DELETE', `/v1/project_tokens/${id}`, { as });
      count(project, 'token.revoked');
      break;
    }
    case 'register':
      await register(project, one.replica);
      break;
    case 'listen': {
      const { text } = await app.request('GET', `/v1/projects/${project.id}/events?follow=false`, { as });
      const firstID = Number(/^id: (\d+)$/m.exec(text)?.[1]);
      const client = { project, isNarrow: one.isNarrow, firstID, received: [] };
      const stream = await openStream({ ...client, stream: closedStream }, one.replica);
      clients.push({ ...client, stream });
      break;
    }
  }
}

/** Replaced at once. */
const closedStream: EventStream = {
  status: 0,
  headers: {},
  events: [],
  text: () => '',
  take: () => Promise.reject(new Error('closed')),
  ended: Promise.resolve(),
  pause: () => undefined,
  close: () => undefined,
};

/** Everything that is stored of a project. */
async function storedEvents(project: ModelProject): Promise<ReceivedEvent[]> {
  const { text } = await appAt(0).request('GET', `/v1/projects/${project.id}/events?follow=false`, {
    as: { project: project.reader },
    headers: { 'last-event-id': '0' },
  });
  return parseEvents(text);
}

function countedOf(events: readonly ReceivedEvent[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { type, data } of events) {
    // How many there are depends on what is counted together.
    if (type.startsWith('agent_error_group.') || type === 'agent.status_changed') continue;
    const number = typeof data.count === 'number' ? data.count : 1;
    counted.set(type, (counted.get(type) ?? 0) + number);
  }
  return counted;
}

describe('events', () => {
  it('tell of each change once and in order, and every client gets them all, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const projects = [await createProject(), await createProject()];
        const clients: Client[] = [];
        for (const one of steps) await run(projects, clients, one);
        // What waits for its second.
        clock.advance(1_000);
        for (const project of projects) {
          const sorted = [...project.expected].filter(([, number]) => number > 0).sort();
          const events = await eventually(async () => {
            const stored = await storedEvents(project);
            expect([...countedOf(stored)].sort()).toEqual(sorted);
            return stored;
          });
          expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, index) => index + 1));
          const own = [project.id, ...project.agents, ...project.errors];
          for (const { data } of events) {
            for (const id of [data.agentID, data.newestErrorID]) {
              if (typeof id === 'string') expect(own).toContain(id);
            }
          }
        }
        for (const client of clients) {
          await eventually(async () => {
            const stored = await storedEvents(client.project);
            const expected = stored
              .slice(client.firstID)
              .filter(({ type }) => !client.isNarrow || type.startsWith('token.'));
            expect([...client.received, ...client.stream.events]).toEqual(expected);
          });
          client.stream.close();
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});
