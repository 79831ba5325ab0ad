import type { Agent, AgentErrorGroup } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idOfToken, siteBatchCalls } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

const earlier = '[INPUT]\n  name cpu\n';
const later = '[INPUT]\n  name mem\n';
const halfAnHour = 1_800_000;
const hour = 2 * halfAnHour;

let app: TestApp;
let project: TestProject;
let site: { readonly id: string; readonly token: string };
let tokenID: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  project = await app.createProject();
  site = await app.createCoreInstance(project);
  tokenID = await idOfToken(app, project);
});

const { admin, agent, error, errors, errorsOf, iso, pass, registration } = siteBatchCalls(() => ({
  app,
  site,
  tokenID,
}));

/** Without a site. */
async function register(
  machineID: string,
  changes: object = {},
): Promise<{ readonly id: string; readonly token: string }> {
  const { body } = await app.request<{ id: string; token: string }>('POST', '/v1/agents', {
    as: { project: project.token },
    body: { name: machineID, machineID, rawConfig: later, ...changes },
  });
  return body;
}

function report(id: string, token: string, text: string) {
  return app.request('POST', `/v1/agents/${id}/errors`, { as: { agent: token }, body: { error: text } });
}

async function configOf(id: string): Promise<string | null> {
  const { body } = await app.request<Agent & { rawConfig: string | null }>('GET', `/v1/agents/${id}`, {
    as: admin(),
  });
  return body.rawConfig;
}

describe('what a site passes on an hour late, of an agent that has called the service itself since', () => {
  it('gives a registration its token, and no older description and configuration to the agent', async () => {
    const late = registration('m-1', { at: app.clock.now() - hour });
    const { id, token } = await register('m-1', { name: 'web', version: '2', heartbeatSeconds: 600 });
    await report(id, token, 'disk full');
    const before = await agent(id);

    const { aliases } = await pass({
      ...late.item,
      agent: { ...late.item.agent, version: '1', heartbeatSeconds: 5 },
    });

    expect(aliases).toEqual([{ agentID: late.agentID, canonicalID: id }]);
    expect(await agent(id)).toEqual({ ...before, reregisteredAt: iso(hour) });
    expect(await configOf(id)).toBe(later);
    expect(await errorsOf(id)).toMatchObject([{ error: 'disk full', current: true }]);
    app.clock.advance(60_000);
    expect((await agent(id)).status).toBe('unhealthy');
    const me = await app.request('GET', '/v1/me', { as: { agent: late.token } });
    expect(me.status).toBe(200);
  });

  it('changes nothing by an update, an end and a promise', async () => {
    const { id } = await register('m-2', { name: 'web', version: '2', heartbeatSeconds: 600 });
    const before = await agent(id);
    const of = { agentID: id, by: { tokenID }, at: app.clock.now() - hour };
    const end = { status: 'stopped', exitCode: 3, heartbeatSeconds: 5 };

    // What was gathered of the agent is stored.
    await pass(
      { kind: 'update', ...of, agent: { name: 'old', rawConfig: earlier } },
      { kind: 'heartbeat', ...of, heartbeat: end },
    );

    expect(await agent(id)).toEqual(before);
    expect(await configOf(id)).toBe(later);
    app.clock.advance(60_000);
    expect((await agent(id)).status).toBe('healthy');
  });

  it('describes an agent that had only reported itself', async () => {
    const late = registration('m-3', { at: app.clock.now() - hour });
    await app.request('POST', '/v1/machines/m-3/errors', {
      as: { project: project.token },
      body: { error: 'disk full' },
    });
    const { aliases } = await pass(late.item);
    expect(await configOf(aliases[0]?.canonicalID ?? '')).toBe(earlier);
  });

  it('describes an agent that an operator has renamed since, without going back in time', async () => {
    const { id } = await register('m-4');
    app.clock.advance(hour);
    await app.request('PATCH', `/v1/agents/${id}`, { as: admin(), body: { name: 'named' } });
    const { updatedAt } = await agent(id);
    const update = { kind: 'update', agentID: id, by: { tokenID }, at: app.clock.now() - halfAnHour };
    await pass({ ...update, agent: { rawConfig: earlier } });
    expect(await configOf(id)).toBe(earlier);
    expect(await agent(id)).toMatchObject({ name: 'named', updatedAt });
  });
});

