import { foldError } from '@muster/faults';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callDismissals } from '../../testing/calls/dismissal-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { siteStatus } from '../../testing/calls/site-calls.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { openRowReader, type RowReader } from '../../testing/rows/read-rows.ts';
import {
  type ModelAgent,
  type ModelError,
  type ModelOutcome,
  ReportOutcomeModel,
} from '../../testing/stages/report-outcome-model.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';
import { groupIDOf } from '../groups/identity/error-group.ts';

const runs = rounds(30);

const minute = 60_000;
const second = 1_000;

const machines = [0, 1, 2] as const;
const machine = fc.constantFrom(...machines);
const pick = fc.nat(50);
const text = fc.constantFrom('no route to 10.0.0.1', 'no route to 10.0.0.2', 'disk full');

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('report'), machine, text }) },
  // Distinct ones, which is what the limits are for.
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('storm'), machine, count: fc.integer({ min: 1, max: 8 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      machine,
      texts: fc.array(text, { minLength: 1, maxLength: 3 }),
      ago: fc.constantFrom(0, 1, 40, second, minute),
      isInterrupted: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('dismiss'), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('dismissAll'), pick, isOfGroup: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('configure'), machine }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('mute'),
      pick,
      milliseconds: fc.constantFrom(30, second, minute),
      endsWithConfiguration: fc.boolean(),
      moreAgents: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unmute'), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      milliseconds: fc.constantFrom(1, 250, 748, 749, 998, 999, second, 20_000, minute - 1, minute),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;
let dismissals: ReturnType<typeof callDismissals>;
let statements: ReturnType<typeof countStatements>;
let reader: RowReader;
let lastText = 0;
/** Refusals without a query. */
let fromMemory = 0;

afterEach(async () => {
  vi.restoreAllMocks();
  await reader.close();
  await test.close();
});

interface Limits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}

interface Subjects {
  readonly project: TestProject;
  readonly agents: readonly ModelAgent[];
  readonly site: { readonly token: string };
  readonly tokenID: string;
}

async function prepare(): Promise<Subjects> {
  const project = await test.createProject();
  const agents: ModelAgent[] = [];
  for (const one of machines) {
    const { id } = await test.registerAgent(project, `machine-${one}`);
    agents.push({ id, epoch: 1, configuredAt: test.clock.now() });
  }
  const { body } = await test.request<{ id: string }>('GET', '/v1/project_tokens/self', {
    as: { project: project.token },
  });
  return { project, agents, site: await test.createCoreInstance(project), tokenID: body.id };
}

/** Compares a project in the service with the model. */
class Comparison {
  readonly #subjects: Subjects;
  readonly #model: ReportOutcomeModel;
  readonly #dismissals: string[] = [];
  #sequence = 0;
  /** The newest time of a report that the site has passed on. */
  #newestAt = 0;

  constructor(subjects: Subjects, limits: Limits) {
    this.#subjects = subjects;
    this.#model = new ReportOutcomeModel(limits);
  }

