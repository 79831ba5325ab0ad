import type { AddressInfo } from 'node:net';
import type { AgentError } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../server/src/testing/start-test-app.ts';
import { AgentConnection, type WireReply } from '../wire/agent-connection.ts';
import { type Flush, logNames, readFlushes } from './self-reports.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let port: number;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  await test.app.http.listen({ port: 0, host: '127.0.0.1' });
  port = (test.app.http.server.address() as AddressInfo).port; // it listens on TCP
});

afterAll(() => test.close());

/** The http output of one agent: a connection that it keeps open. */
class HttpOutput {
  readonly connection: AgentConnection;
  readonly #project: TestProject;
  readonly #path: string;

  private constructor(connection: AgentConnection, project: TestProject, path: string) {
    this.connection = connection;
    this.#project = project;
    this.#path = path;
  }

  static async open(project: TestProject, path: string): Promise<HttpOutput> {
    return new HttpOutput(await AgentConnection.open(port), project, path);
  }

  flush(reports: Flush): Promise<WireReply> {
    return this.connection.request({
      method: 'POST',
      path: this.#path,
      contentType: 'application/json',
      headers: {
        'User-Agent': 'Fluent-Bit',
        'X-Project-Token': this.#project.token,
        Connection: 'keep-alive',
      },
      body: Buffer.from(JSON.stringify(reports.map((error) => ({ error })))),
    });
  }
}

/** Flushes one after the other, a second apart; returns the answers. */
async function replay(output: HttpOutput, flushes: readonly Flush[]): Promise<(string | undefined)[]> {
  const outcomes: (string | undefined)[] = [];
  for (const flush of flushes) {
    test.clock.advance(1_000);
    const reply = await output.flush(flush);
    expect(reply.status).toBe(201);
    expect(JSON.parse(reply.body)).toHaveLength(flush.length);
    outcomes.push(outcomeOf(reply));
  }
  return outcomes;
}

function outcomeOf({ headerLines }: WireReply): string | undefined {
  return headerLines
    .map((line) => /^muster-agent-error: (.+)$/i.exec(line)?.[1])
    .find((one) => one !== undefined);
}

/** The expected answers to the flushes of an agent that has reported nothing yet. */
function expectedOutcomes(flushes: readonly Flush[]): string[] {
  const known = new Set<string>();
  return flushes.map((flush) => {
    const isNew = flush.some((text) => !known.has(text));
    for (const text of flush) known.add(text);
    return isNew ? 'created' : 'ignored';
  });
}

/** Texts with their number of reports, the newest first. */
function expectedRows(flushes: readonly Flush[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of flushes.flat()) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reverse();
}

const rowsOf = (list: readonly AgentError[]) =>
  list.map(({ error, occurrences }): [string, number] => [error, occurrences]);

async function openRows(agentID: string): Promise<AgentError[]> {
  return (await errors.listOfAgent(agentID, '?dismissed=false&last=1000')).body;
}

describe('a stock Fluent Bit that reports its own errors', () => {
  const storm = '[output:forward:forward.0] no upstream connections available';

  it('sends the same text every second on one connection; it is stored once and then ignored', async () => {
    const project = await test.createProject();
    const { id } = await test.registerAgent(project);
    const output = await HttpOutput.open(project, `/v1/agents/${id}/errors`);
    const begin = test.clock.now();
    const outcomes = await replay(
      output,
      Array.from({ length: 20 }, () => [storm]),
    );
    expect(outcomes).toEqual(['created', ...Array.from({ length: 19 }, () => 'ignored')]);
    expect((await errors.listOfAgent(id)).body).toMatchObject([
      {
        error: storm,
        occurrences: 20,
        createdAt: new Date(begin + 1_000).toISOString(),
        lastSeenAt: new Date(begin + 20_000).toISOString(),
      },
    ]);
    expect(output.connection.isOpen).toBe(true);
    output.connection.close();
  });

  it('gets a reply with a length, on an open connection, that fits into 4096 bytes', async () => {
    const project = await test.createProject();
    const { id } = await test.registerAgent(project);
    const output = await HttpOutput.open(project, `/v1/agents/${id}/errors`);
    // As many as fit; an agent treats a longer reply as a failure and sends the whole flush again.
    const reply = await output.flush(
      Array.from({ length: 40 }, (_, index) => `[output:es:es.0] fault ${index}`),
    );
    expect(reply.status).toBe(201);
    expect(reply.bytes.length).toBeLessThan(4096);
    expect(reply.headerLines.filter((line) => /^(connection: close|transfer-encoding)/i.test(line))).toEqual(
      [],
    );
    expect((await output.flush([storm])).status).toBe(201);
    output.connection.close();
  });

  it('can report for an unregistered machine by its host name', async () => {
    const project = await test.createProject();
    const hosts = ['web-01.example.com', 'web-02.example.com'];
    for (const host of hosts) {
      const output = await HttpOutput.open(project, `/v1/machines/${host}/errors?truncate=true`);
      expect(await replay(output, [[storm], [storm, 'x'.repeat(2_000)], [storm]])).toEqual([
        'created',
        'created',
        'ignored',
      ]);
      output.connection.close();
    }
    const agents = await test.request<{ machineID: string; status: string }[]>(
      'GET',
      `/v1/projects/${project.id}/agents`,
      {
        as: { access: test.admin },
      },
    );
    expect(agents.body.map(({ machineID, status }) => [machineID, status]).sort()).toEqual(
      hosts.map((host) => [host, 'unhealthy']),
    );
    const inbox = (await errors.listOfProject(project.id)).body;
    expect(inbox.map(({ error }) => error)).toEqual([
      `${'x'.repeat(1_023)}…`,
      storm,
      `${'x'.repeat(1_023)}…`,
      storm,
    ]);
  });
});

