import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../server/src/testing/calls/agent-calls.ts';
import { problemBody } from '../../server/src/testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../server/src/testing/start-test-app.ts';
import { AgentConnection, type AgentRequest, requestOnce, type WireReply } from './agent-connection.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let port: number;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  await app.app.http.listen({ port: 0, host: '127.0.0.1' });
  port = (app.app.http.server.address() as AddressInfo).port; // it listens on TCP
});

afterAll(() => app.close());

/** What Fluent Bit 5.1.1 sent, byte for byte. */
function genuine(file: string): Buffer {
  return readFileSync(new URL(`../../samples/agent-requests/${file}`, import.meta.url));
}

function registration({ token }: TestProject, body: Buffer): AgentRequest {
  return {
    method: 'POST',
    path: '/v1/agents',
    contentType: 'application/json',
    headers: { 'X-Project-Token': token },
    body,
  };
}

interface Session {
  readonly id: string;
  readonly token: string;
}

function update({ id, token }: Session, body: Buffer): AgentRequest {
  return {
    method: 'PATCH',
    path: `/v1/agents/${id}`,
    contentType: 'application/json',
    headers: { 'X-Agent-Token': token },
    body,
  };
}

function metrics({ id, token }: Session, body: Buffer): AgentRequest {
  return {
    method: 'POST',
    path: `/v1/agents/${id}/metrics`,
    contentType: 'application/x-msgpack',
    headers: { 'X-Agent-Token': token, Connection: 'keep-alive' },
    body,
  };
}

/** What Fluent Bit can take: it has a buffer of 4096 bytes, and a parser that wants a space after the colon. */
function expectReadableByAgents({ bytes, status, headerLines }: WireReply): void {
  expect(bytes.length).toBeLessThan(4096);
  expect([200, 201, 204]).toContain(status);
  for (const line of headerLines) expect(line).toMatch(/^[\w-]+: \S/);
  expect(headerLines.join('\n')).not.toMatch(/^(content-encoding|transfer-encoding):/im);
}

async function register(project: TestProject, file = 'register-plain.json'): Promise<Session> {
  const reply = await requestOnce(port, registration(project, genuine(file)));
  expectReadableByAgents(reply);
  return JSON.parse(reply.body);
}

describe('a Fluent Bit agent that registers', () => {
  it.each(['register-plain.json', 'register-fleet.json'])(
    'reads id and token out of the reply to %s',
    async (file) => {
      const project = await app.createProject();
      const reply = await requestOnce(port, registration(project, genuine(file)));
      expectReadableByAgents(reply);
      expect(reply.status).toBe(201);
      const sent = JSON.parse(genuine(file).toString());
      const session = JSON.parse(reply.body);
      expect(session).toEqual({
        id: expect.any(String),
        token: expect.any(String),
        name: sent.name,
        createdAt: new Date(app.clock.now()).toISOString(),
      });
      expect(await agents.get(session.id)).toMatchObject(sent);
    },
  );

  it('is the same agent after a restart without its session', async () => {
    const project = await app.createProject();
    const before = await register(project);
    const after = await register(project);
    expect(after.id).toBe(before.id);
    expect((await agents.listConfigs(after.id)).body).toHaveLength(1);
    // The session of a process that still runs beside it.
    expect((await requestOnce(port, update(before, genuine('patch-plain.json')))).status).toBe(204);
  });

  it('gets a reply that fits its buffer even with the longest name', async () => {
    const project = await app.createProject();
    // Each of these takes six bytes in JSON.
    const body = Buffer.from(JSON.stringify({ name: '\u0001'.repeat(256), machineID: 'm' }));
    const reply = await requestOnce(port, registration(project, body));
    expectReadableByAgents(reply);
    expect(reply.bytes.length).toBeGreaterThan(1_536);
  });

  it('can send its request in pieces of any size', async () => {
    const project = await app.createProject();
    const connection = await AgentConnection.open(port);
    const bytes = connection.toBytes(registration(project, genuine('register-fleet.json')));
    for (let from = 0; from < bytes.length; from += 97)
      await connection.write(bytes.subarray(from, from + 97));
    expectReadableByAgents(await connection.nextReply());
    connection.close();
  });
});

describe('a Fluent Bit agent that starts with a stored session', () => {
  it('gets an empty 204 for its update', async () => {
    const session = await register(await app.createProject());
    const reply = await requestOnce(port, update(session, genuine('patch-plain.json')));
    expectReadableByAgents(reply);
    expect([reply.status, reply.body]).toEqual([204, '']);
  });

  it('has one entry per configuration, although it sends base and fleet configuration at each start', async () => {
    const session = await register(await app.createProject(), 'register-plain.json');
    const [base, fleet] = [genuine('patch-plain.json'), genuine('register-fleet.json')];
    for (const body of [base, fleet, fleet, fleet]) {
      expectReadableByAgents(await requestOnce(port, update(session, body)));
    }
    expect((await agents.listConfigs(session.id)).body).toHaveLength(2);
  });

  it('is not refused for a fleet that does not exist, an odd version or an empty configuration', async () => {
    const session = await register(await app.createProject());
    for (const change of [
      { fleetID: '8b1c0d9e-1111-4a2b-9c3d-00000000dead' },
      { fleetID: 'no uuid at all' },
      { version: '' },
      { version: 'v99.0.0-nightly+g1234567 (custom)' },
      { rawConfig: '' },
      { edition: 'unheard of', os: 'plan9', arch: 'riscv64', type: 'other' },
    ]) {
      const body = { ...JSON.parse(genuine('patch-plain.json').toString()), ...change };
      const reply = await requestOnce(port, update(session, Buffer.from(JSON.stringify(body))));
      expect([change, reply.status]).toEqual([change, 204]);
    }
  });
});

