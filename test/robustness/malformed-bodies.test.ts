import { bodyLimitBytes, largeBodyLimitBytes, type ProblemCode } from '@muster/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAlive, expectLogged, expectProblem, expectUsable } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

let app: ListeningApp;
beforeAll(async () => {
  app = await startListeningApp();
});
afterAll(() => app.test.close());

/** Once the project token is remembered, reports take the shortcut before the framework; refusals stay the same. */
beforeEach(async () => {
  await app.test.request('GET', '/v1/me', { as: { project: app.project.token } });
});

const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';

describe('a body of ambiguous length', () => {
  it.each([
    ['a negative length', 'Content-Length: -1'],
    ['a signed length', 'Content-Length: +2'],
    ['a hexadecimal length', 'Content-Length: 0x2'],
    ['a length beyond 64 bits', 'Content-Length: 99999999999999999999999'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3'],
    ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2'],
    ['a list of lengths', 'Content-Length: 2, 2'],
    ['a length and chunks', `Content-Length: 2\r\n${chunked}`],
    ['chunks and a length', `${chunked}\r\nContent-Length: 2`],
    ['chunks within chunks', `${chunked}\r\n${chunked}`],
    ['chunks that are not last', 'Transfer-Encoding: chunked, gzip'],
    ['a coding that does not exist', 'Transfer-Encoding: xchunked'],
    ['no coding by its old name', 'Transfer-Encoding: identity'],
  ])('400 bad_request: %s', async (_name, length) => {
    await expectRefusal({ length, body: '{}' }, 'bad_request', 'closed');
  });
});

describe('a body in chunks', () => {
  it.each([
    ['a size that is no number', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a negative size', '-2\r\n{}\r\n0\r\n\r\n'],
    ['a size beyond 64 bits', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', '2\r\n{}0\r\n\r\n'],
    ['an extension without end', `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
    ['a trailer that is no header', '2\r\n{}\r\n0\r\nnonsense\r\n\r\n'],
  ])('400 bad_request: %s', async (_name, body) => {
    await expectRefusal({ length: chunked, body }, 'bad_request', 'closed');
  });

  it('431 headers_too_large: endless trailers', async () => {
    const body = `2\r\n{}\r\n0\r\nX-Trailer: ${'y'.repeat(30_000)}\r\n\r\n`;
    await expectRefusal({ length: chunked, body }, 'headers_too_large', 'closed');
  });

  it('413 body_too_large: as soon as the chunks exceed the limit of the route', async () => {
    const size = (largeBodyLimitBytes + 1).toString(16);
    const problem = await expectRefusal(
      { length: chunked, body: `${size}\r\n${' '.repeat(largeBodyLimitBytes + 1)}\r\n` },
      'body_too_large',
      'closed',
    );
    expect(problem.detail).toBe(
      'The body is larger than 4194304 bytes, the most that this route takes. Send less in one request.',
    );
  });

  it('201: with extensions and trailers, which are ignored', async () => {
    const body = '9;a=b\r\n{"error":\r\n8;c\r\n"chunks"\r\n1\r\n}\r\n0\r\nX-Trailer: z\r\n\r\n';
    const connection = await RawConnection.open(app.port);
    connection.send(report({ length: chunked, body }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    await expectUsable(connection);
    connection.destroy();
    expect(await storedTexts()).toContain('chunks');
  });
});

describe('a body that is too large', () => {
  it.each([
    ['one byte more than the route takes', `Content-Length: ${largeBodyLimitBytes + 1}`],
    ['four gigabytes', 'Content-Length: 4294967296'],
    ['more than a number holds exactly', 'Content-Length: 9007199254740993'],
  ])('413 body_too_large: %s, before the body arrives', async (_name, length) => {
    await expectRefusal({ length, body: '' }, 'body_too_large', 'closed');
  });

  it('413 body_too_large: with all of it sent', async () => {
    await expectRefusal({ body: ' '.repeat(2 * largeBodyLimitBytes) }, 'body_too_large', 'closed');
  });

  it('413 body_too_large: for a client that waits for 100 Continue', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(
      report({ headers: ['Expect: 100-continue'], length: `Content-Length: ${largeBodyLimitBytes + 1}` }),
    );
    expect(await connection.nextAnswer()).toMatchObject({ status: 100 });
    expectProblem(await connection.nextAnswer(), 'body_too_large');
    await connection.closed();
  });

  it.each([
    ['POST', '/v1/agents'],
    ['PATCH', '/v1/agents/{agent}'],
    ['POST', '/v1/agents/{agent}/metrics'],
    ['POST', '/v1/agents/{agent}/errors'],
    ['POST', '/v1/machines/web-01/errors'],
  ])('413 body_too_large: %s %s accepts four megabytes', async (method, path) => {
    const target = path.replace('{agent}', app.agent.id);
    const problem = await expectRefusal(
      { method, target, length: `Content-Length: ${largeBodyLimitBytes + 1}` },
      'body_too_large',
      'closed',
    );
    expect(problem.detail).toContain(`larger than ${largeBodyLimitBytes} bytes`);
  });

  it.each([
    ['a body of ordinary size has', bodyLimitBytes],
    ['such a body does not have any more', bodyLimitBytes + 1],
    ['the route takes', largeBodyLimitBytes],
  ])('201: of exactly the maximum size of %s', async (_name, bytes) => {
    const connection = await RawConnection.open(app.port);
    const text = JSON.stringify({ error: 'as large as can be' });
    connection.send(report({ body: text + ' '.repeat(bytes - text.length) }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    await expectUsable(connection);
    connection.destroy();
  });
});

describe('a body that is not JSON', () => {
  it.each([
    ['{"error":"hunter2"]', 'The body is not valid JSON at position 18.'],
    ['hunter2', 'The body is not valid JSON at position 0.'],
    ["{'error':'hunter2'}", 'The body is not valid JSON at position 1.'],
    ['{"error":"hunter2",}', 'The body is not valid JSON at position 19.'],
    ['{"error":"hunter2"} hunter2', 'The body is not valid JSON at position 20.'],
    ['{"error":"hunter\n2"}', 'The body is not valid JSON at position 16.'],
    ['{"error":"hunter\\2"}', 'The body is not valid JSON at position 16.'],
    ['{"error":hunter2 position 4111111111111111}', 'The body is not valid JSON at position 9.'],
    ['{"error":"hunter2', 'The body is not valid JSON: it ends too early, at position 17.'],
    ['{"error":', 'The body is not valid JSON: it ends too early, at position 9.'],
    [' ', 'The body is not valid JSON: it ends too early, at position 1.'],
  ])('400 invalid_json: %j, without quoting it', async (body, detail) => {
    const problem = await expectRefusal({ body }, 'invalid_json', 'closed');
    expect(problem).toEqual({ ...problem, detail });
  });

  it.each([
    ['a byte that is none', Buffer.from('{"error":"\xff"}', 'latin1')],
    ['a character cut off', Buffer.from('{"error":"\xe2\x82"}', 'latin1')],
    ['half of a surrogate pair as bytes', Buffer.from('{"error":"\xed\xa0\x80"}', 'latin1')],
    ['the same character in too many bytes', Buffer.from('{"error":"\xc0\xaf"}', 'latin1')],
    ['UTF-16', Buffer.from('\ufeff{"error":"x"}', 'utf16le')],
  ])('400 invalid_json: UTF-8 with %s', async (_name, body) => {
    const problem = await expectRefusal({ body }, 'invalid_json', 'closed');
    expect(problem.detail).toBe('The body is not valid UTF-8.');
  });

  it.each([
    ['of no bytes', {}],
    ['that is not there', { length: '' }],
    ['of no chunks', { length: chunked, body: '0\r\n\r\n' }],
  ])('400 invalid_json: a body %s', async (_name, sent) => {
    const problem = await expectRefusal({ body: '', ...sent }, 'invalid_json', 'open');
    expect(problem.detail).toBe('The body is empty, but this route takes a JSON body.');
  });

  it('201: with a byte order mark before it, as tools on Windows write it', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(report({ body: '\ufeff{"error":"after a mark"}' }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    connection.destroy();
    expect(await storedTexts()).toContain('after a mark');
  });

  it.each([
    ['null', 'The body must be an object.'],
    ['1e999', 'The body must be an object.'],
    ['[]', 'The body must not be empty.'],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, /is nested deeper than 32 levels\.$/],
  ])('422 invalid_body: %.20s', async (body, detail) => {
    const problem = await expectRefusal({ body }, 'invalid_body', 'open');
    expect(problem.detail).toMatch(detail);
  });

  it.each([
    ['arrays in arrays', `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`],
    ['arrays in arrays that never end', '['.repeat(4_000_000)],
    ['empty objects', `[${'{},'.repeat(1_000_000)}{}]`],
    ['texts', `{"error":"x","tags":[${'"",'.repeat(1_000_000)}""]}`],
  ])('422 invalid_body: megabytes of %s, which are not parsed', async (_name, body) => {
    const problem = await expectRefusal({ body }, 'invalid_body', 'closed');
    expect(problem).toEqual({
      ...problem,
      detail: 'The body contains more than 100000 values.',
      fields: [{ path: '', message: 'contains more than 100000 values' }],
    });
  });

  it('201: with unknown fields, which are ignored', async () => {
    const connection = await RawConnection.open(app.port);
    const labels = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`label ${index}`, 'value']));
    const reports = Array.from({ length: 1_000 }, () => ({ error: 'with labels', labels }));
    connection.send(report({ body: JSON.stringify(reports) }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    connection.destroy();
    expect(await storedTexts()).toContain('with labels');
  });

  it('422 invalid_body: quotes only a part of a large value', async () => {
    const target = '/v1/agents';
    const body = JSON.stringify({
      name: 'a',
      machineID: 'b',
      metadata: { ['k'.repeat(3_000_000)]: 'a\0b' },
    });
    const problem = await expectRefusal({ target, body }, 'invalid_body', 'open');
    expect(JSON.stringify(problem).length).toBeLessThan(20_000);
    expect(problem.fields).toEqual([
      {
        path: expect.stringMatching(/^\/metadata\/k{100,490}…$/),
        message: 'contains NUL (U+0000); remove it',
      },
    ]);
  });

  it('201: with names that are special in JavaScript, which are ignored', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(report({ body: '{"__proto__":{"error":"polluted"},"constructor":{},"error":"own"}' }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    connection.destroy();
    expect(await storedTexts()).toContain('own');
    expect(await storedTexts()).not.toContain('polluted');
  });
});

describe('a body of another kind', () => {
  it.each([
    ['XML', 'Content-Type: application/xml'],
    ['a form', 'Content-Type: application/x-www-form-urlencoded'],
    ['a kind of JSON of somebody else', 'Content-Type: application/vnd.example+json'],
    ['what is no media type', 'Content-Type: nonsense'],
    ['nothing', 'X-Other: y'],
  ])('415 unsupported_media_type: %s', async (_name, type) => {
    const bytes = { headers: [type], withoutType: true, body: '{"error":"x"}' };
    const problem = await expectRefusal(bytes, 'unsupported_media_type', 'open');
    expect(problem.detail).toBe(
      'The body must be sent as Content-Type: application/json or application/x-ndjson or text/plain.',
    );
  });

  it('415 unsupported_media_type: compressed by something else than gzip', async () => {
    const bytes = { headers: ['Content-Encoding: br'], body: Buffer.from([0x1f, 0x8b, 8, 0]) };
    const problem = await expectRefusal(bytes, 'unsupported_media_type', 'closed');
    expect(problem.detail).toBe(
      'The body is compressed in a way that this route does not accept (Content-Encoding). Use gzip, or send it uncompressed.',
    );
  });

  it('400 bad_request: the beginning of a gzip file', async () => {
    const bytes = { headers: ['Content-Encoding: gzip'], body: Buffer.from([0x1f, 0x8b, 8, 0]) };
    const problem = await expectRefusal(bytes, 'bad_request', 'closed');
    expect(problem.detail).toBe(
      'The body is not valid gzip, although its Content-Encoding says so. It may have been cut off.',
    );
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    '201: JSON as %s',
    async (type) => {
      const connection = await RawConnection.open(app.port);
      connection.send(
        report({ headers: [`Content-Type: ${type}`], withoutType: true, body: '{"error":"typed"}' }),
      );
      expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
      connection.destroy();
    },
  );
});

describe('a body for a route without one', () => {
  it.each([
    ['JSON', json, '{"reason":"why"}'],
    ['JSON that is none', json, '{"reason'],
    ['an empty form, as curl -d "" sends it', 'Content-Type: application/x-www-form-urlencoded', ''],
    ['what is no media type', 'Content-Type: nonsense', 'x'],
  ])('is ignored: %s', async (_name, type, body) => {
    const error = await createDismissedError();
    const connection = await RawConnection.open(app.port);
    const headers = [`Authorization: Bearer ${app.test.admin}`, type];
    connection.send(
      requestText({ method: 'POST', target: `/v1/agent_errors/${error}/reopen`, headers, body }),
    );
    expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
    await expectUsable(connection);
    connection.destroy();
  });

  it('413 body_too_large: an endless one', async () => {
    const target = `/v1/agents/${app.agent.id}`;
    const length = `Content-Length: ${bodyLimitBytes + 1}`;
    await expectRefusal({ method: 'DELETE', target, length }, 'body_too_large', 'closed', app.test.admin);
  });

  it('200: a GET with a body of any size', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(requestText({ headers: [json], body: 'x'.repeat(1_000_000) }));
    expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
    await expectUsable(connection);
    connection.destroy();
  });
});

describe('an incomplete body', () => {
  it('400 bad_request: if the client closes its side', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(report({ length: 'Content-Length: 100', body: '{"error":"half' }));
    connection.end();
    expectProblem(await connection.nextAnswer(), 'bad_request');
    await connection.closed();
    await expectAlive(app.port);
  });

  it('is discarded when the client disconnects', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(report({ length: 'Content-Length: 100', body: '{"error":"gone' }));
    connection.destroy();
    await expectAlive(app.port);
    expect(await storedTexts()).not.toContain('gone');
    expect(faultsIn(app.test.logs)).toEqual([]);
  });
});

type Report = Partial<Parameters<typeof requestText>[0]> & { readonly withoutType?: boolean };

/** A report of the agent, unless a test needs another request. */
function report({ headers = [], withoutType = false, ...rest }: Report, admin?: string): Buffer {
  const credential =
    admin === undefined ? `X-Project-Token: ${app.project.token}` : `Authorization: Bearer ${admin}`;
  return requestText({
    method: 'POST',
    target: app.reportPath,
    headers: [credential, ...(withoutType ? [] : [json]), ...headers],
    ...rest,
  });
}

/** Sends, reads the one answer, and checks the state of the connection and of the service. */
async function expectRefusal(sent: Report, code: ProblemCode, then: 'open' | 'closed', admin?: string) {
  const connection = await RawConnection.open(app.port);
  try {
    connection.send(report(sent, admin));
    const answer = await connection.nextAnswer();
    const problem = expectProblem(answer, code);
    expect(answer?.headers.connection).toBe(then === 'open' ? 'keep-alive' : 'close');
    expect(answer?.text).not.toContain('hunter');
    if (then === 'open') await expectUsable(connection);
    else await connection.closed();
    await expectAlive(app.port);
    expectLogged(app.test.logs, problem);
    expect(faultsIn(app.test.logs)).toEqual([]);
    return problem;
  } finally {
    connection.destroy();
  }
}

async function storedTexts(): Promise<string[]> {
  const { body } = await app.test.request<{ error: string }[]>('GET', app.reportPath, {
    as: { access: app.test.admin },
  });
  return body.map(({ error }) => error);
}

let texts = 0;

async function createDismissedError(): Promise<string> {
  texts += 1;
  const as = { access: app.test.admin };
  const { body } = await app.test.request<{ id: string }>('POST', app.reportPath, {
    as: { project: app.project.token },
    body: { error: `dismissed ${texts}` },
  });
  await app.test.request('POST', `/v1/agent_errors/${body.id}/dismiss`, { as, body: { reason: 'known' } });
  return body.id;
}
