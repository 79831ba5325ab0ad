import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { readStored } from '../../testing/rows/read-stored.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
});

afterAll(() => test.close());

async function start() {
  const project = await test.createProject();
  return { project, agent: await test.registerAgent(project) };
}

const canary = 'Canary0123456789abcdefghij';
const sent = `cannot reach https://bob:${canary}@es:9200 with ghp_${canary}`;
const stored = 'cannot reach https://bob:--redacted--@es:9200 with --redacted--';

describe('an agent error with a secret of a known form', () => {
  it('is stored without it, for every route and credential', async () => {
    const { project, agent } = await start();
    const as = { project: project.token };
    const first = await errors.report(project, agent.id, sent);
    expect(first.status).toBe(201);
    expect(first.headers['muster-agent-error']).toBe('created');
    const repeated = [
      await errors.report(project, agent.id, sent),
      await errors.report(project, agent.id, stored),
      await errors.report(project, agent.id, sent.replaceAll(canary, `${canary}Rotated`)),
      await errors.reportAll(project, agent.id, [{ error: sent }]),
      await errors.report(project, agent.id, sent, '?truncate=true'),
      await test.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { agent: agent.token },
        body: { error: sent },
      }),
      await test.request('POST', `/v1/agents/${agent.id}/errors?`, { as, body: { error: sent } }),
    ];
    for (const { status, body, headers } of repeated) {
      expect(status).toBe(201);
      expect(headers['muster-agent-error']).toBe('ignored');
      expect([body].flat()).toEqual([first.body]);
    }
    const list = await errors.listOfAgent(agent.id);
    expect(list.body).toMatchObject([{ id: first.body.id, error: stored, occurrences: 8 }]);
    expect(await readStored(test.dataDirectory)).not.toContain(canary);
  });

  it('is stored without it by machine id', async () => {
    const project = await test.createProject();
    const path = '/v1/machines/edge-7/errors';
    const body = { error: `Authorization: Basic ${canary}` };
    for (const outcome of ['created', 'ignored', 'ignored']) {
      const answer = await test.request('POST', path, { as: { project: project.token }, body });
      expect(answer.headers['muster-agent-error']).toBe(outcome);
    }
    const { body: list } = await errors.listOfProject(project.id);
    expect(list.map(({ error }) => error)).toEqual(['Authorization: Basic --redacted--']);
  });

  it('is stored again after it was dismissed, like any other', async () => {
    const { project, agent } = await start();
    const first = await errors.report(project, agent.id, sent);
    expect((await errors.dismiss(first.body.id)).status).toBe(200);
    const second = await errors.report(project, agent.id, sent);
    expect(second.headers['muster-agent-error']).toBe('created');
    const { body: list } = await errors.listOfAgent(agent.id);
    expect(list.map(({ error }) => error)).toEqual([stored, stored]);
  });

  it('is cut if the marker makes it too long', async () => {
    const { project, agent } = await start();
    const text = '://a:b@c '.repeat(113);
    const [first, second] = [
      await errors.report(project, agent.id, text),
      await errors.report(project, agent.id, text),
    ];
    expect(second.body).toEqual(first.body);
    const { body: list } = await errors.listOfAgent(agent.id);
    expect(list.map(({ error }) => error)).toEqual([`${'://a:--redacted--@c '.repeat(52).slice(0, 1023)}…`]);
  });

  it('is redacted before it is cut, so that no half of a secret is left', async () => {
    const { project, agent } = await start();
    const before = 'x '.repeat(505);
    for (const outcome of ['created', 'ignored']) {
      const answer = await errors.report(
        project,
        agent.id,
        `${before}ghp_${canary} and more`,
        '?truncate=true',
      );
      expect(answer.headers['muster-agent-error']).toBe(outcome);
    }
    const { body: list } = await errors.listOfAgent(agent.id);
    expect(list.map(({ error }) => error)).toEqual([
      `${before}--redacted-- …`.slice(0, 1023).padEnd(1024, '…'),
    ]);
  });
});

describe('an agent error without one', () => {
  it.each([
    'invalid password: must have 8 characters',
    'token: unexpected end',
    'password=hunter2',
    'https://example.com:8080/@scope/x',
    'mst_p_…wXyZ is masked',
    '--redacted--',
  ])('is stored byte for byte: %s', async (text) => {
    const { project, agent } = await start();
    await errors.report(project, agent.id, text);
    const { body: list } = await errors.listOfAgent(agent.id);
    expect(list.map(({ error }) => error)).toEqual([text]);
  });
});
