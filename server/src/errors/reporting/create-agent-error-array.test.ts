import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { wordOf } from '../../testing/word-of.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

async function start(): Promise<{ project: TestProject; agent: { id: string } }> {
  const project = await test.createProject();
  return { project, agent: await test.registerAgent(project) };
}

async function stored(agentID: string): Promise<[string, number][]> {
  // A page of the largest texts ends early.
  const pages = await errors.walk(`/v1/agents/${agentID}/errors?last=1000`);
  return pages.flat().map(({ error, occurrences }) => [error, occurrences]);
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ error: `error ${index}` }));

describe('POST /v1/agents/{agentID}/errors with an array', () => {
  describe('201', () => {
    it('returns one result per report, in the order of the reports', async () => {
      const { project, agent } = await start();
      const answer = await errors.reportAll(project, agent.id, [
        { error: 'b' },
        { error: 'a' },
        { error: 'c' },
      ]);
      expect(answer.status).toBe(201);
      expect(answer.headers['muster-agent-error']).toBe('created');
      const createdAt = new Date(test.clock.now()).toISOString();
      const listed = (await errors.listOfAgent(agent.id)).body;
      const idOf = (text: string) => listed.find(({ error }) => error === text)?.id;
      expect(answer.body).toEqual(['b', 'a', 'c'].map((text) => ({ id: idOf(text), createdAt })));
      expect(listed.map(({ error }) => error)).toEqual(['c', 'a', 'b']);
    });

    it('returns an array for an array of one', async () => {
      const { project, agent } = await start();
      const answer = await errors.reportAll(project, agent.id, [{ error: 'alone' }]);
      expect(answer.body).toEqual([
        { id: expect.any(String), createdAt: new Date(test.clock.now()).toISOString() },
      ]);
    });

    it('accepts 1000 reports in one request', async () => {
      const { project, agent } = await start();
      const answer = await errors.reportAll(project, agent.id, numbered(1000));
      expect(answer.status).toBe(201);
      expect(new Set(answer.body.map(({ id }) => id)).size).toBe(1000);
      const listed = (await errors.listOfAgent(agent.id, '?last=1000')).body;
      expect(listed.map(({ id }) => id)).toEqual(answer.body.map(({ id }) => id).reverse());
    });

    it('accepts 1000 reports of maximum length in one request, and recognizes each repeat', async () => {
      const { project, agent } = await start();
      const texts = Array.from(
        { length: 1_000 },
        (_, index) => `${wordOf(1_000 + index)}${'😀'.repeat(1_020)}`,
      );
      const reports = texts.map((error) => ({ error }));
      expect(Buffer.byteLength(JSON.stringify(reports))).toBeGreaterThan(4_000_000);
      const answer = await errors.reportAll(project, agent.id, reports);
      expect(answer).toMatchObject({ status: 201, headers: { 'muster-agent-error': 'created' } });
      const again = await errors.reportAll(project, agent.id, reports);
      expect(again.headers['muster-agent-error']).toBe('ignored');
      expect(again.text).toBe(answer.text);
      expect(await stored(agent.id)).toEqual(texts.map((text) => [text, 2]).reverse());
    });

    it('stores a text that occurs twice in it once, and counts it twice', async () => {
      const { project, agent } = await start();
      const answer = await errors.reportAll(project, agent.id, [
        { error: 'x' },
        { error: 'y' },
        { error: 'x' },
      ]);
      expect(answer.body[2]).toEqual(answer.body[0]);
      expect(await stored(agent.id)).toEqual([
        ['y', 1],
        ['x', 2],
      ]);
    });

    it('says created if one of its errors is new, and returns the open errors for the others', async () => {
      const { project, agent } = await start();
      const first = await errors.report(project, agent.id, 'old');
      test.clock.advance(5);
      const answer = await errors.reportAll(project, agent.id, [{ error: 'new' }, { error: 'old' }]);
      expect(answer.headers['muster-agent-error']).toBe('created');
      expect(answer.body[1]).toEqual(first.body);
    });

    it('says ignored if every report repeats an open error', async () => {
      const { project, agent } = await start();
      const first = await errors.reportAll(project, agent.id, [{ error: 'x' }, { error: 'y' }]);
      const second = await errors.reportAll(project, agent.id, [{ error: 'x' }, { error: 'y' }]);
      expect(second.headers['muster-agent-error']).toBe('ignored');
      expect(second.text).toBe(first.text);
      expect(await stored(agent.id)).toEqual([
        ['y', 2],
        ['x', 2],
      ]);
    });

    it('ignores all other fields of its objects', async () => {
      const { project, agent } = await start();
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: project.token },
        body: [
          { date: 1795220971.3, error: 'x', level: 'error', nested: { nul: '\0' } },
          { error: 'x', date: null },
        ],
      });
      expect(answer.status).toBe(201);
      expect(await stored(agent.id)).toEqual([['x', 2]]);
    });
  });

  describe('422, and none of it is stored', () => {
    it.each([
      ['its first element', 0, { error: '' }, '/error', 'must not be empty'],
      ['an element without a text', 3, {}, '/error', 'is missing'],
      ['an element whose text is a number', 7, { error: 7 }, '/error', 'must be a string'],
      ['an element that is no object', 4, 'x', '', 'must be an object'],
      ['an element that is an array', 4, [{ error: 'x' }], '', 'must be an object'],
      [
        'a text of 1025 code points',
        9,
        { error: '😀'.repeat(1025) },
        '/error',
        'must have at most 1024 characters',
      ],
      ['NUL in its last element', 9, { error: 'a\0' }, '/error', 'contains NUL (U+0000); remove it'],
    ])('names the index for %s', async (_, index, element, path, message) => {
      const { project, agent } = await start();
      const body = [...numbered(10).slice(0, index), element, ...numbered(10).slice(index + 1)];
      const answer = await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: project.token },
        body,
      });
      const at = `/${index}${path}`;
      expect(answer.body).toEqual(
        problemBody('invalid_body', `'${at}' ${message}.`, [{ path: at, message }]),
      );
      expect(await stored(agent.id)).toEqual([]);
    });

    it.each([
      ['an empty array', [], 'must not be empty'],
      ['1001 elements', numbered(1001), 'must have at most 1000 elements'],
    ])('for %s', async (_, body, message) => {
      const { project, agent } = await start();
      const answer = await errors.reportAll(project, agent.id, body);
      expect(answer.body).toEqual(
        problemBody('invalid_body', `The body ${message}.`, [{ path: '', message }]),
      );
      expect(await stored(agent.id)).toEqual([]);
    });
  });
});

