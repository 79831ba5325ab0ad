import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { AgentWithConfig } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../server/src/testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../server/src/testing/start-test-app.ts';
import { type AgentRequest, requestOnce, type WireReply } from './agent-connection.ts';

let app: TestApp;
let port: number;

beforeAll(async () => {
  app = await startTestApp();
  await app.app.http.listen({ port: 0, host: '127.0.0.1' });
  port = (app.app.http.server.address() as AddressInfo).port; // it listens on TCP
});

afterAll(() => app.close());

/** What Fluent Bit 5.1.1 sent. */
function recorded(file: string): Buffer {
  return readFileSync(new URL(`../../samples/agent-requests/${file}`, import.meta.url));
}

/** The id of the fleet in the recorded requests. */
const recordedFleetID = '8b1c0d9e-1111-4a2b-9c3d-000000000001';
const registration = recorded('register-fleet.json').toString();

const configOf = (tag: string) =>
  `[INPUT]\n    Name dummy\n    Tag  ${tag}\n\n[OUTPUT]\n    Name  null\n    Match ${tag}\n`;

interface Session {
  readonly id: string;
  readonly token: string;
}

/** The requests of one agent, with the ids that the service has given to it in the place of the recorded ones. */
class RecordedAgent {
  readonly #project: TestProject;
  fleetID = '';
  session: Session = { id: '', token: '' };
  /** As it says it: of what it has downloaded last. */
  version = -1;

  constructor(project: TestProject) {
    this.#project = project;
  }

  search(): Promise<WireReply> {
    return this.get(`/v1/search?project_id=${this.#project.id}&resource=fleet&term=edge&exact=true`);
  }

  async poll(): Promise<WireReply> {
    const reply = await this.get(`/v1/fleets/${this.fleetID}/config?format=ini&config_format=ini`);
    const [date] = reply.headerLines.flatMap((line) => /^last-modified: (.*)$/i.exec(line)?.[1] ?? []);
    this.version = Date.parse(date ?? '') / 1_000;
    return reply;
  }

  files(): Promise<WireReply> {
    return this.get(`/v1/fleets/${this.fleetID}/files`);
  }

  async register(body: string): Promise<WireReply> {
    const reply = await requestOnce(port, this.#described('POST', '/v1/agents', body));
    this.session = JSON.parse(reply.body);
    return reply;
  }

  update(body: string): Promise<WireReply> {
    return requestOnce(port, this.#described('PATCH', `/v1/agents/${this.session.id}`, body));
  }

  sendMetrics(): Promise<WireReply> {
    return requestOnce(port, {
      method: 'POST',
      path: `/v1/agents/${this.session.id}/metrics`,
      contentType: 'application/x-msgpack',
      headers: { 'X-Agent-Token': this.session.token, Connection: 'keep-alive' },
      body: recorded('metrics-fleet.msgpack'),
    });
  }

  async seen(): Promise<AgentWithConfig['fleet']> {
    const path = `/v1/agents/${this.session.id}`;
    return (await app.request<AgentWithConfig>('GET', path, { as: { access: app.admin } })).body.fleet;
  }

  get(path: string): Promise<WireReply> {
    const headers = {
      'X-Project-Token': this.#project.token,
      'Fleet-Config-Version': String(this.version),
    };
    return requestOnce(port, { method: 'GET', path, headers, body: Buffer.alloc(0) });
  }

  #described(method: 'POST' | 'PATCH', path: string, body: string): AgentRequest {
    return {
      method,
      path,
      contentType: 'application/json',
      headers:
        method === 'POST'
          ? { 'X-Project-Token': this.#project.token }
          : { 'X-Agent-Token': this.session.token },
      body: Buffer.from(body.replaceAll(recordedFleetID, this.fleetID)),
    };
  }
}

async function createFleet() {
  const project = await app.createProject();
  const create = { name: 'edge', rawConfig: configOf('fleet1'), reporting: 'off' };
  const { body } = await call<{ id: string; versionID: string }>(
    'POST',
    `/v1/projects/${project.id}/fleets`,
    create,
  );
  return { project, agent: new RecordedAgent(project), ...body };
}

function call<Body>(method: string, path: string, body: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, body });
}

/** Of every answer with this media type and length. */
function headersOf(mediaType: string | undefined, length: number, lastModified?: string): string[] {
  return [
    'Connection: keep-alive',
    'Date: …',
    'Keep-Alive: timeout=75',
    'cache-control: no-store',
    ...(mediaType === undefined ? [] : [`content-length: ${length}`, `content-type: ${mediaType}`]),
    ...(lastModified === undefined ? [] : [`last-modified: ${lastModified}`]),
    'x-content-type-options: nosniff',
    'x-request-id: …',
  ];
}

/** The whole answer, without what is another one in each. */
function whole({ status, headerLines, body }: WireReply) {
  const headers = headerLines.map((line) => line.replace(/^(Date|x-request-id): \S.*/, '$1: …')).sort();
  return { status, headers, body };
}

