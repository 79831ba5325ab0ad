import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

const runs = rounds(100);

const most = { open: 4, perMinute: 6, ofProject: 5 };
const minute = 60_000;
const second = 1_000;

const machines = [0, 1] as const;
const machine = fc.constantFrom(...machines);
const pick = fc.nat(50);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('report'), machine, text: fc.constantFrom('a', 'b', 'c') }),
  },
  // Distinct ones, which is what the limits are for.
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('storm'), machine, count: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('dismiss'), machine, pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen'), machine, pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('configure'), machine }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      milliseconds: fc.constantFrom(1, 250, 748, 749, 998, 999, second, 20_000, minute - 1, minute),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelError {
  readonly id: string;
  readonly text: string;
  readonly epoch: number;
  readonly createdAt: number;
  isOpen: boolean;
}

interface ModelAgent {
  readonly id: string;
  readonly errors: ModelError[];
  epoch: number;
}

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let statements: ReturnType<typeof countStatements>;
let lastText = 0;
/** Refusals without a query. */
let fromMemory = 0;

beforeAll(async () => {
  test = await startTestApp({
    logLevel: 'info',
    config: {
      maxOpenErrorsPerAgent: most.open,
      newErrorsPerAgentPerMinute: most.perMinute,
      newErrorsPerProjectPerSecond: most.ofProject,
    },
  });
  errors = callAgentErrors(test);
  statements = countStatements();
});

afterAll(async () => {
  vi.restoreAllMocks();
  await test.close();
});

/** Compares a project in the service with a model that counts all limits again for each report. */
class Comparison {
  readonly #project: TestProject;
  readonly #agents: readonly ModelAgent[];

  constructor(project: TestProject, ids: readonly string[]) {
    this.#project = project;
    this.#agents = ids.map((id) => ({ id, errors: [], epoch: 1 }));
  }

  async take(taken: Step): Promise<void> {
    if (taken.kind === 'wait') {
      test.clock.advance(taken.milliseconds);
      return;
    }
    const agent = this.#agents[taken.machine];
    if (agent === undefined) throw new Error('every machine has an agent from the start');
    switch (taken.kind) {
      case 'report':
        return this.#report(agent, taken.text);
      case 'storm':
        for (let count = 0; count < taken.count; count += 1) {
          lastText += 1;
          await this.#report(agent, `distinct ${lastText}`);
        }
        return undefined;
      case 'dismiss':
        return this.#dismiss(agent, taken.pick);
      case 'reopen':
        return this.#reopen(agent, taken.pick);
      case 'configure':
        agent.epoch += 1;
        await errors.configure(agent.id, `configuration ${agent.epoch}`);
        return undefined;
    }
  }

  async #report(agent: ModelAgent, text: string): Promise<void> {
    const before = statements.count();
    const answer = await errors.report(this.#project, agent.id, text);
    if (answer.status === 429 && statements.count() === before) fromMemory += 1;
    const open = agent.errors.find((one) => one.isOpen && one.text === text && one.epoch === agent.epoch);
    const limit = open === undefined ? this.#limitOf(agent) : undefined;
    if (limit !== undefined) {
      expect(answer).toMatchObject({ status: 429, body: { code: limit } });
    } else {
      expect(answer.status).toBe(201);
      if (open !== undefined) expect(answer.body.id).toBe(open.id);
      else {
        const { epoch } = agent;
        agent.errors.push({ id: answer.body.id, text, epoch, createdAt: test.clock.now(), isOpen: true });
      }
    }
    // A look-up may return meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #limitOf(agent: ModelAgent): string | undefined {
    const now = test.clock.now();
    const within = (milliseconds: number) => (one: ModelError) => now - one.createdAt < milliseconds;
    if (agent.errors.filter(({ isOpen }) => isOpen).length >= most.open) return 'too_many_open_errors';
    if (agent.errors.filter(within(minute)).length >= most.perMinute) return 'too_many_new_errors_of_agent';
    const ofProject = this.#agents.flatMap((one) => one.errors).filter(within(second));
    return ofProject.length >= most.ofProject ? 'too_many_new_errors_of_project' : undefined;
  }

  async #dismiss(agent: ModelAgent, picked: number): Promise<void> {
    const open = agent.errors.filter(({ isOpen }) => isOpen);
    const error = open[picked % Math.max(1, open.length)];
    if (error === undefined) return;
    expect((await errors.dismiss(error.id)).status).toBe(200);
    error.isOpen = false;
  }

  async #reopen(agent: ModelAgent, picked: number): Promise<void> {
    const error = agent.errors[picked % Math.max(1, agent.errors.length)];
    if (error === undefined) return;
    const { status } = await errors.reopen(error.id);
    if (status === 200) error.isOpen = true;
    else expect(status).toBe(409);
  }
}

describe('the limits on new errors', () => {
  it('apply and end in any sequence as if they were counted for each report', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const project = await test.createProject();
        const ids: string[] = [];
        for (const one of machines) ids.push((await test.registerAgent(project, `machine-${one}`)).id);
        const comparison = new Comparison(project, ids);
        for (const one of steps) await comparison.take(one);
      }),
      { numRuns: runs },
    );
    expect(fromMemory).toBeGreaterThan(0);
  });
});
