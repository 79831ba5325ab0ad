import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../../testing/calls/agent-error-calls.ts';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;
let heartbeats: ReturnType<typeof callHeartbeats>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
  heartbeats = callHeartbeats(app);
});

afterAll(() => app.close());

const metrics = readFileSync(
  new URL('../../../../../samples/agent-requests/metrics-nolabels.msgpack', import.meta.url),
);
const second = 1_000;
const minute = 60 * second;
const now = () => new Date(app.clock.now()).toISOString();

interface Started {
  readonly project: TestProject;
  readonly agent: { readonly id: string; readonly token: string };
}

/** One event in the life of an agent. */
type Step = (started: Started) => unknown;

const wait =
  (milliseconds: number): Step =>
  () =>
    app.clock.advance(milliseconds);
const beat =
  (body?: unknown): Step =>
  async ({ agent }) =>
    expect((await heartbeats.beat(agent, body)).status).toBe(204);
const stop = (how: { exitCode?: number; signal?: string } = {}): Step => beat({ status: 'stopped', ...how });
const sendMetrics: Step = ({ agent }) =>
  app.request('POST', `/v1/agents/${agent.id}/metrics`, { as: { agent: agent.token }, body: metrics });
const report =
  (text: string): Step =>
  ({ project, agent }) =>
    errors.report(project, agent.id, text);
const configure =
  (rawConfig: string): Step =>
  ({ agent }) =>
    agents.update(agent, { rawConfig });
const registerAgain =
  (body: object = {}): Step =>
  ({ project }) =>
    agents.register(project, { name: 'web-01', machineID: 'edge-7', ...body });
const dismissAll: Step = async ({ agent }) => {
  const { body } = await errors.listOfAgent(agent.id, '?dismissed=false');
  for (const { id } of body) await errors.dismiss(id);
};

async function start(): Promise<Started> {
  const project = await app.createProject();
  return { project, agent: await app.registerAgent(project, 'edge-7', 'A') };
}

/** Two beats, half a minute apart, count as a promise. */
const promised: readonly Step[] = [beat(), wait(30 * second), beat()];

interface Transition {
  readonly title: string;
  readonly steps: readonly Step[];
  readonly status: string;
  /** How long ago the status began, in milliseconds. */
  readonly sinceMilliseconds: number;
  /** `{ago N}` stands for the time N milliseconds ago. */
  readonly reason: string | null;
}

const oneError = 'Has 1 open error of its current configuration.';

function row(
  title: string,
  steps: readonly Step[],
  status: string,
  sinceMilliseconds: number,
  reason: string | null,
): Transition {
  return { title, steps, status, sinceMilliseconds, reason };
}

