import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createAgentError,
  createMachineError,
  createToken,
  dismissAgentError,
  getMe,
  MusterConnectionError,
  MusterError,
  type Retry,
  registerAgent,
  revokeToken,
  updateToken,
} from './index.ts';
import { createPatientClient } from './testing/patient-client.ts';
import {
  breakOff,
  foreign,
  hangUp,
  json,
  refuse,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './testing/scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  server = undefined;
});

async function start(...steps: readonly Step[]) {
  server = await startScriptedServer(...steps);
  return { ...createPatientClient({ url: server.url }), received: server.received };
}

const id = '0192f0a0-0000-7000-8000-000000000001';
const me = json(200, { id });
const created = json(201, { id });
const newToken = { projectID: id, body: { name: 'ci' } };
const overloaded = refuse('overloaded', { 'retry-after': '2' });

describe('a request that may be repeated although its outcome is unknown', () => {
  it.each([
    ['a connection that is closed without an answer', hangUp],
    ['an answer that breaks off', breakOff],
    ['a 502 of a gateway', foreign(502, '<title>Bad Gateway</title>')],
    ['a 504 of a gateway', foreign(504, '')],
    ['a 503 of a gateway', foreign(503, 'no healthy upstream')],
    [
      'a 503 of the service whose database is unavailable',
      refuse('database_unavailable', { 'retry-after': '1' }),
    ],
  ])('is sent again after %s', async (_, fault) => {
    const { client, received } = await start(fault, fault, me);
    expect(await getMe(client)).toEqual({ id });
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(3).fill('GET /v1/me'));
  });

  it('can be any GET, PATCH or DELETE', async () => {
    const { client, received } = await start(hangUp, json(200, { id }), hangUp, (response) =>
      response.writeHead(204).end(),
    );
    await updateToken(client, { tokenID: id, body: { name: 'new' } });
    await revokeToken(client, { tokenID: id });
    expect(received.map(({ method, body }) => [method, body])).toEqual([
      ['PATCH', '{"name":"new"}'],
      ['PATCH', '{"name":"new"}'],
      ['DELETE', ''],
      ['DELETE', ''],
    ]);
  });

  it('can be a report of an error, because the ignore rule keeps the second from being stored', async () => {
    const { client, received } = await start(hangUp, created, hangUp, created);
    await createAgentError(client, { agentID: id, body: { error: 'disk full' } });
    await createMachineError(client, { machineID: 'web-01', body: { error: 'disk full' } });
    expect(received).toHaveLength(4);
  });
});

describe('a request that must not be carried out twice', () => {
  it.each<[string, Step]>([
    ['a connection that is closed without an answer', hangUp],
    ['an answer that breaks off', breakOff],
    ['a 502 of a gateway', foreign(502, '')],
    ['a 503 of a gateway that does not say when to come back', foreign(503, 'upstream reset')],
    ['a 503 of a database that may have stored it', refuse('database_unavailable', { 'retry-after': '1' })],
  ])('is not sent again after %s', async (_, fault) => {
    const { client, received, waits } = await start(fault, created);
    await expect(createToken(client, newToken)).rejects.toThrow();
    expect([received.length, waits]).toEqual([1, []]);
  });

  it.each<[string, Step]>([
    ['a 429', refuse('too_many_new_errors_of_project', { 'retry-after': '1' })],
    ['a 503 of an overloaded service', overloaded],
    ['a 503 of a service that is stopping', refuse('shutting_down', { 'retry-after': '1' })],
    ['a 503 of a gateway that says when to come back', foreign(503, 'maintenance', { 'retry-after': '1' })],
    ['a request that did not arrive whole', refuse('request_timeout')],
  ])('is sent again after %s, which says that nothing was done', async (_, fault) => {
    const { client, received } = await start(fault, created);
    expect(await createToken(client, newToken)).toEqual({ id });
    expect(received.map(({ body }) => body)).toEqual(['{"name":"ci"}', '{"name":"ci"}']);
  });

  it('is sent again if it was never sent, and the error says so if that does not help', async () => {
    const { client, waits } = await start(created);
    await server?.close();
    const error = await createToken(client, newToken).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MusterConnectionError);
    expect(error).toMatchObject({ mayBeDone: false, attempts: 7 });
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
  });

  it('is any other POST', async () => {
    const { client, received } = await start(hangUp);
    const calls = [
      () => dismissAgentError(client, { agentErrorID: id, body: { reason: 'seen' } }),
      () => registerAgent(client, { body: { name: 'web-01', machineID: 'web-01' } }),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toThrow('It may still have been carried out: check before you try again.');
    }
    expect(received).toHaveLength(2);
  });
});

describe('a refusal that a retry does not change', () => {
  it.each([
    'invalid_credential',
    'permission_denied',
    'not_found',
    'agent_deleted',
    'invalid_body',
    'internal_error',
  ] as const)('is not sent again: %s', async (code) => {
    const { client, received, waits } = await start(refuse(code), me);
    await expect(getMe(client)).rejects.toMatchObject({ code, attempts: 1 });
    expect([received.length, waits]).toEqual([1, []]);
  });
});

