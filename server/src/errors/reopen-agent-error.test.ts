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

/** An agent with one dismissed error, `broken`. */
async function start(): Promise<{ project: TestProject; agentID: string; id: string }> {
  const project = await test.createProject();
  const { id: agentID } = await test.registerAgent(project);
  const { body } = await errors.report(project, agentID, 'broken');
  await errors.dismiss(body.id);
  return { project, agentID, id: body.id };
}

const equalOpen = (id: string) =>
  problemBody(
    'equal_agent_error_open',
    `This agent already has an open error with the same text and configuration as ${id}. Work with that one.`,
  );

describe('POST /v1/agent_errors/{agentErrorID}/reopen', () => {
  describe('200', () => {
    it('returns the error, open and without the fields of the dismissal', async () => {
      const { agentID, id } = await start();
      const answer = await errors.reopen(id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual((await errors.listOfAgent(agentID)).body[0]);
      expect(answer.body).toMatchObject({
        id,
        error: 'broken',
        dismissedAt: null,
        dismissReason: null,
        dismissedBy: null,
        occurrences: 1,
      });
    });

    it('makes it the open error of its text: the next report is ignored', async () => {
      const { project, agentID, id } = await start();
      await errors.reopen(id);
      const answer = await errors.report(project, agentID, 'broken');
      expect(answer.headers['muster-agent-error']).toBe('ignored');
      expect(answer.body.id).toBe(id);
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ id, occurrences: 2 }]);
    });

    it('reopens an error of an earlier configuration, beside an open one of the current configuration', async () => {
      const { project, agentID, id } = await start();
      await errors.configure(agentID, 'other');
      const current = await errors.report(project, agentID, 'broken');
      expect((await errors.reopen(id)).status).toBe(200);
      expect((await errors.listOfAgent(agentID, '?dismissed=false')).body.map((error) => error.id)).toEqual([
        current.body.id,
        id,
      ]);
      // A report repeats the error of the current configuration.
      expect((await errors.report(project, agentID, 'broken')).body.id).toBe(current.body.id);
    });

    it('can be dismissed again, with another reason', async () => {
      const { agentID, id } = await start();
      await errors.reopen(id);
      expect((await errors.dismiss(id, 'really')).status).toBe(200);
      expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ dismissReason: 'really' }]);
    });

    it('accepts a project token with update:agent_error', async () => {
      const { project, id } = await start();
      const { token } = await test.createToken(project.id, ['update:agent_error']);
      const answer = await test.request('POST', `/v1/agent_errors/${id}/reopen`, { as: { project: token } });
      expect(answer.status).toBe(200);
    });
  });

  it('400 for an id that is not a UUID', async () => {
    expect(await errors.reopen('1')).toMatchObject({ status: 400, body: { code: 'invalid_path_parameter' } });
  });

  it('403 for a token without update:agent_error, and it stays dismissed', async () => {
    const { project, agentID, id } = await start();
    const answer = await test.request('POST', `/v1/agent_errors/${id}/reopen`, {
      as: { project: project.token },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect((await errors.listOfAgent(agentID)).body).toMatchObject([{ dismissReason: 'seen' }]);
  });

  it('404 with the same answer for a missing error and one of another project', async () => {
    const { project } = await start();
    const foreign = await start();
    const { token } = await test.createToken(project.id, ['*']);
    for (const id of [randomUUID(), foreign.id]) {
      const answer = await test.request('POST', `/v1/agent_errors/${id}/reopen`, { as: { project: token } });
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no agent error ${id} that this credential can see.`),
      );
    }
  });

  describe('409', () => {
    it('if it is open', async () => {
      const { id } = await start();
      await errors.reopen(id);
      expect((await errors.reopen(id)).body).toEqual(problemBody('agent_error_not_dismissed'));
    });

    it('if an equal error is open, naming it, until that one is dismissed', async () => {
      const { project, agentID, id } = await start();
      const open = await errors.report(project, agentID, 'broken');
      expect((await errors.reopen(id)).body).toEqual(equalOpen(open.body.id));
      expect((await errors.listOfAgent(agentID, '?dismissed=true')).body).toMatchObject([{ id }]);
      await errors.dismiss(open.body.id);
      expect((await errors.reopen(id)).status).toBe(200);
      expect((await errors.reopen(open.body.id)).body).toEqual(equalOpen(id));
    });

    it('if an equal error of the same earlier configuration is open', async () => {
      const { project, agentID, id } = await start();
      const open = await errors.report(project, agentID, 'broken');
      await errors.configure(agentID, 'other');
      expect((await errors.reopen(id)).body).toEqual(equalOpen(open.body.id));
    });

    it('for all but one of several equal errors that are reopened concurrently', async () => {
      const { project, agentID, id } = await start();
      const ids = [id];
      for (let index = 0; index < 5; index += 1) {
        const { body } = await errors.report(project, agentID, 'broken');
        await errors.dismiss(body.id);
        ids.push(body.id);
      }
      const answers = await Promise.all(ids.map((one) => errors.reopen(one)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
      const open = (await errors.listOfAgent(agentID, '?dismissed=false')).body;
      expect(open).toHaveLength(1);
      const winner = open[0]?.id ?? '';
      for (const { body } of answers.filter(({ status }) => status === 409))
        expect(body).toEqual(equalOpen(winner));
    });
  });
});