const transitions: readonly Transition[] = [
  row('registered', [wait(5 * second)], 'healthy', 5 * second, null),
  row('silent for a year without a promise', [wait(365 * 24 * 60 * minute)], 'healthy', 31_536_000_000, null),
  row('one beat is no promise', [beat(), wait(60 * minute)], 'healthy', 60 * minute, null),
  row(
    'promised, and silent for less than 90 s',
    [...promised, wait(90 * second - 1)],
    'healthy',
    120 * second - 1,
    null,
  ),
  row(
    'promised, and silent for 90 s',
    [...promised, wait(90 * second)],
    'offline',
    0,
    'Not heard since {ago 90000}, although it used to send a sign of life every 30 s.',
  ),
  row(
    'two metrics requests are a promise',
    [sendMetrics, wait(30 * second), sendMetrics, wait(100 * second)],
    'offline',
    10 * second,
    'Not heard since {ago 100000}, although it used to send a sign of life every 30 s.',
  ),
  row(
    'beats of ten minutes are missed after three of them',
    [beat(), wait(10 * minute), beat(), wait(30 * minute - 1)],
    'healthy',
    40 * minute - 1,
    null,
  ),
  row(
    'beats of ten minutes, missed',
    [beat(), wait(10 * minute), beat(), wait(31 * minute)],
    'offline',
    minute,
    'Not heard since {ago 1860000}, although it used to send a sign of life every 600 s.',
  ),
  row(
    'a promise by a heartbeat counts at once',
    [beat({ heartbeatSeconds: 60 }), wait(4 * minute)],
    'offline',
    minute,
    'Not heard since {ago 240000}, although it promised a sign of life every 60 s.',
  ),
  row(
    'a promise by a registration',
    [registerAgain({ heartbeatSeconds: 60 }), wait(3 * minute)],
    'offline',
    0,
    'Not heard since {ago 180000}, although it promised a sign of life every 60 s.',
  ),
  row(
    'a promise by an update',
    [({ agent }) => agents.update(agent, { heartbeatSeconds: 60 }), wait(3 * minute)],
    'offline',
    0,
    'Not heard since {ago 180000}, although it promised a sign of life every 60 s.',
  ),
  row(
    'a promise that is taken back',
    [...promised, beat({ heartbeatSeconds: 0 }), sendMetrics, wait(60 * minute)],
    'healthy',
    60 * minute + 30 * second,
    null,
  ),
  row(
    'a report is a sign of life too',
    [...promised, wait(80 * second), report('x'), wait(80 * second)],
    'unhealthy',
    80 * second,
    oneError,
  ),
  row('offline, then heard', [...promised, wait(10 * minute), beat(), wait(second)], 'healthy', second, null),
  row(
    'offline, then reports',
    [...promised, wait(10 * minute), report('x'), wait(second)],
    'unhealthy',
    second,
    oneError,
  ),
  row(
    'offline, then registered',
    [...promised, wait(10 * minute), registerAgain(), wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'offline, then updated by itself',
    [...promised, wait(10 * minute), configure('A'), wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'offline has precedence over open errors',
    [...promised, report('x'), wait(10 * minute)],
    'offline',
    10 * minute - 90 * second,
    'Not heard since {ago 600000}, although it used to send a sign of life every 30 s.',
  ),

  row(
    'stopped without a reason',
    [...promised, stop(), wait(60 * minute)],
    'stopped',
    60 * minute,
    'Stopped without giving a reason.',
  ),
  row(
    'stopped with 0',
    [stop({ exitCode: 0 }), wait(second)],
    'stopped',
    second,
    'Stopped with exit code 0.',
  ),
  row('stopped by SIGTERM', [stop({ signal: 'SIGTERM' })], 'stopped', 0, 'Stopped by SIGTERM.'),
  row('stopped by SIGINT', [stop({ signal: 'SIGINT' })], 'stopped', 0, 'Stopped by SIGINT.'),
  row(
    'stopped by SIGTERM, as the exit code of a shell',
    [stop({ exitCode: 143 })],
    'stopped',
    0,
    'Stopped with exit code 143.',
  ),
  row(
    'stopped with open errors',
    [report('x'), stop({ exitCode: 0 })],
    'stopped',
    0,
    'Stopped with exit code 0.',
  ),
  row(
    'stopped with a failure',
    [stop({ exitCode: 1 }), wait(60 * minute)],
    'unhealthy',
    60 * minute,
    'Stopped with exit code 1.',
  ),
  row(
    'killed',
    [...promised, stop({ signal: 'SIGKILL' }), wait(60 * minute)],
    'unhealthy',
    60 * minute,
    'Stopped by SIGKILL.',
  ),
  row(
    'stopped, then heard',
    [stop({ exitCode: 0 }), wait(minute), beat(), wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'failed, then registered',
    [stop({ exitCode: 1 }), wait(minute), registerAgain(), wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'failed, then updated by itself',
    [stop({ exitCode: 1 }), wait(minute), configure('A'), wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'failed, then sends metrics',
    [stop({ exitCode: 1 }), wait(minute), sendMetrics, wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'stopped, then reports',
    [stop({ exitCode: 0 }), wait(minute), report('x'), wait(second)],
    'unhealthy',
    second,
    oneError,
  ),

  row(
    'a crash loop while it is down',
    [1, 2, 3].flatMap(() => [beat(), wait(second), stop({ exitCode: 139 }), wait(minute)]),
    'unhealthy',
    3 * minute + 2 * second,
    'Crash loop: stopped with a failure 3 times, last with exit code 139.',
  ),
  row(
    'a crash loop while it runs again',
    [
      ...[1, 2, 3].flatMap(() => [beat(), wait(second), stop({ signal: 'SIGSEGV' }), wait(minute)]),
      beat(),
      wait(second),
    ],
    'unhealthy',
    3 * minute + 3 * second,
    'Crash loop: stopped with a failure 3 times, last by SIGSEGV.',
  ),
  row(
    'a crash loop that ended ten minutes ago',
    [
      ...[1, 2, 3].flatMap(() => [beat(), wait(second), stop({ exitCode: 1 }), wait(second)]),
      beat({ heartbeatSeconds: 600 }),
      wait(10 * minute),
    ],
    'healthy',
    10 * minute,
    null,
  ),
  row(
    'failures that are far apart are no loop',
    [...[1, 2, 3].flatMap(() => [beat(), wait(second), stop({ exitCode: 1 }), wait(11 * minute)]), beat()],
    'healthy',
    0,
    null,
  ),
  row(
    'a clean end breaks a loop',
    [
      stop({ exitCode: 1 }),
      wait(second),
      stop({ exitCode: 1 }),
      wait(second),
      stop(),
      wait(second),
      stop({ exitCode: 1 }),
      wait(second),
      beat(),
    ],
    'healthy',
    0,
    null,
  ),

  row(
    'an open error',
    [report('x'), wait(second), report('y'), wait(second)],
    'unhealthy',
    2 * second,
    'Has 2 open errors of its current configuration.',
  ),
  row(
    'an error of an earlier configuration',
    [report('x'), wait(second), configure('B'), wait(second)],
    'healthy',
    second,
    null,
  ),
  row(
    'an error of an earlier configuration that is dismissed later',
    [report('x'), wait(second), configure('B'), wait(second), dismissAll, wait(second)],
    'healthy',
    2 * second,
    null,
  ),
  row(
    'an error that was dismissed',
    [report('x'), wait(second), dismissAll, wait(second)],
    'healthy',
    second,
    null,
  ),
];

describe('the status of an agent', () => {
  it.each(transitions.map((one) => [one.title, one] as const))('%s', async (_, transition) => {
    const { steps, status, sinceMilliseconds, reason } = transition;
    const started = await start();
    for (const step of steps) {
      await step(started);
      // Writes the gathered signs, as the service does every few seconds.
      await agents.get(started.agent.id);
    }
    const ago = (milliseconds: number) => new Date(app.clock.now() - milliseconds).toISOString();
    const shown = await heartbeats.statusOf(started.agent.id);
    expect(shown).toEqual({
      status,
      statusSince: ago(sinceMilliseconds),
      statusReason: reason?.replaceAll(/\{ago (\d+)\}/g, (__, text: string) => ago(Number(text))) ?? null,
      openErrorsCount: expect.any(Number),
    });
    // Lists show the same status, and only the filter for that status finds the agent.
    const { body } = await agents.list(started.project.id);
    expect(body).toEqual([expect.objectContaining(shown)]);
    const found = new Map<string, string[]>();
    for (const one of ['healthy', 'unhealthy', 'offline', 'stopped']) {
      found.set(one, await heartbeats.namesOf(started.project.id, one));
    }
    const expected = ['healthy', 'unhealthy', 'offline', 'stopped'].map(
      (one) => [one, one === status ? ['web-01'] : []] as const,
    );
    expect([...found]).toEqual(expected);
  });

  it.each(transitions.map((one) => [one.title, one] as const))(
    'is the same if nothing was written in between: %s',
    async (_, { steps, status }) => {
      const started = await start();
      for (const step of steps) await step(started);
      expect((await heartbeats.statusOf(started.agent.id)).status).toBe(status);
    },
  );

  it('counts only the open errors of the current configuration', async () => {
    const started = await start();
    for (const step of [report('x'), report('y'), configure('B'), report('x')]) await step(started);
    expect(await heartbeats.statusOf(started.agent.id)).toEqual({
      status: 'unhealthy',
      statusSince: now(),
      statusReason: oneError,
      openErrorsCount: 1,
    });
  });
});
