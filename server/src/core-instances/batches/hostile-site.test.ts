import { hash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type Agent,
  type AgentError,
  type CoreInstance,
  type CoreInstanceBatchResult,
  maxBatchBytes,
  type SiteCredentials,
  type SiteFleets,
} from '@muster/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idOfToken, siteRegistration, siteStatus } from '../../testing/calls/site-calls.ts';
import { StockAgent } from '../../testing/calls/stock-agent.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

/** Somebody has broken into a site, and has its token. */

let app: TestApp;
let project: TestProject;
let site: { readonly id: string; readonly token: string };
let tokenID: string;
let sequence: number;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  project = await app.createProject();
  site = await app.createCoreInstance(project);
  tokenID = await idOfToken(app, project);
  sequence = 0;
});

const admin = () => ({ access: app.admin });

interface Sent {
  readonly sequence?: number;
  readonly status?: object;
  readonly token?: string;
}

function send(items: readonly object[], { sequence: given, status, token = site.token }: Sent = {}) {
  if (given === undefined) sequence += 1;
  const body = {
    protocol: 1,
    sequence: given ?? sequence,
    // Without items and an id, it would be a question.
    ...(items.length === 0 ? { id: randomUUID() } : {}),
    status: siteStatus(app.clock.now(), status),
    items,
  };
  return app.request<CoreInstanceBatchResult>('POST', '/v1/core_instances/self/batches', {
    as: { core_instance: token },
    body,
  });
}

/** Which items were refused, and why. */
async function refusalsOf(...items: readonly object[]) {
  const { status, body } = await send(items);
  expect(status).toBe(200);
  return body.refused.map(({ index, error: { code, fields } }) => [
    index,
    code,
    ...(fields ?? []).map(({ path }) => path),
  ]);
}

function errors(agentID: string, error: string, changes: object = {}) {
  const at = app.clock.now();
  return {
    kind: 'errors',
    by: { tokenID },
    agentID,
    errors: [{ error, firstAt: at, lastAt: at, count: 1, ...changes }],
  };
}

function registration(machineID: string, changes: object = {}) {
  return siteRegistration(app.clock.now(), tokenID, machineID, changes);
}

async function errorsOf(agentID: string): Promise<AgentError[]> {
  return (await app.request<AgentError[]>('GET', `/v1/agents/${agentID}/errors`, { as: admin() })).body;
}

async function me(as: Readonly<Record<string, string>>) {
  const { status, body } = await app.request<{ kind?: string; id?: string }>('GET', '/v1/me', { as });
  return [status, body.id];
}

