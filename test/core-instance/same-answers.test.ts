import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCoreInstance } from '../../core-instance/src/start-core-instance.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { startSiteBeside } from './site-beside.ts';

let centre: ListeningApp;
let site: RunningCoreInstance;

beforeAll(async () => {
  centre = await startListeningApp();
  site = await startSiteBeside(centre);
});
afterAll(async () => {
  await site?.stop();
  await centre?.test.close();
});

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

function send(port: number, { path, method = 'POST', headers = {}, body }: Sent): Promise<Received> {
  const bytes =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array
      ? body
      : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = answer.headers['content-type']?.includes('json') === true;
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          body: isJson ? JSON.parse(text) : text,
        });
      });
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** What differs between two answers of the centre too: ids, times and tokens. Which of them are equal in one answer stays. */
function normalize({
  status,
  headers: {
    date,
    connection,
    'keep-alive': keepAlive,
    'content-length': length,
    'x-request-id': id,
    ...headers
  },
  body,
}: Received) {
  const seen = new Map<string, string>();
  const text = JSON.stringify(body)
    .replaceAll(/mst_a_\w{49}/g, 'mst_a_…')
    .replaceAll(/"[0-9a-f-]{36}"/g, (one) => {
      seen.set(one, seen.get(one) ?? `"id ${seen.size}"`);
      return seen.get(one) ?? '';
    })
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')
    .replaceAll(/"requestID":"[^"]+"/g, '"requestID":"…"');
  return { status, headers, isNamed: typeof id === 'string', body: JSON.parse(text) };
}

const json = { 'Content-Type': 'application/json' };
const long = 'x'.repeat(1_025);

/** `asProject`, `asAgent` and `asStranger` stand for headers, since tokens exist only when the tests run. */
const cases: readonly [string, Omit<Sent, 'path'> & { as?: 'project' | 'agent' | 'basic'; path?: string }][] =
  [
    ['one report', { as: 'project', headers: json, body: { error: 'disk full' } }],
    ['the same report again', { as: 'project', headers: json, body: { error: 'disk full' } }],
    ['a report of the agent itself', { as: 'agent', headers: json, body: { error: 'own' } }],
    [
      'an array with repeats',
      { as: 'project', headers: json, body: [{ error: 'a' }, { error: 'b' }, { error: 'a' }] },
    ],
    [
      'lines',
      {
        as: 'project',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{"error":"l1"}\n\n{"error":"l2"}\n',
      },
    ],
    [
      'a wrong line',
      { as: 'project', headers: { 'Content-Type': 'application/x-ndjson' }, body: '{"error":"l1"}\nno\n' },
    ],
    [
      'a text',
      { as: 'project', headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'plain text\n' },
    ],
    [
      'a text with a field',
      { as: 'project', path: '?text_field=x', headers: { 'Content-Type': 'text/plain' }, body: 'plain' },
    ],
    ['a named field', { as: 'project', path: '?text_field=/a/b', headers: json, body: { a: { b: 'deep' } } }],
    [
      'valid and invalid elements',
      { as: 'project', path: '?partial=true', headers: json, body: [{ error: 'p' }, {}, { error: '' }] },
    ],
    [
      'invalid elements alone',
      { as: 'project', path: '?partial=true', headers: json, body: [{}, { error: 1 }] },
    ],
    ['a text that is cut', { as: 'project', path: '?truncate=true', headers: json, body: { error: long } }],
    ['a text that is too long', { as: 'project', headers: json, body: { error: long } }],
    [
      'gzip',
      {
        as: 'project',
        headers: { ...json, 'Content-Encoding': 'gzip' },
        body: gzipSync('{"error":"packed"}'),
      },
    ],
    ['broken gzip', { as: 'project', headers: { ...json, 'Content-Encoding': 'gzip' }, body: 'no gzip' }],
    ['another coding', { as: 'project', headers: { ...json, 'Content-Encoding': 'br' }, body: 'x' }],
    [
      'no results wanted',
      { as: 'project', headers: { ...json, Prefer: 'return=minimal' }, body: { error: 'quiet' } },
    ],
    ['an empty body', { as: 'project', headers: json }],
    ['no body and no type', { as: 'project' }],
    ['another type', { as: 'project', headers: { 'Content-Type': 'application/xml' }, body: '<x/>' }],
    ['no JSON', { as: 'project', headers: json, body: '{"error":' }],
    ['an empty array', { as: 'project', headers: json, body: [] }],
    [
      'too many',
      { as: 'project', headers: json, body: Array.from({ length: 1_001 }, () => ({ error: 'x' })) },
    ],
    ['NUL', { as: 'project', headers: json, body: { error: 'a\0b' } }],
    ['an unknown parameter', { as: 'project', path: '?truncat=true', headers: json, body: { error: 'x' } }],
    [
      'a parameter twice',
      { as: 'project', path: '?truncate=true&truncate=true', headers: json, body: { error: 'x' } },
    ],
    ['a credential in the query', { as: 'project', path: '?token=x', headers: json, body: { error: 'x' } }],
    ['a broken query', { as: 'project', path: '?truncate=%', headers: json, body: { error: 'x' } }],
    ['no credential', { headers: json, body: { error: 'x' } }],
    [
      'a masked credential',
      { headers: { ...json, 'X-Project-Token': 'mst_p_...abcd' }, body: { error: 'x' } },
    ],
    ['a mistyped credential', { headers: { ...json, 'X-Project-Token': 'mst_p_x' }, body: { error: 'x' } }],
    ['Basic', { as: 'basic', headers: json, body: { error: 'basic' } }],
    [
      'a credential of another kind',
      { headers: { ...json, Authorization: 'Bearer mst_u_x' }, body: { error: 'x' } },
    ],
  ];

