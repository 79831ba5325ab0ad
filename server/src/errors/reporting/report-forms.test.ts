import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

const text = 'text/plain';
const ndjson = 'application/x-ndjson';
const json = 'application/json';
const limitBytes = 4_194_304;

let test: TestApp;
let project: TestProject;
let agentID: string;

beforeAll(async () => {
  test = await startTestApp();
});

afterAll(() => test.close());

beforeEach(async () => {
  project = await test.createProject();
  agentID = (await test.registerAgent(project)).id;
});

function send(mediaType: string, body: string | Buffer, query = '', coding?: string): Promise<Answer> {
  return test.request('POST', `/v1/agents/${agentID}/errors${query}`, {
    as: { project: project.token },
    body,
    headers: { 'content-type': mediaType, ...(coding === undefined ? {} : { 'content-encoding': coding }) },
  });
}

async function stored(): Promise<string[]> {
  const { body } = await callAgentErrors(test).listOfAgent(agentID, '?last=1000');
  return body.map(({ error }) => error).reverse();
}

const result = () => ({ id: expect.any(String), createdAt: new Date(test.clock.now()).toISOString() });

const invalid = (path: string, message: string) =>
  problemBody('invalid_body', `${path === '' ? 'The body' : `'${path}'`} ${message}.`, [{ path, message }]);

describe('POST /v1/agents/{agentID}/errors with text/plain', () => {
  it.each([
    ['a text', 'disk full', 'disk full'],
    ['the line break of echo', 'disk full\n', 'disk full'],
    ['the line breaks of a file from Windows', 'disk full\r\n\r\n', 'disk full'],
    [
      'several lines',
      'tar: /var: cannot open\n  Permission denied\n',
      'tar: /var: cannot open\n  Permission denied',
    ],
    ['what looks like JSON', '{"error":"x"}', '{"error":"x"}'],
    ['spaces', '  x ', '  x '],
    ['1024 code points', '😀'.repeat(1024), '😀'.repeat(1024)],
  ])('stores %s as one error', async (_, body, error) => {
    const answer = await send(text, body);
    expect(answer.status).toBe(201);
    expect(answer.headers['muster-agent-error']).toBe('created');
    expect(answer.body).toEqual(result());
    expect(await stored()).toEqual([error]);
  });

  it('recognizes it as a repeat of the same text in JSON', async () => {
    const first = await send(json, '{"error":"disk full"}');
    const second = await send(`${text}; charset=utf-8`, 'disk full\n');
    expect(second.headers['muster-agent-error']).toBe('ignored');
    expect(second.text).toBe(first.text);
  });

  it.each([
    ['only line breaks', '\n\n', invalid('', 'must not be empty')],
    ['1025 code points', 'x'.repeat(1025), invalid('', 'must have at most 1024 characters')],
    ['NUL', 'a\0b', invalid('', 'contains NUL (U+0000); remove it')],
    [
      'bytes that are not UTF-8',
      Buffer.from([0x61, 0xff]),
      problemBody('bad_request', 'The body is not valid UTF-8.'),
    ],
  ])('refuses %s', async (_, body, problem) => {
    const answer = await send(text, body);
    expect(answer.body).toEqual(problem);
    expect(answer.status).toBe(problem.status);
    expect(await stored()).toEqual([]);
  });

  it('cuts with truncate=true', async () => {
    expect((await send(text, 'x'.repeat(70_000), '?truncate=true')).status).toBe(201);
    expect(await stored()).toEqual([`${'x'.repeat(1023)}…`]);
  });

  it('replaces secrets of a known form', async () => {
    await send(text, `refused: ${project.token}`);
    expect(await stored()).toEqual(['refused: --redacted--']);
  });

  it('refuses text_field, which a text has not', async () => {
    const message = 'names a field of a JSON object, but the body is text/plain; leave it out';
    expect((await send(text, 'x', '?text_field=message')).body).toEqual(
      problemBody('invalid_query_parameter', `The query parameter 'text_field' ${message}.`, [
        { path: 'text_field', message },
      ]),
    );
  });

  it('refuses a body above 4 MiB with 413', async () => {
    expect(await send(text, 'x'.repeat(limitBytes + 1))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
  });
});

describe('POST /v1/agents/{agentID}/errors with application/x-ndjson', () => {
  it.each([
    ['lines', '{"error":"a"}\n{"error":"b","level":3}\n'],
    ['lines without the last line break', '{"error":"a"}\n{"error":"b"}'],
    ['lines of Windows, and empty ones', '\n\r\n{"error":"a"}\r\n \t\r\n{"error":"b"}\r\n'],
  ])('stores %s in their order, and answers like an array', async (_, body) => {
    const answer = await send(ndjson, body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual([result(), result()]);
    expect(await stored()).toEqual(['a', 'b']);
  });

  it('answers an array for one line', async () => {
    expect((await send(ndjson, '{"error":"a"}')).body).toEqual([result()]);
  });

  it('accepts 1000 lines', async () => {
    const body = Array.from({ length: 1000 }, (_, index) => `{"error":"error ${index}"}`).join('\n');
    expect((await send(ndjson, body)).body).toHaveLength(1000);
  });

  it.each([
    ['1001 lines', '{"error":"a"}\n'.repeat(1001), invalid('', 'must have at most 1000 elements')],
    ['no line', '\n', invalid('', 'must not be empty')],
    ['an empty text', '{"error":"a"}\n{"error":""}', invalid('/1/error', 'must not be empty')],
    ['a line that is no object', '{"error":"a"}\n["x"]', invalid('/1', 'must be an object')],
    [
      'a line that is not JSON',
      '{"error":"a"}\n\n{"error"}',
      problemBody('invalid_json', 'Line 3 is not valid JSON at position 8.'),
    ],
    ['too many values', `[${'0,'.repeat(100_000)}0]`, invalid('', 'contains more than 100000 values')],
  ])('refuses %s, and stores nothing', async (_, body, problem) => {
    const answer = await send(ndjson, body);
    expect(answer.body).toEqual(problem);
    expect(answer.status).toBe(problem.status);
    expect(await stored()).toEqual([]);
  });

  it('refuses a line that is not UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"error":"a"}\n{"error":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect((await send(ndjson, body)).body).toEqual(
      problemBody('invalid_json', 'Line 2 is not valid UTF-8.'),
    );
  });

  it('cuts with truncate=true', async () => {
    await send(ndjson, `{"error":"${'x'.repeat(1025)}"}`, '?truncate=true');
    expect(await stored()).toEqual([`${'x'.repeat(1023)}…`]);
  });
});

