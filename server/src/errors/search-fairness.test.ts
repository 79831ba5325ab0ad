import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callAgentErrors } from '../testing/calls/agent-error-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

const errorCount = 3_000;
const batchSize = 1_000;

describe('fifty concurrent searches with one token', () => {
  let test: TestApp;
  let busy: TestProject;
  let other: TestProject;

  beforeAll(async () => {
    test = await startTestApp({
      config: { maxOpenErrorsPerAgent: 0, newErrorsPerProjectPerSecond: 0 },
      logLevel: 'info',
    });
    [busy, other] = [await fill('busy'), await fill('other')];
  });

  afterAll(() => test.close());

  /** A project with many errors, and a token that may read them. */
  async function fill(name: string): Promise<TestProject> {
    const project = await test.createProject(name);
    const { id } = await test.registerAgent(project);
    for (let first = 0; first < errorCount; first += batchSize) {
      const reports = Array.from({ length: batchSize }, (_, index) => ({ error: `error ${first + index}` }));
      const { status } = await callAgentErrors(test).reportAll(project, id, reports);
      expect(status).toBeLessThan(300);
    }
    return { id: project.id, token: (await test.createToken(project.id, ['read:*'])).token };
  }

  const search = ({ id, token }: TestProject, text: string) =>
    test.request<{ error: string }[]>('GET', `/v1/projects/${id}/agent_errors?q=${text}`, {
      as: { project: token },
    });

  it('do not delay searches of another project, or quick reads', async () => {
    const list = () =>
      test.request('GET', `/v1/projects/${busy.id}/agent_errors`, { as: { project: busy.token } });
    // No request has to wait for a connection to PostgreSQL that is not open yet.
    await Promise.all([search(busy, 'absent'), search(busy, 'absent'), search(other, 'absent'), list()]);
    // No wait becomes too long, however slow the machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let settled = 0;
    const crowd = Array.from({ length: 50 }, () => search(busy, 'absent').finally(() => settled++));
    const [found, listed] = await Promise.all([search(other, 'absent'), list()]);
    expect(found).toMatchObject({ status: 200, body: [] });
    expect(listed.status).toBe(200);
    expect(settled).toBeLessThan(50);
    const statuses = (await Promise.all(crowd)).map(({ status }) => status);
    vi.useRealTimers();
    // Two run, and twenty wait. On PostgreSQL, they come to their turn as its connections answer.
    expect(statuses.toSorted()).toEqual([...Array(22).fill(200), ...Array(28).fill(503)]);
  });

  it('find the same page by page as one search of all rows', async () => {
    const url = `/v1/projects/${busy.id}/agent_errors?q=ror%2029&last=40`;
    const found = (await callAgentErrors(test).walk(url)).flat();
    const expected = Array.from({ length: errorCount }, (_, index) => `error ${index}`)
      .filter((text) => text.includes('ror 29'))
      .reverse();
    expect(found.map(({ error }) => error)).toEqual(expected);
  });
});
