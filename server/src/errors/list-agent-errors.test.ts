import { randomUUID } from 'node:crypto';
import { type AgentError, maxErrorLength } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors, nextPage } from '../testing/calls/agent-error-calls.ts';
import { problemBody } from '../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

interface Start {
  readonly project: TestProject;
  readonly agentID: string;
  /** Ids in the order in which the errors were stored. */
  readonly ids: readonly string[];
}

/** An agent with that many errors. */
async function start(count: number): Promise<Start> {
  const project = await test.createProject();
  const { id: agentID } = await test.registerAgent(project);
  const reports = Array.from({ length: count }, (_, index) => ({ error: `error ${index}` }));
  const ids = count === 0 ? [] : (await errors.reportAll(project, agentID, reports)).body.map(({ id }) => id);
  return { project, agentID, ids };
}

const idsOf = ({ body }: Answer<AgentError[]>) => body.map(({ id }) => id);

describe('GET /v1/agents/{agentID}/errors', () => {
  describe('200', () => {
    it('returns an empty array for an agent without errors, and no Link', async () => {
      const { agentID } = await start(0);
      const answer = await errors.listOfAgent(agentID);
      expect(answer.text).toBe('[]');
      expect(answer.headers.link).toBeUndefined();
    });

    it('returns the newest first, also within one millisecond', async () => {
      const { project, agentID, ids } = await start(5);
      test.clock.advance(1);
      const last = await errors.report(project, agentID, 'later');
      expect(idsOf(await errors.listOfAgent(agentID))).toEqual([last.body.id, ...ids.toReversed()]);
    });

    it('has pages of at most 4 MiB, which together are the list', async () => {
      const { project, agentID } = await start(0);
      const ids: string[] = [];
      for (const part of ['a', 'b']) {
        const reports = Array.from({ length: 500 }, (_, index) => ({
          error: `${part}${index} `.padEnd(maxErrorLength, '\u0001'),
        }));
        ids.push(...(await errors.reportAll(project, agentID, reports)).body.map(({ id }) => id));
      }
      const first = await errors.listOfAgent(agentID, '?last=1000');
      expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(4 * 1024 * 1024);
      expect(Buffer.byteLength(first.text)).toBeGreaterThan(3.5 * 1024 * 1024);
      const second = await test.request<AgentError[]>('GET', nextPage(first) ?? '', {
        as: { access: test.admin },
      });
      expect(second.headers.link).toBeUndefined();
      expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed());
    });

    it('shows who dismissed an error, when and why', async () => {
      const { project, agentID, ids } = await start(1);
      const { token, id: tokenID } = await test.createToken(project.id, ['update:agent_error']);
      test.clock.advance(1_500);
      const dismissed = await test.request<{ dismissedAt: string }>(
        'POST',
        `/v1/agent_errors/${ids[0]}/dismiss`,
        {
          as: { project: token },
          body: { reason: 'fixed in 5.1.2' },
        },
      );
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([
        {
          id: ids[0],
          dismissedAt: dismissed.body.dismissedAt,
          dismissReason: 'fixed in 5.1.2',
          dismissedBy: { kind: 'project_token', id: tokenID, name: 'test' },
        },
      ]);
      expect(dismissed.body.dismissedAt).toBe(new Date(test.clock.now()).toISOString());
    });

    it('returns only dismissed errors for true, only open ones for false, and both without the parameter', async () => {
      const { agentID, ids } = await start(4);
      for (const id of [ids[1], ids[2]]) await errors.dismiss(id ?? '');
      expect(idsOf(await errors.listOfAgent(agentID, '?dismissed=true'))).toEqual([ids[2], ids[1]]);
      expect(idsOf(await errors.listOfAgent(agentID, '?dismissed=false'))).toEqual([ids[3], ids[0]]);
      expect(idsOf(await errors.listOfAgent(agentID))).toEqual(ids.toReversed());
    });

    it('returns only errors of the agent', async () => {
      const { project, ids, agentID } = await start(2);
      const other = await test.registerAgent(project);
      await errors.report(project, other.id, 'other');
      expect(idsOf(await errors.listOfAgent(agentID))).toEqual(ids.toReversed());
      expect((await errors.listOfAgent(other.id)).body).toMatchObject([{ error: 'other' }]);
    });

    it('returns the last N, and a Link to earlier ones as long as there are any', async () => {
      const { agentID, ids } = await start(5);
      const first = await errors.listOfAgent(agentID, '?last=2');
      expect(idsOf(first)).toEqual([ids[4], ids[3]]);
      expect(first.headers.link).toMatch(
        new RegExp(`^</v1/agents/${agentID}/errors\\?last=2&before=[\\w-]+>; rel="next"$`),
      );
      const second = await errors.listOfAgent(agentID, `?${nextPage(first)?.split('?')[1]}`);
      expect(idsOf(second)).toEqual([ids[2], ids[1]]);
      const third = await errors.listOfAgent(agentID, `?${nextPage(second)?.split('?')[1]}`);
      expect(idsOf(third)).toEqual([ids[0]]);
      expect(third.headers.link).toBeUndefined();
    });

    it('has no Link if the last page is full', async () => {
      const { agentID } = await start(4);
      const pages = await errors.walk(`/v1/agents/${agentID}/errors?last=2`);
      expect(pages.map((page) => page.length)).toEqual([2, 2]);
    });

    it('keeps the filter in the Link', async () => {
      const { agentID, ids } = await start(6);
      for (const id of ids.slice(0, 3)) await errors.dismiss(id);
      const pages = await errors.walk(`/v1/agents/${agentID}/errors?dismissed=true&last=1`);
      expect(pages.map((page) => page.map(({ id }) => id))).toEqual([[ids[2]], [ids[1]], [ids[0]]]);
    });

    it.each([
      ['absent', ''],
      ['0', '?last=0'],
    ])('returns 100 if last is %s', async (_, query) => {
      const { agentID } = await start(101);
      const answer = await errors.listOfAgent(agentID, query);
      expect(answer.body).toHaveLength(100);
      expect(nextPage(answer)).toBeDefined();
    });

    it('returns up to 1000 per page', async () => {
      const { project, agentID } = await start(1000);
      const { agentID: other } = await start(1);
      await errors.report(project, other, 'x');
      const answer = await errors.listOfAgent(agentID, '?last=1000');
      expect(answer.body).toHaveLength(1000);
      expect(nextPage(answer)).toBeUndefined();
    });

    it('continues after a cursor whose row was removed', async () => {
      const { project, agentID, ids } = await start(3);
      const first = await errors.listOfAgent(agentID, '?last=1');
      await errors.dismiss(ids[2] ?? '');
      await errors.report(project, agentID, 'error 2');
      expect(idsOf(await errors.listOfAgent(agentID, `?${nextPage(first)?.split('?')[1]}`))).toEqual([
        ids[1],
      ]);
    });

    it('accepts a project token with read:agent_error', async () => {
      const { project, agentID, ids } = await start(1);
      const { token } = await test.createToken(project.id, ['read:agent_error']);
      const answer = await test.request<AgentError[]>('GET', `/v1/agents/${agentID}/errors`, {
        as: { project: token },
      });
      expect(idsOf(answer)).toEqual(ids);
    });
  });

  describe('400', () => {
    const exactly = (value: string) => `is '${value}', but must be true or false`;
    const whole = (value: string) => `is '${value}', but must be a whole number, 0 to 1000`;
    it.each([
      ['dismissed=TRUE', 'dismissed', exactly('TRUE')],
      ['dismissed=1', 'dismissed', exactly('1')],
      ['dismissed=', 'dismissed', exactly('')],
      ['dismissed=true%20', 'dismissed', exactly('true ')],
      ['dismissed=true&dismissed=false', 'dismissed', 'is given more than once; give it once'],
      ['last=1001', 'last', whole('1001')],
      ['last=-1', 'last', whole('-1')],
      ['last=1.5', 'last', whole('1.5')],
      ['last=1e2', 'last', whole('1e2')],
      ['last=%2B1', 'last', whole('+1')],
      ['last=', 'last', whole('')],
      ['last=99999999999999999999', 'last', whole('99999999999999999999')],
      ['last=1&last=1', 'last', 'is given more than once; give it once'],
    ])('for %s', async (query, name, message) => {
      const { agentID } = await start(0);
      expect((await errors.listOfAgent(agentID, `?${query}`)).body).toEqual(
        problemBody('invalid_query_parameter', `The query parameter '${name}' ${message}.`, [
          { path: name, message },
        ]),
      );
    });

    it('for an unknown parameter, suggesting the nearest known one', async () => {
      const { agentID } = await start(0);
      expect((await errors.listOfAgent(agentID, '?dismised=true')).body).toEqual(
        problemBody(
          'unknown_query_parameter',
          "There is no query parameter 'dismised'. Did you mean 'dismissed'?",
          [{ path: 'dismised', message: 'is unknown' }],
        ),
      );
    });

    it('for a cursor that is invented, truncated, changed, or from another agent or list', async () => {
      const { project, agentID, ids } = await start(2);
      const other = await start(2);
      const cursorOf = (answer: Answer) =>
        new URLSearchParams(nextPage(answer)?.split('?')[1]).get('before') ?? '';
      const own = cursorOf(await errors.listOfAgent(agentID, '?last=1'));
      const ofOther = cursorOf(await errors.listOfAgent(other.agentID, '?last=1'));
      const ofInbox = cursorOf(await errors.listOfProject(project.id, '?last=1'));
      const changed = own.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'));
      expect(own).not.toBe('');
      for (const cursor of ['x', ids[1], own.slice(0, -1), `${own}A`, `${own}=`, changed, ofOther, ofInbox]) {
        const answer = await errors.listOfAgent(agentID, `?before=${cursor}`);
        expect(answer.body).toEqual(
          problemBody(
            'invalid_cursor',
            'The cursor in `before` was not answered by this list. Follow the Link header with rel="next" as it is, or leave `before` out to start again.',
            [{ path: 'before', message: 'is not a cursor of this list' }],
          ),
        );
      }
    });

    it('for an empty cursor', async () => {
      const { agentID } = await start(0);
      expect(await errors.listOfAgent(agentID, '?before=')).toMatchObject({
        status: 400,
        body: { code: 'invalid_query_parameter' },
      });
    });

    it('for an agent id that is not a UUID', async () => {
      expect(await errors.listOfAgent('web-01')).toMatchObject({
        status: 400,
        body: { code: 'invalid_path_parameter' },
      });
    });
  });

  it('403 for a token without read:agent_error, such as the one that agents have', async () => {
    const { project, agentID } = await start(1);
    const answer = await test.request('GET', `/v1/agents/${agentID}/errors`, {
      as: { project: project.token },
    });
    expect(answer.body).toEqual(
      problemBody(
        'permission_denied',
        "This needs the permission 'read:agent_error', and this credential has only 'create:agent', 'create:agent_error', 'update:agent', 'read:fleet'. Use a token that has it, or add it to this one.",
      ),
    );
  });

  it('404 with the same answer for a missing agent and for an agent of another project', async () => {
    const { agentID } = await start(1);
    const project = await test.createProject();
    const { token } = await test.createToken(project.id, ['*']);
    for (const id of [agentID, randomUUID()]) {
      const answer = await test.request('GET', `/v1/agents/${id}/errors`, { as: { project: token } });
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no agent ${id} that this credential can see.`),
      );
    }
  });

  it('410 for a deleted agent', async () => {
    const { agentID } = await start(1);
    await errors.deleteAgent(agentID);
    expect((await errors.listOfAgent(agentID)).body).toEqual(problemBody('agent_deleted'));
  });
});