describe('POST /v1/agents/{agentID}/errors?text_field=', () => {
  it.each([
    ['message', json, '{"message":"a","error":"not this"}', ['a']],
    ['log.message', json, '[{"log.message":"a"},{"log.message":"b"}]', ['a', 'b']],
    ['MESSAGE', ndjson, '{"MESSAGE":"a"}\n', ['a']],
    ['/annotations/summary', json, '[{"annotations":{"summary":"a"}}]', ['a']],
    ['/a~1b/c~0d', json, '{"a/b":{"c~d":"a"}}', ['a']],
    ['/errors/1', json, '{"errors":["a","b"]}', ['b']],
  ])('%s takes the text of that field', async (field, mediaType, body, texts) => {
    const answer = await send(mediaType, body, `?text_field=${encodeURIComponent(field)}`);
    expect(answer.status).toBe(201);
    expect(await stored()).toEqual(texts);
  });

  it.each([
    ['message', '{"error":"a"}', '/message', 'is missing'],
    ['message', '[{"message":"a"},{"message":""}]', '/1/message', 'must not be empty'],
    ['message', '{"message":7}', '/message', 'must be a string'],
    ['a/b', '{"a":{"b":"x"}}', '/a~1b', 'is missing'],
    ['/a/b', '{"a":"b"}', '/a/b', 'is missing'],
    ['/constructor/name', '{}', '/constructor/name', 'is missing'],
    ['message', '["x"]', '/0', 'must be an object'],
    ['$&', '[{}]', '/0/$&', 'is missing'],
    ['message', '{"message":{"x":"\\u0000"}}', '/message/x', 'contains NUL (U+0000); remove it'],
    ['/a/error', '{"a":{"error":7}}', '/a/error', 'must be a string'],
  ])('%s in %s is refused by the name of the field', async (field, body, path, message) => {
    const answer = await send(json, body, `?text_field=${encodeURIComponent(field)}`);
    expect(answer.body).toEqual(invalid(path, message));
    expect(await stored()).toEqual([]);
  });

  it('works with partial and truncate', async () => {
    const body = JSON.stringify([{ m: 'x'.repeat(2000) }, { m: null }]);
    const answer = await send(json, body, '?text_field=m&truncate=true&partial=true');
    expect(answer.body).toEqual([result(), invalid('/1/m', 'must be a string')]);
    expect(await stored()).toEqual([`${'x'.repeat(1023)}…`]);
  });

  it('400 for an empty name', async () => {
    expect(await send(json, '{}', '?text_field=')).toMatchObject({
      status: 400,
      body: { code: 'invalid_query_parameter', fields: [{ path: 'text_field' }] },
    });
  });
});

