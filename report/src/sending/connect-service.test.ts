import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectService } from './connect-service.ts';
import { ServiceFailure } from './report-service.ts';

const registration = { agentID: '01a1fc9f-0000-7000-8000-000000000001', agentToken: 'mst_a_token' };

/** What the server of the test answers next. */
let answer: { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };
const server = createServer((_, response) => {
  response.writeHead(answer.status, { 'content-type': 'application/problem+json', ...answer.headers });
  response.end(answer.body);
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
});

afterAll(() => server.close());

async function failureOf(given: typeof answer): Promise<ServiceFailure> {
  answer = given;
  const service = connectService({ url, readToken: async () => 'unused', userAgent: 'test' });
  const failure = await service
    .heartbeat(registration, {}, new AbortController().signal)
    .catch((error) => error);
  expect(failure).toBeInstanceOf(ServiceFailure);
  return failure;
}

function problem(status: number, headers: Record<string, string> = {}): typeof answer {
  const body = JSON.stringify({ type: '/errors/x', title: 'x', status, code: 'x', detail: 'because' });
  return { status, headers, body };
}

it.each([
  [400, 'refused'],
  [401, 'refused'],
  [403, 'refused'],
  [404, 'refused'],
  [410, 'refused'],
  [413, 'refused'],
  [422, 'refused'],
  [408, 'busy'],
  [429, 'busy'],
  [500, 'busy'],
  [503, 'busy'],
])('takes %d of the service as %s', async (status, kind) => {
  const { message, ...failure } = await failureOf(problem(status));
  expect({ message, ...failure, cause: undefined }).toEqual({
    message: 'because',
    kind,
    status,
    retryAfterSeconds: undefined,
    cause: undefined,
  });
});

it.each([429, 503])('keeps how long the service asks to wait after %d', async (status) => {
  expect(await failureOf(problem(status, { 'retry-after': '17' }))).toMatchObject({
    kind: 'busy',
    retryAfterSeconds: 17,
  });
});

it.each([200, 404, 429, 502])('takes %d of something other than Muster as no answer', async (status) => {
  expect(await failureOf({ status, body: '<html>', headers: { 'content-type': 'text/html' } })).toMatchObject(
    {
      kind: 'unreachable',
      status,
      message: `something other than Muster answers, with status ${status}`,
    },
  );
});

it('says what is wrong when a port that does not speak TLS is asked with https://', async () => {
  const service = connectService({
    url: url.replace('http:', 'https:'),
    readToken: async () => 'unused',
    userAgent: 'test',
  });
  await expect(service.heartbeat(registration, {}, new AbortController().signal)).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'its port does not speak TLS: write http:// instead of https://, or name the port that does',
  });
});

it('says that the port may speak TLS when it is asked with http:// and closes the connection', async () => {
  const closing = createTcpServer((socket) => socket.once('data', () => socket.end()));
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const service = connectService({
    url: `http://127.0.0.1:${(closing.address() as AddressInfo).port}`, // it listens on TCP
    readToken: async () => 'unused',
    userAgent: 'test',
  });
  try {
    await expect(service.heartbeat(registration, {}, new AbortController().signal)).rejects.toMatchObject({
      kind: 'unreachable',
      message:
        'it closed the connection before it had answered: if its port speaks TLS, write https:// instead of http://',
    });
  } finally {
    closing.close();
  }
});
