import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAlive, expectProblem, expectUsable } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { exchange, RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

let app: ListeningApp;
beforeAll(async () => {
  app = await startListeningApp();
});
afterAll(async () => {
  expect(faultsIn(app.test.logs)).toEqual([]);
  await app.test.close();
});

const healthy = '{"status":"ok","version":"0.0.0-test"}';

describe('a request of an older or other kind', () => {
  it('HTTP/1.0: is answered, and its connection ends', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send('GET /healthz HTTP/1.0\r\n\r\n');
    expect(await connection.nextAnswer()).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
      text: healthy,
    });
    await connection.closed();
  });

  it('HTTP/1.0 with keep-alive: its connection stays', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send('GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    expect(await connection.nextAnswer()).toMatchObject({ status: 200, text: healthy });
    await expectUsable(connection);
    connection.destroy();
  });

  it('HTTP/0.9: is answered like 1.0', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send('GET /healthz\r\n\r\n');
    expect(await connection.nextAnswer()).toMatchObject({ status: 200, text: healthy });
    await connection.closed();
  });

  it('a whole URL as the target, as to a proxy (RFC 9112 section 3.2.2)', async () => {
    const answer = await exchange(app.port, requestText({ target: 'http://example.com/healthz' }));
    expect(answer).toMatchObject({ status: 200, text: healthy });
  });

  it('empty lines before the request line (RFC 9112 section 2.2)', async () => {
    const answer = await exchange(app.port, Buffer.concat([Buffer.from('\r\n\r\n'), requestText({})]));
    expect(answer).toMatchObject({ status: 200, text: healthy });
  });

  // From Node 26, a thousand and more are refused with 431.
  it('many headers that are small enough', async () => {
    const answer = await exchange(
      app.port,
      requestText({ headers: Array.from({ length: 900 }, () => 'a:b') }),
    );
    expect(answer).toMatchObject({ status: 200 });
  });

  it('a client that closes its side before it reads the answer', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(requestText({}));
    connection.end();
    expect(await connection.nextAnswer()).toMatchObject({ status: 200, text: healthy });
    await connection.closed();
  });

  it('the same if the answer takes a while', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(report({ body: '{"error":"last words"}' }));
    connection.end();
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    await connection.closed();
  });

  it('a header for the version of another interface, which is ignored', async () => {
    const answer = await exchange(app.port, requestText({ headers: ['Accept-Version: 2.x'] }));
    expect(answer).toMatchObject({ status: 200, text: healthy });
  });

  it('a header that would override the method, which is ignored', async () => {
    const headers = ['X-HTTP-Method-Override: GET'];
    expectProblem(
      await exchange(app.port, requestText({ method: 'POST', headers, body: '' })),
      'route_not_found',
    );
  });
});

describe('HEAD', () => {
  it.each([
    ['/healthz', 200],
    ['/openapi.json', 200],
    ['/v1/projects', 401],
    ['/v1/nothing', 404],
  ])('%s: %i, the headers of GET and no body', async (target, status) => {
    const get = await exchange(app.port, requestText({ target }));
    const connection = await RawConnection.open(app.port);
    connection.send(requestText({ method: 'HEAD', target }));
    const head = await connection.nextAnswer({ isHead: true });
    expect(get?.status).toBe(status);
    expect(head).toMatchObject({ status, text: '' });
    expect(head?.headers['content-type']).toBe(get?.headers['content-type']);
    expect(head?.headers['x-request-id']).toMatch(/./);
    await expectUsable(connection);
    connection.destroy();
  });
});

describe('an expectation', () => {
  const body = '{"error":"expected"}';

  it('100-continue: first 100 Continue, then the answer', async () => {
    const connection = await RawConnection.open(app.port);
    const whole = report({ headers: ['Expect: 100-continue'], body });
    connection.send(whole.subarray(0, whole.length - body.length));
    expect(await connection.nextAnswer()).toMatchObject({ status: 100 });
    connection.send(body);
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    await expectUsable(connection);
    connection.destroy();
  });

  it('of another kind: is ignored', async () => {
    const answer = await exchange(app.port, report({ headers: ['Expect: the-unexpected'], body }));
    expect(answer).toMatchObject({ status: 201 });
  });
});

