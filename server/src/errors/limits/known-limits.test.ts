import type { Problem } from '@muster/contract';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Config } from '../../foundation/settings/config.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';

/**
 * A limit that is known to be reached refuses without a query. It must end, and accept repeats, exactly like a limit that is queried each time, as in
 * new-error-limits.test.ts.
 */

interface Limited {
  readonly test: TestApp;
  readonly errors: ReturnType<typeof callAgentErrors>;
  readonly project: TestProject;
  readonly agentID: string;
  /** Ids of the open errors, oldest first. */
  readonly ids: readonly string[];
}

/** One app per set of limits, started at its first use. */
const apps = new Map<Partial<Config>, Promise<TestApp>>();

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  for (const app of apps.values()) await (await app).close();
});

const noLimits = { maxOpenErrorsPerAgent: 0, newErrorsPerAgentPerMinute: 0, newErrorsPerProjectPerSecond: 0 };
/** As long as others may take to store what they have begun, where there are others. */
const settlingMilliseconds = 250;

const limits = {
  openPerAgent: { maxOpenErrorsPerAgent: 2 },
  newPerAgentPerMinute: { newErrorsPerAgentPerMinute: 2 },
  newPerProjectPerSecond: { newErrorsPerProjectPerSecond: 2 },
};

const refusals: Readonly<Record<keyof typeof limits, Problem>> = {
  openPerAgent: problemBody(
    'too_many_open_errors',
    'This agent has 2 open errors, which is the maximum. Dismiss some, or raise MUSTER_MAX_OPEN_ERRORS_PER_AGENT.',
  ),
  newPerAgentPerMinute: problemBody(
    'too_many_new_errors_of_agent',
    'This agent had 2 new errors within a minute, which is the maximum. Wait, remove volatile parts such as times from the text, or raise MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE.',
  ),
  newPerProjectPerSecond: problemBody(
    'too_many_new_errors_of_project',
    'This project had 2 new errors within a second, which is the maximum. Wait, or raise MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND.',
  ),
};

function start(config: Partial<Config>): Promise<TestApp> {
  // At the default log level, so that the log is realistic.
  const app = apps.get(config) ?? startTestApp({ logLevel: 'info', config: { ...noLimits, ...config } });
  apps.set(config, app);
  return app;
}

/** An agent with the errors `a` and `b`, at whose limit further ones are refused from memory. */
async function startLimited(config: Partial<Config>): Promise<Limited> {
  const test = await start(config);
  const errors = callAgentErrors(test);
  const project = await test.createProject();
  const agentID = (await test.registerAgent(project)).id;
  const ids: string[] = [];
  for (const text of ['a', 'b']) ids.push((await errors.report(project, agentID, text)).body.id);
  test.clock.advance(settlingMilliseconds);
  const limited = { test, errors, project, agentID, ids };
  await untilKnown(limited);
  return limited;
}