describe('the wait before a retry', () => {
  it('doubles up to its limit, and half of it is random', async () => {
    server = await startScriptedServer(hangUp);
    const retry = { attempts: 6, firstDelayMilliseconds: 100, maxDelayMilliseconds: 700 };
    const { client, waits } = createPatientClient({ url: server.url, retry }, 0.5);
    await expect(getMe(client)).rejects.toThrow(MusterConnectionError);
    expect(waits).toEqual([75, 150, 300, 525, 525]);
  });

  it('lasts at least 7 seconds over all attempts by default, which is longer than a restart of the service', async () => {
    server = await startScriptedServer(hangUp);
    const { client, waits } = createPatientClient({ url: server.url }, 0);
    await expect(getMe(client)).rejects.toThrow(MusterConnectionError);
    expect(waits.reduce((total, wait) => total + wait, 0)).toBe(7_875);
  });

  it('is never shorter than Retry-After', async () => {
    server = await startScriptedServer(overloaded, overloaded, me);
    const { client, waits } = createPatientClient({ url: server.url }, 0);
    await getMe(client);
    expect(waits).toEqual([2_125, 2_250]);
  });

  it('accepts Retry-After as a date too', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-02T10:20:30Z') });
    const inTenSeconds = 'Mon, 02 Mar 2026 10:20:40 GMT';
    server = await startScriptedServer(foreign(503, '', { 'retry-after': inTenSeconds }), me);
    const { client, waits } = createPatientClient({ url: server.url }, 0);
    await getMe(client);
    expect(waits).toEqual([10_125]);
  });

  it('does not begin if it would end after the time limit of the call', async () => {
    const { client, received, waits } = await start(refuse('too_many_open_errors', { 'retry-after': '60' }));
    await expect(createAgentError(client, { agentID: id, body: { error: 'x' } })).rejects.toMatchObject({
      code: 'too_many_open_errors',
      retryAfterSeconds: 60,
    });
    expect([received.length, waits]).toEqual([1, []]);
  });

  it.each(['99999999999999999999', '-1', 'soon', '1e9', ''])('survives Retry-After: %j', async (value) => {
    const { client, received } = await start(foreign(503, '', { 'retry-after': value }), me);
    await getMe(client).catch((error: unknown) => expect(error).toBeInstanceOf(MusterConnectionError));
    expect(received.length).toBeLessThanOrEqual(2);
  });
});

describe('retry', () => {
  it('ends after 7 attempts by default, with the last refusal', async () => {
    const { client, received } = await start(overloaded);
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MusterError);
    expect(error).toMatchObject({ code: 'overloaded', attempts: 7, retryAfterSeconds: 2 });
    expect(received).toHaveLength(7);
  });

  it('is configured by the call before its client, field by field', async () => {
    server = await startScriptedServer(hangUp);
    const retry = { attempts: 3, firstDelayMilliseconds: 10 };
    const { client, waits } = createPatientClient({ url: server.url, retry });
    await expect(
      getMe(client, {}, { retry: { attempts: 2, firstDelayMilliseconds: undefined } }),
    ).rejects.toThrow();
    expect(waits).toEqual([10]);
    await expect(getMe(client, {}, { retry: { attempts: 1 } })).rejects.toThrow();
    expect(server.received).toHaveLength(3);
  });

  it('is reported to onRetry before each retry', async () => {
    server = await startScriptedServer(overloaded, hangUp, me);
    const told: Retry[] = [];
    const { client } = createPatientClient({
      url: server.url,
      retry: { onRetry: (retry) => told.push(retry) },
    });
    await getMe(client);
    expect(told).toEqual([
      { operation: 'getMe', attempt: 1, delayMilliseconds: 2_250, error: expect.any(MusterError) },
      { operation: 'getMe', attempt: 2, delayMilliseconds: 500, error: expect.any(MusterConnectionError) },
    ]);
  });

  it('ends if onRetry throws', async () => {
    server = await startScriptedServer(hangUp);
    const enough = new Error('enough');
    const onRetry = (): never => {
      throw enough;
    };
    const { client } = createPatientClient({ url: server.url, retry: { onRetry } });
    await expect(getMe(client)).rejects.toBe(enough);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [{ attempts: 0 }, 'retry.attempts is 0'],
    [{ attempts: Number.NaN }, 'retry.attempts is NaN'],
    [{ firstDelayMilliseconds: -1 }, 'retry.firstDelayMilliseconds is -1'],
    [{ maxDelayMilliseconds: Infinity }, 'retry.maxDelayMilliseconds is Infinity'],
  ])('refuses %j', (retry, message) => {
    expect(() => createPatientClient({ url: 'http://127.0.0.1', retry })).toThrow(message);
  });
});