const ways = [
  ['by agent', (agentID: string) => `/v1/agents/${agentID}/errors`],
  ['by machine', () => '/v1/machines/web%2001/errors'],
] as const;

function credentialOf(as: 'project' | 'agent' | 'basic' | undefined): Record<string, string> {
  switch (as) {
    case 'project':
      return { 'X-Project-Token': centre.project.token };
    case 'agent':
      return { 'X-Agent-Token': centre.agent.token };
    case 'basic':
      return { Authorization: `Basic ${Buffer.from(`x:${centre.project.token}`).toString('base64')}` };
    default:
      return {};
  }
}

async function both(sent: Sent): Promise<void> {
  const ofSite = await send(site.port, sent);
  expect(normalize(ofSite)).toEqual(normalize(await send(centre.port, sent)));
}

describe.each(ways)('a report %s at a site', (_, pathOf) => {
  it.each(cases)(
    'is answered as by the centre: %s',
    async (_case, { as, path = '', headers = {}, ...rest }) => {
      await both({
        ...rest,
        path: `${pathOf(centre.agent.id)}${path}`,
        headers: { ...headers, ...credentialOf(as) },
      });
    },
  );
});

describe('the outcome of a report at a site', () => {
  /** What an agent of its own is told of the same text between changes of its configuration. */
  async function outcomes(port: number, machineID: string): Promise<unknown[]> {
    const register = async (rawConfig: string) => {
      const headers = { ...json, ...credentialOf('project') };
      const body = { name: machineID, machineID, rawConfig };
      const answer = await send(port, { path: '/v1/agents', headers, body });
      return answer.body as { readonly id: string; readonly token: string }; // by the contract
    };
    const told: unknown[] = [];
    let agent = await register('[INPUT]\n  name cpu\n');
    const report = async () => {
      const headers = { ...json, 'X-Agent-Token': agent.token };
      const sent = { path: `/v1/agents/${agent.id}/errors`, headers, body: { error: 'the same' } };
      told.push((await send(port, sent)).headers['muster-agent-error']);
    };
    const update = async (body: object) => {
      const headers = { ...json, 'X-Agent-Token': agent.token };
      const { status } = await send(port, { method: 'PATCH', path: `/v1/agents/${agent.id}`, headers, body });
      expect(status).toBe(204);
      await report();
    };
    await report();
    await report();
    await update({ rawConfig: '[INPUT]\n  name mem\n' });
    await update({ rawConfig: '[INPUT]\n  name mem\n' });
    await update({ version: '2', rawConfig: null });
    await update({ rawConfig: '[INPUT]\n  name cpu\n' });
    agent = await register('[INPUT]\n  name cpu\n');
    await report();
    agent = await register('[INPUT]\n  name disk\n');
    await report();
    return told;
  }

  it('is that of the centre, also after a new configuration', async () => {
    const ofSite = await outcomes(site.port, 'outcomes-at-site');
    expect(ofSite).toEqual(await outcomes(centre.port, 'outcomes-at-centre'));
    expect(ofSite.join(' ')).toBe('created ignored created ignored ignored created ignored created');
  });
});

