import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allRoutes } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, type Row, rows, type Target, urlOf } from '../testing/calls/credential-table.ts';
import { eventually } from '../testing/eventually.ts';
import {
  askRemembered,
  createRememberedWorld,
  type RememberedWorld,
  type Shown,
} from '../testing/stages/remembered-world.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';
import { dropTestDatabase, testEngine } from '../testing/test-database.ts';

interface Change {
  readonly title: string;
  readonly make: (world: RememberedWorld) => Promise<void>;
}

/** Every operation that changes something, on what the world has. */
const operations: readonly Change[] = rows
  .filter(({ method }) => method !== 'GET')
  .map((row) => ({ title: titleOf(row), make: (world) => send(world, row) }));

/** What these operations change, if they are sent with more. */
const more: readonly Change[] = [
  change('other permissions of a token', 'PATCH', '/v1/project_tokens/{tokenID}', {
    permissions: ['read:fleet'],
  }),
  change('other networks of a token', 'PATCH', '/v1/project_tokens/{tokenID}', {
    allowedNetworks: ['192.0.2.0/24'],
  }),
  change('a rotation that ends the old value at once', 'POST', '/v1/project_tokens/{tokenID}/rotate', {
    graceSeconds: 0,
  }),
  change('a revocation with its agents', 'POST', '/v1/project_tokens/{tokenID}/revoke', {
    reason: 'lost',
    revokeAgents: true,
  }),
  leak('token'),
  leak('agentToken'),
  leak('memberToken'),
  leak('siteToken'),
  change('another configuration of an agent', 'PATCH', '/v1/agents/{agentID}', { rawConfig: '# other\n' }),
  change('an agent that leaves its fleet', 'PATCH', '/v1/agents/{agentID}', { fleetID: null }),
  {
    title: 'an agent that registers again with another configuration',
    async make({ app, token, params: { machineID } }) {
      const body = { name: machineID, machineID, rawConfig: '# other\n' };
      expect((await app.request('POST', '/v1/agents', { as: { project: token }, body })).status).toBe(201);
    },
  },
  change('the deletion of some agents', 'DELETE', '/v1/projects/{projectID}/agents?agent_id={agentID}'),
  change('a dismissal of everything', 'POST', '/v1/projects/{projectID}/dismissals', {
    reason: 'seen',
    filter: { all: true },
  }),
  change('the end of a mute', 'POST', '/v1/agent_error_groups/{mutedGroupID}/unmute'),
  change('another configuration of a fleet', 'PATCH', '/v1/fleets/{fleetID}', {
    rawConfig: '[INPUT]\n    Name random\n',
  }),
  {
    title: 'a rollout, and its stop',
    async make(world) {
      const { fleetVersionID: before } = world.params;
      const { id: versionID } = await post(world, '/v1/fleets/{fleetID}/versions', {
        rawConfig: '[INPUT]\n    Name random\n',
      });
      expect(versionID).not.toBe(before);
      const reason = 'to try it';
      const { id } = await post(world, '/v1/fleets/{fleetID}/rollouts', { versionID, reason });
      await askRemembered(world);
      await post(world, `/v1/rollouts/${id}/stop`, { reason });
    },
  },
];

/** Operations after which all is as before. They share a world, so that the test costs less. */
const harmless =
  /alert_|invitations|sign_in_links|provisioning|freeze_windows|rollouts|validate$|metrics$|heartbeat$|ping$|batches$|groups$|errors$|POST .*(tokens|projects|fleets|core_instances|members)$|PATCH .*(projects|core_instances|project_tokens)\/\{\w+\}$/;
const changes = sampled([...operations.filter(({ title }) => !harmless.test(title)), ...more]);
const others = sampled(operations.filter(({ title }) => harmless.test(title)));

const asked = new Map<string, Record<string, Shown>>();
const expected = new Map<string, Record<string, Shown>>();

/**
 * Two apps take the same steps. One is asked at once. The other starts again before it is asked, so that it remembers nothing. What was not
 * told of a change, or is not in the list of what is told, makes the first one answer differently.
 */
let remembering: TestApp;
let restarted: TestApp;
const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));

beforeAll(async () => {
  // Without a log, so that reports take the shortcut.
  const options = { logLevel: 'error', dataDirectory } as const;
  remembering = await startTestApp({ logLevel: 'error' });
  restarted = await startTestApp(options);
  const worlds = new Map<string, RememberedWorld>();
  for (const { title, make } of changes) {
    const world = await createRememberedWorld(remembering);
    await askRemembered(world);
    await make(world);
    asked.set(title, await askRemembered(world));
    const other = await createRememberedWorld(restarted);
    await askRemembered(other);
    await make(other);
    worlds.set(title, other);
  }
  const world = await createRememberedWorld(remembering);
  await askRemembered(world);
  for (const { title, make } of others) {
    await make(world);
    asked.set(title, await askRemembered(world));
  }
  await restarted.close();
  restarted = await startTestApp(options);
  for (const [title, other] of worlds) {
    other.app = restarted;
    other.browser.app = restarted;
    expected.set(title, await askRemembered(other));
  }
});

