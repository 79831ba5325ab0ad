import { inspect } from 'node:util';
import { formatProjectToken, formatToken } from '@muster/contract';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ClientOptions,
  type Credential,
  createClient,
  createProject,
  getMe,
  listProjects,
} from './index.ts';
import { createPatientClient } from './testing/patient-client.ts';
import {
  foreign,
  hangUp,
  json,
  neverAnswer,
  refuse,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './testing/scripted-server.ts';

const ids = {
  projectID: '0192f0a0-0000-7000-8000-000000000001',
  tokenID: '0192f0a0-0000-7000-8000-000000000002',
};
const random = new Uint8Array(32).fill(7);
const accessToken = formatToken('access', random);
const projectToken = formatProjectToken(ids, random);
const agentToken = formatToken('agent', random);
const me = json(200, { id: ids.tokenID });

const open: ScriptedServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function start(...steps: readonly Step[]): Promise<ScriptedServer> {
  const server = await startScriptedServer(...steps);
  open.push(server);
  return server;
}

describe('a credential', () => {
  it.each<[string, Credential | undefined, object]>([
    ['an access token', { accessToken }, { authorization: `Bearer ${accessToken}` }],
    ['a project token', { projectToken }, { 'x-project-token': projectToken }],
    ['an agent token', { agentToken }, { 'x-agent-token': agentToken }],
    [
      'an agent token beside the project token',
      { projectToken, agentToken },
      { 'x-project-token': projectToken, 'x-agent-token': agentToken },
    ],
    ['none', undefined, {}],
    [
      'one from a file that ends with a line',
      { accessToken: `${accessToken}\n` },
      { authorization: `Bearer ${accessToken}` },
    ],
  ])('%s is sent in its header and in no other', async (_, credential, expected) => {
    const server = await start(me);
    await getMe(createClient({ url: server.url, credential }));
    const { headers } = server.received[0] ?? { headers: {} };
    const names = ['authorization', 'x-project-token', 'x-agent-token'];
    expect(Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))).toEqual(
      expected,
    );
  });

  it('from a function is requested before each attempt', async () => {
    const server = await start(hangUp, me);
    let number = 0;
    const { client } = createPatientClient({
      url: server.url,
      credential: async () => {
        number += 1;
        return { accessToken: `token-${number}` };
      },
    });
    await getMe(client);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('that cannot be renewed ends the call with the reason', async () => {
    const why = new Error('the identity provider is away');
    const client = createClient({ url: 'http://127.0.0.1:1', credential: () => Promise.reject(why) });
    await expect(getMe(client)).rejects.toBe(why);
  });

  it.each<[unknown, string]>([
    [{ accessToken: '' }, 'The accessToken is empty.'],
    [{ accessToken: undefined }, 'The accessToken is empty.'],
    [{ projectToken: 'mst_p_…wXyZ' }, 'The projectToken is masked, as lists show it.'],
    [{ agentToken: 'mst_a_one\r\nx-evil: 1' }, 'The agentToken has characters that no token has.'],
    [{ accessToken: 'mst_u_\u00fc' }, 'The accessToken has characters that no token has.'],
    [{}, 'A credential is one of'],
    [{ token: 'mst_u_1' }, 'A credential is one of'],
    [{ accessToken, projectToken }, 'A credential is one of'],
    [{ toString: 'mst_u_1' }, 'A credential is one of'],
    ['mst_u_1', 'A credential is one of'],
  ])('%j is refused before anything is sent, and not quoted', (credential, message) => {
    const options = { url: 'http://127.0.0.1', credential } as ClientOptions; // what plain JavaScript may hand over
    let thrown: unknown;
    try {
      createClient(options);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TypeError);
    expect(inspect(thrown)).toContain(message);
    expect(inspect(thrown)).not.toMatch(/mst_(?!p_…)/);
  });
});

describe('the secret of a credential', () => {
  const shown = (value: unknown): string =>
    [
      inspect(value, { depth: 20, showHidden: true, getters: true }),
      JSON.stringify(value),
      String(value),
      JSON.stringify(Object.getOwnPropertyDescriptors(Object(value))),
    ].join('\n');

  it.each([{ accessToken }, { projectToken }, { agentToken }])('is not shown by the client', (credential) => {
    const client = createClient({ url: 'http://127.0.0.1:7400', credential });
    expect(shown(client)).not.toContain(Object.values(credential)[0]);
    expect(JSON.stringify(client)).toBe('{"url":"http://127.0.0.1:7400"}');
  });

  it.each<[string, Step]>([
    ['a refusal', refuse('invalid_credential')],
    ['a connection that breaks', hangUp],
    ['a timeout', neverAnswer],
    ['a redirect', foreign(302, '', { location: 'http://127.0.0.1:1/' })],
    ['another service', foreign(200, '<h1>It works!</h1>')],
  ])('is not in the error after %s', async (_, step) => {
    const server = await start(step);
    const { client } = createPatientClient({
      url: server.url,
      credential: { projectToken },
      attemptTimeoutMilliseconds: 20,
    });
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(shown(error)).not.toContain(projectToken.slice(-20));
  });

  it('is not in the error when no server listens', async () => {
    const { client } = createPatientClient({ url: 'http://127.0.0.1:1', credential: { accessToken } });
    const error = await getMe(client).catch((thrown: unknown) => thrown);
    expect(shown(error)).not.toContain(accessToken.slice(-20));
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%d is not followed: its target gets neither credential nor body',
    async (status) => {
      const target = await start(me);
      const server = await start(foreign(status, '', { location: `${target.url}/v1/projects` }));
      const client = createClient({ url: server.url, credential: { projectToken } });
      await expect(createProject(client, { body: { name: 'Edge' } })).rejects.toMatchObject({
        name: 'MusterAnswerError',
        status,
        mayBeDone: false,
        message: `createProject: ${server.url} did not answer as Muster does. It redirects to ${target.url}/v1/projects. Redirects are not followed, because a credential is sent only to the url that it was given for. If the new address is right, give it as url.`,
      });
      expect([server.received.length, target.received.length]).toEqual([1, 0]);
    },
  );

  it.each(['http://[', '', '//', 'javascript:alert(1)'])('to %j is refused as well', async (location) => {
    const server = await start(foreign(302, '', { location }));
    await expect(getMe(createClient({ url: server.url }))).rejects.toThrow('Redirects are not followed');
  });

  it('of a page of a list is not followed either', async () => {
    const target = await start(json(200, []));
    const link = `<${target.url}/v1/projects?before=abc>; rel="next"`;
    const server = await start(json(200, [{ id: ids.projectID }], { link }), json(200, []));
    const client = createClient({ url: server.url, credential: { accessToken } });
    for await (const page of listProjects(client).pages()) expect(page.items.length).toBeLessThan(2);
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/projects', '/v1/projects?before=abc']);
    expect(target.received).toEqual([]);
  });
});
