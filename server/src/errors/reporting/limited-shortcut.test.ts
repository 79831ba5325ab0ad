import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

interface SeenAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

const maxConcurrent = 20;
const intervalMilliseconds = 100;

let app: TestApp;
let project: TestProject;
let agentID: string;
let port: number;
const connections = new Agent({ keepAlive: true });

beforeAll(async () => {
  app = await startTestApp({ logLevel: 'info', config: { maxOpenErrorsPerAgent: 1 } });
  await app.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (app.app.http.server.address() as AddressInfo).port; // a TCP server's
  project = await app.createProject();
  agentID = (await app.registerAgent(project)).id;
  await send('open');
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(async () => {
  connections.destroy();
  await app.close();
});

const headers = () => ({ 'content-type': 'application/json', 'x-project-token': project.token });

/** Sends over a connection, so that the shortcut is used. */
function send(error: string): Promise<SeenAnswer> {
  const body = JSON.stringify({ error });
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        agent: connections,
        port,
        host: '127.0.0.1',
        path: `/v1/agents/${agentID}/errors`,
        method: 'POST',
        headers: { ...headers(), 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: JSON.parse(Buffer.concat(chunks).toString()),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends directly to the framework, without the shortcut. */
async function sendToRoute(error: string): Promise<SeenAnswer> {
  const url = `/v1/agents/${agentID}/errors`;
  const answer = await app.app.http.inject({ method: 'POST', url, headers: headers(), payload: { error } });
  return {
    status: answer.statusCode,
    headers: answer.headers as IncomingHttpHeaders, // as they would be received
    body: answer.json(),
  };
}

/** Sends reports without the shortcut until a refusal needs no query. The shortcut has then delayed no answer yet. */
async function untilKnown(): Promise<void> {
  app.clock.advance(1_000);
  const statements = countStatements();
  for (let before = -1; before < statements.count(); ) {
    before = statements.count();
    expect((await sendToRoute('one more')).status).toBe(429);
    await nextTurn();
  }
  vi.restoreAllMocks();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Everything that a caller can see of an answer, except the request id, whose length varies. */
function told({ status, headers: all, body }: SeenAnswer) {
  const {
    'x-request-id': id = '',
    'content-length': length,
    date,
    connection,
    'keep-alive': _,
    ...rest
  } = all;
  return { status, headers: rest, length: Number(length) - id.length, body: { ...body, requestID: '' } };
}

describe('reports beyond a limit, in the shortcut', () => {
  it('are answered with a delay if they are many, without delaying others', async () => {
    await untilKnown();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answered: (number | undefined)[] = [];
    const refusals = Array.from({ length: maxConcurrent + 5 }, async (_, index) => {
      const { status } = await send(`storm ${index}`);
      answered.push(status);
    });
    while (answered.length < maxConcurrent) await nextTurn();
    expect((await send('open')).status).toBe(201);
    expect(answered).toHaveLength(maxConcurrent);
    vi.advanceTimersByTime(intervalMilliseconds);
    await Promise.all(refusals);
    expect(answered).toEqual(Array.from({ length: maxConcurrent + 5 }, () => 429));
  });

  it('are refused like in the framework, each with its request id', async () => {
    const [ahead, routed] = [await send('one more'), await sendToRoute('one more')];
    expect(ahead.status).toBe(429);
    expect(told(ahead)).toEqual(told(routed));
    expect(Buffer.byteLength(JSON.stringify(ahead.body))).toBe(Number(ahead.headers['content-length']));
    for (const { headers: all, body } of [ahead, routed]) expect(all['x-request-id']).toBe(body.requestID);
  });
});
