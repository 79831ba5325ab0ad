import { afterEach, describe, expect, it } from 'vitest';
import {
  createAgentError,
  createClient,
  createProject,
  getMe,
  getMetrics,
  listProjects,
  MusterAnswerError,
  MusterConnectionError,
  MusterError,
  revokeToken,
} from './index.ts';
import { createPatientClient } from './testing/patient-client.ts';
import {
  foreign,
  json,
  refuse,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './testing/scripted-server.ts';

let server: ScriptedServer;
afterEach(() => server?.close());

async function clientOf(...steps: readonly Step[]) {
  server = await startScriptedServer(...steps);
  return createPatientClient({ url: server.url, retry: { attempts: 1 } }).client;
}

const id = '0192f0a0-0000-7000-8000-000000000001';

describe('a refusal', () => {
  it('throws a MusterError with everything that the service sent', async () => {
    const client = await clientOf(refuse('permission_denied'));
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MusterError);
    expect(error).toMatchObject({
      name: 'MusterError',
      message: 'Refused as permission_denied. (permission_denied, request request-1)',
      status: 403,
      code: 'permission_denied',
      requestID: 'request-1',
      retryAfterSeconds: undefined,
      attempts: 1,
      problem: {
        type: '/errors/permission_denied',
        title: 'Permission denied',
        status: 403,
        detail: 'Refused as permission_denied.',
        error: 'permission denied',
        code: 'permission_denied',
        requestID: 'request-1',
      },
    });
  });

  it('throws a MusterError also for an unknown code', async () => {
    const body = { status: 418, code: 'teapot', detail: 'I am a teapot.', requestID: 'r' };
    const client = await clientOf(json(418, body));
    await expect(getMe(client)).rejects.toMatchObject({ name: 'MusterError', status: 418, code: 'teapot' });
  });
});

describe('an answer that is not of Muster', () => {
  it.each<[string, Step, string]>([
    [
      'a page of a proxy',
      foreign(403, '<html><head><title>Access\n denied</title></head>…', { 'content-type': 'text/html' }),
      'The answer is 403 with text/html: "Access denied".',
    ],
    [
      'a sign-in page that claims success',
      foreign(200, '<h1>Sign in</h1>'),
      'The answer is 200 with text/html: "<h1>Sign in</h1>".',
    ],
    ['an empty success', foreign(200, '', { 'content-type': '' }), 'The answer is 200 with no content type.'],
    [
      'invalid JSON',
      foreign(200, '{"id":', { 'content-type': 'application/json' }),
      'The answer is 200 with application/json: "{"id":".',
    ],
    ['an unexpected success', json(202, { id }), 'The answer is 202 with application/json; charset=utf-8'],
    [
      'a refusal by another service',
      json(404, { message: 'Not Found' }),
      'The answer is 404 with application/json',
    ],
    ['an empty refusal', json(500, null), 'The answer is 500 with application/json'],
  ])('is recognised: %s', async (_, step, message) => {
    const client = await clientOf(step);
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MusterAnswerError);
    expect(error).toBeInstanceOf(MusterConnectionError);
    expect(String(error)).toContain(`getMe: ${server.url} did not answer as Muster does. ${message}`);
    expect(String(error)).toContain('Check the url, and whether a proxy');
  });

  it('says whether the request may have been carried out', async () => {
    const client = await clientOf(foreign(403, ''), foreign(502, ''), foreign(200, ''));
    const create = () => createProject(client, { body: { name: 'Edge' } });
    await expect(create()).rejects.toMatchObject({ status: 403, mayBeDone: false });
    await expect(create()).rejects.toMatchObject({ status: 502, mayBeDone: true });
    await expect(create()).rejects.toMatchObject({ status: 200, mayBeDone: true });
  });

  it('is recognised if a list is an object, or a deletion returns a page', async () => {
    const client = await clientOf(json(200, { items: [] }), foreign(200, '<h1>Sign in</h1>'));
    await expect(listProjects(client).first()).rejects.toThrow(MusterAnswerError);
    await expect(revokeToken(client, { tokenID: id })).rejects.toThrow(MusterAnswerError);
  });

  it('is quoted only in part if it is long', async () => {
    const client = await clientOf(foreign(500, 'x'.repeat(5_000_000)));
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(String(error).length).toBeLessThan(500);
  });
});

describe('an answer', () => {
  it('that is text is returned as a string', async () => {
    const client = await clientOf(foreign(200, 'up 1\n', { 'content-type': 'text/plain; version=0.0.4' }));
    expect(await getMetrics(client)).toBe('up 1\n');
  });

  it('keeps unknown fields', async () => {
    const client = await clientOf(json(200, { id, shoeSize: 43 }));
    expect(await getMe(client)).toEqual({ id, shoeSize: 43 });
  });

  it('to reports has their outcomes', async () => {
    const result = { id, createdAt: '2026-03-02T10:20:30.456Z' };
    const client = await clientOf(
      json(201, result, { 'muster-agent-error': 'created' }),
      json(201, result, { 'muster-agent-error': 'ignored' }),
      json(201, [result, result], { 'muster-agent-error': 'created' }),
    );
    const one = { agentID: id, body: { error: 'disk full' } };
    expect(await createAgentError(client, one)).toEqual({ ...result, outcome: 'created' });
    expect(await createAgentError(client, one)).toEqual({ ...result, outcome: 'ignored' });
    expect(await createAgentError(client, { agentID: id, body: [one.body, one.body] })).toEqual({
      items: [result, result],
      outcome: 'created',
    });
  });
});

describe('a platform whose fetch hides the target of a redirect', () => {
  it('gets an error that names the redirect', async () => {
    const client = createClient({
      url: 'http://127.0.0.1:1',
      fetch: async () => ({
        status: 0,
        headers: { get: () => null },
        text: async () => '',
      }),
    });
    await expect(getMe(client)).rejects.toMatchObject({
      name: 'MusterAnswerError',
      status: 0,
      mayBeDone: false,
    });
    await expect(getMe(client)).rejects.toThrow('Open the url in a browser to see where it leads');
  });
});