describe('a Fluent Bit agent that sends metrics', () => {
  const files = ['metrics-nolabels.msgpack', 'metrics-labels.msgpack', 'metrics-fleet.msgpack'];

  it('uses one connection, which stays open for the 30 s between two requests', async () => {
    const session = await register(await app.createProject());
    const connection = await AgentConnection.open(port);
    for (const file of files) {
      const reply = await connection.request(metrics(session, genuine(file)));
      expectReadableByAgents(reply);
      expect(JSON.parse(reply.body)).toEqual({ totalInserted: expect.any(Number) });
      const timeout = reply.headerLines
        .map((line) => /^Keep-Alive: timeout=(\d+)$/i.exec(line)?.[1])
        .join('');
      expect(Number(timeout)).toBeGreaterThan(30);
    }
    expect(connection.isOpen).toBe(true);
    connection.close();
  });

  it('can declare them as JSON, as the Go client does', async () => {
    const session = await register(await app.createProject());
    const request = metrics(session, genuine('metrics-labels.msgpack'));
    const [named, misnamed] = [
      await requestOnce(port, request),
      await requestOnce(port, { ...request, contentType: 'application/json' }),
    ];
    expectReadableByAgents(misnamed);
    expect(misnamed.body).toBe(named.body);
  });

  it('gets 400 and is disconnected if its path is missing, as after a failed update', async () => {
    const session = await register(await app.createProject());
    const connection = await AgentConnection.open(port);
    const request = { ...metrics(session, genuine('metrics-labels.msgpack')), path: '' };
    expect(connection.toBytes(request).toString('latin1')).toMatch(/^POST {2}HTTP\/1\.1\r\n/);
    const reply = await connection.request(request);
    expect(reply.status).toBe(400);
    expect(reply.headerLines).toContain('Content-Type: application/problem+json; charset=utf-8');
    expect(reply.headerLines).toContain('Connection: close');
    expect(JSON.parse(reply.body)).toEqual(problemBody('bad_request'));
    await connection.ended();
    expect((await requestOnce(port, metrics(session, request.body))).status).toBe(200);
  });
});

describe('a stock Fluent Bit that reports its own errors by its http output', () => {
  it('is known by its host name, and repeats itself on one connection', async () => {
    const project = await app.createProject();
    const connection = await AgentConnection.open(port);
    const request: AgentRequest = {
      method: 'POST',
      path: '/v1/machines/web-01.example.com/errors?truncate=true',
      contentType: 'application/json',
      headers: { 'User-Agent': 'Fluent-Bit', 'X-Project-Token': project.token, Connection: 'keep-alive' },
      body: Buffer.from('[{"error":"[output:forward:forward.0] no upstream connections available"}]'),
    };
    const first = await connection.request(request);
    const second = await connection.request(request);
    for (const reply of [first, second]) expectReadableByAgents(reply);
    expect(first.headerLines.join('\n')).toMatch(/^muster-agent-error: created$/im);
    expect(second.headerLines.join('\n')).toMatch(/^muster-agent-error: ignored$/im);
    expect(second.body).toBe(first.body);
    connection.close();
    const { body } = await agents.list(project.id);
    expect(body).toMatchObject([
      { name: 'web-01.example.com', machineID: 'web-01.example.com', status: 'unhealthy' },
    ]);
  });
});

describe('a project token, as Fluent Bit reads it', () => {
  /** in_calyptia_fleet: pads up to a multiple of four, also one that is, and decodes standard base64. */
  function readAsFluentBit(token: string): unknown {
    const payload = token.slice(0, token.indexOf('.'));
    expect(payload.length).toBeLessThanOrEqual(255);
    const padded = payload + '='.repeat(4 - (payload.length % 4));
    expect(padded).toMatch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
    return JSON.parse(Buffer.from(padded, 'base64').toString());
  }

  it('contains its project, so that a fleet can be found by name', async () => {
    for (let round = 0; round < 20; round += 1) {
      const project = await app.createProject();
      const { id, token } = await app.createToken(project.id, ['create:agent']);
      expect(readAsFluentBit(token)).toEqual({ ProjectID: project.id, TokenID: id });
      expect(readAsFluentBit(project.token)).toMatchObject({ ProjectID: project.id });
    }
  });
});
