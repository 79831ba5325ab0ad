import { randomUUID } from 'node:crypto';
import { foldError } from '@muster/faults';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { groupIDOf } from '../groups/identity/error-group.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

async function start(): Promise<{ project: TestProject; agent: { id: string; token: string } }> {
  const project = await test.createProject();
  return { project, agent: await test.registerAgent(project) };
}

async function textsOf(agentID: string): Promise<string[]> {
  const { body } = await errors.listOfAgent(agentID, '?last=1000');
  return body.map(({ error }) => error);
}

describe('POST /v1/agents/{agentID}/errors with one report', () => {
  describe('201 created', () => {
    it('returns id and time, says that it was created, and lists the error', async () => {
      const { project, agent } = await start();
      const answer = await errors.report(project, agent.id, 'no upstream connections available');
      const createdAt = new Date(test.clock.now()).toISOString();
      expect(answer.status).toBe(201);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'muster-agent-error': 'created',
      });
      expect(answer.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        createdAt,
      });
      expect((await errors.listOfAgent(agent.id)).body).toEqual([
        {
          id: answer.body.id,
          agentID: agent.id,
          error: 'no upstream connections available',
          dismissedAt: null,
          dismissReason: null,
          createdAt,
          dismissedBy: null,
          occurrences: 1,
          lastSeenAt: createdAt,
          configID: (
            await test.request<{ configID: string }>('GET', `/v1/agents/${agent.id}`, {
              as: { access: test.admin },
            })
          ).body.configID,
          current: true,
          groupID: groupIDOf(project.id, foldError('no upstream connections available')),
        },
      ]);
    });

    it("accepts the agent's own token", async () => {
      const { agent } = await start();
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { agent: agent.token },
        body: { error: 'mine' },
      });
      expect(answer).toMatchObject({ status: 201, headers: { 'muster-agent-error': 'created' } });
      expect(await textsOf(agent.id)).toEqual(['mine']);
    });

    it('accepts the agent id in upper case', async () => {
      const { project, agent } = await start();
      expect((await errors.report(project, agent.id.toUpperCase(), 'shouted')).status).toBe(201);
      expect(await textsOf(agent.id)).toEqual(['shouted']);
    });

    it.each([
      ['one character', 'x'],
      ['one character of four bytes', '😀'],
      ['1024 ASCII characters', 'a'.repeat(1024)],
      ['1024 characters outside the basic plane', '😀'.repeat(1024)],
      ['1024 code points of letters with combining marks', 'e\u0301'.repeat(512)],
      ['white space alone', ' \t\r\n\u00a0\u2028'],
      ['white space around', '  padded \n'],
      [
        'every ASCII character but NUL',
        String.fromCharCode(...Array.from({ length: 127 }, (_, index) => index + 1)),
      ],
      ['what SQL and LIKE make much of', `'; drop table agent_errors; -- %_*?["\\`],
      ['bidirectional marks and noncharacters', '\u202etxt.exe\u202c\ufffe\uffff\u{10ffff}'],
    ])('keeps a text of %s byte for byte', async (_, text) => {
      const { project, agent } = await start();
      expect((await errors.report(project, agent.id, text)).status).toBe(201);
      expect(await textsOf(agent.id)).toEqual([text]);
    });

    it.each([
      ['case', 'Error', 'error'],
      ['white space at the end', 'error', 'error '],
      ['white space at the start', 'error', '\nerror'],
      ['normal form (NFC and NFD)', 'caf\u00e9', 'cafe\u0301'],
      ['compatibility form', 'ﬁle', 'file'],
      ['a character without width', 'error', 'er\u200bror'],
    ])('distinguishes texts that differ in %s', async (_, one, other) => {
      const { project, agent } = await start();
      const first = await errors.report(project, agent.id, one);
      const second = await errors.report(project, agent.id, other);
      expect([first, second].map(({ headers }) => headers['muster-agent-error'])).toEqual([
        'created',
        'created',
      ]);
      expect(await textsOf(agent.id)).toEqual([other, one]);
    });

    it('stores the same text of another agent as another error', async () => {
      const { project, agent } = await start();
      const other = await test.registerAgent(project);
      const answers = [
        await errors.report(project, agent.id, 'same'),
        await errors.report(project, other.id, 'same'),
      ];
      expect(answers.map(({ headers }) => headers['muster-agent-error'])).toEqual(['created', 'created']);
      expect(answers[0]?.body.id).not.toBe(answers[1]?.body.id);
    });

    it('ignores all other fields with any content', async () => {
      const { project, agent } = await start();
      const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
      const body = `{"id":"x","createdAt":7,"error":"kept","dismissedAt":"now","deep":${deep},"nul":"\\u0000","half":"\\ud800"}`;
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: project.token },
        body,
      });
      expect(answer.status).toBe(201);
      expect((await errors.listOfAgent(agent.id)).body).toMatchObject([{ error: 'kept', dismissedAt: null }]);
    });

    it("returns the id of the agent's configuration", async () => {
      const { project, agent } = await start();
      await errors.configure(agent.id, '[INPUT]\n  name mem\n');
      await errors.report(project, agent.id, 'x');
      const history = await test.request<{ id: string }[]>('GET', `/v1/agents/${agent.id}/config_history`, {
        as: { access: test.admin },
      });
      expect((await errors.listOfAgent(agent.id)).body[0]?.configID).toBe(history.body[0]?.id);
      expect(history.body).toHaveLength(2);
    });
  });

  describe('201 ignored', () => {
    it('returns id and time of the open error, and stores no second one', async () => {
      const { project, agent } = await start();
      const first = await errors.report(project, agent.id, 'again');
      test.clock.advance(1_000);
      const second = await errors.report(project, agent.id, 'again');
      expect(second.status).toBe(201);
      expect(second.headers['muster-agent-error']).toBe('ignored');
      expect(second.text).toBe(first.text);
      expect(await textsOf(agent.id)).toEqual(['again']);
    });

    it('ignores repeats with any credential of the agent', async () => {
      const { project, agent } = await start();
      const first = await errors.report(project, agent.id, 'again');
      const second = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { agent: agent.token },
        body: { error: 'again' },
      });
      expect(second.headers['muster-agent-error']).toBe('ignored');
      expect(second.text).toBe(first.text);
    });

    it('still ignores repeats after the same configuration was sent again', async () => {
      const { project } = await start();
      const agent = await test.registerAgent(project, 'host-1', 'config');
      await errors.report(project, agent.id, 'again');
      await errors.configure(agent.id, 'config');
      await test.registerAgent(project, 'host-1', 'config');
      expect((await errors.report(project, agent.id, 'again')).headers['muster-agent-error']).toBe('ignored');
    });
  });

  describe('201 created again', () => {
    it('after the open error was dismissed', async () => {
      const { project, agent } = await start();
      const first = await errors.report(project, agent.id, 'again');
      await errors.dismiss(first.body.id);
      const second = await errors.report(project, agent.id, 'again');
      expect(second.headers['muster-agent-error']).toBe('created');
      expect(
        (await errors.listOfAgent(agent.id)).body.map(({ id, dismissReason }) => [id, dismissReason]),
      ).toEqual([
        [second.body.id, null],
        [first.body.id, 'seen'],
      ]);
    });

    it.each([
      ['an update', async (agentID: string) => void (await errors.configure(agentID, 'other'))],
      [
        'a registration',
        async (_: string, project: TestProject) =>
          void (await test.registerAgent(project, 'host-2', 'other')),
      ],
    ])('after %s changed the configuration, while the old error stays open', async (_, change) => {
      const { project } = await start();
      const agent = await test.registerAgent(project, 'host-2', 'config');
      const first = await errors.report(project, agent.id, 'again');
      await change(agent.id, project);
      const second = await errors.report(project, agent.id, 'again');
      expect(second.headers['muster-agent-error']).toBe('created');
      const open = await errors.listOfAgent(agent.id, '?dismissed=false');
      expect(open.body.map(({ id }) => id)).toEqual([second.body.id, first.body.id]);
      expect((await errors.report(project, agent.id, 'again')).text).toBe(second.text);
    });

    it('also after a configuration was changed and changed back', async () => {
      const { project } = await start();
      const agent = await test.registerAgent(project, 'host-3', 'config');
      await errors.report(project, agent.id, 'again');
      await errors.configure(agent.id, 'other');
      await errors.configure(agent.id, 'config');
      expect((await errors.report(project, agent.id, 'again')).headers['muster-agent-error']).toBe('created');
    });
  });

  describe('400', () => {
    it('for an agent id that is not a UUID', async () => {
      const { project } = await start();
      const answer = await errors.report(project, 'web-01', 'x');
      expect(answer.body).toEqual(
        problemBody(
          'invalid_path_parameter',
          "The path parameter 'agentID' is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000.",
          [{ path: 'agentID', message: 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000' }],
        ),
      );
    });

    it.each([
      ['broken JSON', '{"error":', 'The body is not valid JSON: it ends too early, at position 9.'],
      ['an empty body', '', 'The body is empty, but this route takes a JSON body.'],
      ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'The body is not valid UTF-8.'],
    ])('for %s', async (_, body, detail) => {
      const { project, agent } = await start();
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: project.token },
        body,
      });
      expect(answer.body).toEqual(problemBody('invalid_json', detail));
    });

    it('for an unknown query parameter', async () => {
      const { project, agent } = await start();
      const answer = await errors.report(project, agent.id, 'x', '?trunkate=true');
      expect(answer.body).toEqual(
        problemBody(
          'unknown_query_parameter',
          "There is no query parameter 'trunkate'. Did you mean 'truncate'?",
          [{ path: 'trunkate', message: 'is unknown' }],
        ),
      );
    });
  });

  describe('403', () => {
    it('for a token without create:agent_error, and stores nothing', async () => {
      const { project, agent } = await start();
      const { token } = await test.createToken(project.id, ['read:*', 'create:agent']);
      const answer = await errors.report({ ...project, token }, agent.id, 'x');
      expect(answer.body).toEqual(
        problemBody(
          'permission_denied',
          "This needs the permission 'create:agent_error', and this credential has only 'read:*', 'create:agent'. Use a token that has it, or add it to this one.",
        ),
      );
      expect(await textsOf(agent.id)).toEqual([]);
    });

    it('for an access token', async () => {
      const { agent } = await start();
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { access: test.admin },
        body: { error: 'x' },
      });
      expect(answer.body).toEqual(
        problemBody('credential_kind_not_accepted', 'This route takes X-Project-Token or X-Agent-Token.'),
      );
    });
  });

  describe('404', () => {
    it('with the same answer for a missing agent, an agent of another project and another agent of the same project', async () => {
      const { project, agent } = await start();
      const foreign = await start();
      const sibling = await test.registerAgent(project);
      const unknown = randomUUID();
      const detail = (id: string) => `There is no agent ${id} that this credential can see.`;
      const send = (agentID: string, as: object) =>
        test.request('POST', `/v1/agents/${agentID}/errors`, { as, body: { error: 'x' } });
      for (const [id, as] of [
        [unknown, { project: project.token }],
        [foreign.agent.id, { project: project.token }],
        [sibling.id, { agent: agent.token }],
      ] as const) {
        expect((await send(id, as)).body).toEqual(problemBody('not_found', detail(id)));
      }
      expect(await textsOf(foreign.agent.id)).toEqual([]);
      expect(await textsOf(sibling.id)).toEqual([]);
    });
  });

  describe('410', () => {
    it('for a deleted agent, with its own token and with a project token', async () => {
      const { project, agent } = await start();
      await errors.deleteAgent(agent.id);
      for (const as of [{ project: project.token }, { agent: agent.token }]) {
        const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
          as,
          body: { error: 'x' },
        });
        expect(answer.body).toEqual(problemBody('agent_deleted'));
      }
    });
  });

  describe('413 and 415', () => {
    it('for a body above 4 MiB', async () => {
      const { project, agent } = await start();
      const answer = await errors.report(project, agent.id, 'a'.repeat(4_194_304));
      expect(answer.body).toEqual(
        problemBody(
          'body_too_large',
          'The body is larger than 4194304 bytes, the most that this route takes. Send less in one request.',
        ),
      );
      expect(await textsOf(agent.id)).toEqual([]);
    });

    it('for a body of another media type', async () => {
      const { project, agent } = await start();
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: project.token },
        headers: { 'content-type': 'application/xml' },
        body: '{"error":"x"}',
      });
      expect(answer.body).toEqual(
        problemBody(
          'unsupported_media_type',
          'The body must be sent as Content-Type: application/json or application/x-ndjson or text/plain.',
        ),
      );
    });
  });

  describe('422, and nothing is stored', () => {
    const nul = 'contains NUL (U+0000); remove it';
    const half = 'contains half of a surrogate pair; send whole characters';
    it.each([
      ['no error', '{}', '/error', 'is missing'],
      ['an error that is no text', '{"error":["x"]}', '/error', 'must be a string'],
      ['an error that is null', '{"error":null}', '/error', 'must be a string'],
      ['an empty text', '{"error":""}', '/error', 'must not be empty'],
      ['1025 characters', `{"error":"${'a'.repeat(1025)}"}`, '/error', 'must have at most 1024 characters'],
      ['1025 emoji', `{"error":"${'😀'.repeat(1025)}"}`, '/error', 'must have at most 1024 characters'],
      [
        '1025 code points',
        `{"error":"${'e\u0301'.repeat(512)}!"}`,
        '/error',
        'must have at most 1024 characters',
      ],
      ['NUL', '{"error":"a\\u0000b"}', '/error', nul],
      ['half of a surrogate pair', '{"error":"\\ud83d"}', '/error', half],
      ['the halves of a pair in the wrong order', '{"error":"\\ude00\\ud83d"}', '/error', half],
      ['null', 'null', '', 'must be an object'],
      ['a text', '"x"', '', 'must be an object'],
    ])('for %s', async (_, body, path, message) => {
      const { project, agent } = await start();
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: project.token },
        body,
      });
      const subject = path === '' ? 'The body' : `'${path}'`;
      expect(answer.body).toEqual(problemBody('invalid_body', `${subject} ${message}.`, [{ path, message }]));
      expect(await textsOf(agent.id)).toEqual([]);
    });
  });
});