describe('what a site passes on of an agent that only it knows', () => {
  it('is its newest description, whatever its clock or that of the service said', async () => {
    const first = registration('m-10', { at: app.clock.now() });
    const { aliases } = await pass(first.item);
    expect(aliases).toEqual([]);
    const { item } = registration('m-10', { at: app.clock.now() - hour });
    await pass({ ...item, agent: { ...item.agent, rawConfig: later } });
    expect(await configOf(first.agentID)).toBe(later);
    const of = { agentID: first.agentID, by: { tokenID }, at: app.clock.now() - hour };
    await pass({ kind: 'update', ...of, agent: { rawConfig: earlier } });
    expect(await configOf(first.agentID)).toBe(earlier);
  });

  it('is newer than what the agent told a service whose clock was ahead', async () => {
    app.clock.advance(hour);
    const { id } = await register('m-11');
    app.clock.advance(-hour);
    const of = { agentID: id, by: { tokenID }, at: app.clock.now() };
    await pass({ kind: 'update', ...of, agent: { rawConfig: earlier } });
    expect(await configOf(id)).toBe(earlier);
  });

  it('is no end before its newest sign, which overtakes what waits at the site', async () => {
    const { id } = await register('m-12');
    const of = { kind: 'heartbeat', agentID: id, by: { tokenID } };
    app.clock.advance(hour);
    await pass({ ...of, at: app.clock.now(), heartbeat: { heartbeatSeconds: 600 } });
    await pass({ ...of, at: app.clock.now() - halfAnHour, heartbeat: { status: 'stopped', exitCode: 1 } });
    expect(await agent(id)).toMatchObject({ status: 'healthy' });
    await pass({ ...of, at: app.clock.now() - 1_000, heartbeat: { status: 'stopped', exitCode: 1 } });
    expect(await agent(id)).toMatchObject({ status: 'unhealthy' });
  });

  it.each(['errors', 'heartbeat', 'registration'])(
    'brings no agent back that was deleted since: %s',
    async (kind) => {
      const { id } = await register('m-13');
      app.clock.advance(hour);
      await app.request('DELETE', `/v1/agents/${id}`, { as: admin() });
      app.clock.advance(hour);
      const at = app.clock.now() - 2 * hour;
      const items = {
        errors: { kind, machineID: 'm-13', by: { tokenID }, errors: [error('disk full', 2 * hour)] },
        heartbeat: { kind, machineID: 'm-13', by: { tokenID }, at },
        registration: registration('m-13', { at }).item,
      }[kind];
      expect((await pass(items ?? {})).refused).toMatchObject([
        { index: 0, error: { code: 'agent_deleted' } },
      ]);
      const { body: agents } = await app.request('GET', `/v1/projects/${project.id}/agents`, { as: admin() });
      expect(agents).toEqual([]);
      const { status } = await app.request('POST', '/v1/machines/m-13/errors', {
        as: { project: project.token },
        body: { error: 'disk full' },
      });
      expect(status).toBe(201);
    },
  );

  it('makes an agent that was first heard when it spoke', async () => {
    const heard = { machineID: 'm-14', by: { tokenID }, errors: [error('disk full', hour)] };
    await pass({ kind: 'errors', ...heard });
    const { body } = await app.request<Agent[]>('GET', `/v1/projects/${project.id}/agents`, { as: admin() });
    expect(body).toMatchObject([{ machineID: 'm-14', createdAt: iso(hour), lastSeenAt: iso(hour) }]);
  });
});

