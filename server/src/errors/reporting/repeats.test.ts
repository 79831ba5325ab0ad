import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

async function start(): Promise<{ project: TestProject; agentID: string }> {
  const project = await test.createProject();
  return { project, agentID: (await test.registerAgent(project)).id };
}

const now = () => new Date(test.clock.now()).toISOString();

describe('occurrences and lastSeenAt of an agent error', () => {
  it('are updated by each ignored report; createdAt is not', async () => {
    const { project, agentID } = await start();
    const createdAt = now();
    await errors.report(project, agentID, 'x');
    for (const occurrences of [2, 3, 4]) {
      test.clock.advance(1_000);
      await errors.report(project, agentID, 'x');
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([
        { occurrences, lastSeenAt: now(), createdAt },
      ]);
    }
  });

  it("are up to date in the agent's list after each answer", async () => {
    const { project, agentID } = await start();
    for (let occurrences = 1; occurrences <= 50; occurrences += 1) {
      await errors.report(project, agentID, 'x');
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ occurrences }]);
    }
  });

  it('count every report of an array', async () => {
    const { project, agentID } = await start();
    const texts = ['a', 'b', 'a', 'a', 'c', 'b'];
    await errors.reportAll(
      project,
      agentID,
      texts.map((error) => ({ error })),
    );
    expect(
      (await errors.listOfAgent(agentID)).body.map(({ error, occurrences }) => [error, occurrences]),
    ).toEqual([
      ['c', 1],
      ['b', 2],
      ['a', 3],
    ]);
  });

  it("are in the project's list within five seconds, without a request for the agent", async () => {
    const { project, agentID } = await start();
    await errors.report(project, agentID, 'x');
    test.clock.advance(1_000);
    await errors.report(project, agentID, 'x');
    await eventually(async () =>
      expect((await errors.listOfProject(project.id)).body).toMatchObject([
        { occurrences: 2, lastSeenAt: now() },
      ]),
    );
  });

  it('stay with an error when it is dismissed, and the next one starts at 1', async () => {
    const { project, agentID } = await start();
    const first = await errors.report(project, agentID, 'x');
    await errors.report(project, agentID, 'x');
    const seen = now();
    await errors.dismiss(first.body.id);
    test.clock.advance(60_000);
    await errors.report(project, agentID, 'x');
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([
      { occurrences: 1, lastSeenAt: now() },
      { occurrences: 2, lastSeenAt: seen },
    ]);
  });

  it('are not updated by a refused report', async () => {
    const { project, agentID } = await start();
    await errors.report(project, agentID, 'x');
    test.clock.advance(1_000);
    expect((await errors.reportAll(project, agentID, [{ error: 'x' }, { error: '' }])).status).toBe(422);
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ occurrences: 1 }]);
  });

  it('do not go back when the clock does', async () => {
    const { project, agentID } = await start();
    test.clock.advance(10_000);
    await errors.report(project, agentID, 'x');
    const latest = now();
    test.clock.advance(-5_000);
    await errors.report(project, agentID, 'x');
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ occurrences: 2, lastSeenAt: latest }]);
    test.clock.advance(5_000);
  });

  it('are correct for many agents with interleaved reports', async () => {
    const project = await test.createProject();
    const agents = await Promise.all(Array.from({ length: 5 }, () => test.registerAgent(project)));
    const sent = Array.from({ length: 200 }, (_, index) => ({
      agentID: agents[index % 5]?.id ?? '',
      text: `text ${index % 7}`,
    }));
    await Promise.all(sent.map(({ agentID, text }) => errors.report(project, agentID, text)));
    for (const { id } of agents) {
      const listed = Object.fromEntries(
        (await errors.listOfAgent(id)).body.map(({ error, occurrences }) => [error, occurrences]),
      );
      const expected: Record<string, number> = {};
      for (const { agentID, text } of sent) {
        if (agentID === id) expected[text] = (expected[text] ?? 0) + 1;
      }
      expect(listed).toEqual(expected);
    }
  });
});

describe('lastSeenAt of an agent', () => {
  it('is updated by each accepted report, and up to date after each answer', async () => {
    const { project, agentID } = await start();
    const lastSeenAt = async () =>
      (
        await test.request<{ lastSeenAt: string }>('GET', `/v1/agents/${agentID}`, {
          as: { access: test.admin },
        })
      ).body.lastSeenAt;
    for (const text of ['new', 'new', 'other']) {
      test.clock.advance(7_000);
      await errors.report(project, agentID, text);
      expect(await lastSeenAt()).toBe(now());
    }
    const before = now();
    test.clock.advance(7_000);
    await errors.report(project, agentID, '');
    expect(await lastSeenAt()).toBe(before);
  });
});