afterAll(async () => {
  await remembering.close();
  await restarted.close();
  rmSync(dataDirectory, { recursive: true });
  await dropTestDatabase(dataDirectory);
});

describe('what a process remembers', () => {
  it('is tried with every operation that changes something', () => {
    const ofContract = allRoutes.filter(({ method }) => method !== 'GET').map(titleOf);
    expect(operations.map(({ title }) => title).toSorted()).toEqual(ofContract.toSorted());
  });

  it.each(changes.map(({ title }) => [title]))('makes no difference after: %s', (title) => {
    expect(asked.get(title)).toEqual(expected.get(title));
  });

  it.each(others.map(({ title }) => [title]))('is as before after: %s', (title) => {
    expect(asked.get(title)).toEqual({
      token: { status: 200 },
      'own token': { status: 200 },
      'agent token': { status: 200 },
      'access token': { status: 200 },
      site: { status: 200 },
      session: { status: 200 },
      member: { status: 200 },
      poll: { status: 200, text: expect.stringContaining('Name dummy') },
      'poll of a person': { status: 200, text: expect.stringContaining('Name dummy') },
      files: { status: 200, text: expect.stringContaining('parsers.conf') },
      heartbeat: { status: 204 },
      'beat of machine': { status: 204 },
      'open error': { status: 201, told: 'ignored' },
      'open error of machine': { status: 201, told: 'ignored' },
      'muted error': { status: 201, told: 'ignored' },
      'muted error of machine': { status: 201, told: 'ignored' },
    });
  });
});

/** On PostgreSQL, only what is remembered of errors is remembered in another way. */
function sampled(list: readonly Change[]): readonly Change[] {
  const ofErrors = /error|dismiss|mute|agents\/|configuration/;
  return testEngine === 'sqlite' ? list : list.filter(({ title }) => ofErrors.test(title));
}

async function send(world: RememberedWorld, row: Row): Promise<void> {
  const { app, project, params } = world;
  const own = await row.target(app, project);
  const title = titleOf(row);
  const target: Target = { ...own, params: { ...own.params, ...params } };
  if (title === 'POST /v1/agent_errors/{agentErrorID}/reopen')
    await post(world, '/v1/agent_errors/{agentErrorID}/dismiss', { reason: 'seen' });
  const needsOwn = [
    'POST /v1/projects/{projectID}/members',
    'POST /v1/fleets/{fleetID}/agents',
    'POST /v1/project_arrivals/{projectID}/rows',
    'POST /v1/project_arrivals/{projectID}/finish',
  ];
  if (needsOwn.includes(title)) Object.assign(target.params, { ...own.params, agentID: params.agentID });
  const { status, text } = await app.request(row.method, urlOf(row, target), {
    as: await senderOf(world, row),
    headers: row.mediaType === undefined ? {} : { 'content-type': row.mediaType },
    ...(row.body === undefined ? {} : { body: bodyOf(row, target) }),
  });
  expect(status, `${title}: ${text}`).toBe(row.success);
}

async function senderOf(world: RememberedWorld, { takes, path, needs }: Row) {
  const { app, project, ownToken, siteToken, memberToken } = world;
  if (/^\/v1\/(access_tokens|sessions)/.test(path)) return { access: memberToken };
  if (takes.includes('access')) return { access: app.admin };
  if (takes.includes('core_instance')) return { core_instance: siteToken };
  if (takes.length === 0) return {};
  if (path.endsWith('/self/rotate')) return { project: ownToken };
  return { project: (await app.createToken(project.id, needs)).token };
}

/** A request of the administrator. */
function change(title: string, method: string, path: string, body?: object): Change {
  return {
    title,
    async make({ app, params }) {
      const { status, text } = await app.request(method, inPath(path, params), {
        as: { access: app.admin },
        ...(body === undefined ? {} : { body }),
      });
      expect(status, text).toBeLessThan(300);
    },
  };
}

/** A credential that is found in public. */
function leak(name: 'token' | 'agentToken' | 'memberToken' | 'siteToken'): Change {
  return {
    title: `the leak of: ${name}`,
    async make({ app, ...world }) {
      const newest = async () =>
        (await app.request('GET', '/v1/audit_log?last=1', { as: { access: app.admin } })).text;
      const before = await newest();
      await app.request('POST', '/v1/token_leaks', { body: [{ token: world[name] }] });
      // It is answered before it is looked at.
      await eventually(async () => expect(await newest()).not.toBe(before));
      // What is stored can be read a moment before the process hears of it. The next write comes after that.
      await app.request('POST', '/v1/token_leaks', { body: [{ token: 'unknown' }] });
    },
  };
}

async function post(world: RememberedWorld, path: string, body: object): Promise<{ id: string }> {
  const { app, params } = world;
  const answer = await app.request<{ id: string }>('POST', inPath(path, params), {
    as: { access: app.admin },
    body,
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

function inPath(path: string, params: RememberedWorld['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'the world lacks it');
}

function titleOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}