describe('POST /v1/agents/{agentID}/errors?truncate=true', () => {
  it.each([
    ['1024 ASCII characters', 'a'.repeat(1024)],
    ['1024 emoji', '😀'.repeat(1024)],
    ['a letter and its marks, 1024 code points in all', `a${'\u0301'.repeat(1023)}`],
  ])('keeps %s whole', async (_, text) => {
    const { project, agent } = await start();
    expect((await errors.report(project, agent.id, text, '?truncate=true')).status).toBe(201);
    expect(await stored(agent.id)).toEqual([[text, 1]]);
  });

  it.each([
    ['1025 ASCII characters', 'a'.repeat(1025), `${'a'.repeat(1023)}…`],
    ['1025 emoji', '😀'.repeat(1025), `${'😀'.repeat(1023)}…`],
    ['an emoji at the cut', `${'a'.repeat(1022)}😀bc`, `${'a'.repeat(1022)}😀…`],
    ['an emoji behind the cut', `${'a'.repeat(1023)}😀b`, `${'a'.repeat(1023)}…`],
    ['marks above a letter', `${'a'.repeat(1022)}e\u0301\u0302`, `${'a'.repeat(1022)}e…`],
    ['60,000 characters', 'ab'.repeat(30_000), `${'ab'.repeat(512).slice(0, 1023)}…`],
  ])('cuts %s to 1023 code points and an ellipsis', async (_, text, kept) => {
    const { project, agent } = await start();
    expect([...kept]).toHaveLength(1024);
    expect((await errors.report(project, agent.id, text, '?truncate=true')).status).toBe(201);
    expect(await stored(agent.id)).toEqual([[kept, 1]]);
  });

  it('cuts each element of an array, and treats texts that are equal after the cut as equal', async () => {
    const { project, agent } = await start();
    const long = 'x'.repeat(1023);
    const answer = await errors.reportAll(
      project,
      agent.id,
      [{ error: `${long}one` }, { error: 'short' }, { error: `${long}two` }],
      '?truncate=true',
    );
    expect(answer.body[2]).toEqual(answer.body[0]);
    expect(await stored(agent.id)).toEqual([
      ['short', 1],
      [`${long}…`, 2],
    ]);
  });

  it('does not cut with truncate=false', async () => {
    const { project, agent } = await start();
    const answer = await errors.report(project, agent.id, 'a'.repeat(1025), '?truncate=false');
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
  });

  it('400 for any value except true and false', async () => {
    const { project, agent } = await start();
    const message = "is '1', but must be true or false";
    expect((await errors.report(project, agent.id, 'x', '?truncate=1')).body).toEqual(
      problemBody('invalid_query_parameter', `The query parameter 'truncate' ${message}.`, [
        { path: 'truncate', message },
      ]),
    );
  });

  it.each([
    ['NUL behind the cut', `${'a'.repeat(1100)}\\u0000`, 201],
    ['half of a surrogate pair behind the cut', `${'a'.repeat(1100)}\\ud83d`, 422],
    ['NUL before the cut', `\\u0000${'a'.repeat(1100)}`, 422],
    ['nothing at all', '', 422],
  ])('returns %s as it would be stored', async (_, text, status) => {
    const { project, agent } = await start();
    const answer = await test.request('POST', `/v1/agents/${agent.id}/errors?truncate=true`, {
      as: { project: project.token },
      body: `{"error":"${text}"}`,
    });
    expect(answer.status).toBe(status);
    expect(await stored(agent.id)).toHaveLength(status === 201 ? 1 : 0);
  });
});
