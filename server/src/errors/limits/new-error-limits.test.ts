import type { Agent, Problem } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../foundation/settings/config.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

function useApp(config: Partial<Config>): void {
  beforeAll(async () => {
    const none = { maxOpenErrorsPerAgent: 0, newErrorsPerAgentPerMinute: 0, newErrorsPerProjectPerSecond: 0 };
    test = await startTestApp({ config: { ...none, ...config } });
    errors = callAgentErrors(test);
  });
  afterAll(() => test.close());
}

async function start(): Promise<{ project: TestProject; agentID: string }> {
  const project = await test.createProject();
  return { project, agentID: (await test.registerAgent(project)).id };
}

/** Reports texts one after the other, and expects all of them to be stored. */
async function fill(project: TestProject, agentID: string, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const answer = await errors.report(project, agentID, text);
    expect(answer.headers['muster-agent-error']).toBe('created');
    ids.push(answer.body.id);
  }
  return ids;
}

function expectRefusal(answer: Answer<unknown>, problem: Problem, retryAfter: string): void {
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBe(retryAfter);
  expect(answer.body).toEqual(problem);
}

const lastSeenAt = async (id: string) =>
  (await test.request<Agent>('GET', `/v1/agents/${id}`, { as: { access: test.admin } })).body.lastSeenAt;

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `error ${index}`);

describe('MUSTER_MAX_OPEN_ERRORS_PER_AGENT', () => {
  useApp({ maxOpenErrorsPerAgent: 3 });

  const refused = problemBody(
    'too_many_open_errors',
    'This agent has 3 open errors, which is the maximum. Dismiss some, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT.',
  );

  it('429 for a further distinct error, which is not stored; repeated ones are still ignored', async () => {
    const { project, agentID } = await start();
    const [first] = await fill(project, agentID, numbered(3));
    expectRefusal(await errors.report(project, agentID, 'one more'), refused, '60');
    const repeated = await errors.report(project, agentID, 'error 0');
    expect(repeated.headers['muster-agent-error']).toBe('ignored');
    expect(repeated.body.id).toBe(first);
    expect(
      (await errors.listOfAgent(agentID)).body.map(({ error, occurrences }) => [error, occurrences]),
    ).toEqual([
      ['error 2', 1],
      ['error 1', 1],
      ['error 0', 2],
    ]);
  });

  it('accepts the next one after a dismissal, but not because time has passed', async () => {
    const { project, agentID } = await start();
    const [first] = await fill(project, agentID, numbered(3));
    test.clock.advance(86_400_000);
    expectRefusal(await errors.report(project, agentID, 'one more'), refused, '60');
    await errors.dismiss(first ?? '');
    await fill(project, agentID, ['one more']);
    expectRefusal(await errors.report(project, agentID, 'error 0'), refused, '60');
  });

  it('counts open errors of earlier configurations too', async () => {
    const { project, agentID } = await start();
    await fill(project, agentID, numbered(3));
    await errors.configure(agentID, 'other');
    expectRefusal(await errors.report(project, agentID, 'error 0'), refused, '60');
  });

  it('counts each agent separately', async () => {
    const { project, agentID } = await start();
    const other = await test.registerAgent(project);
    await fill(project, agentID, numbered(3));
    await fill(project, other.id, numbered(3));
  });

  it('applies within one array: reports that fit are stored, and count as repeats when they are sent again', async () => {
    const { project, agentID } = await start();
    const reports = numbered(5).map((error) => ({ error }));
    expectRefusal(await errors.reportAll(project, agentID, reports), refused, '60');
    const stored = (await errors.listOfAgent(agentID)).body;
    expect(stored.map(({ error }) => error)).toEqual(['error 2', 'error 1', 'error 0']);
    const again = await errors.reportAll(project, agentID, reports.slice(0, 3));
    expect(again.headers['muster-agent-error']).toBe('ignored');
    expect(again.body.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).reverse());
  });

  it('takes a refused report as a sign of life, and counts no repeat beside it, since all are sent again', async () => {
    const { project, agentID } = await start();
    await fill(project, agentID, numbered(3));
    test.clock.advance(60_000);
    const reports = ['error 0', 'one more', 'error 2'].map((error) => ({ error }));
    expectRefusal(await errors.reportAll(project, agentID, reports), refused, '60');
    expect(await lastSeenAt(agentID)).toBe(new Date(test.clock.now()).toISOString());
    expect(
      (await errors.listOfAgent(agentID)).body.map(({ error, occurrences }) => [error, occurrences]),
    ).toEqual([
      ['error 2', 1],
      ['error 1', 1],
      ['error 0', 1],
    ]);
    test.clock.advance(60_000);
    expectRefusal(await errors.report(project, agentID, 'one more'), refused, '60');
    expect(await lastSeenAt(agentID)).toBe(new Date(test.clock.now()).toISOString());
  });

  it('applies to many concurrent reports', async () => {
    const { project, agentID } = await start();
    const answers = await Promise.all(numbered(30).map((text) => errors.report(project, agentID, text)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(27);
    expect((await errors.listOfAgent(agentID)).body).toHaveLength(3);
  });
});

describe('MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE', () => {
  useApp({ newErrorsPerAgentPerMinute: 2 });

  const refused = problemBody(
    'too_many_new_errors_of_agent',
    'This agent had 2 new errors within a minute, which is the maximum. Wait, remove volatile parts such as times from the text, or raise MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE.',
  );

  it('429 for a further distinct error, while repeats do not count', async () => {
    const { project, agentID } = await start();
    await fill(project, agentID, ['a', 'b']);
    for (let repeat = 0; repeat < 5; repeat += 1) {
      expect((await errors.report(project, agentID, 'a')).headers['muster-agent-error']).toBe('ignored');
    }
    expectRefusal(await errors.report(project, agentID, 'c'), refused, '60');
    expect((await errors.listOfAgent(agentID)).body.map(({ error }) => error)).toEqual(['b', 'a']);
  });

  it('slides: accepts the next one exactly a minute after the first', async () => {
    const { project, agentID } = await start();
    await fill(project, agentID, ['a']);
    test.clock.advance(30_000);
    await fill(project, agentID, ['b']);
    test.clock.advance(29_999);
    expectRefusal(await errors.report(project, agentID, 'c'), refused, '60');
    test.clock.advance(1);
    await fill(project, agentID, ['c']);
    expectRefusal(await errors.report(project, agentID, 'd'), refused, '60');
  });

  it('accepts a client that waits for the time in Retry-After', async () => {
    const { project, agentID } = await start();
    await fill(project, agentID, ['a', 'b']);
    const answer = await errors.report(project, agentID, 'c');
    test.clock.advance(Number(answer.headers['retry-after']) * 1_000);
    await fill(project, agentID, ['c', 'd']);
  });

  it('also counts dismissed errors, so that dismissing does not bypass it', async () => {
    const { project, agentID } = await start();
    for (const id of await fill(project, agentID, ['a', 'b'])) await errors.dismiss(id);
    expectRefusal(await errors.report(project, agentID, 'a'), refused, '60');
  });

  it('counts each agent separately', async () => {
    const { project, agentID } = await start();
    const other = await test.registerAgent(project);
    await fill(project, agentID, ['a', 'b']);
    await fill(project, other.id, ['a', 'b']);
  });
});

describe('MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE on a replica that has heard nothing of the agent', () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await startReplicas({ config: { newErrorsPerAgentPerMinute: 2 } });
  });
  afterAll(() => replicas.close());

  it('slides by the millisecond too', async () => {
    const { one, other, clock } = replicas;
    const project = await other.createProject();
    const agent = await one.registerAgent(project);
    const report = async (app: TestApp, error: string) =>
      (await callAgentErrors(app).report(project, agent.id, error)).status;
    expect(await report(one, 'a')).toBe(201);
    clock.advance(59_999);
    expect(await report(one, 'b')).toBe(201);
    expect(await report(other, 'c')).toBe(429);
    clock.advance(1);
    expect(await report(other, 'c')).toBe(201);
    expect(await report(other, 'd')).toBe(429);
  });
});

