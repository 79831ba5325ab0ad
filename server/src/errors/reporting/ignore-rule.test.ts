import type { Agent, AgentError } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';

const runs = rounds(testEngine === 'sqlite' ? 120 : 60);

const texts = ['a', 'A', 'caf\u00e9', 'cafe\u0301'] as const;
const configs = ['one', 'two', 'three'] as const;
const machines = [0, 1, 2] as const;

const machine = fc.constantFrom(...machines);
const pick = fc.nat(50);
const text = fc.constantFrom(...texts);
const config = fc.constantFrom(...configs);

const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('report'), machine, texts: fc.tuple(text) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('report'),
      machine,
      texts: fc.array(text, { minLength: 2, maxLength: 6 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('dismiss'), machine, pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reopen'), machine, pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('configureSame'), machine }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('configure'), machine, config }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('register'), machine, config }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), machine }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait'), milliseconds: fc.integer({ min: 1, max: 90_000 }) }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelError {
  readonly id: string;
  readonly error: string;
  readonly epoch: number;
  readonly createdAt: number;
  lastSeenAt: number;
  occurrences: number;
  dismissal: { readonly at: number; readonly reason: string } | undefined;
}

/** The ignore rule for one agent, implemented as simply as possible. */
class ModelAgent {
  readonly id: string;
  readonly errors: ModelError[] = [];
  isDeleted = false;
  epoch = 1;
  config: string;

  constructor(id: string, rawConfig: string) {
    this.id = id;
    this.config = rawConfig;
  }

  findOpen(error: string, epoch = this.epoch): ModelError | undefined {
    return this.errors.find(
      (one) => one.error === error && one.epoch === epoch && one.dismissal === undefined,
    );
  }

  /** @param id the id that the service returned */
  report(error: string, id: string, now: number): 'created' | 'ignored' {
    const open = this.findOpen(error);
    if (open === undefined) {
      const { epoch } = this;
      this.errors.push({
        id,
        error,
        epoch,
        createdAt: now,
        lastSeenAt: now,
        occurrences: 1,
        dismissal: undefined,
      });
      return 'created';
    }
    expect(id).toBe(open.id);
    open.occurrences += 1;
    open.lastSeenAt = now;
    return 'ignored';
  }

  configure(rawConfig: string): void {
    if (rawConfig !== this.config) this.epoch += 1;
    this.config = rawConfig;
  }
}

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp({ config: { maxOpenErrorsPerAgent: 0 } });
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

/** Compares a project in the service with the model. */
class Comparison {
  readonly #project: TestProject;
  readonly #agents: ModelAgent[] = [];

  private constructor(project: TestProject) {
    this.#project = project;
  }

  static async start(): Promise<Comparison> {
    const comparison = new Comparison(await test.createProject());
    for (const one of machines) await comparison.#register(one, 'one');
    return comparison;
  }

  async take(taken: Step): Promise<void> {
    if (taken.kind === 'wait') {
      test.clock.advance(taken.milliseconds);
      return;
    }
    const agent = this.#agent(taken.machine);
    switch (taken.kind) {
      case 'report':
        await this.#report(agent, taken.texts);
        break;
      case 'dismiss':
        await this.#dismiss(agent, taken.pick);
        break;
      case 'reopen':
        await this.#reopen(agent, taken.pick);
        break;
      case 'configureSame':
        await this.#configure(agent, agent.config);
        break;
      case 'configure':
        await this.#configure(agent, taken.config);
        break;
      case 'register':
        await this.#register(taken.machine, taken.config);
        break;
      case 'delete':
        expect((await errors.deleteAgent(agent.id)).status).toBe(agent.isDeleted ? 410 : 204);
        agent.isDeleted = true;
    }
    await this.#compareList(this.#agent(taken.machine));
  }

  /** Includes everything that the steps did not touch. */
  async compareEverything(): Promise<void> {
    for (const agent of this.#agents) {
      for (const dismissed of [undefined, true, false]) await this.#compareList(agent, dismissed);
      const { body } = await test.request<Agent>('GET', `/v1/agents/${agent.id}`, {
        as: { access: test.admin },
      });
      const isUnhealthy = agent.errors.some(
        ({ epoch, dismissal }) => epoch === agent.epoch && dismissal === undefined,
      );
      if (!agent.isDeleted) expect(body.status).toBe(isUnhealthy ? 'unhealthy' : 'healthy');
    }
    await this.#compareInbox();
  }

  async #report(agent: ModelAgent, reported: readonly string[]): Promise<void> {
    const [first] = reported;
    const isAlone = reported.length === 1 && first !== undefined;
    const answer = isAlone
      ? await errors.report(this.#project, agent.id, first)
      : await errors.reportAll(
          this.#project,
          agent.id,
          reported.map((error) => ({ error })),
        );
    expect(answer.status).toBe(agent.isDeleted ? 410 : 201);
    if (agent.isDeleted) return;
    const results = Array.isArray(answer.body) ? answer.body : [answer.body];
    expect(results).toHaveLength(reported.length);
    const outcomes = reported.map((error, index) =>
      agent.report(error, results[index]?.id ?? '', test.clock.now()),
    );
    expect(answer.headers['muster-agent-error']).toBe(outcomes.includes('created') ? 'created' : 'ignored');
    expect(results.map(({ createdAt }) => createdAt)).toEqual(
      reported.map((error) => toTimestamp(agent.findOpen(error)?.createdAt)),
    );
  }