/** Reports until a refusal has asked nothing of the database, which the first one has. */
async function untilKnown({ errors, project, agentID }: Limited): Promise<void> {
  const statements = countStatements();
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const before = statements.count();
    const { status } = await errors.report(project, agentID, `attempt ${attempt}`);
    if (status === 429 && statements.count() === before) {
      expect(attempt).toBeGreaterThan(0);
      vi.restoreAllMocks();
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the database was asked each time');
}

function outcomeOf({ status, headers }: Answer<unknown>): string {
  return headers['muster-agent-error'] ?? String(status);
}

async function report({ errors, project, agentID }: Limited, text: string): Promise<string> {
  return outcomeOf(await errors.report(project, agentID, text));
}

describe('a limit that is known to be reached', () => {
  it.each(['openPerAgent', 'newPerAgentPerMinute', 'newPerProjectPerSecond'] as const)(
    'by %s refuses as before, without a query',
    async (limit) => {
      const { errors, project, agentID } = await startLimited(limits[limit]);
      const statements = countStatements();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => errors.report(project, agentID, `new ${index}`)),
      );
      expect(statements.count()).toBe(0);
      for (const { status, headers, body } of answers) {
        expect(status).toBe(429);
        expect(headers['retry-after']).toBe(limit === 'newPerProjectPerSecond' ? '1' : '60');
        expect(body).toEqual(refusals[limit]);
      }
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(100);
      expect((await errors.listOfAgent(agentID)).body.map(({ error }) => error)).toEqual(['b', 'a']);
    },
  );

  it('takes a refused report for a sign of life', async () => {
    const limited = await startLimited(limits.openPerAgent);
    const { test, agentID } = limited;
    test.clock.advance(100);
    const statements = countStatements();
    expect(await report(limited, 'new')).toBe('429');
    expect(statements.count()).toBe(0);
    const { body } = await test.request('GET', `/v1/agents/${agentID}`, { as: { access: test.admin } });
    expect(body).toMatchObject({ lastSeenAt: new Date(test.clock.now()).toISOString() });
  });

  it('lets repeats of what stands through, alone and in arrays, and counts them', async () => {
    const limited = await startLimited(limits.openPerAgent);
    const { errors, project, agentID, ids } = limited;
    expect(await report(limited, 'a')).toBe('ignored');
    const both = await errors.reportAll(project, agentID, [{ error: 'a' }, { error: 'b' }]);
    expect(outcomeOf(both)).toBe('ignored');
    expect(both.body.map(({ id }) => id)).toEqual(ids);
    const mixed = await errors.reportAll(project, agentID, [{ error: 'a' }, { error: 'c' }]);
    expect([mixed.status, mixed.body]).toEqual([429, refusals.openPerAgent]);
    const { body } = await errors.listOfAgent(agentID);
    expect(body.map(({ error, occurrences }) => [error, occurrences])).toEqual([
      ['b', 2],
      ['a', 3],
    ]);
  });

  it.each([
    ['newPerAgentPerMinute', 60_000],
    ['newPerProjectPerSecond', 1_000],
  ] as const)('by %s ends after %i ms, and not a millisecond earlier', async (limit, milliseconds) => {
    const limited = await startLimited(limits[limit]);
    limited.test.clock.advance(milliseconds - settlingMilliseconds - 1);
    expect(await report(limited, 'c')).toBe('429');
    limited.test.clock.advance(1);
    expect([await report(limited, 'c'), await report(limited, 'd'), await report(limited, 'e')]).toEqual([
      'created',
      'created',
      '429',
    ]);
  });

  it('by openPerAgent does not end by itself, and ends with a dismissal', async () => {
    const limited = await startLimited(limits.openPerAgent);
    const { test, errors, ids } = limited;
    test.clock.advance(86_400_000);
    expect(await report(limited, 'c')).toBe('429');
    await errors.dismiss(ids[0] ?? '');
    expect([await report(limited, 'c'), await report(limited, 'a')]).toEqual(['created', '429']);
  });

  it('by newPerAgentPerMinute does not end with a dismissal, but what was dismissed stands no more', async () => {
    const limited = await startLimited(limits.newPerAgentPerMinute);
    const { test, errors, ids } = limited;
    await errors.dismiss(ids[0] ?? '');
    await untilKnown(limited);
    expect([await report(limited, 'a'), await report(limited, 'b')]).toEqual(['429', 'ignored']);
    test.clock.advance(60_000);
    expect(await report(limited, 'a')).toBe('created');
  });

  it('lets through at once what was reopened', async () => {
    const limited = await startLimited(limits.newPerAgentPerMinute);
    const { errors, project, agentID, ids } = limited;
    await errors.dismiss(ids[0] ?? '');
    await untilKnown(limited);
    expect(await report(limited, 'a')).toBe('429');
    await errors.reopen(ids[0] ?? '');
    const again = await errors.report(project, agentID, 'a');
    expect([outcomeOf(again), again.body.id]).toEqual(['ignored', ids[0]]);
    await untilKnown(limited);
    expect([await report(limited, 'a'), await report(limited, 'c')]).toEqual(['ignored', '429']);
  });

  it('sees another configuration at once: what stood for the old one does not stand for the new one', async () => {
    const limited = await startLimited(limits.newPerAgentPerMinute);
    const { test, errors, agentID } = limited;
    await errors.configure(agentID, 'other');
    expect(await report(limited, 'a')).toBe('429');
    await untilKnown(limited);
    expect(await report(limited, 'a')).toBe('429');
    test.clock.advance(60_000);
    expect([await report(limited, 'a'), await report(limited, 'a')]).toEqual(['created', 'ignored']);
  });

  it('410 at once when the agent was deleted', async () => {
    const limited = await startLimited(limits.openPerAgent);
    await limited.errors.deleteAgent(limited.agentID);
    expect(await report(limited, 'c')).toBe('410');
  });

  it('tells strangers nothing: 404 as for an agent that does not exist, 401 for a revoked credential', async () => {
    const { test, errors, project, agentID } = await startLimited(limits.openPerAgent);
    const stranger = await test.createProject();
    expect((await errors.report(stranger, agentID, 'c')).body).toEqual(
      problemBody('not_found', `There is no agent ${agentID} that this credential can see.`),
    );
    const { id, token } = await test.createToken(project.id, ['create:agent_error']);
    const withToken = () => errors.report({ ...project, token }, agentID, 'c').then(outcomeOf);
    expect(await withToken()).toBe('429');
    await test.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: test.admin } });
    expect(await withToken()).toBe('401');
  });

  it('keeps out no other agent of the project', async () => {
    const { test, errors, project } = await startLimited(limits.newPerAgentPerMinute);
    const other = await test.registerAgent(project);
    expect(outcomeOf(await errors.report(project, other.id, 'c'))).toBe('created');
  });

  it('refuses reports of its machine too', async () => {
    const { test, errors, project } = await startLimited(limits.openPerAgent);
    const machine = await test.registerAgent(project, 'machine-1');
    const reportOfMachine = async (error: string) =>
      outcomeOf(
        await test.request('POST', '/v1/machines/machine-1/errors', {
          as: { project: project.token },
          body: { error },
        }),
      );
    expect([await reportOfMachine('a'), await reportOfMachine('b')]).toEqual(['created', 'created']);
    test.clock.advance(settlingMilliseconds);
    await untilKnown({ test, errors, project, agentID: machine.id, ids: [] });
    expect([await reportOfMachine('c'), await reportOfMachine('a')]).toEqual(['429', 'ignored']);
  });

  it('holds for nobody with 0', async () => {
    const test = await start(noLimits);
    const errors = callAgentErrors(test);
    const project = await test.createProject();
    const { id } = await test.registerAgent(project);
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, async (_, index) =>
        outcomeOf(await errors.report(project, id, `${index}`)),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['created']));
  });

  it('has one line in the log, which names the agent, and none for each refusal', async () => {
    const test = await start({ ...limits.openPerAgent });
    const errors = callAgentErrors(test);
    const project = await test.createProject();
    const { id } = await test.registerAgent(project);
    for (let count = 0; count < 50; count += 1) await errors.report(project, id, `error ${count}`);
    const lines = test.logs.map((line) => JSON.parse(line) as Record<string, unknown>); // as pino writes them
    expect(lines.filter(({ level }) => Number(level) >= 30)).toMatchObject([
      {
        level: 40,
        count: 1,
        agentID: id,
        msg: 'reports were refused with 429: agents or projects exceed their limit on new errors; agentID is one of them',
      },
    ]);
  });

  it('outlives a change by another process by less than a second', async () => {
    if (testEngine === 'sqlite') return; // There it is the only one.
    const limited = await startLimited({ ...limits.openPerAgent });
    const { test, project, agentID, ids } = limited;
    const other = await startTestApp({
      dataDirectory: test.dataDirectory,
      clock: test.clock,
      config: { ...noLimits, ...limits.openPerAgent },
    });
    try {
      const ofOther = callAgentErrors(other);
      expect((await ofOther.dismiss(ids[0] ?? '')).status).toBe(200);
      test.clock.advance(999);
      expect([await report(limited, 'c'), await report(limited, 'b')]).toEqual(['429', 'ignored']);
      test.clock.advance(1);
      expect([await report(limited, 'c'), await report(limited, 'd')]).toEqual(['created', '429']);
      expect(outcomeOf(await ofOther.report(project, agentID, 'c'))).toBe('ignored');
    } finally {
      await other.close();
    }
  });
});