describe('a site that was broken into', () => {
  it('takes over no agent with the digests of tokens that it learns', async () => {
    const agent = await app.registerAgent(project);
    const list = async (query = '') =>
      (
        await app.request<SiteCredentials>('GET', `/v1/core_instances/self/credentials${query}`, {
          as: { core_instance: site.token },
        })
      ).body;
    const tokens = await list();
    const agents = await list(`?cursor=${tokens.cursor}`);
    const learned = agents.items.find(({ id }) => id === agent.id)?.digest;
    expect(learned).toBe(hash('sha256', agent.token));
    expect(await refusalsOf(registration('copy', { tokenDigest: learned }).item)).toEqual([
      [0, 'invalid_body', '/tokenDigest'],
    ]);
    expect(await me({ agent: agent.token })).toEqual([200, agent.id]);
  });

  it('makes no agent of a person, a project token or itself: their values are still what they were', async () => {
    const values = { access: app.admin, project: project.token, core_instance: site.token };
    const before = await Promise.all(Object.entries(values).map(([kind, value]) => me({ [kind]: value })));
    const items = Object.values(values).map(
      (value) => registration(hash('sha256', value), { tokenDigest: hash('sha256', value) }).item,
    );
    expect(await refusalsOf(...items)).toEqual([]);
    for (const [index, [kind, value]] of Object.entries(values).entries()) {
      expect(await me({ [kind]: value })).toEqual(before[index]);
      expect((await me({ agent: value }))[0]).toBe(401);
    }
  });

  it('captures no agent by an id that another site gave it', async () => {
    const known = await app.registerAgent(project, 'press-1');
    const honest = await app.createCoreInstance(project);
    const there = registration('press-1');
    const joined = await send([there.item], { sequence: 1, token: honest.token });
    expect(joined.body.aliases).toEqual([{ agentID: there.agentID, canonicalID: known.id }]);
    const own = await app.registerAgent(project, 'mine');
    expect(
      await refusalsOf(
        registration('mine', { agentID: there.agentID }).item,
        registration('new', { agentID: there.agentID }).item,
        registration('mine', { agentID: known.id }).item,
      ),
    ).toEqual([
      [0, 'invalid_body', '/agentID'],
      [1, 'invalid_body', '/agentID'],
      [2, 'invalid_body', '/agentID'],
    ]);
    await send([errors(there.agentID, 'of press-1')], { sequence: 2, token: honest.token });
    expect((await errorsOf(known.id)).map(({ error }) => error)).toEqual(['of press-1']);
    expect(await errorsOf(own.id)).toEqual([]);
  });

  it('registers no machine again where only its own token allows it, whatever it sends as that token', async () => {
    const strict = await startTestApp({ config: { registration: 'once' } });
    try {
      const [own, foreign] = [await strict.createProject(), await strict.createProject()];
      const { id, token } = await strict.registerAgent(own, 'press-2');
      const strictSite = await strict.createCoreInstance(own);
      const ownTokenID = await idOfToken(strict, own);
      const foreignToken = (await strict.registerAgent(foreign, 'press-2')).token;
      const now = strict.clock.now();
      let number = 0;
      const refusalOf = async (proof: object) => {
        number += 1;
        const { item } = siteRegistration(now, ownTokenID, 'press-2', proof);
        const { status, body } = await strict.request<CoreInstanceBatchResult>(
          'POST',
          '/v1/core_instances/self/batches',
          {
            as: { core_instance: strictSite.token },
            body: { protocol: 1, sequence: number, status: siteStatus(now), items: [item] },
          },
        );
        expect([status, body.aliases]).toEqual([200, []]);
        const [refused] = body.refused;
        return [refused?.error.code, ...(refused?.error.fields ?? []).map(({ path }) => path)];
      };
      const proofs: Readonly<Record<string, unknown>> = {
        none: undefined,
        anotherAgent: (await strict.registerAgent(own, 'press-3')).token,
        anotherProject: foreignToken,
        projectToken: own.token,
        itself: strictSite.token,
        person: strict.admin,
        digest: hash('sha256', token),
        withSpace: ` ${token}`,
        cut: token.slice(0, -1),
        withMore: `${token}x`,
        longest: `${token}${'x'.repeat(512 - token.length)}`,
      };
      for (const [name, agentToken] of Object.entries(proofs)) {
        expect([name, ...(await refusalOf({ agentToken }))]).toEqual([name, 'machine_registered']);
      }
      const wrongForms = ['', 'x'.repeat(513), 7, null, [token], { token }, true];
      for (const agentToken of wrongForms) {
        expect(await refusalOf({ agentToken })).toEqual(['invalid_body', '/agentToken']);
      }
      const me = async (agent: string) =>
        (await strict.request<{ id?: string }>('GET', '/v1/me', { as: { agent } })).body.id;
      expect(await me(token)).toBe(id);
      // The right one is what makes the difference.
      const { item } = siteRegistration(now, ownTokenID, 'press-2', { agentToken: token });
      const { body } = await strict.request<CoreInstanceBatchResult>(
        'POST',
        '/v1/core_instances/self/batches',
        {
          as: { core_instance: strictSite.token },
          body: { protocol: 1, sequence: number + 1, status: siteStatus(now), items: [item] },
        },
      );
      expect([body.refused, body.aliases]).toEqual([[], [{ agentID: item.agentID, canonicalID: id }]]);
    } finally {
      await strict.close();
    }
  });

  it('speaks for nobody whose credential does not exist', async () => {
    const { id } = await app.registerAgent(project);
    const { body: person } = await app.request<{ id: string }>('GET', '/v1/me', { as: admin() });
    const speaker = (by: object) => ({ ...errors(id, 'x'), by });
    expect(
      await refusalsOf(
        speaker({ tokenID: site.id }),
        speaker({ tokenID: person.id }),
        speaker({ tokenID: project.id }),
        speaker({ agentID: site.id }),
        speaker({}),
        speaker({ tokenID, agentID: id }),
        speaker({ tokenID: "' or 1=1 --" }),
      ),
    ).toEqual([
      [0, 'invalid_credential'],
      [1, 'invalid_credential'],
      [2, 'invalid_credential'],
      [3, 'invalid_credential'],
      [4, 'invalid_body', '/by/tokenID', '/by/agentID', '/by'],
      [5, 'invalid_body', '/by/agentID', '/by/tokenID', '/by'],
      [6, 'invalid_body', '/by/tokenID', '/by/agentID', '/by'],
    ]);
    expect(await errorsOf(id)).toEqual([]);
  });

  it('cannot use up the numbers of batches', async () => {
    for (const given of [2 ** 53, 1.5, 0, -1, 1_000_000_001]) {
      const answer = await send([], { sequence: given });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'invalid_body', fields: [{ path: '/sequence' }] });
    }
    expect((await send([], { sequence: 1 })).body.sequence).toBe(1);
  });

  it('tells no times of the future, and none that cannot be shown', async () => {
    const { id } = await app.registerAgent(project);
    const last = 8_640_000_000_000_000;
    const now = app.clock.now();
    const answer = await send(
      [errors(id, 'early', { firstAt: 0, lastAt: 0 }), errors(id, 'late', { firstAt: last, lastAt: last })],
      { status: { startedAt: last, oldestSpooledAt: last, lastLossAt: last, sentAt: 0 } },
    );
    expect([answer.status, answer.body.refused]).toEqual([200, []]);
    const shown = await app.request<CoreInstance>('GET', `/v1/core_instances/${site.id}`, { as: admin() });
    const nowText = new Date(now).toISOString();
    expect(shown.body).toMatchObject({
      startedAt: nowText,
      oldestSpooledAt: nowText,
      lastLossAt: nowText,
      lagSeconds: 0,
      clockOffsetMilliseconds: -now,
    });
    // By its clock, it sent them at 0: both are of now.
    expect((await errorsOf(id)).map(({ error, createdAt }) => [error, createdAt]).sort()).toEqual([
      ['early', nowText],
      ['late', nowText],
    ]);
    await send([errors(id, 'old', { firstAt: 0, lastAt: 0 })]);
    const weekAgo = new Date(now - 7 * 86_400_000).toISOString();
    expect((await errorsOf(id)).find(({ error }) => error === 'old')?.createdAt).toBe(weekAgo);
  });

  it('claims no numbers that cannot be summed up', async () => {
    const answer = await send([], { status: { spooledCount: Number.MAX_SAFE_INTEGER } });
    expect(answer.body).toMatchObject({
      code: 'invalid_body',
      fields: [{ path: '/status/spooledCount' }],
    });
  });

  it('locks the site out with no number that is refused', async () => {
    const { id } = await app.registerAgent(project);
    for (const count of [1e300, Number.MAX_SAFE_INTEGER, 1_000_000_001]) {
      const answer = await send([errors(id, 'x', { count })]);
      expect([answer.status, answer.body]).toMatchObject([200, { refused: [{ index: 0 }] }]);
    }
    expect((await send([errors(id, 'y')])).body).toMatchObject({ refused: [] });
  });

  it('fills no memory with what gets large when it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * maxBatchBytes, ' '));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const answer = await app.app.http.inject({
      method: 'POST',
      url: '/v1/core_instances/self/batches',
      headers: {
        'x-core-instance-token': site.token,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      payload: bomb,
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'body_too_large' }),
    ]);
    const large = registration('large', {
      agent: { name: 'large', machineID: 'large', rawConfig: 'x'.repeat(maxBatchBytes) },
    });
    expect((await send([large.item])).status).toBe(413);
  });

  it('gets an item refused alone that is nested too deeply', async () => {
    const { id } = await app.registerAgent(project);
    const nest = (depth: number): object => (depth === 0 ? {} : { a: nest(depth - 1) });
    const deep = { ...registration('deep').item, agent: { name: 'd', machineID: 'd', metadata: nest(500) } };
    expect(await refusalsOf(deep, errors(id, 'fine'))).toEqual([
      [0, 'invalid_body', expect.stringMatching(/^\/agent\/metadata\/a\/a/)],
    ]);
    expect((await errorsOf(id)).map(({ error }) => error)).toEqual(['fine']);
  });

  it('that runs twice has each number applied once', async () => {
    const { id } = await app.registerAgent(project);
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, index) => send([errors(id, `from process ${index}`)], { sequence: 1 })),
    );
    expect(answers.map(({ status, body }) => [status, body.sequence])).toEqual(
      Array.from({ length: 3 }, () => [200, 1]),
    );
    expect(await errorsOf(id)).toHaveLength(1);
  });

  it('sees nothing but itself', async () => {
    const other = await app.createCoreInstance(project);
    const as = { core_instance: site.token };
    for (const [method, url] of [
      ['GET', `/v1/core_instances/${site.id}`],
      ['GET', `/v1/projects/${project.id}/agents`],
      ['GET', `/v1/projects/${project.id}/tokens`],
      ['DELETE', `/v1/core_instances/${other.id}`],
    ] as const) {
      const { status, body } = await app.request(method, url, { as });
      expect([url, status, body]).toEqual([
        url,
        403,
        expect.objectContaining({ code: 'credential_kind_not_accepted' }),
      ]);
    }
  });

  it('learns nothing of the fleets of other projects, and says nothing of their agents', async () => {
    const other = await app.createProject();
    const { body: fleet } = await app.request<{ id: string; versionID: string }>(
      'POST',
      `/v1/projects/${other.id}/fleets`,
      { as: admin(), body: { name: 'edge', rawConfig: '[INPUT]\n    Name dummy\n' } },
    );
    const agent = new StockAgent(app, { project: other, machineID: 'machine-1' });
    await agent.startByName('edge');
    const as = { core_instance: site.token };
    expect(
      (await app.request<SiteFleets>('GET', '/v1/core_instances/self/fleets', { as })).body.changed,
    ).toEqual({
      fleets: [],
      moved: [],
      publications: [],
    });
    const content = `/v1/core_instances/self/fleet_contents/${fleet.versionID}.on`;
    expect((await app.request(`GET`, content, { as })).status).toBe(404);
    const told = { at: app.clock.now(), offered: agent.version + 1, downloaded: null, isConfirmed: false };
    expect(await refusalsOf({ kind: 'poll', by: { tokenID }, handle: agent.fleetID, ...told })).toEqual([
      [0, 'not_found'],
    ]);
  });

  it('changes no agent that it does not name', async () => {
    const one = await app.registerAgent(project, 'one');
    const agent = async () => (await app.request<Agent>('GET', `/v1/agents/${one.id}`, { as: admin() })).body;
    const before = await agent();
    await refusalsOf(registration('two').item, registration('One').item);
    expect(await agent()).toEqual(before);
  });
});