describe('POST /v1/agents/{agentID}/errors with Content-Encoding: gzip', () => {
  it.each([
    [json, '[{"error":"a"},{"error":"b"}]', ['a', 'b']],
    [ndjson, '{"error":"a"}\n{"error":"b"}\n', ['a', 'b']],
    [text, 'a\n', ['a']],
  ])('reads %s', async (mediaType, body, texts) => {
    for (const coding of ['gzip', 'GZIP', 'x-gzip']) {
      expect((await send(mediaType, gzipSync(body), '', coding)).status).toBe(201);
    }
    expect(await stored()).toEqual(texts);
  });

  it('reads a body of several members', async () => {
    const members = ['[{"error":"a"},', '{"error":"b"}]'].map((part) => gzipSync(part));
    expect((await send(json, Buffer.concat(members), '', 'gzip')).status).toBe(201);
    expect(await stored()).toEqual(['a', 'b']);
  });

  it('reads 4 MiB, and refuses one byte more with 413', async () => {
    const largest = '{"error":"x"}'.padEnd(limitBytes, ' ');
    const [fits, exceeds] = [largest, `${largest} `].map((body) => gzipSync(body));
    expect((await send(json, fits ?? '', '', 'gzip')).status).toBe(201);
    const answer = await send(json, exceeds ?? '', '', 'gzip');
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(
      problemBody(
        'body_too_large',
        'The body is larger than 4194304 bytes, the most that this route takes. Send less in one request.',
      ),
    );
  });

  it('refuses bombs that arrive together with 413', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    expect(bomb.length).toBeLessThan(limitBytes);
    const answers = await Promise.all([json, ndjson, text].map((type) => send(type, bomb, '', 'gzip')));
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
  });

  it('refuses bombs of one project by turns with the large bodies of others', async () => {
    const bomb = gzipSync(Buffer.alloc(limitBytes + 1));
    const other = await test.createProject();
    const { id } = await test.registerAgent(other);
    const answered: number[] = [];
    const bombs = Array.from({ length: 50 }, async () => {
      answered.push((await send(json, bomb, '', 'gzip')).status);
    });
    const answer = await test.request('POST', `/v1/agents/${id}/errors`, {
      as: { project: other.token },
      body: '{"error":"x"}'.padEnd(limitBytes / 2, ' '),
      headers: { 'content-type': json },
    });
    expect(answer.status).toBe(201);
    expect(answered.length).toBeLessThan(bombs.length);
    await Promise.all(bombs);
    expect(new Set(answered)).toEqual(new Set([413]));
  });

  it.each([
    ['no gzip', Buffer.from('{"error":"x"}')],
    ['gzip that was cut off', gzipSync('{"error":"x"}').subarray(0, -9)],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s with 400', async (_, body) => {
    const answer = await send(json, body, '', 'gzip');
    expect(answer.body).toEqual(
      problemBody(
        'bad_request',
        'The body is not valid gzip, although its Content-Encoding says so. It may have been cut off.',
      ),
    );
    expect(answer.status).toBe(400);
  });

  it.each(['deflate', 'br', 'gzip, gzip'])('refuses %s with 415', async (coding) => {
    const answer = await send(json, '{"error":"x"}', '', coding);
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual(
      problemBody(
        'unsupported_media_type',
        'The body is compressed in a way that this route does not accept (Content-Encoding). Use gzip, or send it uncompressed.',
      ),
    );
  });

  it('is refused on routes that do not take it', async () => {
    const answer = await test.request('POST', '/v1/projects', {
      as: { access: test.admin },
      body: gzipSync('{"name":"x"}'),
      headers: { 'content-type': json, 'content-encoding': 'gzip' },
    });
    expect(answer.body).toEqual(
      problemBody(
        'unsupported_media_type',
        'The body is compressed (Content-Encoding), which this route does not accept. Send it uncompressed.',
      ),
    );
  });
});

describe('POST /v1/agents/{agentID}/errors with another media type', () => {
  it.each(['application/x-www-form-urlencoded', 'text/html', 'nonsense'])('415 for %s', async (mediaType) => {
    const answer = await send(mediaType, '{"error":"x"}');
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual(
      problemBody(
        'unsupported_media_type',
        'The body must be sent as Content-Type: application/json or application/x-ndjson or text/plain.',
      ),
    );
  });
});
