import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  addAgentMetrics,
  createClient,
  createMachineError,
  getAgent,
  getMe,
  listProjectErrors,
} from './index.ts';
import { json, type ScriptedServer, startScriptedServer } from './testing/scripted-server.ts';

const id = '0192f0a0-0000-7000-8000-000000000001';
let server: ScriptedServer;
afterEach(() => server?.close());

async function start(): Promise<ScriptedServer> {
  server = await startScriptedServer(json(200, { id }));
  return server;
}

describe('the url of a client', () => {
  it.each([
    ['http://127.0.0.1:7400', 'http://127.0.0.1:7400'],
    ['http://127.0.0.1:7400/', 'http://127.0.0.1:7400'],
    ['HTTPS://Muster.Example.com:443', 'https://muster.example.com'],
    ['https://example.com/muster//', 'https://example.com/muster'],
    ['http://[::1]:7400', 'http://[::1]:7400'],
  ])('%s is %s', (url, expected) => {
    expect(createClient({ url }).url).toBe(expected);
  });

  it.each([
    ['127.0.0.1:7400', 'The url is not valid. Give one such as http://127.0.0.1:7400.'],
    ['', 'The url is not valid. Give one such as http://127.0.0.1:7400.'],
    ['localhost:7400', 'The url begins with localhost:, but the service speaks only http: and https:.'],
    ['file:///etc/passwd', 'The url begins with file:, but the service speaks only http: and https:.'],
    [
      'https://me:hunter2@example.com',
      'The url contains a user name or a password. Give a token as credential instead.',
    ],
    ['https://example.com/?token=hunter2', 'The url has a query or a fragment. Leave it out.'],
    ['https://example.com/#v1', 'The url has a query or a fragment. Leave it out.'],
  ])('%j is refused, and the message does not contain its secrets', (url, message) => {
    expect(() => createClient({ url })).toThrow(new TypeError(message));
  });
});

describe('a request', () => {
  it('names the client if configured, and accepts JSON', async () => {
    const { url, received } = await start();
    await getMe(createClient({ url, userAgent: 'fleet-report/1.2' }));
    expect(received[0]?.headers).toMatchObject({
      'user-agent': 'fleet-report/1.2',
      accept: 'application/json, application/problem+json',
    });
    expect(() => createClient({ url, userAgent: 'a\r\nb: c' })).toThrow('The userAgent must be ASCII.');
  });

  it('contains every parameter in its place, and omits undefined values', async () => {
    const { url, received } = await start();
    const input = { projectID: id, dismissed: false, last: 0, q: 'a b&c=d%?#é', agent_id: undefined };
    await listProjectErrors(createClient({ url }), input)
      .first()
      .catch(() => undefined);
    const asked = new URL(received[0]?.url ?? '', url);
    expect(asked.pathname).toBe(`/v1/projects/${id}/agent_errors`);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      dismissed: 'false',
      last: '0',
      q: 'a b&c=d%?#é',
    });
  });

  it.each(['web-01.example.com', 'a/b', 'a?b#c', '%2e%2e', 'ü 🙂', '...', 'a\\b', "'"])(
    'escapes a name in the path: %s',
    async (machineID) => {
      const { url, received } = await start();
      await createMachineError(createClient({ url }), { machineID, body: { error: 'x' } }).catch(
        () => undefined,
      );
      const segments = (received[0]?.url ?? '').split('/');
      expect(segments.length).toBe(5);
      expect(decodeURIComponent(segments[3] ?? '')).toBe(machineID);
    },
  );

  it.each([
    ['..', "createMachineError: '..' cannot be used in a path as machineID."],
    ['.', "createMachineError: '.' cannot be used in a path as machineID."],
    ['', 'createMachineError needs machineID, a text that is not empty; it got an empty one.'],
    ['\ud83d', 'createMachineError: machineID has half of a character (a lone surrogate).'],
    ['\ude42a', 'createMachineError: machineID has half of a character (a lone surrogate).'],
  ])('is not sent if a name would change the path: %j', async (machineID, message) => {
    const { url, received } = await start();
    const report = createMachineError(createClient({ url }), { machineID, body: { error: 'x' } });
    await expect(report).rejects.toThrow(new TypeError(message));
    expect(received).toEqual([]);
  });

  it('is not sent if an id is missing, as is possible in plain JavaScript', async () => {
    const { url, received } = await start();
    const nothing = {} as { agentID: string }; // as JavaScript lets it through
    await expect(getAgent(createClient({ url }), nothing)).rejects.toThrow(
      'getAgent needs agentID, a text that is not empty; it got nothing.',
    );
    expect(received).toEqual([]);
  });

  it('contains bytes if the operation takes bytes', async () => {
    const { url, received } = await start();
    await addAgentMetrics(createClient({ url }), { agentID: id, body: new Uint8Array([0x90]) });
    expect(received[0]?.headers['content-type']).toBe('application/x-msgpack');
    expect(received[0]?.headers['content-length']).toBe('1');
  });

  it('uses the fetch of the platform at the time of the call', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1' });
    const answer = new Response('{"id":"1"}', { headers: { 'content-type': 'application/json' } });
    const replaced = vi.spyOn(globalThis, 'fetch').mockResolvedValue(answer);
    expect(await getMe(client)).toEqual({ id: '1' });
    replaced.mockRestore();
  });

  it('is not affected by later changes of the options', async () => {
    const { url, received } = await start();
    const options = { url, userAgent: 'one' };
    const client = createClient(options);
    options.userAgent = 'two';
    await getMe(client);
    expect(received[0]?.headers['user-agent']).toBe('one');
  });
});