it('leaves an agent as it was last, in whatever order the lanes of its site come', async () => {
  const step = 600_000;
  let machine = 0;
  const kinds = fc.array(fc.constantFrom('register', 'end', 'beat'), { minLength: 2, maxLength: 6 });
  const lanes = fc.record({ kinds, sizes: fc.array(fc.nat(2), { maxLength: 6 }), signsAt: fc.nat(5) });
  await fc.assert(
    fc.asyncProperty(lanes, async ({ kinds, sizes, signsAt }) => {
      machine += 1;
      const first = registration(`m-model-${machine}`, { at: app.clock.now() });
      await pass(first.item);
      const by = { tokenID };
      const told = kinds.map((kind, index) => {
        const at = app.clock.now() + (index + 1) * step;
        const rawConfig = `[INPUT]\n  name input${index}\n`;
        const { item } = registration(`m-model-${machine}`, { at });
        if (kind === 'register')
          return { ...item, agentID: first.agentID, agent: { ...item.agent, rawConfig } };
        const heartbeat = kind === 'end' ? { status: 'stopped' } : {};
        return { kind: 'heartbeat', at, agentID: first.agentID, by, heartbeat };
      });
      app.clock.advance((kinds.length + 1) * step);
      // What is on the disk comes in order, and beside some of it the newest sign of life.
      const onDisk = told.filter((_, index) => kinds[index] !== 'beat');
      const newest = told.filter((_, index) => kinds[index] === 'beat').slice(-1);
      for (let batch = 0; onDisk.length > 0 || newest.length > 0; batch += 1) {
        const signs = batch >= signsAt || onDisk.length === 0 ? newest.splice(0) : [];
        await pass(...onDisk.splice(0, (sizes[batch] ?? 0) + 1), ...signs);
      }
      const last = told.findLast((item) => 'agent' in item) ?? first.item;
      expect(await configOf(first.agentID)).toBe(last.agent.rawConfig);
      const { status } = await agent(first.agentID);
      expect(status === 'stopped').toBe(kinds.at(-1) === 'end');
    }),
    { numRuns: 40 },
  );
});

it('errors before a registration under an id that is new belong to the configuration of their time', async () => {
  const { id } = await register('m-5', { rawConfig: earlier });
  const { item } = registration('m-5', { at: app.clock.now() });
  app.clock.advance(1_000);
  await pass(errors(id, error('disk full', 1_000)), { ...item, agent: { ...item.agent, rawConfig: later } });
  expect(await configOf(id)).toBe(later);
  expect(await errorsOf(id)).toMatchObject([{ error: 'disk full', current: false }]);
});

describe('a cause', () => {
  const origin = async () => {
    const { body } = await app.request<AgentErrorGroup[]>(
      'GET',
      `/v1/projects/${project.id}/agent_error_groups`,
      { as: admin() },
    );
    return body.map(({ firstSeenAt, firstConfigID, lastSeenAt }) => ({
      firstSeenAt,
      firstConfigID,
      lastSeenAt,
    }));
  };

  it('began with its first error, also if a site passes that on after others', async () => {
    const behind = await register('m-6', { rawConfig: earlier });
    const direct = await register('m-7');
    await report(direct.id, direct.token, 'disk full');
    const { configID } = await agent(behind.id);
    const late = { firstSeenAt: iso(hour), firstConfigID: configID, lastSeenAt: iso(0) };
    expect(await origin()).toEqual([
      { ...late, firstSeenAt: iso(0), firstConfigID: (await agent(direct.id)).configID },
    ]);

    await pass(errors(behind.id, error('disk full', hour)));

    expect(await origin()).toEqual([late]);
  });

  it('began with its first error, wherever it is in a batch', async () => {
    const [one, other] = [await register('m-8'), await register('m-9', { rawConfig: earlier })];
    await pass(errors(one.id, error('disk full', 1_000)), errors(other.id, error('disk full', 2_000)));
    const { configID } = await agent(other.id);
    expect(await origin()).toEqual([
      { firstSeenAt: iso(2_000), firstConfigID: configID, lastSeenAt: iso(1_000) },
    ]);
  });
});
