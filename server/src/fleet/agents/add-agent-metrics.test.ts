import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const genuine = readFileSync(
  new URL('../../../../samples/agent-requests/metrics-labels.msgpack', import.meta.url),
);
const largestBody = 4 * 1024 * 1024;

async function start() {
  const project = await app.createProject();
  return { project, agent: await app.registerAgent(project) };
}

function send(
  agent: { readonly id: string; readonly token: string },
  body: Buffer | string | undefined,
  contentType = 'application/x-msgpack',
) {
  return app.request<{ totalInserted: number }>('POST', `/v1/agents/${agent.id}/metrics`, {
    as: { agent: agent.token },
    body,
    headers: { 'content-type': contentType },
  });
}

describe('POST /v1/agents/{agentID}/metrics', () => {
  describe('200', () => {
    it('returns the number of samples in a real request', async () => {
      const { agent } = await start();
      const answer = await send(agent, genuine);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ totalInserted: expect.any(Number) });
      expect(answer.body.totalInserted).toBeGreaterThan(59);
    });

    it('adds up consecutive contexts in one body', async () => {
      const { agent } = await start();
      const { totalInserted } = (await send(agent, genuine)).body;
      const answer = await send(agent, Buffer.concat([genuine, genuine, genuine]));
      expect(answer.body).toEqual({ totalInserted: 3 * totalInserted });
    });

    it.each(['application/json', 'application/octet-stream', 'text/plain; charset=utf-8', 'nonsense', ''])(
      "accepts the media type '%s'",
      async (contentType) => {
        const { agent } = await start();
        expect((await send(agent, genuine, contentType)).status).toBe(200);
      },
    );

    it('accepts a project token with update:agent, and an operator', async () => {
      const { project, agent } = await start();
      for (const as of [{ project: project.token }, { access: app.admin }]) {
        const answer = await app.request('POST', `/v1/agents/${agent.id}/metrics`, { as, body: genuine });
        expect(answer.status).toBe(200);
      }
    });
  });

  describe('401', () => {
    it('without a credential, naming the accepted ones', async () => {
      const { agent } = await start();
      const answer = await app.request('POST', `/v1/agents/${agent.id}/metrics`, { body: genuine });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe(
        'X-Agent-Token realm="muster", X-Project-Token realm="muster", Bearer realm="muster"',
      );
      expect(answer.body).toEqual(
        problemBody(
          'missing_credential',
          'Send a credential as X-Agent-Token or X-Project-Token or Authorization: Bearer.',
        ),
      );
    });

    it('for an invalid agent token, with any other credential', async () => {
      const { project, agent } = await start();
      const answer = await app.request('POST', `/v1/agents/${agent.id}/metrics`, {
        as: { agent: `${agent.token.slice(0, -1)}!`, project: project.token, access: app.admin },
        body: genuine,
      });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(problemBody('invalid_credential'));
    });
  });

  describe('404', () => {
    it('for the metrics of another agent', async () => {
      const { project, agent } = await start();
      const other = await app.registerAgent(project);
      const answer = await send({ id: other.id, token: agent.token }, genuine);
      expect(answer.status).toBe(404);
    });
  });

  describe('413', () => {
    it('for more than 4 MiB', async () => {
      const { agent } = await start();
      expect((await send(agent, Buffer.alloc(largestBody))).status).not.toBe(413);
      const answer = await send(agent, Buffer.alloc(largestBody + 1));
      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject({
        code: 'body_too_large',
        detail: expect.stringContaining('4194304 bytes'),
      });
    });
  });

  describe('422', () => {
    it.each([
      ['nothing', undefined],
      ['an empty body', Buffer.alloc(0)],
      ['JSON', Buffer.from('{"meta":{},"metrics":[]}')],
      ['a number', Buffer.of(0x01)],
      ['a genuine request cut off', genuine.subarray(0, -1)],
      ['a genuine request and rubbish', Buffer.concat([genuine, Buffer.of(0xc1)])],
    ])('for %s, which does not change lastSeenAt', async (_what, body) => {
      const { agent } = await start();
      const { lastSeenAt } = await agents.get(agent.id);
      app.clock.advance(1_000);
      const answer = await send(agent, body);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'undecodable_metrics' });
      expect((await agents.get(agent.id)).lastSeenAt).toBe(lastSeenAt);
    });
  });
});