describe('requests of an agent that was deleted, at a site', () => {
  const machineID = 'deleted';
  let deleted: { readonly id: string; readonly token: string };
  beforeAll(async () => {
    deleted = await centre.test.registerAgent(centre.project, machineID);
    const as = { 'X-Agent-Token': deleted.token };
    const beat = { path: `/v1/agents/${deleted.id}/heartbeat`, headers: as };
    expect((await send(site.port, beat)).status).toBe(204);
    await centre.test.request('DELETE', `/v1/agents/${deleted.id}`, { as: { access: centre.test.admin } });
    await eventually(async () => expect((await send(site.port, beat)).status).toBe(410));
  });

  it.each(['agent', 'project'] as const)(
    'are answered as by the centre, with the token of the %s',
    async (as) => {
      const credential = as === 'agent' ? { 'X-Agent-Token': deleted.token } : credentialOf('project');
      const path = `/v1/agents/${deleted.id}`;
      const headers = { ...json, ...credential };
      await both({ path: `${path}/errors`, headers, body: { error: 'x' } });
      await both({ path: `${path}/errors`, headers, body: { error: '' } });
      await both({ path: `${path}/heartbeat`, headers });
      await both({ path: `${path}/metrics`, headers: credential, body: Buffer.from('90', 'hex') });
      await both({ method: 'PATCH', path, headers, body: { name: 'x' } });
      await both({ path: `/v1/agents/${centre.agent.id}/errors`, headers, body: { error: 'of another' } });
    },
  );
});

describe('other requests of agents at a site', () => {
  const id = () => centre.agent.id;
  const other = '0192f0a0-0000-7000-8000-00000000c0de';
  it.each<[string, () => Sent, ('project' | 'agent')?]>([
    [
      'a registration',
      () => ({ path: '/v1/agents', headers: json, body: { name: 'n', machineID: 'm', extra: 1 } }),
    ],
    [
      'a registration without a name',
      () => ({ path: '/v1/agents', headers: json, body: { machineID: 'm' } }),
    ],
    [
      'a registration that is no JSON',
      () => ({ path: '/v1/agents', headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
    ],
    ['a registration by an agent', () => ({ path: '/v1/agents', headers: json, body: {} }), 'agent'],
    [
      'an update',
      () => ({
        method: 'PATCH',
        path: `/v1/agents/${id()}`,
        headers: json,
        body: { version: '2', tags: null },
      }),
      'agent',
    ],
    [
      'an invalid update',
      () => ({ method: 'PATCH', path: `/v1/agents/${id()}`, headers: json, body: { version: 2 } }),
      'agent',
    ],
    [
      'an update of another agent',
      () => ({ method: 'PATCH', path: `/v1/agents/${other}`, headers: json, body: {} }),
      'agent',
    ],
    [
      'an update without the permission',
      () => ({ method: 'PATCH', path: `/v1/agents/no-id`, headers: json, body: {} }),
      'agent',
    ],
    ['a heartbeat', () => ({ path: `/v1/agents/${id()}/heartbeat` }), 'agent'],
    [
      'a heartbeat of any form',
      () => ({ path: `/v1/agents/${id()}/heartbeat`, headers: { 'Content-Type': 'x/y' }, body: 'msgpack' }),
      'agent',
    ],
    [
      'an invalid heartbeat',
      () => ({ path: `/v1/agents/${id()}/heartbeat`, body: { status: 'gone' } }),
      'agent',
    ],
    ['a heartbeat of a machine', () => ({ path: '/v1/machines/m2/heartbeat?name=Two' })],
    [
      'metrics',
      () => ({
        path: `/v1/agents/${id()}/metrics`,
        headers: { 'Content-Type': 'application/x-msgpack' },
        body: Buffer.from('90', 'hex'),
      }),
      'agent',
    ],
    ['no metrics', () => ({ path: `/v1/agents/${id()}/metrics` }), 'agent'],
    ['wrong metrics', () => ({ path: `/v1/agents/${id()}/metrics`, body: 'text' }), 'agent'],
    [
      'a report of another agent',
      () => ({ path: `/v1/agents/${other}/errors`, headers: json, body: { error: 'x' } }),
      'agent',
    ],
    ['a broken path', () => ({ path: '/v1/machines/%zz/errors', headers: json, body: { error: 'x' } })],
    ['an empty machine id', () => ({ path: '/v1/machines//errors', headers: json, body: { error: 'x' } })],
    [
      'a machine id that is too long',
      () => ({ path: `/v1/machines/${'m'.repeat(257)}/errors`, headers: json, body: { error: 'x' } }),
    ],
  ])('are answered as by the centre: %s', async (_, sent, as = 'project') => {
    const { headers = {}, ...rest } = sent();
    await both({ ...rest, headers: { ...headers, ...credentialOf(as) } });
  });
});