describe('MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND', () => {
  useApp({ newErrorsPerProjectPerSecond: 3 });

  const refused = problemBody(
    'too_many_new_errors_of_project',
    'This project had 3 new errors within a second, which is the maximum. Wait, or raise MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND.',
  );

  it('429 across the agents of the project, while repeats do not count', async () => {
    const { project, agentID } = await start();
    const other = await test.registerAgent(project);
    await fill(project, agentID, ['a', 'b']);
    await fill(project, other.id, ['a']);
    for (const id of [agentID, other.id]) {
      expectRefusal(await errors.report(project, id, 'c'), refused, '1');
      expect((await errors.report(project, id, 'a')).headers['muster-agent-error']).toBe('ignored');
    }
  });

  it('accepts a client that waits for the time in Retry-After, and not a millisecond earlier', async () => {
    const { project, agentID } = await start();
    await fill(project, agentID, ['a', 'b', 'c']);
    test.clock.advance(999);
    expectRefusal(await errors.report(project, agentID, 'd'), refused, '1');
    test.clock.advance(1);
    await fill(project, agentID, ['d', 'e', 'f']);
  });

  it('counts each project separately', async () => {
    const [one, other] = [await start(), await start()];
    await fill(one.project, one.agentID, ['a', 'b', 'c']);
    await fill(other.project, other.agentID, ['a', 'b', 'c']);
  });
});

