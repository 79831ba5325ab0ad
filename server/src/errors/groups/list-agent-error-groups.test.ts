import { randomUUID } from 'node:crypto';
import type { AgentErrorGroup } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { siteBatchCalls } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { groupIDOf } from './identity/error-group.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  groups = callErrorGroups(test);
});

afterAll(() => test.close());

const now = () => new Date(test.clock.now()).toISOString();

async function addAgent(project: TestProject, fleetID?: string): Promise<string> {
  const { body } = await test.request<{ id: string }>('POST', '/v1/agents', {
    as: { project: project.token },
    body: { name: 'edge', machineID: randomUUID(), rawConfig: '[INPUT]', fleetID },
  });
  return body.id;
}

async function report(project: TestProject, agentID: string, text: string): Promise<string> {
  test.clock.advance(1_000);
  return (await errors.report(project, agentID, text)).body.id;
}

const examples = (list: readonly AgentErrorGroup[]) => list.map(({ example }) => example);
const counts = (list: readonly AgentErrorGroup[]) =>
  list.map(({ example, agentsCount, errorsCount }) => [example, agentsCount, errorsCount]);

describe('GET /v1/projects/{projectID}/agent_error_groups', () => {
  describe('200', () => {
    it('counts equal causes across agents', async () => {
      const project = await test.createProject();
      const [first, second] = [await addAgent(project), await addAgent(project)];
      await addAgent(project);
      const id = await report(project, first, '[error] [output:es:es.0] could not connect to 10.0.0.1:9200');
      const firstSeenAt = now();
      await report(project, second, '[error] [output:es:es.0] could not connect to 10.0.0.2:9200');
      await errors.report(project, second, '[error] [output:es:es.0] could not connect to 10.0.0.2:9200');
      const [error] = (await errors.listOfAgent(first)).body;
      const { status, body } = await groups.list(project.id);
      expect(error).toMatchObject({ id, groupID: body[0]?.id, current: true });
      expect(status).toBe(200);
      expect(body).toEqual([
        {
          id: groupIDOf(project.id, body[0]?.pattern ?? ''),
          pattern: expect.stringContaining('could not connect'),
          example: '[error] [output:es:es.0] could not connect to 10.0.0.1:9200',
          agentsCount: 2,
          agentsShare: 2 / 3,
          errorsCount: 2,
          errorsByState: { current: 2, superseded: 0, dismissed: 0 },
          storedAgentsCount: 2,
          // A repeat is counted within seconds.
          occurrences: 2,
          firstSeenAt,
          lastSeenAt: now(),
          firstConfigID: error?.configID,
          isNew: true,
          dismissedAt: null,
          regressedAt: null,
          mutedUntil: null,
          muteReason: null,
          mutedBy: null,
          muteEndsWithConfiguration: false,
          muteEndsAtAgentsCount: null,
          assignee: null,
          note: null,
          link: null,
          notedBy: null,
          notedAt: null,
          explanation: body[0]?.explanation,
          countedAt: now(),
        },
      ]);
    });

    it('takes the share of the agents that are registered now', async () => {
      const project = await test.createProject();
      await report(project, await addAgent(project), 'disk full');
      const shareNow = async () => (await groups.list(project.id)).body[0]?.agentsShare;
      expect(await shareNow()).toBe(1);
      const idle = await addAgent(project);
      expect(await shareNow()).toBe(1 / 2);
      const { status } = await test.request('DELETE', `/v1/agents/${idle}`, { as: { access: test.admin } });
      expect(status).toBe(204);
      expect(await shareNow()).toBe(1);
    });

    it('explains a known error with the nearest valid name', async () => {
      const project = await test.createProject();
      const agentID = await addAgent(project);
      await report(project, agentID, 'nobody knows this');
      await report(
        project,
        agentID,
        "[config] section 'dumy' tried to instance a plugin name that doesn't exist",
      );
      const { body } = await groups.list(project.id);
      expect(body[0]?.explanation).toEqual({
        id: 'fluent-bit/unknown-plugin',
        title: expect.any(String),
        meaning: expect.any(String),
        causes: expect.arrayContaining(['The name has a typing error.']),
        actions: expect.arrayContaining(['Correct the `name` of the section.']),
        link: expect.stringMatching(/^https:/),
        suggestion: 'dummy',
      });
      expect(body[1]?.explanation).toBeNull();
    });

    it('says for a day that a group is new', async () => {
      const project = await test.createProject();
      await report(project, await addAgent(project), 'disk full');
      test.clock.advance(24 * 3_600_000 - 1);
      expect((await groups.list(project.id)).body).toMatchObject([{ isNew: true }]);
      test.clock.advance(1);
      expect((await groups.list(project.id)).body).toMatchObject([{ isNew: false }]);
    });

    it('is empty for a project without errors, and does not show those of another one', async () => {
      const [project, other] = [await test.createProject(), await test.createProject()];
      await report(other, await addAgent(other), 'disk full');
      expect((await groups.list(project.id)).body).toEqual([]);
    });

    it('keeps hostile texts as they are', async () => {
      const project = await test.createProject();
      const text = 'a\u202eb \u001b[31mred\u0007 "quoted" \u2066x\u2069 😀';
      await report(project, await addAgent(project), text);
      const { body } = await groups.list(project.id);
      expect(examples(body)).toEqual([text]);
    });
  });

  describe('?dismissed&current', () => {
    it('lists groups with such errors, and counts these alone', async () => {
      const project = await test.createProject();
      const [agentID, other] = [await addAgent(project), await addAgent(project)];
      await report(project, agentID, 'no route to 10.0.0.1');
      await report(project, agentID, 'old setting');
      await errors.configure(agentID, '[OUTPUT]');
      await report(project, other, 'no route to 10.0.0.2');
      await errors.dismiss(await report(project, other, 'bad key'));
      const list = async (query: string) => counts((await groups.list(project.id, query)).body);
      const current = [['no route to 10.0.0.1', 1, 1]];
      expect(await list('')).toEqual(current);
      expect(await list('?current=true')).toEqual(current);
      expect(await list('?dismissed=false&current=true')).toEqual(current);
      expect(await list('?current=false')).toEqual([
        ['no route to 10.0.0.1', 1, 1],
        ['old setting', 1, 1],
      ]);
      expect(await list('?dismissed=false')).toEqual([
        ['no route to 10.0.0.1', 2, 2],
        ['old setting', 1, 1],
      ]);
      expect(await list('?dismissed=true')).toEqual([['bad key', 1, 1]]);
    });

    it('shows when a group was wholly dismissed, and when it came back', async () => {
      const project = await test.createProject();
      const agentID = await addAgent(project);
      await errors.dismiss(await report(project, agentID, 'disk full'));
      const dismissedAt = now();
      expect((await groups.list(project.id, '?dismissed=true')).body).toMatchObject([
        { dismissedAt, regressedAt: null },
      ]);
      await report(project, agentID, 'disk full');
      expect((await groups.list(project.id)).body).toMatchObject([{ dismissedAt: null, regressedAt: now() }]);
    });
  });

  describe('?muted', () => {
    it('lists muted groups whatever the state of their errors, or those that are not muted', async () => {
      const project = await test.createProject();
      const agentID = await addAgent(project, 'east');
      await report(project, agentID, 'disk full');
      await errors.dismiss(await report(project, agentID, 'bad key'));
      const [dismissed] = (await groups.list(project.id, '?dismissed=true')).body;
      const until = new Date(test.clock.now() + 60_000).toISOString();
      const as = { access: test.admin };
      const body = { until, reason: 'known' };
      await test.request('POST', `/v1/agent_error_groups/${dismissed?.id}/mute`, { as, body });
      const list = async (query: string) => counts((await groups.list(project.id, query)).body);
      const muted = [['bad key', 1, 1]];
      expect(await list('?muted=true')).toEqual(muted);
      expect(await list('?muted=true&fleet_id=east')).toEqual(muted);
      expect(await list('?muted=true&dismissed=false')).toEqual([]);
      expect(await list('?muted=false')).toEqual([['disk full', 1, 1]]);
      expect(await list('?muted=false&dismissed=true')).toEqual([]);
      test.clock.advance(60_000);
      expect(await list('?muted=true')).toEqual([]);
      expect(await list('?muted=false&dismissed=true')).toEqual(muted);
    });
  });

  describe('?q, ?fleet_id, ?since and ?until', () => {
    let project: TestProject;
    let times: readonly string[];

    beforeAll(async () => {
      project = await test.createProject();
      const [east, west] = [await addAgent(project, 'east'), await addAgent(project, 'west')];
      await addAgent(project, 'west');
      const seen: string[] = [];
      for (const [agentID, text] of [
        [east, 'alpha 1'],
        [west, 'beta 2'],
        [west, 'alpha 3'],
        [west, 'gamma (100%)'],
      ] as const) {
        await report(project, agentID, text);
        seen.push(now());
      }
      times = seen;
    });

    it.each([
      ['?q=ALPHA', ['alpha 1']],
      ['?q=%25', ['gamma (100%)']],
      ['?q=delta', []],
      ['?fleet_id=east', ['alpha 1']],
      ['?fleet_id=west', ['gamma (100%)', 'alpha 1', 'beta 2']],
      ['?fleet_id=west&sort=firstSeen', ['gamma (100%)', 'beta 2', 'alpha 1']],
      ['?fleet_id=west&q=beta', ['beta 2']],
      ['?fleet_id=north', []],
    ])('%s', async (query, expected) => {
      expect(examples((await groups.list(project.id, query)).body)).toEqual(expected);
    });

    it('count agents and errors of the fleet alone', async () => {
      expect((await groups.list(project.id, '?fleet_id=west&q=alpha')).body).toMatchObject([
        { agentsCount: 1, errorsCount: 1, agentsShare: 0.5, errorsByState: { current: 2 } },
      ]);
    });

    it('narrow to what was seen in a time', async () => {
      const list = async (query: string) => examples((await groups.list(project.id, query)).body);
      expect(await list(`?since=${times[2]}`)).toEqual(['gamma (100%)', 'alpha 1']);
      expect(await list(`?until=${times[1]}`)).toEqual(['alpha 1']);
      expect(await list(`?since=${times[1]}&until=${times[3]}`)).toEqual(['alpha 1', 'beta 2']);
    });
  });

  describe('?core_instance_id', () => {
    it('lists and counts errors of agents for which the core instance last spoke', async () => {
      const project = await test.createProject();
      const direct = await addAgent(project, 'west');
      const { body: token } = await test.request<{ id: string }>('GET', '/v1/project_tokens/self', {
        as: { project: project.token },
      });
      const sites = [await test.createCoreInstance(project), await test.createCoreInstance(project)];
      const [site, other, empty] = [...sites, await test.createCoreInstance(project)];
      for (const [index, one] of sites.entries()) {
        const batches = siteBatchCalls(() => ({ app: test, site: one, tokenID: token.id }));
        const first = batches.registration(`a-${index}`, {
          agent: { name: 'a', machineID: `a-${index}`, fleetID: 'west' },
        });
        const second = batches.registration(`b-${index}`);
        test.clock.advance(1_000);
        await batches.send(
          batches.batchOf([
            first.item,
            second.item,
            batches.errors(first.agentID, batches.error('disk full', 500)),
            ...(index === 0 ? [batches.errors(second.agentID, batches.error('bad key'))] : []),
          ]),
        );
      }
      await report(project, direct, 'disk full');
      await report(project, direct, 'no route');
      const list = async (query: string) =>
        (await groups.list(project.id, query)).body.map(
          ({ example, agentsCount, errorsCount, agentsShare }) => [
            example,
            agentsCount,
            errorsCount,
            agentsShare,
          ],
        );
      expect((await list('?sort=agents'))[0]).toEqual(['disk full', 3, 3, 0.6]);
      expect(await list(`?core_instance_id=${site?.id}&sort=firstSeen`)).toEqual([
        ['bad key', 1, 1, 0.5],
        ['disk full', 1, 1, 0.5],
      ]);
      expect(await list(`?core_instance_id=${other?.id.toUpperCase()}&sort=agents`)).toEqual([
        ['disk full', 1, 1, 0.5],
      ]);
      expect(await list(`?core_instance_id=${site?.id}&fleet_id=west`)).toEqual([['disk full', 1, 1, 1]]);
      expect(await list(`?core_instance_id=${empty?.id}`)).toEqual([]);
    });
  });

  describe('?sort', () => {
    let project: TestProject;

    beforeAll(async () => {
      project = await test.createProject();
      const agents = [];
      for (let index = 0; index < 3; index += 1) agents.push(await addAgent(project, 'edge'));
      const [first = '', second = '', third = ''] = agents;
      for (const agentID of [first, second, third]) await report(project, agentID, 'on three');
      for (const agentID of [first, second]) await report(project, agentID, 'on two');
      await report(project, first, 'on one');
      await report(project, second, 'also on two');
      await report(project, third, 'also on two');
      test.clock.advance(1_000);
      // Their repeats are written before they are listed.
      for (let times = 0; times < 5; times += 1) await errors.report(project, first, 'on one');
      await errors.listOfAgent(first);
    });

    const orders = [
      ['lastSeen', ['on one', 'also on two', 'on two', 'on three']],
      ['firstSeen', ['also on two', 'on one', 'on two', 'on three']],
      ['occurrences', ['on one', 'on three']],
      ['agents', ['on three']],
    ] as const;

    it.each(orders)('%s', async (sort, expected) => {
      const { body } = await groups.list(project.id, `?sort=${sort}`);
      expect(examples(body).slice(0, expected.length)).toEqual(expected);
      expect(body).toHaveLength(4);
    });

    it.each(orders.flatMap(([sort]) => [`?sort=${sort}`, `?sort=${sort}&fleet_id=edge`]))(
      'is the same in pages of one: %s',
      async (query) => {
        const whole = (await groups.list(project.id, query)).body;
        const pages = await groups.walk(project.id, `${query}&last=1`);
        expect(pages.map((page) => page.length)).toEqual([1, 1, 1, 1]);
        expect(examples(pages.flat())).toEqual(examples(whole));
      },
    );

    it('firstSeen neither skips nor repeats a group while errors are reported', async () => {
      const { headers } = await groups.list(project.id, '?sort=firstSeen&last=2');
      const next = /<(.+)>/.exec(headers.link ?? '')?.[1] ?? '';
      await report(project, await addAgent(project), 'on three');
      await report(project, await addAgent(project), 'new');
      const { body } = await test.request<AgentErrorGroup[]>('GET', next, { as: { access: test.admin } });
      expect(examples(body)).toEqual(['on two', 'on three']);
    });
  });

  describe('400', () => {
    it.each([
      ['?dismissed=true&current=true', 'current'],
      ['?sort=newest', 'sort'],
      ['?since=yesterday', 'since'],
      ['?until=2026-13-01T00:00:00Z', 'until'],
      ['?last=1001', 'last'],
      ['?q=', 'q'],
      ['?core_instance_id=plant-7', 'core_instance_id'],
      ['?before=abc', 'before'],
      ['?dismissed=1', 'dismissed'],
      ['?muted=1', 'muted'],
    ])('%s', async (query, field) => {
      const project = await test.createProject();
      const { status, body } = await groups.list(project.id, query);
      expect(status).toBe(400);
      expect(body).toMatchObject({ fields: [{ path: field }] });
    });

    it('refuses a cursor of another order', async () => {
      const project = await test.createProject();
      const agentID = await addAgent(project);
      for (const text of ['one', 'two']) await report(project, agentID, text);
      const { headers } = await groups.list(project.id, '?last=1');
      const cursor = /before=([^&>]+)/.exec(headers.link ?? '')?.[1];
      const { status, body } = await groups.list(project.id, `?sort=agents&before=${cursor}`);
      expect([status, body]).toMatchObject([400, { code: 'invalid_cursor' }]);
    });
  });

  it('answers 404 for a project that is unknown or of another credential', async () => {
    const [project, other] = [await test.createProject(), await test.createProject()];
    const { token } = await test.createToken(other.id, ['read:agent_error']);
    const url = `/v1/projects/${project.id}/agent_error_groups`;
    const answer = await test.request('GET', url, { as: { project: token } });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(
      problemBody('not_found', `There is no project ${project.id} that this credential can see.`),
    );
    expect((await groups.list(randomUUID())).status).toBe(404);
  });
});
