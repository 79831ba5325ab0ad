import { randomUUID } from 'node:crypto';
import type { AgentError } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors, nextPage } from '../testing/calls/agent-error-calls.ts';
import { problemBody } from '../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';
import { groupIDOf } from './groups/identity/error-group.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

/** A project with an agent that reported these texts, in this order. */
async function start(texts: readonly string[] = []): Promise<{ project: TestProject; agentID: string }> {
  const project = await test.createProject();
  const { id: agentID } = await test.registerAgent(project);
  for (const text of texts) await errors.report(project, agentID, text);
  return { project, agentID };
}

async function registerInFleet(project: TestProject, fleetID: string): Promise<string> {
  const { body } = await test.request<{ id: string }>('POST', '/v1/agents', {
    as: { project: project.token },
    body: { name: 'edge', machineID: randomUUID(), fleetID },
  });
  return body.id;
}

const textsOf = ({ body }: Answer<AgentError[]>) => body.map(({ error }) => error);
const timestamp = (milliseconds: number) => new Date(milliseconds).toISOString();

describe('GET /v1/projects/{projectID}/agent_errors', () => {
  describe('200', () => {
    it("returns only errors of the project's agents, newest first", async () => {
      const { project, agentID } = await start(['one']);
      const other = await test.registerAgent(project);
      const foreign = await start(['foreign']);
      await errors.report(project, other.id, 'two');
      await errors.report(project, agentID, 'three');
      const answer = await errors.listOfProject(project.id);
      expect(answer.body.map(({ agentID: of, error }) => [of, error])).toEqual([
        [agentID, 'three'],
        [other.id, 'two'],
        [agentID, 'one'],
      ]);
      expect(textsOf(await errors.listOfProject(foreign.project.id))).toEqual(['foreign']);
    });

    it('returns each error as in the list of its agent', async () => {
      const { project, agentID } = await start(['x', 'y']);
      const [newest] = (await errors.listOfProject(project.id)).body;
      await errors.dismiss(newest?.id ?? '', 'known');
      expect((await errors.listOfProject(project.id)).body).toEqual((await errors.listOfAgent(agentID)).body);
    });

    it('returns no errors of deleted agents', async () => {
      const { project, agentID } = await start(['x']);
      await errors.deleteAgent(agentID);
      expect((await errors.listOfProject(project.id)).body).toEqual([]);
    });

    it('accepts a project token with read:agent_error', async () => {
      const { project } = await start(['x']);
      const { token } = await test.createToken(project.id, ['read:agent_error']);
      const answer = await test.request<AgentError[]>('GET', `/v1/projects/${project.id}/agent_errors`, {
        as: { project: token },
      });
      expect(textsOf(answer)).toEqual(['x']);
    });
  });

  describe('?dismissed', () => {
    it('returns only dismissed errors, only open ones, or both', async () => {
      const { project } = await start(['a', 'b', 'c']);
      const all = (await errors.listOfProject(project.id)).body;
      await errors.dismiss(all[1]?.id ?? '');
      expect(textsOf(await errors.listOfProject(project.id, '?dismissed=true'))).toEqual(['b']);
      expect(textsOf(await errors.listOfProject(project.id, '?dismissed=false'))).toEqual(['c', 'a']);
      expect(textsOf(await errors.listOfProject(project.id))).toEqual(['c', 'b', 'a']);
    });
  });

  describe('?q', () => {
    const texts = [
      'Disk 90% full',
      'disk_usage is high',
      'a * star',
      'it\'s "quoted" \\ back',
      'Größe ÜBER',
      'what? why?',
      'line\nbreak\ttab',
      '[brackets] {braces}',
      '😀 smile',
      'caf\u00e9',
      'cafe\u0301',
      'ends with space ',
    ];
    it.each([
      ['DISK', ['disk_usage is high', 'Disk 90% full']],
      ['%', ['Disk 90% full']],
      ['_', ['disk_usage is high']],
      ['*', ['a * star']],
      ['90%', ['Disk 90% full']],
      ['d%k', []],
      ['d_sk', []],
      ['d*k', []],
      ["'", ['it\'s "quoted" \\ back']],
      ['"QUOTED"', ['it\'s "quoted" \\ back']],
      ['\\', ['it\'s "quoted" \\ back']],
      ["' or 1=1 --", []],
      ['größe', ['Größe ÜBER']],
      ['GRÖßE', []],
      ['GRöSSE', []],
      ['über', []],
      ['Über', ['Größe ÜBER']],
      ['?', ['what? why?']],
      ['[b', ['[brackets] {braces}']],
      ['\n', ['line\nbreak\ttab']],
      ['😀', ['😀 smile']],
      ['caf\u00e9', ['caf\u00e9']],
      ['CAFE', ['cafe\u0301']],
      ['space ', ['ends with space ']],
      ['  ', []],
    ])('finds %j as a part of the text, ignoring the case of ASCII letters', async (part, found) => {
      const project = await projectWithTexts();
      const answer = await errors.listOfProject(project.id, `?q=${encodeURIComponent(part)}`);
      expect(textsOf(answer)).toEqual(found);
    });

    let filled: Promise<TestProject> | undefined;
    function projectWithTexts(): Promise<TestProject> {
      filled ??= start(texts).then(({ project }) => project);
      return filled;
    }
  });

  describe('?agent_id, ?group_id and ?fleet_id', () => {
    it('returns only errors of that agent, with its id in upper or lower case', async () => {
      const { project, agentID } = await start(['mine']);
      const other = await test.registerAgent(project);
      await errors.report(project, other.id, 'other');
      expect(textsOf(await errors.listOfProject(project.id, `?agent_id=${agentID}`))).toEqual(['mine']);
      expect(textsOf(await errors.listOfProject(project.id, `?agent_id=${agentID.toUpperCase()}`))).toEqual([
        'mine',
      ]);
    });

    it('returns nothing for an agent of another project, or for a missing one', async () => {
      const { project } = await start(['mine']);
      const foreign = await start(['foreign']);
      expect((await errors.listOfProject(project.id, `?agent_id=${foreign.agentID}`)).body).toEqual([]);
      expect((await errors.listOfProject(project.id, `?agent_id=${randomUUID()}`)).body).toEqual([]);
    });

    it('returns only errors of that group, with its id in upper or lower case', async () => {
      const { project } = await start(['attempt 1 failed', 'attempt 2 failed', 'other']);
      const foreign = await start(['attempt 3 failed']);
      const [{ groupID } = { groupID: null }] = (await errors.listOfProject(project.id, '?q=attempt')).body;
      const ofGroup = async (projectID: string, id = groupID ?? '') =>
        textsOf(await errors.listOfProject(projectID, `?group_id=${id}`));
      expect(await ofGroup(project.id)).toEqual(['attempt 2 failed', 'attempt 1 failed']);
      expect(await ofGroup(project.id, groupID?.toUpperCase())).toHaveLength(2);
      expect(await ofGroup(foreign.project.id)).toEqual([]);
      expect(await ofGroup(project.id, randomUUID())).toEqual([]);
    });

    it('returns only errors of agents that currently report this fleet', async () => {
      const { project } = await start(['none']);
      const [edge, core] = [await registerInFleet(project, 'edge'), await registerInFleet(project, 'Edge')];
      await errors.report(project, edge, 'of edge');
      await errors.report(project, core, 'of Edge');
      expect(textsOf(await errors.listOfProject(project.id, '?fleet_id=edge'))).toEqual(['of edge']);
      await test.request('PATCH', `/v1/agents/${core}`, {
        as: { access: test.admin },
        body: { fleetID: 'edge' },
      });
      expect(textsOf(await errors.listOfProject(project.id, '?fleet_id=edge'))).toEqual([
        'of Edge',
        'of edge',
      ]);
      expect((await errors.listOfProject(project.id, '?fleet_id=Edge')).body).toEqual([]);
    });

    it('does not include a fleet with the same name in another project', async () => {
      const [one, other] = [await test.createProject(), await test.createProject()];
      await errors.report(one, await registerInFleet(one, 'edge'), 'one');
      await errors.report(other, await registerInFleet(other, 'edge'), 'other');
      expect(textsOf(await errors.listOfProject(one.id, '?fleet_id=edge'))).toEqual(['one']);
    });
  });

  describe('?since and ?until', () => {
    it('includes since and excludes until, to the millisecond and in any zone', async () => {
      const { project, agentID } = await start();
      const first = test.clock.now();
      for (const text of ['at 0', 'at 1', 'at 2']) {
        await errors.report(project, agentID, text);
        test.clock.advance(1);
      }
      const between = async (query: string) => textsOf(await errors.listOfProject(project.id, `?${query}`));
      const at = (offset: number) => encodeURIComponent(timestamp(first + offset));
      expect(await between(`since=${at(0)}`)).toEqual(['at 2', 'at 1', 'at 0']);
      expect(await between(`since=${at(1)}`)).toEqual(['at 2', 'at 1']);
      expect(await between(`since=${at(3)}`)).toEqual([]);
      expect(await between(`until=${at(0)}`)).toEqual([]);
      expect(await between(`until=${at(2)}`)).toEqual(['at 1', 'at 0']);
      expect(await between(`since=${at(1)}&until=${at(2)}`)).toEqual(['at 1']);
      expect(await between(`since=${at(1)}&until=${at(1)}`)).toEqual([]);
      expect(await between(`since=${at(2)}&until=${at(1)}`)).toEqual([]);
      const inTokyo = timestamp(first + 1 + 9 * 3_600_000).replace('Z', '+09:00');
      expect(await between(`since=${encodeURIComponent(inTokyo)}`)).toEqual(['at 2', 'at 1']);
    });

    it('accepts times far in the past and future', async () => {
      const { project } = await start(['x']);
      const both = '?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59.999Z';
      expect(textsOf(await errors.listOfProject(project.id, both))).toEqual(['x']);
      expect((await errors.listOfProject(project.id, '?since=9999-12-31T23:59:59Z')).body).toEqual([]);
    });
  });

  it('applies all filters together, in every combination', async () => {
    const project = await test.createProject();
    const begin = test.clock.now();
    const agents = [await registerInFleet(project, 'a'), await registerInFleet(project, 'b')];
    for (const agentID of agents) {
      for (const text of ['red apple', 'red brick', 'green apple']) {
        const { body } = await errors.report(project, agentID, text);
        if (text.startsWith('red')) await errors.dismiss(body.id);
        test.clock.advance(1_000);
      }
    }
    const all = (await errors.listOfProject(project.id)).body;
    const middle = begin + 2_000;
    const filters: readonly { readonly query: string; readonly keeps: (error: AgentError) => boolean }[] = [
      { query: 'dismissed=true', keeps: ({ dismissedAt }) => dismissedAt !== null },
      { query: 'q=apple', keeps: ({ error }) => error.includes('apple') },
      { query: `agent_id=${agents[1]}`, keeps: ({ agentID }) => agentID === agents[1] },
      {
        query: `group_id=${groupIDOf(project.id, 'red apple')}`,
        keeps: ({ error }) => error === 'red apple',
      },
      { query: 'fleet_id=b', keeps: ({ agentID }) => agentID === agents[1] },
      { query: `since=${timestamp(middle)}`, keeps: ({ createdAt }) => createdAt >= timestamp(middle) },
      {
        query: `until=${timestamp(begin + 5_000)}`,
        keeps: ({ createdAt }) => createdAt < timestamp(begin + 5_000),
      },
    ];
    for (let subset = 0; subset < 2 ** filters.length; subset += 1) {
      const chosen = filters.filter((_, index) => subset & (2 ** index));
      const query = chosen.map((filter) => filter.query).join('&');
      const expected = all.filter((error) => chosen.every(({ keeps }) => keeps(error)));
      expect((await errors.listOfProject(project.id, `?${query}`)).body, query).toEqual(expected);
    }
  });

  describe('?last and ?before', () => {
    it('pages through a filtered list, and keeps every filter in the Link', async () => {
      const { project, agentID } = await start(['what?&=+ 1', 'no', 'what?&=+ 2', 'what?&=+ 3']);
      const filters = `q=${encodeURIComponent('t?&=+ ')}&agent_id=${agentID}&dismissed=false&since=2026-01-01T00:00:00%2B01:00`;
      const url = `/v1/projects/${project.id}/agent_errors?${filters}&last=1`;
      const pages = await errors.walk(url);
      expect(pages.map((page) => page.map(({ error }) => error))).toEqual([
        ['what?&=+ 3'],
        ['what?&=+ 2'],
        ['what?&=+ 1'],
      ]);
    });

    it('keeps filters that contain an unencoded question mark', async () => {
      const { project } = await start(['a? 1', 'ab 2', 'a? 3']);
      const answer = await errors.listOfProject(project.id, '?q=a?&last=1');
      expect(textsOf(answer)).toEqual(['a? 3']);
      const next = nextPage(answer) ?? '';
      const parameters = new URL(next, 'http://localhost').searchParams;
      expect([parameters.get('q'), parameters.get('last')]).toEqual(['a?', '1']);
      expect((await errors.walk(next)).flat().map(({ error }) => error)).toEqual(['a? 1']);
    });

    it("400 for a cursor of another project, and for one of an agent's list", async () => {
      const { project, agentID } = await start(['1', '2']);
      const other = await start(['1', '2']);
      const cursorOf = (answer: Answer) => new URLSearchParams(nextPage(answer)?.split('?')[1]).get('before');
      for (const cursor of [
        cursorOf(await errors.listOfProject(other.project.id, '?last=1')),
        cursorOf(await errors.listOfAgent(agentID, '?last=1')),
      ]) {
        expect(cursor).not.toBeNull();
        expect(await errors.listOfProject(project.id, `?before=${cursor}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_cursor' },
        });
      }
    });
  });

  describe('400', () => {
    const time = 'must be an ISO 8601 time with its zone, such as 2026-01-31T00:00:00Z';
    it.each([
      ['since=2026-03-02', 'since', time],
      ['since=2026-03-02T10:20:30', 'since', time],
      ['since=1772446830456', 'since', time],
      ['until=2026-13-02T10:20:30Z', 'until', time],
      ['until=2026-03-02T25:20:30Z', 'until', time],
      ['since=2026-03-02T10:20:30+01:00', 'since', time], // a plus sign in a query is a space
      ['q=', 'q', 'has 0 characters, but must have 1 to 256'],
      [`q=${'q'.repeat(257)}`, 'q', 'has 257 characters, but must have 1 to 256'],
      ['q=%00', 'q', 'contains NUL or half a character; remove it'],
      ['agent_id=web-01', 'agent_id', 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000'],
      ['fleet_id=', 'fleet_id', 'has 0 characters, but must have 1 to 128'],
      ['dismissed=yes', 'dismissed', "is 'yes', but must be true or false"],
      ['last=1001', 'last', "is '1001', but must be a whole number, 0 to 1000"],
    ])('for %s', async (query, name, message) => {
      const { project } = await start();
      expect((await errors.listOfProject(project.id, `?${query}`)).body).toEqual(
        problemBody('invalid_query_parameter', `The query parameter '${name}' ${message}.`, [
          { path: name, message },
        ]),
      );
    });

    it('for an unknown parameter, suggesting the nearest known one', async () => {
      const { project } = await start();
      expect((await errors.listOfProject(project.id, '?agentid=x')).body).toEqual(
        problemBody(
          'unknown_query_parameter',
          "There is no query parameter 'agentid'. Did you mean 'agent_id'?",
          [{ path: 'agentid', message: 'is unknown' }],
        ),
      );
    });
  });

  it('403 for a token without read:agent_error, and for an agent token', async () => {
    const { project } = await start();
    const agent = await test.registerAgent(project);
    const path = `/v1/projects/${project.id}/agent_errors`;
    expect(await test.request('GET', path, { as: { project: project.token } })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    expect((await test.request('GET', path, { as: { agent: agent.token } })).body).toEqual(
      problemBody(
        'credential_kind_not_accepted',
        'This route takes Authorization: Bearer or X-Project-Token.',
      ),
    );
  });

  it('404 with the same answer for a missing, another, and a deleted project', async () => {
    const { project } = await start();
    const foreign = await start(['x']);
    const deleted = await start(['x']);
    await test.request('DELETE', `/v1/projects/${deleted.project.id}`, { as: { access: test.admin } });
    const { token } = await test.createToken(project.id, ['*']);
    const notFound = (id: string) =>
      problemBody('not_found', `There is no project ${id} that this credential can see.`);
    for (const id of [randomUUID(), foreign.project.id, deleted.project.id]) {
      const answer = await test.request('GET', `/v1/projects/${id}/agent_errors`, { as: { project: token } });
      expect(answer.body).toEqual(notFound(id));
    }
    expect((await errors.listOfProject(deleted.project.id)).body).toEqual(notFound(deleted.project.id));
  });
});