  async take(taken: Step): Promise<void> {
    const { errors: stored, groups: causes } = this.#model;
    test.clock.advance(1);
    const now = test.clock.now();
    switch (taken.kind) {
      case 'wait':
        test.clock.advance(taken.milliseconds);
        break;
      case 'report':
        await this.#report(this.#agentOf(taken.machine), taken.text);
        break;
      case 'storm':
        for (let count = 0; count < taken.count; count += 1) {
          lastText += 1;
          await this.#report(this.#agentOf(taken.machine), `distinct ${lastText}`);
        }
        break;
      case 'pass':
        await this.#pass(taken);
        break;
      case 'configure': {
        const agent = this.#agentOf(taken.machine);
        this.#model.configure(agent, now);
        await errors.configure(agent.id, `configuration ${agent.epoch}`);
        break;
      }
      case 'dismiss': {
        const error = choose(stored.filter(isOpen), taken.pick);
        if (error === undefined) break;
        expect((await errors.dismiss(error.id)).status).toBe(200);
        this.#model.dismiss([error], now);
        break;
      }
      case 'reopen': {
        const error = choose(
          stored.filter((one) => !isOpen(one)),
          taken.pick,
        );
        if (error === undefined) break;
        const { status } = await errors.reopen(error.id);
        expect(status).toBe(this.#model.reopen(error) ? 200 : 409);
        break;
      }
      case 'dismissAll': {
        const group = taken.isOfGroup ? choose([...causes.values()], taken.pick) : undefined;
        const filter = group === undefined ? { all: true } : { groupID: this.#groupIDOf(group.cause) };
        const { body } = await dismissals.create(this.#subjects.project.id, filter);
        const dismissed = stored.filter((one) => isOpen(one) && (group === undefined || one.group === group));
        expect(body).toMatchObject({ state: 'done', errorsCount: dismissed.length });
        this.#dismissals.push(body.id);
        this.#model.dismiss(dismissed, now, body.id);
        break;
      }
      case 'undo': {
        const id = choose(this.#dismissals, taken.pick);
        if (id === undefined) break;
        await dismissals.undo(id);
        this.#model.undo(id);
        break;
      }
      case 'mute': {
        const group = choose([...causes.values()], taken.pick);
        if (group === undefined) break;
        const { endsWithConfiguration, moreAgents } = taken;
        const until = now + taken.milliseconds;
        const { status } = await groups.mute(this.#groupIDOf(group.cause), {
          until: new Date(until).toISOString(),
          reason: 'known',
          ...{ endsWithConfiguration, ...(moreAgents !== undefined && { moreAgents }) },
        });
        expect(status).toBe(200);
        this.#model.mute(group, { at: now, until, endsWithConfiguration }, moreAgents);
        break;
      }
      case 'unmute': {
        const group = choose([...causes.values()], taken.pick);
        if (group === undefined) break;
        await groups.unmute(this.#groupIDOf(group.cause));
        group.mute = undefined;
        break;
      }
    }
    await this.#compareGroups();
    await test.app.endMutes();
    this.#model.endMutes(test.clock.now());
  }

  async #report(agent: ModelAgent, reported: string): Promise<void> {
    const before = statements.count();
    const answer = await errors.report(this.#subjects.project, agent.id, reported);
    if (answer.status === 429 && statements.count() === before) fromMemory += 1;
    const outcome = this.#expected(agent, reported, test.clock.now(), false);
    if (outcome.kind === 'refused') {
      expect(answer).toMatchObject({ status: 429, body: { code: outcome.code } });
    } else {
      expect(answer.status).toBe(201);
      if (outcome.kind === 'new') outcome.error.id = answer.body.id;
      expect(answer.body.id).toBe(outcome.error.id);
    }
    // Writes repeats that are counted in memory.
    if (outcome.kind === 'repeated') await errors.listOfAgent(agent.id);
    // A look-up may return meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The errors of one agent, as a site passes them on, perhaps twice. */
  async #pass({
    machine: number,
    texts,
    ago,
    isInterrupted,
  }: Extract<Step, { kind: 'pass' }>): Promise<void> {
    const { project, site, tokenID } = this.#subjects;
    const agent = this.#agentOf(number);
    // One after the other, and the last one now or some time ago.
    const first = test.clock.now() - ago - texts.length;
    const reports = texts.map((error, index) => ({ error, at: first + index }));
    const items = reports.map(({ error, at }) => ({
      kind: 'errors',
      by: { tokenID },
      agentID: agent.id,
      errors: [{ error, firstAt: at, lastAt: at, count: 1 }],
    }));
    this.#sequence += 1;
    const send = () =>
      test.request<{ refused: readonly { index: number; error: { code: string } }[] }>(
        'POST',
        '/v1/core_instances/self/batches',
        {
          as: { core_instance: site.token },
          body: {
            protocol: 1,
            sequence: this.#sequence,
            status: siteStatus(test.clock.now()),
            items,
          },
        },
      );
    const answer = await send();
    if (isInterrupted) expect((await send()).body.refused).toEqual(answer.body.refused);
    expect(answer.status).toBe(200);
    const floor = Math.min(test.clock.now(), this.#newestAt + 1);
    // A little earlier than what the site passed on before: only the way was shorter.
    const timeOf = (at: number) => (at < floor && floor - at <= minute ? floor : at);
    this.#newestAt = Math.max(this.#newestAt, ...reports.map(({ at }) => timeOf(at)));
    const outcomes = reports.map(({ error, at }) => this.#expected(agent, error, timeOf(at), true));
    const refused = outcomes.flatMap((one, index) => (one.kind === 'refused' ? [[index, one.code]] : []));
    expect(answer.body.refused.map(({ index, error }) => [index, error.code])).toEqual(refused);
    const { body: listed } = await errors.listOfProject(project.id, '?last=100');
    for (const outcome of outcomes) {
      if (outcome.kind !== 'new') continue;
      const { error } = outcome;
      const found = listed.find(
        (one) =>
          one.agentID === agent.id &&
          one.error === error.text &&
          Date.parse(one.createdAt) === error.createdAt &&
          !this.#model.errors.some(({ id }) => id === one.id),
      );
      if (found === undefined) throw new Error('what the site has passed on is stored');
      error.id = found.id;
      expect(found.dismissedAt !== null).toBe(error.isMuted);
    }
  }

  #expected(agent: ModelAgent, reported: string, at: number, isOfSite: boolean): ModelOutcome {
    return this.#model.report({ agent, text: reported, cause: foldError(reported), at, isOfSite });
  }

  /** What is stored of the groups with what the model counts. */
  async #compareGroups(): Promise<void> {
    const { project } = this.#subjects;
    // Counts what is new.
    await groups.list(project.id);
    const rows = await reader.read<Record<string, unknown>>(
      `select id, agents, current_errors, superseded_errors, dismissed_errors, occurrences,
        dismissed_at, partly_dismissed_at, regressed_at
      from agent_error_groups where project_id = '${project.id}' order by id`,
    );
    const expected = [...this.#model.groups.values()]
      .map((group) => ({ id: this.#groupIDOf(group.cause), ...this.#model.countsOf(group) }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    expect(rows.map(toNumbers)).toEqual(expected);
  }

  #agentOf(number: number): ModelAgent {
    const agent = this.#subjects.agents[number];
    if (agent === undefined) throw new Error('every machine has an agent from the start');
    return agent;
  }

  #groupIDOf(cause: string): string {
    return groupIDOf(this.#subjects.project.id, cause);
  }
}

const isOpen = ({ dismissedAt }: ModelError): boolean => dismissedAt === null;

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}

/** PostgreSQL gives large integers as texts. */
function toNumbers(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'id' || value === null ? value : Number(value),
    ]),
  );
}

describe('what a report gives', () => {
  it.each<[string, Limits]>([
    ['with low limits', { openPerAgent: 4, newPerAgentPerMinute: 6, newPerProjectPerSecond: 5 }],
    ['with limits of causes', { openPerAgent: 12, newPerAgentPerMinute: 14, newPerProjectPerSecond: 0 }],
    ['without limits', { openPerAgent: 0, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 }],
  ])('%s is in any sequence what a plain look at all errors gives', async (_, limits) => {
    test = await startTestApp({
      logLevel: 'info',
      config: {
        maxOpenErrorsPerAgent: limits.openPerAgent,
        newErrorsPerAgentPerMinute: limits.newPerAgentPerMinute,
        newErrorsPerProjectPerSecond: limits.newPerProjectPerSecond,
      },
    });
    errors = callAgentErrors(test);
    groups = callErrorGroups(test);
    dismissals = callDismissals(test);
    statements = countStatements();
    reader = await openRowReader(test.dataDirectory);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const comparison = new Comparison(await prepare(), limits);
        for (const one of steps) await comparison.take(one);
      }),
      { numRuns: runs },
    );
    // PostgreSQL may find the limit after the next report.
    if (testEngine === 'sqlite' && limits.newPerProjectPerSecond > 0) expect(fromMemory).toBeGreaterThan(0);
  });
});
