import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createAgentError,
  createClient,
  createToken,
  listAgentErrors,
  listTokens,
  MusterConnectionError,
  MusterError,
} from '@muster/client';
import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../client/src/client.ts';
import type { TestAppOptions } from '../../server/src/testing/start-test-app.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options?: TestAppOptions): Promise<ListeningApp> {
  const app = await startListeningApp(options);
  closing.push(() => app.test.close());
  return app;
}

/** Passes requests on to the service and drops the answers to the first ones. */
async function startLosingProxy({ port }: ListeningApp, losses: number): Promise<string> {
  let lost = 0;
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { connection, host, 'content-length': length, ...headers } = request.headers;
    const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>, // none of these is sent twice
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    if (lost < losses) {
      lost += 1;
      response.destroy();
      return;
    }
    const { 'content-encoding': _, ...answered } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, answered).end(text);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // it listens on a port
}

describe('an answer that is lost on its way', () => {
  it('to a report: the report is sent again, ignored, and stored once', async () => {
    const app = await start();
    const url = await startLosingProxy(app, 2);
    const agentID = app.agent.id;
    const retry = { firstDelayMilliseconds: 1 };
    const agent = createClient({ url, credential: { agentToken: app.agent.token }, retry });
    const reported = await createAgentError(agent, { agentID, body: { error: 'disk full' } });
    expect(reported.outcome).toBe('ignored');
    const operator = createClient({ url, credential: { accessToken: app.test.admin } });
    expect(await listAgentErrors(operator, { agentID }).first()).toEqual({
      items: [expect.objectContaining({ id: reported.id, error: 'disk full', occurrences: 3 })],
    });
  });

  it('to a creation: the request is not sent again, and the error says that it may have been carried out', async () => {
    const app = await start();
    const url = await startLosingProxy(app, 1);
    const client = createClient({ url, credential: { accessToken: app.test.admin } });
    const projectID = app.project.id;
    const error = await createToken(client, { projectID, body: { name: 'ci' } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(MusterConnectionError);
    expect(error).toMatchObject({ mayBeDone: true, attempts: 1 });
    const { items } = await listTokens(client, { projectID, name: 'ci' }).first();
    expect(items.map(({ name }) => name)).toEqual(['ci']);
  });
});

describe('a service that sends Retry-After', () => {
  it('gets the report again after that time and stores it', async () => {
    const app = await start({ config: { newErrorsPerProjectPerSecond: 1 } });
    const { clock } = app.test;
    const waits: number[] = [];
    const client = connect(
      { url: `http://127.0.0.1:${app.port}`, credential: { agentToken: app.agent.token } },
      {
        random: () => 0,
        time: {
          now: () => clock.now(),
          wait: async (milliseconds) => {
            waits.push(milliseconds);
            clock.advance(milliseconds);
          },
        },
      },
    );
    const report = (error: string) => createAgentError(client, { agentID: app.agent.id, body: { error } });
    const outcomes = [];
    for (const text of ['one', 'two', 'three']) outcomes.push((await report(text)).outcome);
    expect(outcomes).toEqual(['created', 'created', 'created']);
    expect(waits).toEqual([1_125, 1_125]);
  });

  it('is not awaited longer than the time limit of the call', async () => {
    const app = await start({ config: { maxOpenErrorsPerAgent: 1 } });
    const url = `http://127.0.0.1:${app.port}`;
    const client = createClient({ url, credential: { agentToken: app.agent.token } });
    const report = (error: string) => createAgentError(client, { agentID: app.agent.id, body: { error } });
    await report('one');
    const error = await report('two').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MusterError);
    expect(error).toMatchObject({ code: 'too_many_open_errors', retryAfterSeconds: 60, attempts: 1 });
  });
});

describe('many calls at once', () => {
  it('share only the client', async () => {
    const app = await start();
    const url = `http://127.0.0.1:${app.port}`;
    const client = createClient({ url, credential: { agentToken: app.agent.token } });
    const texts = Array.from({ length: 300 }, (_, number) => `error ${number % 100}`);
    const reported = await Promise.all(
      texts.map((error) => createAgentError(client, { agentID: app.agent.id, body: { error } })),
    );
    expect(reported.filter(({ outcome }) => outcome === 'created')).toHaveLength(100);
    expect(new Set(reported.map(({ id }) => id)).size).toBe(100);
  });
});
