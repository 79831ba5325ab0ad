import type { ProblemCode } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAlive, expectLogged, expectProblem, expectUsable } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

let app: ListeningApp;
beforeAll(async () => {
  app = await startListeningApp();
});
afterAll(() => app.test.close());

const host = 'Host: muster\r\n';

describe('a request that is not HTTP/1.1', () => {
  it.each<[string, string | Buffer]>([
    ['bytes of any kind', '\x00\x01\x02\xff nonsense \r\n\r\n'],
    ['the start of TLS', Buffer.from('16030100a5010000a10303000102030405', 'hex')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version that does not exist', `GET /healthz HTTP/1.2\r\n${host}\r\n`],
    ['the version of another protocol', `GET /healthz HTPP/1.1\r\n${host}\r\n`],
    ['a request line without a path, as muted Fluent Bit sends it', `POST  HTTP/1.1\r\n${host}\r\n`],
    ['a space in the path', `GET /v1/fleets/my fleet HTTP/1.1\r\n${host}\r\n`],
    ['a letter outside of ASCII in the path', `GET /v1/f\u00fcr HTTP/1.1\r\n${host}\r\n`],
    ['a path without its slash', `GET healthz HTTP/1.1\r\n${host}\r\n`],
    ['a target of nothing but a query', `GET ?last=1 HTTP/1.1\r\n${host}\r\n`],
    ['a method in lower case', `get /healthz HTTP/1.1\r\n${host}\r\n`],
    ['a method that does not exist', `BREW /healthz HTTP/1.1\r\n${host}\r\n`],
    ['a header without a colon', `GET /healthz HTTP/1.1\r\n${host}Accept\r\n\r\n`],
    ['a space before the colon', `GET /healthz HTTP/1.1\r\n${host}Accept : */*\r\n\r\n`],
    ['NUL in a header', `GET /healthz HTTP/1.1\r\n${host}Accept: \x00\r\n\r\n`],
    ['a header over two lines', `GET /healthz HTTP/1.1\r\n${host}Accept: a,\r\n b\r\n\r\n`],
    ['lines that end with LF alone', 'GET /healthz HTTP/1.1\nHost: muster\n\n'],
    ['CR in the middle of a header', `GET /healthz HTTP/1.1\r\n${host}Accept: a\rb\r\n\r\n`],
  ])('400 bad_request: %s', async (_name, bytes) => {
    await expectRefusal(bytes, 'bad_request', 'closed');
  });

  it.each([
    ['one header', `Cookie: ${'x'.repeat(20_000)}`],
    ['one header of a megabyte', `Cookie: ${'x'.repeat(1_000_000)}`],
    ['all headers together', Array.from({ length: 900 }, () => `Cookie: ${'x'.repeat(16)}`).join('\r\n')],
  ])('431 headers_too_large: %s', async (_name, header) => {
    await expectRefusal(requestText({ headers: [header] }), 'headers_too_large', 'closed');
  });

  it('431 headers_too_large: a path above the limit on headers', async () => {
    await expectRefusal(requestText({ target: `/${'x'.repeat(20_000)}` }), 'headers_too_large', 'closed');
  });
});

describe('a request with an invalid Host', () => {
  it.each([
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
  ])('400 bad_request: %s', async (_name, bytes) => {
    const problem = await expectRefusal(bytes, 'bad_request', 'open');
    expect(problem.detail).toBe('A request must have exactly one Host header (RFC 9112 section 3.2).');
  });

  it('400 bad_request: a report without a Host, which is not counted', async () => {
    const body = '{"error":"no host"}';
    const bytes = `POST ${app.reportPath} HTTP/1.1\r\nX-Project-Token: ${app.project.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await expectRefusal(bytes, 'bad_request', 'open');
    const { body: errors } = await app.test.request('GET', app.reportPath, {
      as: { access: app.test.admin },
    });
    expect(errors).toEqual([]);
  });
});

describe('a request with a target that cannot be decoded', () => {
  it.each([
    ['/v1/agents/%zz'],
    ['/v1/agents/%'],
    ['/v1/agents/%ff'],
    ['/v1/agents/%C3%28'],
    ['/v1/agents/%ED%A0%80'],
    ['http:///'],
  ])('400 bad_request: %s', async (target) => {
    const problem = await expectRefusal(requestText({ target }), 'bad_request', 'open');
    expect(problem.detail).toBe(
      'The path is not valid: each % must be followed by two hex digits, and the decoded bytes must be UTF-8.',
    );
  });

  it.each(['%zz', '%', '%ff', '%C3%28'])('400 bad_request: a query with %s', async (value) => {
    const target = `/v1/projects?name=${value}`;
    const headers = [`Authorization: Bearer ${app.test.admin}`];
    const problem = await expectRefusal(requestText({ target, headers }), 'bad_request', 'open');
    expect(problem.detail).toBe(
      'The query is not valid: each % must be followed by two hex digits, and the decoded bytes must be UTF-8.',
    );
  });

  it('400 invalid_path_parameter: %00 in an id', async () => {
    const headers = [`Authorization: Bearer ${app.test.admin}`];
    await expectRefusal(requestText({ target: '/v1/agents/%00', headers }), 'invalid_path_parameter', 'open');
  });

  it('400 invalid_path_parameter: %00 in a machine id', async () => {
    const bytes = requestText({
      method: 'POST',
      target: '/v1/machines/a%00b/errors',
      headers: [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json'],
      body: '{"error":"x"}',
    });
    const problem = await expectRefusal(bytes, 'invalid_path_parameter', 'open');
    expect(problem.detail).toBe(
      "The path parameter 'machineID' contains NUL or half a character; remove it.",
    );
  });

  it('400 bad_request: a part of the path that is longer than any id', async () => {
    const problem = await expectRefusal(
      requestText({ target: `/v1/agents/${'x'.repeat(5_000)}` }),
      'bad_request',
      'open',
    );
    expect(problem.detail).toBe('A part of the path is longer than any id or name.');
  });
});

describe('a request for an unknown route', () => {
  it.each([
    ['PUT', '/v1/projects'],
    ['TRACE', '/healthz'],
    ['PROPFIND', '/healthz'],
    ['OPTIONS', '*'],
    ['OPTIONS', '/v1/projects'],
    ['GET', '*'],
    ['GET', '/'],
    ['GET', '//healthz'],
    ['GET', '/healthz/'],
    ['GET', '/HEALTHZ'],
    ['GET', '/v1/../healthz'],
    ['GET', '/v1/%2e%2e/healthz'],
    ['GET', '/v1%2fprojects'],
    ['GET', '/healthz;a=b'],
    ['GET', 'ftp://example.com/healthz'],
  ])('404 route_not_found: %s %s', async (method, target) => {
    const problem = await expectRefusal(requestText({ method, target }), 'route_not_found', 'open');
    expect(problem.detail).toBe(`There is no ${method} ${target}. See /docs for every route.`);
  });

  it('404 route_not_found: quotes a part of a long path', async () => {
    const problem = await expectRefusal(
      requestText({ target: `/${'x'.repeat(10_000)}` }),
      'route_not_found',
      'open',
    );
    expect(problem.detail).toBe(`There is no GET /${'x'.repeat(499)}…. See /docs for every route.`);
  });

  it.each([
    ['JSON that is none', 'application/json', '{'],
    ['another media type', 'text/xml', '<a/>'],
    ['more than any route takes', 'application/json', 'x'.repeat(5_000_000)],
  ])('404 route_not_found: before a body of %s is read', async (_name, type, body) => {
    const bytes = requestText({
      method: 'POST',
      target: '/v1/nothing',
      headers: [`Content-Type: ${type}`],
      body,
    });
    await expectRefusal(bytes, 'route_not_found', 'open');
  });

  it('400 bad_request: CONNECT, as to a proxy', async () => {
    const bytes = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n';
    const problem = await expectRefusal(bytes, 'bad_request', 'closed');
    expect(problem.detail).toBe('This server is not a proxy and does not accept CONNECT.');
  });

  it('continues after a CONNECT whose client disconnects before the answer', async () => {
    for (let round = 0; round < 50; round += 1) {
      const connection = await RawConnection.open(app.port);
      connection.send('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
      await new Promise((resolve) => (round % 2 === 0 ? process.nextTick(resolve) : setImmediate(resolve)));
      connection.reset();
    }
    await expectAlive(app.port);
  });
});

/** Sends, reads the one answer, and checks the state of the connection and of the service. */
async function expectRefusal(bytes: string | Buffer, code: ProblemCode, then: 'open' | 'closed') {
  const connection = await RawConnection.open(app.port);
  try {
    connection.send(bytes);
    const answer = await connection.nextAnswer();
    const problem = expectProblem(answer, code);
    expect(answer?.headers.connection).toBe(then === 'open' ? 'keep-alive' : 'close');
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
