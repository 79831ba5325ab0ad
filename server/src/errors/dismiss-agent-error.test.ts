import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../testing/calls/agent-error-calls.ts';
import { problemBody } from '../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

/** An agent with one open error, `broken`. */
async function start(): Promise<{ project: TestProject; agentID: string; id: string }> {
  const project = await test.createProject();
  const { id: agentID } = await test.registerAgent(project);
  const { body } = await errors.report(project, agentID, 'broken');
  return { project, agentID, id: body.id };
}

function send(id: string, body: unknown, as: object = { access: test.admin }) {
  return test.request('POST', `/v1/agent_errors/${id}/dismiss`, { as, body });
}

const now = () => new Date(test.clock.now()).toISOString();

describe('POST /v1/agent_errors/{agentErrorID}/dismiss', () => {
  describe('200', () => {
    it('returns the time of the dismissal, and stores it with the reason and the actor', async () => {
      const { agentID, id } = await start();
      test.clock.advance(60_000);
      const answer = await send(id, { reason: 'known fault' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ dismissedAt: now() });
      const me = await test.request<{ id: string }>('GET', '/v1/me', { as: { access: test.admin } });
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([
        {
          id,
          dismissedAt: now(),
          dismissReason: 'known fault',
          dismissedBy: { kind: 'user', id: me.body.id, name: 'administrator' },
          occurrences: 1,
        },
      ]);
    });

    it.each([
      ['one character', 'x'],
      ['100 characters', 'r'.repeat(100)],
      ['100 emoji', '😀'.repeat(100)],
      ['white space alone', ' \n'],
      ['white space around', '  so  '],
    ])('stores a reason of %s unchanged', async (_, reason) => {
      const { agentID, id } = await start();
      expect((await send(id, { reason })).status).toBe(200);
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ dismissReason: reason }]);
    });

    it('lets the next report of the same text be stored as a new open error', async () => {
      const { project, agentID, id } = await start();
      await errors.report(project, agentID, 'broken');
      await send(id, { reason: 'seen' });
      const again = await errors.report(project, agentID, 'broken');
      const repeated = await errors.report(project, agentID, 'broken');
      expect([again, repeated].map(({ headers }) => headers['muster-agent-error'])).toEqual([
        'created',
        'ignored',
      ]);
      expect(repeated.body).toEqual(again.body);
      expect(
        (await errors.listOfAgent(agentID)).body.map(({ id: one, occurrences }) => [one, occurrences]),
      ).toEqual([
        [again.body.id, 2],
        [id, 2],
      ]);
    });

    it('does not affect other errors of the agent, or the same text of another agent', async () => {
      const { project, agentID, id } = await start();
      const other = await test.registerAgent(project);
      await errors.report(project, agentID, 'other text');
      await errors.report(project, other.id, 'broken');
      await send(id, { reason: 'seen' });
      for (const [agent, text] of [
        [agentID, 'other text'],
        [other.id, 'broken'],
      ] as const) {
        expect((await errors.report(project, agent, text)).headers['muster-agent-error']).toBe('ignored');
      }
    });

    it('makes the agent healthy if it was the last open error of its configuration', async () => {
      const { project, agentID, id } = await start();
      const status = async () =>
        (
          await test.request<{ status: string }>('GET', `/v1/agents/${agentID}`, {
            as: { access: test.admin },
          })
        ).body.status;
      const other = await errors.report(project, agentID, 'other');
      await send(id, { reason: 'seen' });
      expect(await status()).toBe('unhealthy');
      await send(other.body.id, { reason: 'seen' });
      expect(await status()).toBe('healthy');
    });

    it('accepts a project token with update:agent_error, and an id in upper case', async () => {
      const { project, id } = await start();
      const { token } = await test.createToken(project.id, ['update:agent_error']);
      expect((await send(id.toUpperCase(), { reason: 'seen' }, { project: token })).status).toBe(200);
    });
  });

  it('400 for an id that is not a UUID', async () => {
    const message = 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000';
    expect((await send('1', { reason: 'seen' })).body).toEqual(
      problemBody('invalid_path_parameter', `The path parameter 'agentErrorID' ${message}.`, [
        { path: 'agentErrorID', message },
      ]),
    );
  });

  it('403 for a token without update:agent_error and for an agent token, and it stays open', async () => {
    const { project, agentID, id } = await start();
    const agent = await test.registerAgent(project);
    expect(await send(id, { reason: 'seen' }, { project: project.token })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    expect((await send(id, { reason: 'seen' }, { agent: agent.token })).body).toEqual(
      problemBody(
        'credential_kind_not_accepted',
        'This route takes Authorization: Bearer or X-Project-Token.',
      ),
    );
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ dismissedAt: null }]);
  });

  it('404 with the same answer for a missing error, one of another project and one of a deleted agent', async () => {
    const { project, agentID, id } = await start();
    const foreign = await start();
    const { token } = await test.createToken(project.id, ['*']);
    await errors.deleteAgent(agentID);
    for (const one of [randomUUID(), foreign.id, id]) {
      expect((await send(one, { reason: 'seen' }, { project: token })).body).toEqual(
        problemBody('not_found', `There is no agent error ${one} that this credential can see.`),
      );
    }
    expect((await errors.listOfAgent(foreign.agentID)).body).toMatchObject([{ dismissedAt: null }]);
  });

  it('409 if it was already dismissed; the first reason and time are kept', async () => {
    const { agentID, id } = await start();
    const first = await errors.dismiss(id, 'first');
    test.clock.advance(1_000);
    expect((await errors.dismiss(id, 'second')).body).toEqual(problemBody('agent_error_already_dismissed'));
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([
      { dismissedAt: first.body.dismissedAt, dismissReason: 'first' },
    ]);
  });

  it('409 for all but one of many concurrent requests, whose reason is kept', async () => {
    const { agentID, id } = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => ({
        index,
        answer: await errors.dismiss(id, `by ${index}`),
      })),
    );
    const winners = answers.filter(({ answer }) => answer.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ answer }) => answer.status === 409)).toHaveLength(19);
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([
      { dismissReason: `by ${winners[0]?.index}` },
    ]);
  });

  describe('422, and it stays open', () => {
    const most = 'must have at most 100 characters';
    it.each([
      ['no reason', {}, '/reason', 'is missing'],
      ['an empty reason', { reason: '' }, '/reason', 'must not be empty'],
      ['a reason of 101 characters', { reason: 'r'.repeat(101) }, '/reason', most],
      ['a reason of 101 emoji', { reason: '😀'.repeat(101) }, '/reason', most],
      ['a reason that is null', { reason: null }, '/reason', 'must be a string'],
      ['a reason with NUL', { reason: 'a\0' }, '/reason', 'contains NUL (U+0000); remove it'],
      ['an unknown field', { reason: 'seen', raeson: 'x' }, '/raeson', "is unknown; did you mean 'reason'?"],
      ['an array', [{ reason: 'seen' }], '', 'must be an object'],
    ])('for %s', async (_, body, path, message) => {
      const { agentID, id } = await start();
      const subject = path === '' ? 'The body' : `'${path}'`;
      const stop = message.endsWith('?') ? '' : '.';
      expect((await send(id, body)).body).toEqual(
        problemBody('invalid_body', `${subject} ${message}${stop}`, [{ path, message }]),
      );
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ dismissedAt: null }]);
    });
  });
});