  async #dismiss(agent: ModelAgent, picked: number): Promise<void> {
    const error = agent.errors[picked % Math.max(1, agent.errors.length)];
    if (error === undefined) return;
    const answer = await errors.dismiss(error.id, `pick ${picked}`);
    if (agent.isDeleted) expect(answer.status).toBe(404);
    else if (error.dismissal !== undefined) expect(answer.status).toBe(409);
    else {
      error.dismissal = { at: test.clock.now(), reason: `pick ${picked}` };
      expect(answer.body).toEqual({ dismissedAt: toTimestamp(test.clock.now()) });
    }
  }

  async #reopen(agent: ModelAgent, picked: number): Promise<void> {
    const error = agent.errors[picked % Math.max(1, agent.errors.length)];
    if (error === undefined) return;
    const answer = await errors.reopen(error.id);
    const equal = agent.findOpen(error.error, error.epoch);
    if (agent.isDeleted) expect(answer.status).toBe(404);
    else if (error.dismissal === undefined) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'agent_error_not_dismissed' } });
    } else if (equal !== undefined) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'equal_agent_error_open' } });
      expect(answer.text).toContain(equal.id);
    } else {
      expect(answer.status).toBe(200);
      error.dismissal = undefined;
    }
  }

  async #configure(agent: ModelAgent, rawConfig: string): Promise<void> {
    expect((await errors.configure(agent.id, rawConfig)).status).toBe(agent.isDeleted ? 410 : 204);
    if (!agent.isDeleted) agent.configure(rawConfig);
  }

  async #register(index: number, rawConfig: string): Promise<void> {
    const before = this.#agents[index];
    const { id } = await test.registerAgent(this.#project, `machine-${index}`, rawConfig);
    if (before === undefined || before.isDeleted) {
      expect(id).not.toBe(before?.id);
      this.#agents[index] = new ModelAgent(id, rawConfig);
    } else {
      expect(id).toBe(before.id);
      before.configure(rawConfig);
    }
  }

  async #compareList(agent: ModelAgent, dismissed?: boolean): Promise<void> {
    const query = dismissed === undefined ? '' : `&dismissed=${dismissed}`;
    const answer = await errors.listOfAgent(agent.id, `?last=1000${query}`);
    expect(answer.status).toBe(agent.isDeleted ? 410 : 200);
    if (agent.isDeleted) return;
    const expected = agent.errors
      .filter(({ dismissal }) => dismissed === undefined || dismissed === (dismissal !== undefined))
      .map((error) => ({ ...listed(agent, error), ...counted(error) }))
      .reverse();
    expect(answer.body.map((error) => ({ ...shown(error), ...seen(error) }))).toEqual(expected);
  }

  /** Without counts, which appear there only after seconds. */
  async #compareInbox(): Promise<void> {
    const { body } = await errors.listOfProject(this.#project.id, '?last=1000');
    const expected = this.#agents
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap((agent) => agent.errors.map((error) => listed(agent, error)))
      .sort((one, other) => (one.id < other.id ? 1 : -1));
    expect(body.map(shown)).toEqual(expected);
  }

  #agent(index: number): ModelAgent {
    const agent = this.#agents[index];
    if (agent === undefined) throw new Error('every machine has an agent from the start');
    return agent;
  }
}

function listed(agent: ModelAgent, { id, error, createdAt, dismissal }: ModelError) {
  return {
    id,
    agentID: agent.id,
    error,
    createdAt: toTimestamp(createdAt),
    dismissedAt: dismissal === undefined ? null : toTimestamp(dismissal.at),
    dismissReason: dismissal?.reason ?? null,
  };
}

function shown({ id, agentID, error, createdAt, dismissedAt, dismissReason }: AgentError) {
  return { id, agentID, error, createdAt, dismissedAt, dismissReason };
}

const counted = ({ occurrences, lastSeenAt }: ModelError) => ({
  occurrences,
  lastSeenAt: toTimestamp(lastSeenAt),
});
const seen = ({ occurrences, lastSeenAt }: AgentError) => ({ occurrences, lastSeenAt });

function toTimestamp(milliseconds = Number.NaN): string {
  return new Date(milliseconds).toISOString();
}

describe('the ignore rule', () => {
  it('holds for any sequence of reports, dismissals, configurations, registrations and deletions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const comparison = await Comparison.start();
        for (const [index, one] of steps.entries()) {
          await comparison.take(one);
          if (index % 20 === 19) await comparison.compareEverything();
        }
        await comparison.compareEverything();
      }),
      { numRuns: runs },
    );
  });
});