describe('several limits at once', () => {
  useApp({ maxOpenErrorsPerAgent: 2, newErrorsPerAgentPerMinute: 3, newErrorsPerProjectPerSecond: 4 });

  it('429 names the reached limit: of open errors, of the agent, or of the project', async () => {
    const { project, agentID } = await start();
    const [first] = await fill(project, agentID, ['a', 'b']);
    expect(await errors.report(project, agentID, 'c')).toMatchObject({
      body: { code: 'too_many_open_errors' },
    });
    await errors.dismiss(first ?? '');
    const [third] = await fill(project, agentID, ['c']);
    await errors.dismiss(third ?? '');
    expect(await errors.report(project, agentID, 'd')).toMatchObject({
      body: { code: 'too_many_new_errors_of_agent' },
    });
    const other = await test.registerAgent(project);
    await fill(project, other.id, ['a']);
    expect(await errors.report(project, other.id, 'b')).toMatchObject({
      body: { code: 'too_many_new_errors_of_project' },
    });
  });
});

describe('an agent that is beyond its own limits', () => {
  useApp({ maxOpenErrorsPerAgent: 2, newErrorsPerProjectPerSecond: 10 });

  it("does not use up its project's limit, even in one batch with others", async () => {
    const { project, agentID } = await start();
    const others = await Promise.all(['b', 'c', 'd'].map((name) => test.registerAgent(project, name)));
    await fill(project, agentID, ['a', 'b']);
    const noise = (part: number) =>
      errors.reportAll(
        project,
        agentID,
        numbered(20).map((text) => ({ error: `${part} ${text}` })),
      );
    const [refused, ...answers] = await Promise.all([
      noise(0),
      noise(1),
      noise(2),
      ...others.map(({ id }) => errors.report(project, id, 'of another agent')),
    ]);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_open_errors' } });
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 201, 201, 201]);
  });
});

describe('0 in all three', () => {
  useApp({});

  it('sets no limit', async () => {
    const { project, agentID } = await start();
    for (const part of ['a', 'b']) {
      const reports = numbered(1000).map((text) => ({ error: `${part} ${text}` }));
      expect((await errors.reportAll(project, agentID, reports)).status).toBe(201);
    }
    expect((await errors.walk(`/v1/agents/${agentID}/errors?last=1000&dismissed=false`)).flat()).toHaveLength(
      2000,
    );
  });
});

describe('a flood of errors of one cause', () => {
  useApp({ maxOpenErrorsPerAgent: 200, newErrorsPerAgentPerMinute: 120 });

  const flood = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `could not create chunk file: dummy.0:${from + index}.flb`);

  /** The number of stored ones; the others are refused with this problem. */
  async function report(
    project: TestProject,
    agentID: string,
    texts: readonly string[],
    refused: Problem,
  ): Promise<number> {
    let stored = 0;
    for (const text of texts) {
      const answer = await errors.report(project, agentID, text);
      if (answer.status === 201) stored += 1;
      else expectRefusal(answer, refused, '60');
    }
    return stored;
  }

  it('gets 429 from a quarter of each limit on, and leaves the rest to other causes of the agent', async () => {
    const { project, agentID } = await start();
    const ofMinute = problemBody(
      'too_many_errors_of_cause',
      'This agent had 30 new errors of this cause within a minute, which is the maximum. Its errors of other causes are still stored. Wait, remove volatile parts such as times from the text, or raise MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE, of which one cause may have a quarter.',
    );
    expect(await report(project, agentID, flood(0, 500), ofMinute)).toBe(30);
    expect((await errors.report(project, agentID, 'no upstream connections available')).status).toBe(201);
    const repeat = await errors.report(project, agentID, flood(0, 1)[0] ?? '');
    expect(repeat.headers['muster-agent-error']).toBe('ignored');
    test.clock.advance(60_000);
    const open = problemBody(
      'too_many_errors_of_cause',
      'This agent has 50 open errors of this cause, which is the maximum. Its errors of other causes are still stored. Dismiss some of these, remove volatile parts from the text, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT, of which one cause may have a quarter.',
    );
    expect(await report(project, agentID, flood(500, 40), open)).toBe(20);
    expect((await errors.report(project, agentID, 'the license is invalid')).status).toBe(201);
    const [ofFlood] = (await errors.listOfAgent(agentID)).body.filter(({ error }) => error.includes('chunk'));
    await errors.dismiss(ofFlood?.id ?? '');
    expect(await report(project, agentID, flood(900, 2), open)).toBe(1);
  });

  it('is counted within one array too, whose other causes are stored', async () => {
    const { project, agentID } = await start();
    const texts = [...flood(0, 40), 'no upstream connections available'].map((error) => ({ error }));
    for (let from = 0; from < texts.length; from += 20) {
      await errors.reportAll(project, agentID, texts.slice(from, from + 20));
    }
    await errors.reportAll(project, agentID, texts.slice(-1));
    const { body } = await errors.listOfAgent(agentID);
    expect(body.filter(({ error }) => error.includes('chunk'))).toHaveLength(30);
    expect(body).toHaveLength(31);
  });
});
