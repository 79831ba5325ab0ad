import type { ProjectHistory } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  app = await startTestApp();
  errors = callAgentErrors(app);
});

afterAll(() => app.close());

const hour = 3_600_000;
const timestamp = (milliseconds: number) => new Date(milliseconds).toISOString();

/** The middle of an hour. */
function startInHour(): number {
  app.clock.advance(hour - (app.clock.now() % hour) + hour / 2);
  return app.clock.now() - hour / 2;
}

function read(project: TestProject, query = '') {
  return app.request<ProjectHistory>('GET', `/v1/projects/${project.id}/history${query}`, {
    as: { access: app.admin },
  });
}

describe('GET /v1/projects/{projectID}/history', () => {
  it('counts new errors, new groups and changed configurations in each bucket', async () => {
    const startsAt = startInHour();
    const project = await app.createProject();
    const one = await app.registerAgent(project, 'web-1', 'first');
    const two = await app.registerAgent(project, 'web-2', 'first');
    await errors.report(project, one.id, 'no route to 10.0.0.1');
    await errors.report(project, one.id, 'no route to 10.0.0.1');
    await errors.report(project, two.id, 'no route to 10.0.0.2');
    const changedAt = [];
    for (const { id } of [two, one]) {
      app.clock.advance(hour);
      await errors.configure(id, 'second');
      changedAt.push(timestamp(app.clock.now()));
    }
    await errors.report(project, one.id, 'disk full');
    await errors.configure(one.id, 'third');
    const thirdConfig = (await getConfigs(one.id))[0]?.id;
    const secondConfig = (await getConfigs(two.id))[0]?.id;
    const bucket = (
      index: number,
      errorsCount: number,
      newGroupsCount: number,
      configChangesCount: number,
    ) => ({
      startsAt: timestamp(startsAt + index * hour),
      ...{ errorsCount, newGroupsCount, configChangesCount },
    });
    const since = timestamp(startsAt);
    const { status, body } = await read(project, `?since=${since}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      bucket: 'hour',
      buckets: [bucket(0, 2, 1, 0), bucket(1, 0, 0, 1), bucket(2, 1, 1, 2)],
      configurations: [
        {
          configID: secondConfig,
          agentID: two.id,
          agentName: 'web-01',
          agentsCount: 2,
          firstChangedAt: changedAt[0],
          lastChangedAt: changedAt[1],
        },
        {
          configID: thirdConfig,
          agentID: one.id,
          agentName: 'web-01',
          agentsCount: 1,
          firstChangedAt: changedAt[1],
          lastChangedAt: changedAt[1],
        },
      ],
      configurationsCount: 2,
    });
    const first = await read(project, `?since=${since}&until=${timestamp(startsAt + hour)}`);
    expect(first.body).toEqual({
      bucket: 'hour',
      buckets: [bucket(0, 2, 1, 0)],
      configurations: [],
      configurationsCount: 0,
    });
  });

  it('has a day of hours if nothing else is asked for, and nothing of other projects', async () => {
    const busy = await app.createProject();
    const agent = await app.registerAgent(busy, 'web-1', 'first');
    await errors.report(busy, agent.id, 'disk full');
    await errors.configure(agent.id, 'second');
    const { body } = await read(await app.createProject());
    expect(body.buckets).toHaveLength(25);
    expect(body.buckets.at(-1)).toEqual({
      startsAt: timestamp(app.clock.now() - (app.clock.now() % hour)),
      ...{ errorsCount: 0, newGroupsCount: 0, configChangesCount: 0 },
    });
    expect(body.configurationsCount).toBe(0);
  });

  it('takes configurations with other secrets as the same', async () => {
    const project = await app.createProject();
    for (const name of ['a', 'b', 'c']) {
      const { id } = await app.registerAgent(project, name, 'first');
      await errors.configure(id, `[OUTPUT]\n  http_passwd ${name}${name}${name}-secret\n`);
    }
    const { body } = await read(project);
    expect(body.configurations).toMatchObject([{ agentID: expect.any(String), agentsCount: 3 }]);
  });

  it('answers in many buckets as in few', async () => {
    const startsAt = startInHour();
    const project = await app.createProject();
    const agent = await app.registerAgent(project, 'web-1', 'first');
    for (let index = 0; index < 5; index += 1) {
      await errors.report(project, agent.id, `broken ${'abcde'[index]}`);
      app.clock.advance(7 * 60_000);
    }
    await callErrorGroups(app).list(project.id);
    const range = `since=${timestamp(startsAt)}&until=${timestamp(startsAt + 3 * hour)}`;
    const byMinute = (await read(project, `?bucket=minute&${range}`)).body;
    expect(byMinute.buckets).toHaveLength(180);
    const sum = byMinute.buckets.reduce((all, { errorsCount }) => all + errorsCount, 0);
    const places = byMinute.buckets.flatMap(({ errorsCount }, index) => (errorsCount > 0 ? [index] : []));
    expect([sum, places]).toEqual([5, [30, 37, 44, 51, 58]]);
  });

  it('refuses too many buckets, and a project that the caller cannot see', async () => {
    const project = await app.createProject();
    expect(await read(project, '?bucket=minute&since=2020-01-01T00:00:00Z')).toMatchObject({
      status: 400,
      body: { code: 'invalid_query_parameter', fields: [{ path: 'since' }] },
    });
    const other = await app.createToken((await app.createProject()).id, ['*']);
    const answer = await app.request('GET', `/v1/projects/${project.id}/history`, {
      as: { project: other.token },
    });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

async function getConfigs(agentID: string): Promise<{ id: string }[]> {
  const { body } = await app.request<{ id: string }[]>('GET', `/v1/agents/${agentID}/config_history`, {
    as: { access: app.admin },
  });
  return body;
}
