import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let project: TestProject;
let agentID: string;

beforeAll(async () => {
  test = await startTestApp({ logLevel: 'info' });
});

afterAll(() => test.close());

interface Sent {
  readonly query?: string;
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function start(): Promise<void> {
  project = await test.createProject();
  agentID = (await test.registerAgent(project)).id;
}

function send(body: unknown, { query = '?partial=true', mediaType, headers }: Sent = {}): Promise<Answer> {
  return test.request('POST', `/v1/agents/${agentID}/errors${query}`, {
    as: { project: project.token },
    body,
    headers: { ...(mediaType === undefined ? {} : { 'content-type': mediaType }), ...headers },
  });
}

async function stored(): Promise<string[]> {
  const { body } = await callAgentErrors(test).listOfAgent(agentID, '?last=1000');
  return body.map(({ error }) => error).reverse();
}

const result = () => ({ id: expect.any(String), createdAt: new Date(test.clock.now()).toISOString() });

const refusal = (path: string, message: string) =>
  problemBody('invalid_body', `'${path}' ${message}.`, [{ path, message }]);

describe('POST /v1/agents/{agentID}/errors?partial=true', () => {
  it('201: stores what is valid, and answers a problem in the place of each other element', async () => {
    await start();
    const answer = await send([
      { error: 'first' },
      { error: '' },
      'no object',
      { error: 'second' },
      { error: 'a\0' },
      {},
      { error: 'x'.repeat(1025) },
    ]);
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ 'muster-agent-error': 'created', 'muster-refused': '5' });
    expect(answer.body).toEqual([
      result(),
      refusal('/1/error', 'must not be empty'),
      refusal('/2', 'must be an object'),
      result(),
      refusal('/4/error', 'contains NUL (U+0000); remove it'),
      refusal('/5/error', 'is missing'),
      refusal('/6/error', 'must have at most 1024 characters'),
    ]);
    expect(await stored()).toEqual(['first', 'second']);
  });

  it('201: recognizes repeats among what is valid', async () => {
    await start();
    const first = await send([{ error: 'x' }]);
    expect(first.headers).not.toHaveProperty('muster-refused');
    const second = await send([{}, { error: 'x' }]);
    expect(second.headers).toMatchObject({ 'muster-agent-error': 'ignored', 'muster-refused': '1' });
    expect(second.body).toEqual([refusal('/0/error', 'is missing'), (first.body as unknown[])[0]]);
  });

  it('201: answers less than 4096 bytes with Prefer: return=minimal, however many are refused', async () => {
    await start();
    const body = [{ error: 'good' }, ...Array.from({ length: 999 }, () => ({ error: '' }))];
    const answer = await send(body, { headers: { prefer: 'return=minimal' } });
    expect(answer).toMatchObject({
      status: 201,
      text: '',
      headers: { 'muster-refused': '999', 'preference-applied': 'return=minimal' },
    });
    expect(await stored()).toEqual(['good']);
  });

  it('422: nothing was valid; names the first', async () => {
    await start();
    const answer = await send([{ error: '' }, {}]);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(refusal('/0/error', 'must not be empty'));
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['an empty array', [], 'must not be empty'],
    [
      '1001 elements',
      Array.from({ length: 1001 }, () => ({ error: 'x' })),
      'must have at most 1000 elements',
    ],
  ])('422: refuses %s as a whole', async (_, body, message) => {
    await start();
    const answer = await send(body);
    expect(answer.body).toEqual(problemBody('invalid_body', `The body ${message}.`, [{ path: '', message }]));
    expect(await stored()).toEqual([]);
  });

  it('422: refuses a single invalid report as ever', async () => {
    await start();
    expect((await send({ error: '' })).body).toEqual(refusal('/error', 'must not be empty'));
  });

  it('accepts 1000 elements of which the last is invalid', async () => {
    await start();
    const body = Array.from({ length: 999 }, (_, index) => ({ error: `error ${index}` }));
    const answer = await send([...body, { error: '' }]);
    expect((answer.body as unknown[])[999]).toEqual(refusal('/999/error', 'must not be empty'));
    expect(await stored()).toHaveLength(999);
  });

  it('refuses only the lines of NDJSON that are not JSON', async () => {
    await start();
    const answer = await send('{"error":"one"}\n{"error":\n\n{"error":"two"}\n', {
      mediaType: 'application/x-ndjson',
    });
    expect(answer.body).toEqual([
      result(),
      problemBody('invalid_json', 'Line 2 is not valid JSON: it ends too early, at position 9.'),
      result(),
    ]);
    expect(await stored()).toEqual(['one', 'two']);
  });

  it('logs the agent, the code and the counts in one line, and never a text', async () => {
    await start();
    const before = test.logs.length;
    await send([{ error: 'very private text' }, { error: 'private\0' }, {}]);
    const lines = test.logs.slice(before);
    expect(lines.filter((line) => line.includes('private'))).toEqual([]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: 'reports were refused',
        agentID,
        code: 'invalid_body',
        index: 1,
        refused: 2,
        accepted: 1,
      }),
    ]);
  });

  it('names the machine in the log, without a secret that it may be', async () => {
    await start();
    const before = test.logs.length;
    for (const machineID of ['db-01', project.token]) {
      await test.request('POST', `/v1/machines/${machineID}/errors?partial=true`, {
        as: { project: project.token },
        body: [{ error: 'x' }, {}],
      });
    }
    const lines = test.logs.slice(before).map((line) => JSON.parse(line));
    expect(
      lines.filter(({ msg }) => msg === 'reports were refused').map(({ machineID }) => machineID),
    ).toEqual(['db-01', '--redacted--']);
    expect(JSON.stringify(lines)).not.toContain(project.token);
  });
});

describe('POST /v1/agents/{agentID}/errors without partial=true', () => {
  it('refuses the whole request, as ever', async () => {
    await start();
    for (const query of ['', '?partial=false']) {
      const answer = await send([{ error: 'x' }, { error: '' }], { query });
      expect(answer.body).toEqual(refusal('/1/error', 'must not be empty'));
    }
    expect(await stored()).toEqual([]);
  });
});
