import type { AgentError } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { callAgentErrors, nextPage } from '../testing/calls/agent-error-calls.ts';
import { eventually } from '../testing/eventually.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';
import { testEngine } from '../testing/test-database.ts';

const runs = rounds(testEngine === 'sqlite' ? 100 : 40);
const dayMilliseconds = 86_400_000;

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp({ config: { maxOpenErrorsPerAgent: 0, retentionDays: 1 } });
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

const picks = fc.array(fc.nat(100), { maxLength: 4 });

/** What happens between two pages. */
const write = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('insert'), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('dismiss'), picks }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat'), picks }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen'), picks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), picks }) },
);

type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const walk = fc.record({
  count: fc.integer({ min: 0, max: 30 }),
  dismissedBefore: picks,
  last: fc.integer({ min: 1, max: 7 }),
  filter: fc.constantFrom('', '&dismissed=false', '&dismissed=true'),
  writes: fc.array(fc.array(write, { maxLength: 2 }), { maxLength: 12, size: 'max' }),
});

/** A project whose rows change while a client pages through them. */
class ChangingProject {
  readonly project: TestProject;
  readonly agentIDs: readonly string[];
  /** Every row that was not purged, and whether it is dismissed. */
  readonly rows = new Map<string, boolean>();
  readonly #reports = new Map<string, { readonly agentID: string; readonly text: string }>();

  private constructor(project: TestProject, agentIDs: readonly string[]) {
    this.project = project;
    this.agentIDs = agentIDs;
  }

  static async start(): Promise<ChangingProject> {
    const project = await test.createProject();
    const agents = [await test.registerAgent(project), await test.registerAgent(project)];
    return new ChangingProject(
      project,
      agents.map(({ id }) => id),
    );
  }

  async apply(one: Write): Promise<void> {
    switch (one.kind) {
      case 'insert':
        return this.insert(one.count);
      case 'dismiss':
        return this.dismiss(one.picks);
      case 'repeat':
        return this.#repeat(one.picks);
      case 'reopen':
        return this.#reopen(one.picks);
      case 'purge':
        await this.dismiss(one.picks);
        return this.#purge();
    }
  }

  /** Inserts new errors of both agents in turn, each with a different text. */
  async insert(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const text = `error ${this.#reports.size}`;
      const agentID = this.agentIDs[this.#reports.size % 2] ?? '';
      const { body } = await errors.report(this.project, agentID, text);
      this.rows.set(body.id, false);
      this.#reports.set(body.id, { agentID, text });
    }
  }

  async dismiss(picked: readonly number[]): Promise<void> {
    for (const id of this.#pick(picked, false)) {
      expect((await errors.dismiss(id)).status).toBe(200);
      this.rows.set(id, true);
    }
  }

  /** At a later time, so that the orders by lastSeenAt and by createdAt differ. */
  async #repeat(picked: readonly number[]): Promise<void> {
    test.clock.advance(1_000);
    for (const id of this.#pick(picked, false)) {
      const { agentID, text } = this.#reports.get(id) ?? { agentID: '', text: '' };
      expect((await errors.report(this.project, agentID, text)).body.id).toBe(id);
    }
  }

  async #reopen(picked: readonly number[]): Promise<void> {
    for (const id of this.#pick(picked, true)) {
      expect((await errors.reopen(id)).status).toBe(200);
      this.rows.set(id, false);
    }
  }

  /** Makes all dismissed errors due, and waits until the service has removed them. */
  async #purge(): Promise<void> {
    test.clock.advance(2 * dayMilliseconds);
    const doomed = await test.createProject();
    await test.request('DELETE', `/v1/projects/${doomed.id}`, { as: { access: test.admin } });
    await eventually(async () =>
      expect((await errors.listOfProject(this.project.id, '?dismissed=true&last=1')).body).toEqual([]),
    );
    for (const [id, isDismissed] of this.rows) {
      if (isDismissed) this.rows.delete(id);
    }
  }

  #pick(picked: readonly number[], isDismissed: boolean): Set<string> {
    const ids = [...this.rows.keys()].filter((id) => this.rows.get(id) === isDismissed);
    return new Set(
      picked.map((index) => ids[index % Math.max(1, ids.length)]).filter((id) => id !== undefined),
    );
  }
}

/**
 * Pages through a list while it changes. Returns the seen rows, and the ids of the rows that were in the list from its start to its end.
 */
async function walkWhileChanging(
  changing: ChangingProject,
  url: string,
  writes: readonly (readonly Write[])[],
  belongs: (id: string) => boolean,
): Promise<{ seen: AgentError[]; constant: string[] }> {
  const constant = new Set([...changing.rows.keys()].filter(belongs));
  const seen: AgentError[] = [];
  for (let page = 0, next: string | undefined = url; next !== undefined; page += 1) {
    const answer = await test.request<AgentError[]>('GET', next, { as: { access: test.admin } });
    expect(answer.status).toBe(200);
    expect(page, 'a walk ends').toBeLessThan(500);
    seen.push(...answer.body);
    next = nextPage(answer);
    for (const one of writes[page] ?? []) {
      await changing.apply(one);
      for (const id of constant) {
        if (!belongs(id)) constant.delete(id);
      }
    }
  }
  return { seen, constant: [...constant] };
}

function checkWalks(
  chooseList: (changing: ChangingProject) => { path: string; isOf: (agentID: string) => boolean },
) {
  return fc.assert(
    fc.asyncProperty(walk, async ({ count, dismissedBefore, last, filter, writes }) => {
      const changing = await ChangingProject.start();
      await changing.insert(count);
      await changing.dismiss(dismissedBefore);
      const { path, isOf } = chooseList(changing);
      const agentOf = new Map(
        (await errors.listOfProject(changing.project.id, '?last=1000')).body.map(({ id, agentID }) => [
          id,
          agentID,
        ]),
      );
      const belongs = (id: string) => {
        const isDismissed = changing.rows.get(id);
        if (isDismissed === undefined || !isOf(agentOf.get(id) ?? '')) return false;
        return filter === '' || filter === `&dismissed=${isDismissed}`;
      };
      const atStart = new Set(changing.rows.keys());
      const { seen, constant } = await walkWhileChanging(
        changing,
        `${path}?last=${last}${filter}`,
        writes,
        belongs,
      );
      const ids = seen.map(({ id }) => id);
      expect(ids, 'newest first, none twice').toEqual([...new Set(ids)].sort().reverse());
      expect(
        ids.filter((id) => !atStart.has(id)),
        'what came later is newer than the first page',
      ).toEqual([]);
      expect(
        constant.filter((id) => !ids.includes(id)),
        'none skipped',
      ).toEqual([]);
    }),
    { numRuns: runs },
  );
}

describe('paging while rows are added, dismissed, reopened and purged', () => {
  it('through GET /v1/agents/{agentID}/errors never skips or repeats a row that existed at the start', async () => {
    await checkWalks(({ agentIDs }) => ({
      path: `/v1/agents/${agentIDs[0]}/errors`,
      isOf: (agentID) => agentID === agentIDs[0],
    }));
  });

  it('through GET /v1/projects/{projectID}/agent_errors never skips or repeats a row that existed at the start', async () => {
    await checkWalks(({ project }) => ({
      path: `/v1/projects/${project.id}/agent_errors`,
      isOf: () => true,
    }));
  });
});
