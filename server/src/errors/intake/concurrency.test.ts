import type { AgentError } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp({ config: { maxOpenErrorsPerAgent: 0 } });
  const calls = callAgentErrors(test);
  errors = {
    ...calls,
    report: (...report) => untilTaken(() => calls.report(...report)),
    reportAll: (...reports) => untilTaken(() => calls.reportAll(...reports)),
  };
});

afterAll(() => test.close());

/** How many reports may wait depends on how fast the machine stores them. One that is refused has stored nothing, and is sent again. */
async function untilTaken<Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  const answer = await send();
  if (answer.status !== 503) return answer;
  expect(answer.body).toMatchObject({ code: 'overloaded' });
  return untilTaken(send);
}

async function start(): Promise<{ project: TestProject; agentID: string }> {
  const project = await test.createProject();
  return { project, agentID: (await test.registerAgent(project)).id };
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** An event between two points of a logical clock. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

interface Acknowledgement extends Span {
  readonly text: string;
  readonly id: string;
  readonly outcome: string | undefined;
}

/** Requests and answers of concurrent clients, in the order seen from outside. */
class Witness {
  readonly acknowledgements: Acknowledgement[] = [];
  readonly dismissals: (Span & { readonly id: string })[] = [];
  readonly configurations: (Span & { readonly id: string })[] = [];
  readonly #project: TestProject;
  readonly #agentID: string;
  #points = 0;

  constructor(project: TestProject, agentID: string) {
    this.#project = project;
    this.#agentID = agentID;
  }

  /** True until enough changes have happened during the reports, independent of speed. */
  get hasSeenLittle(): boolean {
    return this.dismissals.length <= 5 || this.configurations.length <= 5;
  }

  async report(text: string): Promise<void> {
    const begin = this.#point();
    const { status, body, headers } = await errors.report(this.#project, this.#agentID, text);
    expect(status).toBe(201);
    this.acknowledgements.push({
      begin,
      end: this.#point(),
      text,
      id: body.id,
      outcome: headers['muster-agent-error'],
    });
  }

  async dismiss(id: string): Promise<void> {
    const begin = this.#point();
    const { status } = await errors.dismiss(id);
    expect([200, 409]).toContain(status);
    if (status === 200) this.dismissals.push({ begin, end: this.#point(), id });
  }

  async configure(rawConfig: string): Promise<void> {
    const begin = this.#point();
    expect((await errors.configure(this.#agentID, rawConfig)).status).toBe(204);
    const end = this.#point();
    const { body } = await test.request<{ configID: string }>('GET', `/v1/agents/${this.#agentID}`, {
      as: { access: test.admin },
    });
    this.configurations.push({ begin, end, id: body.configID });
  }

  #point(): number {
    this.#points += 1;
    return this.#points;
  }
}

/** Number of answers of each kind; refusals by code. */
function tally(answers: readonly Answer<object>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, headers, body } of answers) {
    const kind = `${status} ${'code' in body ? body.code : headers['muster-agent-error']}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** At most one open error of each text and configuration. */
function expectNoDoubles(listed: readonly AgentError[]): void {
  const open = listed.filter(({ dismissedAt }) => dismissedAt === null);
  expect(new Set(open.map(({ error, configID }) => `${configID} ${error}`)).size).toBe(open.length);
}

describe('many reports at once', () => {
  it('of the same text become one row that counts them all', async () => {
    const { project, agentID } = await start();
    const answers = await Promise.all(times(200).map(() => errors.report(project, agentID, 'storm')));
    expect(tally(answers)).toEqual({ '201 created': 1, '201 ignored': 199 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([
      { id: answers[0]?.body.id, error: 'storm', occurrences: 200 },
    ]);
  });

  it('of the same text from two hundred agents become one row per agent', async () => {
    const project = await test.createProject();
    const agents: { id: string }[] = [];
    for (let group = 0; group < 20; group += 1) {
      agents.push(...(await Promise.all(times(10).map(() => test.registerAgent(project)))));
    }
    const answers = await Promise.all(agents.map(({ id }) => errors.report(project, id, 'storm')));
    expect(tally(answers)).toEqual({ '201 created': 200 });
    expect((await errors.listOfProject(project.id, '?last=1000')).body).toHaveLength(200);
  });

  it('in overlapping arrays become one row per text', async () => {
    const { project, agentID } = await start();
    const arrays = times(40).map((first) =>
      times(25).map((index) => ({ error: `text ${(first + index * 7) % 50}` })),
    );
    const answers = await Promise.all(arrays.map((reports) => errors.reportAll(project, agentID, reports)));
    expect(answers.map(({ status }) => status)).toEqual(arrays.map(() => 201));
    const idsByText = new Map<string, Set<string>>();
    for (const [index, reports] of arrays.entries()) {
      for (const [place, { error }] of reports.entries()) {
        idsByText.set(error, (idsByText.get(error) ?? new Set()).add(answers[index]?.body[place]?.id ?? ''));
      }
    }
    expect([...idsByText].filter(([, { size }]) => size !== 1)).toEqual([]);
    const listed = (await errors.listOfAgent(agentID, '?last=1000')).body;
    expect(listed).toHaveLength(50);
    expect(listed.reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(1000);
  });
});

describe('windows of reports', () => {
  it('between dismissals become exactly one row each', async () => {
    const { project, agentID } = await start();
    const windows = 40;
    for (let window = 1; window <= windows; window += 1) {
      const answers = await Promise.all(times(10).map(() => errors.report(project, agentID, 'again')));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['muster-agent-error'] === 'created')).toHaveLength(1);
      await errors.dismiss(answers[0]?.body.id ?? '');
    }
    const listed = (await errors.listOfAgent(agentID, '?last=1000')).body;
    expect(listed.map(({ occurrences }) => occurrences)).toEqual(times(windows).map(() => 10));
  });

  it('between configurations hold exactly one row each, all of them open', async () => {
    const { project, agentID } = await start();
    const windows = 40;
    for (let window = 1; window <= windows; window += 1) {
      await errors.configure(agentID, `configuration ${window}`);
      const answers = await Promise.all(times(10).map(() => errors.report(project, agentID, 'again')));
      expect(answers.filter(({ headers }) => headers['muster-agent-error'] === 'created')).toHaveLength(1);
    }
    const listed = (await errors.listOfAgent(agentID, '?last=1000&dismissed=false')).body;
    expect(listed.map(({ occurrences }) => occurrences)).toEqual(times(windows).map(() => 10));
    expect(new Set(listed.map(({ configID }) => configID)).size).toBe(windows);
  });
});

describe('reports among dismissals and configurations that nobody waits for', () => {
  it('are never stored twice, never lost, and all counted', async () => {
    const { project, agentID } = await start();
    const witness = new Witness(project, agentID);
    let isReporting = true;
    const dismissAll = async () => {
      while (isReporting) {
        const { body } = await errors.listOfAgent(agentID, '?dismissed=false');
        expectNoDoubles(body);
        await Promise.all(body.map(({ id }) => witness.dismiss(id)));
      }
    };
    const configureOnAndOn = async () => {
      for (let version = 1; isReporting; version += 1) await witness.configure(`configuration ${version}`);
    };
    const reporters = times(12).map(async (reporter) => {
      for (let round = 0; round < 40 || witness.hasSeenLittle; round += 1) {
        await witness.report(`text ${(reporter + round) % 3}`);
      }
    });
    const others = [dismissAll(), dismissAll(), configureOnAndOn()];
    await Promise.all(reporters);
    isReporting = false;
    await Promise.all(others);

    const { acknowledgements, dismissals, configurations } = witness;
    const pages = await errors.walk(`/v1/agents/${agentID}/errors?last=1000`);
    const rows = new Map(pages.flat().map((row) => [row.id, row]));
    expectNoDoubles([...rows.values()]);

    // Each row was created by one report, and each report is counted in the row that it was answered with.
    const created = acknowledgements.filter(({ outcome }) => outcome === 'created').map(({ id }) => id);
    expect(created.sort()).toEqual([...rows.keys()].sort());
    const counts = new Map<string, number>();
    for (const { id, text } of acknowledgements) {
      expect(rows.get(id)?.error).toBe(text);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect(Object.fromEntries([...rows].map(([id, { occurrences }]) => [id, occurrences]))).toEqual(
      Object.fromEntries(counts),
    );

    // A report after an answered dismissal is never answered with the dismissed error.
    for (const dismissal of dismissals) {
      const later = acknowledgements.filter(({ begin, id }) => begin > dismissal.end && id === dismissal.id);
      expect(later).toEqual([]);
    }
    // A report after an answered change of configuration gets an error of that configuration or a later one.
    const order = new Map(configurations.map(({ id }, index) => [id, index]));
    for (const [index, { end }] of configurations.entries()) {
      const stale = acknowledgements.filter(
        ({ begin, id }) => begin > end && (order.get(rows.get(id)?.configID ?? '') ?? -1) < index,
      );
      expect(stale).toEqual([]);
    }
  });
});
