import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { changeRows } from '../../../testing/rows/change-rows.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let heartbeats: ReturnType<typeof callHeartbeats>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  heartbeats = callHeartbeats(app);
});

afterAll(() => app.close());

const now = () => new Date(app.clock.now()).toISOString();

async function start() {
  const project = await app.createProject();
  return { project, agent: await app.registerAgent(project) };
}

describe('POST /v1/agents/{agentID}/heartbeat', () => {
  it('returns 204 without a body, and updates lastSeenAt', async () => {
    const { agent } = await start();
    app.clock.advance(1_000);
    const answer = await heartbeats.beat(agent);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
  });

  it('accepts any body of stock agents, in any media type, as a mere sign of life', async () => {
    const { agent } = await start();
    const bodies: [string | undefined, string | Buffer][] = [
      [undefined, ''],
      ['application/json', ''],
      ['application/json', '[{"date":1,"status":"stopped","heartbeatSeconds":-1}]'],
      ['application/json', '{"date":1}{"date":2}'],
      ['application/json', '{"status":"stop'],
      ['application/json', '"stopped"'],
      ['application/json', 'null'],
      ['application/json', '{"status":null,"exitCode":null,"signal":null,"heartbeatSeconds":null}'],
      ['application/json', '{"Status":"stopped","__proto__":{"status":"stopped"}}'],
      ['application/x-ndjson', '{"status":"stopped"}\n{"status":"stopped"}\n'],
      ['application/msgpack', Buffer.from([0x92, 0x01, 0x80])],
      ['application/json', Buffer.from([0xff, 0xfe])],
      ['text/plain', 'stopped'],
      ['no media type', '{"message":"dummy"}'],
    ];
    for (const [mediaType, body] of bodies) {
      app.clock.advance(1_000);
      const answer = await app.request('POST', `/v1/agents/${agent.id}/heartbeat`, {
        as: { agent: agent.token },
        body,
        headers: mediaType === undefined ? {} : { 'content-type': mediaType },
      });
      expect([body.toString(), answer.status]).toEqual([body.toString(), 204]);
      expect((await agents.get(agent.id)).lastSeenAt).toBe(now());
    }
    expect((await heartbeats.statusOf(agent.id)).status).toBe('healthy');
  });

  it.each([
    [{ heartbeatSeconds: '30' }, '/heartbeatSeconds', 'must be an integer'],
    [{ heartbeatSeconds: -1 }, '/heartbeatSeconds', 'must be >= 0'],
    [{ heartbeatSeconds: 86_401 }, '/heartbeatSeconds', 'must be <= 86400'],
    [{ heartbeatSeconds: 1.5 }, '/heartbeatSeconds', 'must be an integer'],
    [{ status: 'ended' }, '/status', 'must be one of running, stopped'],
    [{ status: 'stopped', exitCode: 'one' }, '/exitCode', 'must be an integer'],
    [{ status: 'stopped', exitCode: 2 ** 40 }, '/exitCode', 'must be <= 4294967295'],
    [{ status: 'stopped', signal: 9 }, '/signal', 'must be a string'],
    [{ status: 'stopped', signal: 'sigkill\n' }, '/signal', 'must match pattern "^SIG[A-Z0-9+-]{1,24}$"'],
  ])('422 for %j, and changes nothing', async (body, path, message) => {
    const { agent } = await start();
    const before = await agents.get(agent.id);
    app.clock.advance(1_000);
    const answer = await heartbeats.beat(agent, body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'invalid_body', fields: [{ path, message }] });
    expect(await agents.get(agent.id)).toEqual(before);
  });

  it('413 for a body above 64 KiB', async () => {
    const { agent } = await start();
    const answer = await heartbeats.beat(agent, Buffer.alloc(64 * 1024 + 1));
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ code: 'body_too_large' });
  });

  it('never returns a 5xx, whatever the body', async () => {
    const { agent } = await start();
    const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.boolean());
    const body = fc.oneof(
      fc.record(
        {
          heartbeatSeconds: value,
          status: fc.oneof(value, fc.constantFrom('running', 'stopped')),
          exitCode: value,
          signal: fc.oneof(value, fc.constantFrom('SIGKILL', 'SIGTERM')),
          other: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          body.map((one) => JSON.stringify(one)),
          fc.string(),
        ),
        async (text) => {
          const { status } = await app.request('POST', `/v1/agents/${agent.id}/heartbeat`, {
            as: { agent: agent.token },
            body: Buffer.from(text),
          });
          expect([204, 422]).toContain(status);
          // Accepted values are shown.
          await agents.get(agent.id);
        },
      ),
      { seed: 20260302, numRuns: 200 },
    );
  });

  it('410 for a deleted agent, 404 for an agent of another project', async () => {
    const { project, agent } = await start();
    const other = await start();
    const send = (agentID: string, token: string) =>
      app.request('POST', `/v1/agents/${agentID}/heartbeat`, { as: { project: token } });
    const { token } = await app.createToken(project.id, ['update:agent']);
    expect((await send(agent.id, token)).status).toBe(204);
    expect((await send(other.agent.id, token)).body).toMatchObject({ status: 404, code: 'not_found' });
    await agents.delete(agent.id);
    expect((await send(agent.id, token)).body).toMatchObject({ status: 410, code: 'agent_deleted' });
  });
});

describe('the signs of life of a deleted agent', () => {
  it('are removed with it, and none are stored later', async () => {
    const { agent } = await start();
    await heartbeats.beat(agent, { status: 'stopped', exitCode: 1 });
    const count = () =>
      changeRows(app.dataDirectory, `update agent_signs set failures = 0 where agent_id = '${agent.id}'`);
    expect(await count()).toBe(1);
    // This sign is gathered, and not written before the agent is deleted.
    await heartbeats.beat(agent);
    await agents.delete(agent.id);
    // A list writes the gathered signs.
    await agents.list((await app.createProject()).id);
    expect(await count()).toBe(0);
  });
});

describe('POST /v1/machines/{machineID}/heartbeat', () => {
  it('registers an unknown machine with the requested name', async () => {
    const project = await app.createProject();
    for (const path of [
      '/v1/machines/edge-7/heartbeat?name=Edge',
      '/v1/machines/edge-7/heartbeat?name=Other',
    ]) {
      const { status } = await app.request('POST', path, { as: { project: project.token } });
      expect(status).toBe(204);
    }
    const { body } = await agents.list(project.id);
    expect(body).toEqual([
      expect.objectContaining({
        machineID: 'edge-7',
        name: 'Edge',
        status: 'healthy',
        lastSeenAt: now(),
      }),
    ]);
  });

  it('accepts the same body', async () => {
    const project = await app.createProject();
    expect((await heartbeats.beatOfMachine(project, 'edge-7', { heartbeatSeconds: 'x' })).status).toBe(422);
    expect((await agents.list(project.id)).body).toEqual([]);
    await heartbeats.beatOfMachine(project, 'edge-7', { status: 'stopped', exitCode: 0 });
    expect(await heartbeats.namesOf(project.id, 'stopped')).toEqual(['edge-7']);
  });

  it('registers a new agent after the previous one was deleted', async () => {
    const project = await app.createProject();
    await heartbeats.beatOfMachine(project, 'edge-7');
    const [first] = (await agents.list(project.id)).body;
    await agents.delete(first?.id ?? '');
    expect((await heartbeats.beatOfMachine(project, 'edge-7')).status).toBe(204);
    const [second, ...others] = (await agents.list(project.id)).body;
    expect(others).toEqual([]);
    expect(second?.id).not.toBe(first?.id);
  });
});
