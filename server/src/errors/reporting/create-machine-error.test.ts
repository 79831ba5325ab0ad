import type { Agent, AgentErrorResult } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

function report(
  { token }: Pick<TestProject, 'token'>,
  machine: string,
  body: unknown = { error: 'x' },
): Promise<Answer<AgentErrorResult>> {
  return test.request('POST', `/v1/machines/${machine}`, { as: { project: token }, body });
}

async function agentsOf({ id }: TestProject): Promise<Agent[]> {
  const { body } = await test.request<Agent[]>('GET', `/v1/projects/${id}/agents`, {
    as: { access: test.admin },
  });
  return body;
}

describe('POST /v1/machines/{machineID}/errors', () => {
  describe('201', () => {
    it('registers an unknown machine with its id as name, and stores the error', async () => {
      const project = await test.createProject();
      const answer = await report(project, 'web-01/errors');
      expect(answer.status).toBe(201);
      expect(answer.headers['muster-agent-error']).toBe('created');
      const now = new Date(test.clock.now()).toISOString();
      expect(answer.body).toEqual({ id: expect.any(String), createdAt: now });
      const [agent, ...others] = await agentsOf(project);
      expect(others).toEqual([]);
      expect(agent).toEqual({
        id: expect.any(String),
        projectID: project.id,
        name: 'web-01',
        machineID: 'web-01',
        type: null,
        version: null,
        edition: null,
        os: null,
        arch: null,
        flags: [],
        metadata: {},
        tags: [],
        fleetID: null,
        status: 'unhealthy',
        statusSince: now,
        statusReason: 'Has 1 open error of its current configuration.',
        openErrorsCount: 1,
        openError: {
          id: answer.body.id,
          error: 'x',
          groupID: expect.any(String),
          occurrences: 1,
          createdAt: now,
          lastSeenAt: now,
        },
        configID: null,
        lastSeenAt: now,
        createdAt: now,
        updatedAt: now,
        reregisteredAt: null,
        reregisteredFrom: null,
        coreInstanceID: null,
        fleet: null,
        releasedAt: null,
      });
      const listed = await errors.listOfAgent(agent?.id ?? '');
      expect(listed.body).toMatchObject([{ id: answer.body.id, error: 'x', configID: null }]);
    });

    it('gives a new machine the requested name, and does not change it later', async () => {
      const project = await test.createProject();
      await report(project, 'm-1/errors?name=Kiosk%20%C3%9C');
      await report(project, 'm-1/errors?name=Other');
      expect(await agentsOf(project)).toMatchObject([{ name: 'Kiosk Ü', machineID: 'm-1' }]);
    });

    it('reports for the agent that registered with the machine id, and does not change it', async () => {
      const project = await test.createProject();
      const agent = await test.registerAgent(project, 'm-2');
      const [before] = await agentsOf(project);
      await report(project, 'm-2/errors?name=other');
      expect((await errors.listOfAgent(agent.id)).body).toMatchObject([{ agentID: agent.id, error: 'x' }]);
      const statusReason = 'Has 1 open error of its current configuration.';
      expect(await agentsOf(project)).toEqual([
        {
          ...before,
          status: 'unhealthy',
          statusReason,
          openErrorsCount: 1,
          openError: expect.objectContaining({ error: 'x' }),
        },
      ]);
    });

    it('accepts an array, and cuts texts on request', async () => {
      const project = await test.createProject();
      const answer = await test.request<AgentErrorResult[]>('POST', '/v1/machines/m-3/errors?truncate=true', {
        as: { project: project.token },
        body: [{ error: 'x', level: 'error' }, { error: 'a'.repeat(2000) }, { error: 'x' }],
      });
      expect(answer.status).toBe(201);
      expect(answer.body).toHaveLength(3);
      const [agent] = await agentsOf(project);
      const { body } = await errors.listOfAgent(agent?.id ?? '');
      expect(body.map(({ error, occurrences }) => [error, occurrences])).toEqual([
        [`${'a'.repeat(1023)}…`, 1],
        ['x', 2],
      ]);
    });

    it.each([
      ['a slash, a space and a per cent sign', 'a/b c%d'],
      ['what a query would begin with', 'a?b&c=d#e'],
      ['dots', 'rack-4..unit.7'],
      ['text outside ASCII', 'Größe-主机-😀'],
      ['256 characters of four bytes', '😀'.repeat(256)],
    ])('accepts a percent-encoded machine id of %s', async (_, machineID) => {
      const project = await test.createProject();
      const encoded = encodeURIComponent(machineID);
      expect((await report(project, `${encoded}/errors`)).headers['muster-agent-error']).toBe('created');
      expect((await report(project, `${encoded}/errors`)).headers['muster-agent-error']).toBe('ignored');
      expect((await agentsOf(project)).map((agent) => agent.machineID)).toEqual([machineID]);
    });

    it('distinguishes machine ids that differ in case or normalization', async () => {
      const project = await test.createProject();
      for (const machineID of ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9']) {
        await report(project, `${encodeURIComponent(machineID)}/errors`);
      }
      expect(await agentsOf(project)).toHaveLength(3);
    });

    it('distinguishes machines with the same id in different projects', async () => {
      const [one, other] = [await test.createProject(), await test.createProject()];
      await report(one, 'shared/errors');
      expect((await report(other, 'shared/errors')).headers['muster-agent-error']).toBe('created');
      expect((await agentsOf(one))[0]?.id).not.toBe((await agentsOf(other))[0]?.id);
    });

    it('registers a machine again if its agent was deleted', async () => {
      const project = await test.createProject();
      const agent = await test.registerAgent(project, 'm-4');
      await errors.deleteAgent(agent.id);
      expect((await report(project, 'm-4/errors')).headers['muster-agent-error']).toBe('created');
      const agents = await agentsOf(project);
      expect(agents).toHaveLength(1);
      expect(agents[0]?.id).not.toBe(agent.id);
    });

    it('creates one agent and one error from many concurrent first reports, and counts them all', async () => {
      const project = await test.createProject();
      const answers = await Promise.all(Array.from({ length: 50 }, () => report(project, 'm-5/errors')));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const outcomes = answers.map(({ headers }) => headers['muster-agent-error']);
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      const [agent, ...others] = await agentsOf(project);
      expect(others).toEqual([]);
      expect((await errors.listOfAgent(agent?.id ?? '')).body).toMatchObject([{ occurrences: 50 }]);
    });

    it('keeps the description and the token of an agent that registers at the same moment', async () => {
      const project = await test.createProject();
      const [registered] = await Promise.all([
        test.request<{ id: string; token: string }>('POST', '/v1/agents', {
          as: { project: project.token },
          body: { name: 'web-01', machineID: 'm-6', version: '5.1.1', os: 'linux', fleetID: 'edge' },
        }),
        ...Array.from({ length: 5 }, () => report(project, 'm-6/errors')),
      ]);
      expect(await agentsOf(project)).toMatchObject([
        { id: registered.body.id, name: 'web-01', version: '5.1.1', os: 'linux', fleetID: 'edge' },
      ]);
      const update = await test.request('PATCH', `/v1/agents/${registered.body.id}`, {
        as: { agent: registered.body.token },
        body: { name: 'web-01' },
      });
      expect(update.status).toBe(204);
    });
  });

  describe('400', () => {
    it.each([
      ['257 characters', 'm'.repeat(257), 'has 257 characters, but must have 1 to 256'],
      ['NUL', 'a%00b', 'contains NUL or half a character; remove it'],
    ])('for a machine id with %s', async (_, machineID, message) => {
      const project = await test.createProject();
      expect((await report(project, `${machineID}/errors`)).body).toEqual(
        problemBody('invalid_path_parameter', `The path parameter 'machineID' ${message}.`, [
          { path: 'machineID', message },
        ]),
      );
      expect(await agentsOf(project)).toEqual([]);
    });

    it.each(['a%zzb', 'a%ff', '%E4%B8'])(
      'for %s, which is not percent-encoded UTF-8, with a request id',
      async (id) => {
        const project = await test.createProject();
        const answer = await report(project, `${id}/errors`);
        expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } });
        const problem = answer.body as unknown as { requestID: string }; // like every refusal
        expect(answer.headers['x-request-id']).toBe(problem.requestID);
      },
    );

    it.each([
      ['empty', '', 'has 0 characters, but must have 1 to 256'],
      ['of 257 characters', 'n'.repeat(257), 'has 257 characters, but must have 1 to 256'],
    ])('for a name that is %s', async (_, name, message) => {
      const project = await test.createProject();
      expect((await report(project, `m/errors?name=${name}`)).body).toEqual(
        problemBody('invalid_query_parameter', `The query parameter 'name' ${message}.`, [
          { path: 'name', message },
        ]),
      );
      expect(await agentsOf(project)).toEqual([]);
    });
  });

  describe('403, and no machine is registered', () => {
    it.each([[['create:agent_error']], [['create:agent']], [['read:*', 'update:*', 'delete:*']]])(
      'for a token with %j: both permissions are needed, even for a known machine',
      async (permissions) => {
        const project = await test.createProject();
        await test.registerAgent(project, 'known');
        const { token } = await test.createToken(project.id, permissions);
        for (const machineID of ['known', 'unknown']) {
          const answer = await report({ token }, `${machineID}/errors`);
          const held = permissions.map((one) => `'${one}'`).join(', ');
          expect(answer.body).toEqual(
            problemBody(
              'permission_denied',
              `This needs the permissions 'create:agent_error' and 'create:agent', and this credential has only ${held}. Use a token that has them, or add them to this one.`,
            ),
          );
        }
        expect(await agentsOf(project)).toMatchObject([{ machineID: 'known', status: 'healthy' }]);
      },
    );

    it('for an agent token and for an access token', async () => {
      const project = await test.createProject();
      const agent = await test.registerAgent(project, 'known');
      for (const as of [{ agent: agent.token }, { access: test.admin }]) {
        const answer = await test.request('POST', '/v1/machines/known/errors', { as, body: { error: 'x' } });
        expect(answer.body).toEqual(
          problemBody('credential_kind_not_accepted', 'This route takes X-Project-Token.'),
        );
      }
    });
  });

  describe('422', () => {
    it('for an invalid body, before the machine is registered', async () => {
      const project = await test.createProject();
      const answer = await report(project, 'm/errors', [{ error: 'x' }, { error: '' }]);
      expect(answer.body).toEqual(
        problemBody('invalid_body', "'/1/error' must not be empty.", [
          { path: '/1/error', message: 'must not be empty' },
        ]),
      );
      expect(await agentsOf(project)).toEqual([]);
    });
  });
});