describe('an upgrade to another protocol', () => {
  it.each([
    ['WebSocket', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']],
    ['HTTP/2', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']],
  ])('%s: is ignored', async (_name, headers) => {
    const connection = await RawConnection.open(app.port);
    connection.send(requestText({ headers }));
    const answer = await connection.nextAnswer();
    expect(answer).toMatchObject({ status: 200, text: healthy });
    expect(answer?.headers.upgrade).toBeUndefined();
    await expectUsable(connection);
    connection.destroy();
  });
});

describe('pipelined requests on one connection', () => {
  it('are answered in order, including refusals', async () => {
    const connection = await RawConnection.open(app.port);
    const sent = [
      report({ body: '{"error":"first"}' }),
      requestText({ target: '/v1/nothing' }),
      report({ body: '{"error":""}' }),
      report({ body: '{"error":"fourth"}' }),
      requestText({}),
    ];
    connection.send(Buffer.concat(sent));
    const answers = [];
    for (const _ of sent) answers.push((await connection.nextAnswer())?.status);
    expect(answers).toEqual([201, 404, 422, 201, 200]);
    await expectUsable(connection);
    connection.destroy();
  });

  it('are answered before invalid bytes after them', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(
      Buffer.concat([
        report({ body: '{"error":"before nonsense"}' }),
        requestText({ target: '/v1/projects', headers: [`Authorization: Bearer ${app.test.admin}`] }),
        Buffer.from('nonsense\r\n\r\n'),
      ]),
    );
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
    expectProblem(await connection.nextAnswer(), 'bad_request');
    await connection.closed();
    await expectAlive(app.port);
  });

  it('are limited: the connection ends after hundreds without waiting for an answer', async () => {
    const connection = await RawConnection.open(app.port);
    connection.send(Buffer.concat(Array.from({ length: 300 }, () => asAdmin('/v1/projects'))));
    await connection.closed();
    await expectAlive(app.port);
  });

  it('are never mixed up with the rest of a refused body', async () => {
    const connection = await RawConnection.open(app.port);
    const smuggled = requestText({ target: '/v1/nothing' });
    connection.send(requestText({ method: 'POST', target: '/v1/agents', body: smuggled }));
    expectProblem(await connection.nextAnswer(), 'missing_credential');
    await expectUsable(connection);
    connection.destroy();
  });
});

describe('a parameter that is given twice', () => {
  it.each([
    ['last=1&last=2', 'last'],
    ['last=1&last=1', 'last'],
    ['name=a&last=1&name=b', 'name'],
  ])('400 invalid_query_parameter: ?%s', async (query, name) => {
    const problem = expectProblem(
      await exchange(app.port, asAdmin(`/v1/projects?${query}`)),
      'invalid_query_parameter',
    );
    expect(problem.detail).toBe(`The query parameter '${name}' is given more than once; give it once.`);
  });

  it('400 unknown_query_parameter: thousands of times', async () => {
    const query = 'a=1&'.repeat(3_000);
    expectProblem(await exchange(app.port, asAdmin(`/v1/projects?${query}`)), 'unknown_query_parameter');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '400 unknown_query_parameter: %s, which JavaScript gives a meaning to',
    async (name) => {
      expectProblem(await exchange(app.port, asAdmin(`/v1/projects?${name}=1`)), 'unknown_query_parameter');
    },
  );
});

describe('a credential that is sent twice', () => {
  it('401 invalid_credential: the same project token', async () => {
    const header = `X-Project-Token: ${app.project.token}`;
    expectProblem(
      await exchange(app.port, requestText({ target: '/v1/me', headers: [header, header] })),
      'invalid_credential',
    );
  });

  it('the first Authorization counts, as Node has it', async () => {
    const headers = [`Authorization: Bearer ${app.test.admin}`, 'Authorization: Bearer other'];
    const answer = await exchange(app.port, requestText({ target: '/v1/me', headers }));
    expect(answer).toMatchObject({ status: 200 });
  });
});

describe('the id of a request', () => {
  it.each(['a', 'abc-1.2:3_4', '0af7651916cd43dd8448eb211c80319c', 'x'.repeat(64)])(
    'is taken over where it is fit for a log line: %s',
    async (id) => {
      const answer = await exchange(
        app.port,
        requestText({ target: '/v1/nothing', headers: [`X-Request-Id: ${id}`] }),
      );
      expect(expectProblem(answer, 'route_not_found').requestID).toBe(id);
      expect(app.test.logs.filter((line) => line.includes(`"reqId":"${id}"`))).toHaveLength(1);
    },
  );

  it.each([
    ['empty', 'X-Request-Id:'],
    ['too long', `X-Request-Id: ${'x'.repeat(65)}`],
    ['with a space', 'X-Request-Id: a b'],
    ['with markup', 'X-Request-Id: <script>'],
    ['with what ends a line elsewhere', 'X-Request-Id: a\\nb'],
    ['outside of ASCII', 'X-Request-Id: \u00fc'],
    ['given twice', 'X-Request-Id: a\r\nX-Request-Id: b'],
  ])('is replaced if it is invalid: %s', async (_name, header) => {
    const target = '/v1/nothing';
    const answers = await Promise.all(
      [1, 2].map(() => exchange(app.port, requestText({ target, headers: [header] }))),
    );
    const ids = answers.map((answer) => expectProblem(answer, 'route_not_found').requestID);
    for (const id of ids) expect(id).toMatch(/^[\w.-]{8,64}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is in the answer to a report too', async () => {
    const headers = ['X-Request-Id: report-1'];
    const answer = await exchange(app.port, report({ headers, body: '{"error":"with an id"}' }));
    expect(answer).toMatchObject({ status: 201, headers: { 'x-request-id': 'report-1' } });
  });
});

function report({ headers = [], body }: { readonly headers?: readonly string[]; readonly body: string }) {
  return requestText({
    method: 'POST',
    target: app.reportPath,
    headers: [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json', ...headers],
    body,
  });
}

function asAdmin(target: string): Buffer {
  return requestText({ target, headers: [`Authorization: Bearer ${app.test.admin}`] });
}
