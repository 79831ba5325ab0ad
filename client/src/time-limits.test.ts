import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, createToken, getMe, MusterTimeoutError } from './index.ts';
import { createPatientClient } from './testing/patient-client.ts';
import {
  json,
  neverAnswer,
  neverEnd,
  refuse,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './testing/scripted-server.ts';

let server: ScriptedServer;
afterEach(() => {
  vi.useRealTimers();
  return server?.close();
});

const id = '0192f0a0-0000-7000-8000-000000000001';
const once = { attempts: 1 };

describe('attemptTimeoutMilliseconds', () => {
  it.each([
    ['that never begins', neverAnswer],
    ['that never ends', neverEnd],
  ])('ends the wait for an answer %s', async (_, step) => {
    server = await startScriptedServer(step);
    const client = createClient({ url: server.url, attemptTimeoutMilliseconds: 20, retry: once });
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MusterTimeoutError);
    expect(error).toMatchObject({
      name: 'MusterTimeoutError',
      message: `getMe got no answer from ${server.url} within 20 ms.`,
      mayBeDone: true,
      attempts: 1,
    });
  });

  it('ends an attempt, and a repeatable request is sent again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const exceedLimit =
      (step: Step): Step =>
      (...answer) => {
        step(...answer);
        vi.advanceTimersByTime(300);
      };
    server = await startScriptedServer(exceedLimit(neverAnswer), exceedLimit(neverEnd), json(200, { id }));
    const { client } = createPatientClient({ url: server.url, attemptTimeoutMilliseconds: 300 });
    expect(await getMe(client)).toEqual({ id });
    expect(server.received).toHaveLength(3);
  });

  it('ends a call that must not be carried out twice', async () => {
    server = await startScriptedServer(neverAnswer);
    let sent = 0;
    const { client } = createPatientClient({
      url: server.url,
      attemptTimeoutMilliseconds: 20,
      fetch: (url, init) => {
        sent += 1;
        return fetch(url, init);
      },
    });
    await expect(createToken(client, { projectID: id, body: { name: 'ci' } })).rejects.toThrow(
      'within 20 ms. It may still have been carried out: check before you try again.',
    );
    expect(sent).toBe(1);
  });

  it('applies to a fetch that ignores its signal', async () => {
    const client = createClient({
      url: 'http://127.0.0.1:1',
      fetch: () => new Promise(() => undefined),
      attemptTimeoutMilliseconds: 20,
      retry: once,
    });
    await expect(getMe(client)).rejects.toThrow(MusterTimeoutError);
  });

  it('applies to a credential function that never resolves', async () => {
    const client = createClient({
      url: 'http://127.0.0.1:1',
      credential: () => new Promise(() => undefined),
      attemptTimeoutMilliseconds: 20,
      retry: once,
    });
    await expect(getMe(client)).rejects.toThrow(MusterTimeoutError);
  });
});

describe('timeoutMilliseconds', () => {
  it('ends the call with all its attempts', async () => {
    server = await startScriptedServer(neverAnswer);
    const client = createClient({ url: server.url, timeoutMilliseconds: 30 });
    await expect(getMe(client)).rejects.toMatchObject({ name: 'MusterTimeoutError', attempts: 1 });
  });

  it('limits the last attempt to the remaining time', async () => {
    server = await startScriptedServer(refuse('overloaded', { 'retry-after': '5' }), neverAnswer);
    const { client, waits } = createPatientClient({ url: server.url, timeoutMilliseconds: 5_270 });
    await expect(getMe(client)).rejects.toThrow('within 20 ms');
    expect(waits).toEqual([5_250]);
  });

  it('of a call overrides that of its client', async () => {
    server = await startScriptedServer(neverAnswer);
    const client = createClient({ url: server.url });
    await expect(getMe(client, {}, { timeoutMilliseconds: 20, retry: once })).rejects.toThrow('within 20 ms');
  });

  it.each([0, -1, Number.NaN, Infinity, 2 ** 31])('refuses %d', (timeoutMilliseconds) => {
    expect(() => createClient({ url: 'http://127.0.0.1', timeoutMilliseconds })).toThrow(
      `timeoutMilliseconds is ${timeoutMilliseconds}, but must be a number from 1 to 2147483647.`,
    );
  });
});

describe('a call that has ended', () => {
  it('leaves no timer that would keep the program from ending', async () => {
    server = await startScriptedServer(json(200, { id }));
    const client = createClient({ url: server.url, attemptTimeoutMilliseconds: 25_000 });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await getMe(client); // from now on, the timers of the platform for the connection exist
    const before = timers();
    for (let call = 0; call < 10; call += 1) await getMe(client);
    expect(timers() - before).toBeLessThan(5);
  });

  it('releases the connection of an answer that it did not read', async () => {
    const answers: ServerResponse[] = [];
    server = await startScriptedServer((response) => {
      answers.push(response);
      response.writeHead(302, { location: '/elsewhere' });
      response.write('and so on');
    });
    await expect(getMe(createClient({ url: server.url }))).rejects.toThrow('It redirects');
    await vi.waitUntil(() => answers[0]?.destroyed, { timeout: 300_000 });
  });
});

describe('signal', () => {
  it('ends a running request with its own reason', async () => {
    const controller = new AbortController();
    server = await startScriptedServer(() => controller.abort(new Error('the user left')));
    const client = createClient({ url: server.url });
    const error = await getMe(client, {}, { signal: controller.signal }).catch((thrown: unknown) => thrown);
    expect(error).toBe(controller.signal.reason);
  });

  it('ends the wait between attempts', async () => {
    server = await startScriptedServer(refuse('overloaded', { 'retry-after': '30' }));
    const controller = new AbortController();
    const client = createClient({
      url: server.url,
      retry: { onRetry: () => setTimeout(() => controller.abort(), 5) },
    });
    await expect(getMe(client, {}, { signal: controller.signal })).rejects.toThrow(
      'This operation was aborted',
    );
    expect(server.received).toHaveLength(1);
  });

  it('prevents the request if it was aborted before', async () => {
    server = await startScriptedServer(json(200, { id }));
    const client = createClient({ url: server.url });
    await expect(getMe(client, {}, { signal: AbortSignal.abort() })).rejects.toThrow(
      'This operation was aborted',
    );
    expect(server.received).toEqual([]);
  });

  it('has no listeners after the call', async () => {
    server = await startScriptedServer(refuse('overloaded', { 'retry-after': '0' }), json(200, { id }));
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    setMaxListeners(0, signal);
    const counted = new Proxy(signal, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name === 'addEventListener') listeners += 1;
        if (name === 'removeEventListener') listeners -= 1;
        return value.bind(target);
      },
    });
    const client = createClient({ url: server.url, retry: { firstDelayMilliseconds: 1 } });
    for (let call = 0; call < 20; call += 1) await getMe(client, {}, { signal: counted });
    expect(listeners).toBeLessThanOrEqual(0);
  });
});
