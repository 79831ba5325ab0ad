import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { callAgentErrors, nextPage } from '../../testing/calls/agent-error-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
});

afterAll(() => app.close());

async function register(project: TestProject, name: string): Promise<string> {
  return (await agents.register(project, { name, machineID: name, rawConfig: 'first' })).body.id;
}

async function namesOf(project: TestProject, query: string): Promise<string[]> {
  const { status, body, text } = await agents.list(project.id, query);
  expect(status, text).toBe(200);
  return body.map(({ name }) => name);
}

/** One agent for each state of its errors. */
async function projectWithEveryStatus(): Promise<TestProject> {
  const project = await app.createProject();
  const [sick, , dismissed, configured, reopened, deleted] = [
    await register(project, 'sick'),
    await register(project, 'well'),
    await register(project, 'dismissed'),
    await register(project, 'configured'),
    await register(project, 'reopened'),
    await register(project, 'deleted'),
  ];
  for (const id of [sick, sick, configured, deleted]) await errors.report(project, id, 'a');
  await errors.report(project, sick, 'b');
  for (const id of [dismissed, reopened]) {
    const { body } = await errors.report(project, id, 'a');
    await errors.dismiss(body.id);
    if (id === reopened) await errors.reopen(body.id);
  }
  await errors.configure(configured, 'second');
  await errors.deleteAgent(deleted);
  const theirs = await app.createProject();
  await errors.report(theirs, await register(theirs, 'theirs'), 'a');
  return project;
}

async function expectEveryStatus(project: TestProject, others: readonly string[] = []): Promise<void> {
  expect(await namesOf(project, '?status=unhealthy')).toEqual([...others, 'reopened', 'sick']);
  expect(await namesOf(project, '?status=healthy')).toEqual(['configured', 'dismissed', 'well']);
  expect(await namesOf(project, '?status=unhealthy&name=*e*')).toEqual(
    [...others, 'reopened'].filter((name) => name.includes('e')),
  );
  const all = (await agents.list(project.id)).body;
  const unhealthy = all.filter(({ status }) => status === 'unhealthy').map(({ name }) => name);
  expect(unhealthy).toEqual([...others, 'reopened', 'sick']);
}

describe('GET /v1/projects/{projectID}/agents?status=', () => {
  it("uses the open errors of the agent's current configuration", async () => {
    await expectEveryStatus(await projectWithEveryStatus());
  });

  it('is the same in a project with many open errors', async () => {
    const project = await projectWithEveryStatus();
    const noisy = await register(project, 'noisy');
    const texts = Array.from({ length: 1_000 }, (_, index) => ({ error: `error ${index}` }));
    expect((await errors.reportAll(project, noisy, texts)).status).toBe(201);
    await expectEveryStatus(project, ['noisy']);
  });

  it('changes with the next request after an error is reported or dismissed, or the configuration changes', async () => {
    const project = await app.createProject();
    const id = await register(project, 'a');
    const unhealthy = () => namesOf(project, '?status=unhealthy');
    expect(await unhealthy()).toEqual([]);
    const { body } = await errors.report(project, id, 'a');
    expect(await unhealthy()).toEqual(['a']);
    await errors.dismiss(body.id);
    expect(await unhealthy()).toEqual([]);
    await errors.report(project, id, 'a');
    expect(await unhealthy()).toEqual(['a']);
    await errors.configure(id, 'second');
    expect(await unhealthy()).toEqual([]);
  });

  it('can be paged through', async () => {
    const project = await app.createProject();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const id = await register(project, name);
      if (name !== 'c') await errors.report(project, id, 'a');
    }
    const path = `/v1/projects/${project.id}/agents`;
    const seen: string[][] = [];
    let next: string | undefined = `${path}?status=unhealthy&last=2`;
    while (next !== undefined) {
      const page = await agents.list(project.id, next.slice(path.length));
      seen.push(page.body.map(({ name }) => name));
      next = nextPage(page);
    }
    expect(seen).toEqual([['f', 'e'], ['d', 'b'], ['a']]);
  });
});

describe('GET /v1/projects/{projectID}/agents?open_errors=', () => {
  it('parts agents by whether they have an open error of the configuration that they run', async () => {
    const project = await projectWithEveryStatus();
    const crashed = await register(project, 'crashed');
    await app.request('POST', `/v1/agents/${crashed}/heartbeat`, {
      as: { access: app.admin },
      body: { status: 'stopped', exitCode: 3 },
    });
    expect(await namesOf(project, '?open_errors=true')).toEqual(['reopened', 'sick']);
    const without = ['crashed', 'configured', 'dismissed', 'well'];
    expect(await namesOf(project, '?open_errors=false')).toEqual(without);
    expect(await namesOf(project, '?status=unhealthy&open_errors=false')).toEqual(['crashed']);
    expect(await namesOf(project, '?status=unhealthy&open_errors=true')).toEqual(['reopened', 'sick']);
  });
});

describe('the open error of an agent', () => {
  it('is the oldest of the configuration that it runs', async () => {
    const project = await app.createProject();
    const id = await register(project, 'a');
    expect((await agents.get(id)).openError).toBeNull();
    await errors.report(project, id, 'of an earlier configuration');
    await errors.configure(id, 'second');
    expect((await agents.get(id)).openError).toBeNull();
    app.clock.advance(1_000);
    const createdAt = new Date(app.clock.now()).toISOString();
    const oldest = (await errors.report(project, id, 'a')).body;
    app.clock.advance(1_000);
    await errors.report(project, id, 'b');
    const openError = {
      id: oldest.id,
      error: 'a',
      groupID: expect.any(String),
      createdAt,
      occurrences: 1,
      lastSeenAt: createdAt,
    };
    expect(await agents.get(id)).toMatchObject({ openErrorsCount: 2, openError });
    expect((await agents.list(project.id)).body).toMatchObject([{ openErrorsCount: 2, openError }]);
    await errors.dismiss(oldest.id);
    expect(await agents.get(id)).toMatchObject({ openErrorsCount: 1, openError: { error: 'b' } });
  });

  it('is not shown to a caller that may not read errors', async () => {
    const project = await app.createProject();
    const id = await register(project, 'a');
    await errors.report(project, id, 'a');
    const { token } = await app.createToken(project.id, ['read:agent']);
    for (const path of [`/v1/agents/${id}`, `/v1/projects/${project.id}/agents`]) {
      const { body } = await app.request('GET', path, { as: { project: token } });
      expect([body].flat()).toMatchObject([{ status: 'unhealthy', openErrorsCount: 1, openError: null }]);
    }
  });
});
