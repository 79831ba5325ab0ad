import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TokenUsage } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfToken, siteBatchCalls } from '../../testing/calls/site-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

/** Everything that a caller can see of an answer. */
interface SeenAnswer {
  readonly status: number | undefined;
  readonly outcome: string | undefined;
  readonly contentType: string | undefined;
  readonly challenge: string | undefined;
  readonly retryAfter: string | undefined;
  readonly applied: string | undefined;
  readonly body: unknown;
}

interface SentReport {
  readonly path: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

let app: TestApp;
let port: number;

beforeAll(async () => {
  // At the default log level: at the most verbose one, the shortcut is not used.
  app = await startTestApp({ logLevel: 'info', config: { maxOpenErrorsPerAgent: 3 } });
  await app.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (app.app.http.server.address() as AddressInfo).port; // a TCP server's
});

afterAll(() => app.close());

/** Sends over a connection, so that the shortcut is used. */
function sendToServer({ path, body, headers = {} }: SentReport): Promise<SeenAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        port,
        host: '127.0.0.1',
        path,
        method: 'POST',
        headers: { 'content-length': Buffer.byteLength(body), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve(seen(response.statusCode, response.headers, text));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Sends directly to the framework, without the shortcut. */
async function sendToRoute({ path, body, headers = {} }: SentReport): Promise<SeenAnswer> {
  const response = await app.app.http.inject({ method: 'POST', url: path, payload: body, headers });
  return seen(response.statusCode, response.headers, response.body);
}

function seen(status: number | undefined, headers: Record<string, unknown>, text: string): SeenAnswer {
  const body: unknown = text === '' ? undefined : JSON.parse(withoutNames(text));
  const header = (name: string) => headers[name]?.toString();
  return {
    status,
    outcome: header('muster-agent-error'),
    contentType: header('content-type'),
    challenge: header('www-authenticate'),
    retryAfter: header('retry-after'),
    applied: header('preference-applied'),
    body,
  };
}

/** Replaces ids and request ids, which always differ. */
function withoutNames(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/"requestID":"[^"]+"/g, '"requestID":"…"');
}

const json = { 'content-type': 'application/json' };

describe('reports in the shortcut, compared with the framework', () => {
  let project: TestProject;
  let stranger: TestProject;

  beforeAll(async () => {
    project = await app.createProject();
    stranger = await app.createProject();
  });

  /** Sends the same requests, one after the other, on both paths, each to its own agent. */
  async function expectSame(
    requests: (agent: { id: string; token: string }) => readonly SentReport[],
    credential: (agent: { token: string }) => Readonly<Record<string, string>> = () => ({
      'x-project-token': project.token,
    }),
  ): Promise<readonly SeenAnswer[]> {
    const answers: SeenAnswer[][] = [];
    for (const send of [sendToServer, sendToRoute]) {
      const agent = await app.registerAgent(project);
      const ofWay: SeenAnswer[] = [];
      for (const request of requests(agent)) {
        ofWay.push(
          await send({ ...request, headers: { ...json, ...credential(agent), ...request.headers } }),
        );
      }
      answers.push(ofWay);
    }
    const [byServer, byRoute] = answers;
    expect(byServer).toEqual(byRoute);
    return byServer ?? [];
  }

  const toAgent = (id: string, body: unknown, query = ''): SentReport => ({
    path: `/v1/agents/${id}/errors${query}`,
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });

  it('stores and ignores the same, for single reports and arrays', async () => {
    const answers = await expectSame(({ id }) => [
      toAgent(id, { error: 'one' }),
      toAgent(id, { error: 'one' }),
      toAgent(id, [{ error: 'one' }]),
      toAgent(id, [{ error: 'one', level: 'error' }, { error: 'two' }, { error: 'two' }]),
      toAgent(id, { error: 'one', other: '\0' }),
    ]);
    expect(answers.map(({ status, outcome }) => [status, outcome])).toEqual([
      [201, 'created'],
      [201, 'ignored'],
      [201, 'ignored'],
      [201, 'created'],
      [201, 'ignored'],
    ]);
  });

  it('leaves out the results for the same requests', async () => {
    const answers = await expectSame(({ id }) => [
      { ...toAgent(id, [{ error: 'one' }, { error: 'two' }]), headers: { prefer: 'return=minimal' } },
      { ...toAgent(id, { error: 'one' }), headers: { prefer: 'respond-async, return=minimal' } },
      { ...toAgent(id, { error: 'one' }), headers: { prefer: 'return=representation' } },
      { ...toAgent(id, { error: '' }), headers: { prefer: 'return=minimal' } },
    ]);
    expect(
      answers.map(({ status, outcome, applied, body }) => [status, outcome, applied, typeof body]),
    ).toEqual([
      [201, 'created', 'return=minimal', 'undefined'],
      [201, 'ignored', 'return=minimal', 'undefined'],
      [201, 'ignored', undefined, 'object'],
      [422, undefined, undefined, 'object'],
    ]);
  });

  it('cuts texts for the same requests', async () => {
    const long = '💥'.repeat(1025);
    const answers = await expectSame(({ id }) => [
      toAgent(id, { error: long }),
      toAgent(id, { error: long }, '?truncate=true'),
      toAgent(id, { error: `${'💥'.repeat(1023)}…` }),
      toAgent(id, { error: long }, '?truncate=false'),
    ]);
    expect(answers.map(({ status, outcome }) => [status, outcome])).toEqual([
      [422, undefined],
      [201, 'created'],
      [201, 'ignored'],
      [422, undefined],
    ]);
  });

  it('refuses only invalid elements for the same requests', async () => {
    const query = '?truncate=true&partial=true';
    const answers = await expectSame(({ id }) => [
      toAgent(id, [{ error: 'one' }, { error: 'two' }], query),
      toAgent(id, [{ error: 'one' }, { error: '' }, { error: 'three' }], query),
      { ...toAgent(id, [{}, { error: 'one' }], query), headers: { prefer: 'return=minimal' } },
      toAgent(id, [{}, { error: '' }], query),
      toAgent(id, { error: '' }, query),
      toAgent(id, [], query),
      toAgent(id, '[{"error":"one"}', query),
      toAgent(id, [{ error: 'one' }, {}], '?truncate=true&partial=false'),
    ]);
    expect(answers.map(({ status, outcome }) => [status, outcome])).toEqual([
      [201, 'created'],
      [201, 'created'],
      [201, 'ignored'],
      [422, undefined],
      [422, undefined],
      [422, undefined],
      [400, undefined],
      [422, undefined],
    ]);
  });

  it.each([65_535, 65_536, 65_537, 4_194_304])('treats a body of %i bytes the same', async (bytes) => {
    const padded = (text: string) => text + ' '.repeat(bytes - text.length);
    const answers = await expectSame(({ id }) => [
      toAgent(id, padded('[{"error":"one"},{"error":"two"}]')),
      { ...toAgent(id, padded('{"error":"one"}')), headers: { prefer: 'return=minimal' } },
      toAgent(id, padded('{"error":"').replace(/ {2}$/, '"}'), '?truncate=true'),
      toAgent(id, padded('{"error":""}')),
      toAgent(id, padded('{"error":"')),
    ]);
    expect(answers.map(({ status, outcome }) => [status, outcome])).toEqual([
      [201, 'created'],
      [201, 'ignored'],
      [201, 'created'],
      [422, undefined],
      [400, undefined],
    ]);
  });

  it('refuses the same bodies', async () => {
    const answers = await expectSame(({ id }) => [
      toAgent(id, ''),
      toAgent(id, '{'),
      toAgent(id, '{"error":"x"} trailing'),
      toAgent(id, Buffer.from('{"error":"\xff"}', 'latin1')),
      toAgent(id, { error: '' }),
      toAgent(id, { error: 5 }),
      toAgent(id, { error: 'a\0b' }),
      toAgent(id, '{"error":"\\ud800"}'),
      toAgent(id, {}),
      toAgent(id, []),
      toAgent(id, [{ error: 'x' }, { error: '' }]),
      toAgent(id, 'null'),
      toAgent(id, { error: 'x'.repeat(70_000) }),
      toAgent(id, { error: 'x'.repeat(4_194_304) }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      400, 400, 400, 400, 422, 422, 422, 422, 422, 422, 422, 422, 422, 413,
    ]);
  });

  it('applies the same limits', async () => {
    const answers = await expectSame(({ id }) => [
      ...['one', 'two', 'three', 'four'].map((error) => toAgent(id, { error })),
      toAgent(id, [{ error: 'one' }, { error: 'five' }]),
      toAgent(id, { error: 'three' }),
    ]);
    expect(answers.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
      [201, undefined],
      [201, undefined],
      [201, undefined],
      [429, '60'],
      [429, '60'],
      [201, undefined],
    ]);
  });

  it('accepts the same credentials', async () => {
    const { token: weak } = await app.createToken(project.id, ['read:agent_error']);
    const { id: revokedID, token: revoked } = await app.createToken(project.id, ['create:agent_error']);
    const report = ({ id }: { id: string }) => [toAgent(id, { error: 'x' }), toAgent(id, { error: 'x' })];
    const statuses = async (credential: Parameters<typeof expectSame>[1]) =>
      (await expectSame(report, credential)).map(({ status }) => status);

    expect(await statuses(({ token }) => ({ 'x-agent-token': token }))).toEqual([201, 201]);
    expect(await statuses(() => ({ authorization: `Bearer ${project.token}` }))).toEqual([201, 201]);
    expect(await statuses(() => ({ 'x-project-token': weak }))).toEqual([403, 403]);
    expect(await statuses(() => ({ 'x-project-token': stranger.token }))).toEqual([404, 404]);
    expect(await statuses(() => ({ 'x-project-token': 'nonsense' }))).toEqual([401, 401]);
    expect(await statuses(() => ({}))).toEqual([401, 401]);
    expect(await statuses(() => ({ 'x-project-token': revoked }))).toEqual([201, 201]);
    await app.request('DELETE', `/v1/project_tokens/${revokedID}`, { as: { access: app.admin } });
    expect(await statuses(() => ({ 'x-project-token': revoked }))).toEqual([401, 401]);
  });

  it('finds the same agents by machine id, also after the agent was deleted', async () => {
    const machines = ['server', 'route'].map((way) => `${way}-${randomBytes(4).toString('hex')}`);
    const ways = [sendToServer, sendToRoute];
    const answers: SeenAnswer[][] = [];
    for (const [index, send] of ways.entries()) {
      const machineID = machines[index] ?? '';
      const report = () =>
        send({
          path: `/v1/machines/${machineID}/errors?truncate=true`,
          body: JSON.stringify([{ error: 'no upstream connections available' }]),
          headers: { ...json, 'x-project-token': project.token },
        });
      const before = [await report(), await report()];
      const { body } = await app.request<{ id: string; machineID: string }[]>(
        'GET',
        `/v1/projects/${project.id}/agents`,
        {
          as: { access: app.admin },
        },
      );
      const agent = body.find((one) => one.machineID === machineID);
      await app.request('DELETE', `/v1/agents/${agent?.id}`, { as: { access: app.admin } });
      answers.push([...before, await report(), await report()]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.map(({ status, outcome }) => [status, outcome])).toEqual([
      [201, 'created'],
      [201, 'ignored'],
      [201, 'created'],
      [201, 'ignored'],
    ]);
  });

  it('takes reports of an agent by the id that a site gave it, and by that of no other', async () => {
    const here = await app.registerAgent(project, 'web-03');
    const other = await app.registerAgent(project, 'web-04');
    const site = await app.createCoreInstance(project);
    const tokenID = await idOfToken(app, project);
    const { pass, registration, errorsOf } = siteBatchCalls(() => ({ app, site, tokenID }));
    const { item, agentID, token } = registration('web-03');
    expect((await pass(item)).aliases).toEqual([{ agentID, canonicalID: here.id }]);
    const reportTo = (id: string, agentToken: string, error: string) =>
      sendToServer({ ...toAgent(id, { error }), headers: { ...json, 'x-agent-token': agentToken } });
    const answers: SeenAnswer[] = [];
    const answersByOwnID: SeenAnswer[] = [];
    for (const error of ['one', 'two', 'one', 'three', 'two']) {
      answers.push(await reportTo(agentID, token, error));
      answersByOwnID.push(await reportTo(other.id, other.token, error));
    }
    expect(answers).toEqual(answersByOwnID);
    expect(answers.map(({ status, outcome }) => [status, outcome])).toEqual([
      [201, 'created'],
      [201, 'created'],
      [201, 'ignored'],
      [201, 'created'],
      [201, 'ignored'],
    ]);
    expect((await errorsOf(here.id)).map(({ error }) => error)).toEqual(['three', 'two', 'one']);
    for (const _ of [1, 2, 3])
      expect(await reportTo(agentID, other.token, 'four')).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
  });

  it('notices a dismissal and another configuration at once', async () => {
    const agent = await app.registerAgent(project);
    const report = async () => {
      const { outcome } = await sendToServer({
        ...toAgent(agent.id, { error: 'again' }),
        headers: { ...json, 'x-project-token': project.token },
      });
      return outcome;
    };
    expect([await report(), await report()]).toEqual(['created', 'ignored']);
    const { body } = await app.request<{ id: string }[]>('GET', `/v1/agents/${agent.id}/errors`, {
      as: { access: app.admin },
    });
    await app.request('POST', `/v1/agent_errors/${body[0]?.id}/dismiss`, {
      as: { access: app.admin },
      body: { reason: 'seen' },
    });
    expect([await report(), await report()]).toEqual(['created', 'ignored']);
    await app.request('PATCH', `/v1/agents/${agent.id}`, {
      as: { agent: agent.token },
      body: { rawConfig: '[INPUT]\n  name mem\n' },
    });
    expect([await report(), await report()]).toEqual(['created', 'ignored']);
  });

  it('does not note who may not report, or reports nothing valid, as the one with which a machine reports', async () => {
    const permissions = ['create:agent', 'create:agent_error'];
    const make = (given: readonly string[]) => app.createToken(project.id, given);
    const [one, viewer, elsewhere, next] = [
      await make(permissions),
      await make(['read:agent']),
      await make(permissions),
      await make(permissions),
    ];
    await app.request('PATCH', `/v1/project_tokens/${elsewhere.id}`, {
      as: { access: app.admin },
      body: { allowedNetworks: ['192.0.2.0/24'] },
    });
    const report = async ({ token }: { token: string }, body: object) => {
      const path = '/v1/machines/noted/errors';
      const headers = { ...json, 'x-project-token': token };
      return (await sendToServer({ path, body: JSON.stringify(body), headers })).status;
    };
    const counts = () =>
      Promise.all(
        [one, viewer, elsewhere, next].map(async ({ id }) => {
          const as = { access: app.admin };
          const { body } = await app.request<TokenUsage>('GET', `/v1/project_tokens/${id}/usage`, { as });
          return [body.agentsCount, body.stoppingAgentsCount];
        }),
      );
    const three = async (token: { token: string }, body: object) => [
      await report(token, body),
      await report(token, body),
      await report(token, body),
    ];
    expect(await three(one, { error: 'x' })).toEqual([201, 201, 201]);
    expect(await three(viewer, { error: 'x' })).toEqual([403, 403, 403]);
    expect(await three(elsewhere, { error: 'x' })).toEqual([403, 403, 403]);
    expect(await three(next, {})).toEqual([422, 422, 422]);
    expect(await counts()).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(await three(next, { error: 'x' })).toEqual([201, 201, 201]);
    // The first one has registered it.
    expect(await counts()).toEqual([
      [1, 0],
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });

  it('counts each request once in the usage of its token, also one that leaves the shortcut for the route', async () => {
    const { body: made } = await app.request<{ id: string; token: string }>(
      'POST',
      `/v1/projects/${project.id}/tokens`,
      { as: { access: app.admin }, body: { name: 'counted' } },
    );
    const statuses: (number | undefined)[] = [];
    for (const [machineID, error] of [
      ['counted-1', 'one'],
      ['counted-1', 'one'],
      ['counted-2', 'of a machine that nobody has seen'],
      ['counted-2', ''],
      ['counted-2', 'two'],
    ]) {
      const { status } = await sendToServer({
        path: `/v1/machines/${machineID}/errors`,
        body: JSON.stringify({ error }),
        headers: { ...json, 'x-project-token': made.token },
      });
      statuses.push(status);
    }
    expect(statuses).toEqual([201, 201, 201, 422, 201]);
    const { body: usage } = await app.request<{ requestsByDay: { requests: number }[] }>(
      'GET',
      `/v1/project_tokens/${made.id}/usage`,
      { as: { access: app.admin } },
    );
    expect(usage.requestsByDay.map(({ requests }) => requests)).toEqual([5]);
  });
});