describe.each(logNames)('the errors of %s', (logName) => {
  const flushes = readFlushes(logName);
  const texts = new Set(flushes.flat());

  it('are stored once per text and agent, and counted', async () => {
    const project = await test.createProject();
    const agents = await Promise.all([1, 2, 3].map(() => test.registerAgent(project)));
    expect(texts.size).toBeGreaterThan(0);
    await Promise.all(
      agents.map(async ({ id }) => {
        const output = await HttpOutput.open(project, `/v1/agents/${id}/errors`);
        expect(await replay(output, flushes)).toEqual(expectedOutcomes(flushes));
        expect(output.connection.isOpen).toBe(true);
        output.connection.close();
        expect(rowsOf(await openRows(id))).toEqual(expectedRows(flushes));
      }),
    );
    expect((await errors.listOfProject(project.id, '?last=1000')).body).toHaveLength(3 * texts.size);
  });

  it('are stored again after they were dismissed, and again after a configuration that did not help', async () => {
    const project = await test.createProject();
    const { id } = await test.registerAgent(project, 'host', 'the faulty configuration');
    const output = await HttpOutput.open(project, `/v1/agents/${id}/errors`);
    await replay(output, flushes);
    const first = await openRows(id);
    expect(first).toHaveLength(texts.size);

    for (const error of first) await errors.dismiss(error.id, 'will be fixed');
    expect(await openRows(id)).toEqual([]);
    expect(await replay(output, flushes)).toEqual(expectedOutcomes(flushes));
    expect(rowsOf(await openRows(id))).toEqual(expectedRows(flushes));

    await errors.configure(id, 'the faulty configuration');
    expect(new Set(await replay(output, flushes))).toEqual(new Set(['ignored']));

    await errors.configure(id, 'a configuration that does not help');
    expect(await replay(output, flushes)).toEqual(expectedOutcomes(flushes));
    const open = await openRows(id);
    expect(rowsOf(open.slice(0, texts.size))).toEqual(expectedRows(flushes));
    expect(open).toHaveLength(2 * texts.size);
    expect(new Set(open.map(({ configID }) => configID)).size).toBe(2);
    expect((await errors.listOfAgent(id, '?last=1000')).body).toHaveLength(3 * texts.size);
    output.connection.close();
  });
});

describe('volatile parts of a text', () => {
  it('make it another text: each chunk that an agent drops is a separate error', async () => {
    const flushes = readFlushes('es.conf.log').map((flush) =>
      flush.filter((text) => text.includes('cannot be retried')),
    );
    const chunks = flushes.flat();
    expect(chunks.length).toBeGreaterThan(10);
    expect(new Set(chunks).size).toBe(chunks.length);
    const project = await test.createProject();
    const { id } = await test.registerAgent(project);
    const output = await HttpOutput.open(project, `/v1/agents/${id}/errors`);
    await replay(
      output,
      flushes.filter((flush) => flush.length > 0),
    );
    expect(rowsOf(await openRows(id))).toEqual(chunks.map((text) => [text, 1]).reverse());
    output.connection.close();
  });
});