/** What an answer has to be, with a body in JSON, if it is no text. */
function answerOf(status: number, body: unknown, mediaType = 'application/json; charset=utf-8') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: headersOf(mediaType, text.length), body: text };
}

const nothing = { status: 204, headers: headersOf(undefined, 0), body: '' };

function configAnswer(tag: string, publishedAt: number) {
  const text = configOf(tag);
  const date = new Date(publishedAt).toUTCString();
  return { status: 200, headers: headersOf('text/plain', text.length, date), body: text };
}

function registeredAnswer({ id, token }: Session) {
  const createdAt = new Date(app.clock.now()).toISOString();
  expect([id, token]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^mst_a_/)]);
  return answerOf(201, { id, token, name: 'web-02', createdAt });
}

/** Gets the first version, runs it, and gets and runs a second one. */
async function live(agent: RecordedAgent, fleetID: string, runs: (body: string) => Promise<void>) {
  const firstAt = app.clock.now();
  expect(whole(await agent.poll())).toEqual(configAnswer('fleet1', firstAt));
  expect(whole(await agent.files())).toEqual(answerOf(200, []));
  app.clock.advance(5_000);
  await runs(registration);
  expect(whole(await agent.sendMetrics())).toEqual(answerOf(200, { totalInserted: 95 }));
  app.clock.advance(15_000);
  // The whole text again, and never 304.
  expect(whole(await agent.poll())).toEqual(configAnswer('fleet1', firstAt));

  const { body } = await call<{ versionID: string }>('PATCH', `/v1/fleets/${fleetID}`, {
    rawConfig: configOf('fleet2'),
  });
  const secondAt = app.clock.now();
  app.clock.advance(15_000);
  expect(whole(await agent.poll())).toEqual(configAnswer('fleet2', secondAt));
  expect(whole(await agent.files())).toEqual(answerOf(200, []));
  app.clock.advance(5_000);
  expect(whole(await agent.update(registration.replaceAll('fleet1', 'fleet2')))).toEqual(nothing);
  app.clock.advance(15_000);
  expect(whole(await agent.poll())).toEqual(configAnswer('fleet2', secondAt));
  expect(await agent.seen()).toEqual({
    id: fleetID,
    name: 'edge',
    versionID: body.versionID,
    versionNumber: 2,
    state: 'applied',
    isDrifted: false,
  });
}

describe('a recorded agent', () => {
  it('with fleet_name gets an id of its own, its configuration, a change of it, and is known to run it', async () => {
    const { agent, id, versionID } = await createFleet();
    const found = await agent.search();
    const handle = JSON.parse(found.body)[0].id;
    expect(whole(found)).toEqual(answerOf(200, [{ id: handle, name: 'edge', ID: handle, Name: 'edge' }]));
    expect([handle, handle === id]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), false]);
    agent.fleetID = handle;
    await live(agent, id, async (body) => {
      expect(whole(await agent.register(body))).toEqual(registeredAnswer(agent.session));
      expect(await agent.seen()).toMatchObject({ id, versionID, versionNumber: 1 });
    });
  });

  it('with fleet_id registers first, gets its configuration, a change of it, and is known to run it', async () => {
    const { agent, id, versionID } = await createFleet();
    agent.fleetID = id;
    const { name, machineID } = JSON.parse(registration);
    // Its own configuration has no fleet in it yet, and is the one of the other recorded agent.
    const own = { ...JSON.parse(recorded('register-plain.json').toString()), name, machineID, fleetID: id };
    expect(whole(await agent.register(JSON.stringify(own)))).toEqual(registeredAnswer(agent.session));
    await live(agent, id, async (body) => {
      // What its own file says has an id and no name.
      expect(whole(await agent.update(body.replace('    fleet_name edge\\n', '')))).toEqual(nothing);
      expect(await agent.seen()).toMatchObject({ id, versionID, versionNumber: 1, state: 'applied' });
    });
  });
});

describe('a name of a fleet that agents put into an address as it is', () => {
  const search = (name: string) => {
    const { agent, project } = created;
    return agent.get(`/v1/search?project_id=${project.id}&resource=fleet&term=${name}&exact=true`);
  };
  let created: Awaited<ReturnType<typeof createFleet>>;
  beforeAll(async () => {
    created = await createFleet();
  });

  it.each(['edge#1', 'edg', 'EDGE', '%2e%2e%2fedge', "edge'--"])(
    'finds no fleet if it is %s',
    async (name) => {
      expect(whole(await search(name))).toEqual(answerOf(200, []));
    },
  );

  it.each(['my edge', 'edge\tone'])('is no request if it is %j', async (name) => {
    const { status, body } = await search(name);
    expect([status, JSON.parse(body).code]).toEqual([400, 'bad_request']);
  });

  it('is refused if an ampersand cuts it', async () => {
    const { status, body } = await search('edge&more');
    expect([status, JSON.parse(body)]).toEqual([
      400,
      {
        ...problemBody(
          'unknown_query_parameter',
          "There is no query parameter 'more'. This route takes project_id, resource, term, exact.",
        ),
        fields: [{ path: 'more', message: 'is unknown' }],
      },
    ]);
  });
});
