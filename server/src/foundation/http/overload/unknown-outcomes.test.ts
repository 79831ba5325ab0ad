import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { callAgentErrors } from '../../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { eventually } from '../../../testing/eventually.ts';
import { countStatements } from '../../../testing/rows/count-statements.ts';
import { findOutcomes, loseOutcomes } from '../../../testing/rows/lose-outcomes.ts';
import {
  type Answer,
  type Credentials,
  type RequestOptions,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../../testing/start-test-app.ts';
import { testEngine } from '../../../testing/test-database.ts';

/**
 * A change that takes place although it was answered 503: the disk answers its commit after longer than anybody waits, or
 * the connection to PostgreSQL breaks in the middle of it. From then on nothing may be answered as it was before.
 */

const isShared = testEngine === 'postgres';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
beforeAll(async () => {
  test = await startTestApp({
    logLevel: 'info',
    config: { maxOpenErrorsPerAgent: 3, newErrorsPerAgentPerMinute: 0 },
  });
  errors = callAgentErrors(test);
});
afterEach(findOutcomes);
afterAll(() => test.close());

/** Sends a change that is answered 503 and takes place nevertheless. */
async function changeWithUnknownOutcome(
  method: string,
  url: string,
  options: RequestOptions = {},
): Promise<void> {
  loseOutcomes();
  const answer = await test.request(method, url, { as: { access: test.admin }, ...options });
  findOutcomes();
  expect(answer.body).toEqual(problemBody('database_unavailable', expect.any(String)));
  await eventually(async () => {
    const { status } = await test.request('GET', '/readyz');
    expect(status).toBe(200);
  });
}

async function startAgent(): Promise<{ project: TestProject; agentID: string; token: string }> {
  const project = await test.createProject();
  const { id: agentID, token } = await test.registerAgent(project, 'web-01', 'first');
  return { project, agentID, token };
}

function reportAs(as: Credentials, agentID: string, error: string) {
  return test.request<{ id: string }>('POST', `/v1/agents/${agentID}/errors`, { as, body: { error } });
}

/** Sends it until the answer comes from memory, as far as there is any, and asks nothing of the database. */
async function untilFromMemory<Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  if (isShared) await send();
  const statements = countStatements();
  const answer = await eventually(async () => {
    const before = statements.count();
    const latest = await send();
    if (!isShared) expect(statements.count()).toBe(before);
    return latest;
  });
  vi.restoreAllMocks();
  return answer;
}

/** Answers the id of the error that stands. */
async function untilRemembered(as: Credentials, agentID: string): Promise<string> {
  const { headers, body } = await untilFromMemory(() => reportAs(as, agentID, 'stands'));
  expect(headers['muster-agent-error']).toBe('ignored');
  return body.id;
}

const revoked = { status: 401, body: problemBody('revoked_credential') };
const invalid = { status: 401, body: problemBody('invalid_credential') };

describe('a change that was answered 503 and took place', () => {
  it('revokes a project token and those that it made', async () => {
    const { project, agentID } = await startAgent();
    const { id, token } = await test.createToken(project.id, ['*']);
    const made = await test.request<{ token: string }>('POST', `/v1/projects/${project.id}/tokens`, {
      as: { project: token },
      body: { name: 'made', permissions: ['*'] },
    });
    await untilRemembered({ project: token }, agentID);
    await untilRemembered({ project: made.body.token }, agentID);
    await changeWithUnknownOutcome('DELETE', `/v1/project_tokens/${id}`);
    expect(await reportAs({ project: token }, agentID, 'stands')).toMatchObject(revoked);
    expect(await reportAs({ project: made.body.token }, agentID, 'stands')).toMatchObject(revoked);
  });

  it('takes permissions from a project token', async () => {
    const { project, agentID } = await startAgent();
    const { id, token } = await test.createToken(project.id, ['*']);
    await untilRemembered({ project: token }, agentID);
    await changeWithUnknownOutcome('PATCH', `/v1/project_tokens/${id}`, {
      body: { permissions: ['read:*'] },
    });
    expect((await reportAs({ project: token }, agentID, 'stands')).status).toBe(403);
  });

  it('revokes an access token', async () => {
    const { body: made } = await test.request<{ id: string; token: string }>('POST', '/v1/access_tokens', {
      as: { access: test.admin },
      body: { name: 'doomed' },
    });
    const me = () => test.request('GET', '/v1/me', { as: { access: made.token } });
    expect((await me()).status).toBe(200);
    await changeWithUnknownOutcome('DELETE', `/v1/access_tokens/${made.id}`);
    expect(await me()).toMatchObject(revoked);
  });

  it('deletes a project', async () => {
    const { project, agentID, token } = await startAgent();
    await untilRemembered({ project: project.token }, agentID);
    await untilRemembered({ agent: token }, agentID);
    await changeWithUnknownOutcome('DELETE', `/v1/projects/${project.id}`);
    expect(await reportAs({ project: project.token }, agentID, 'stands')).toMatchObject(invalid);
    expect(await reportAs({ agent: token }, agentID, 'stands')).toMatchObject(invalid);
  });

  it('configures an agent: what stood under the configuration before is stored anew', async () => {
    const { project, agentID } = await startAgent();
    const before = await untilRemembered({ project: project.token }, agentID);
    await changeWithUnknownOutcome('PATCH', `/v1/agents/${agentID}`, { body: { rawConfig: 'second' } });
    const { status, body, headers } = await errors.report(project, agentID, 'stands');
    expect([status, headers['muster-agent-error'], body.id === before]).toEqual([201, 'created', false]);
    expect((await errors.listOfAgent(agentID)).body.map(({ id }) => id)).toEqual([body.id, before]);
  });

  it('registers an agent anew: the token that it uses stays valid, since it has no other', async () => {
    const { project, agentID, token } = await startAgent();
    await test.registerAgent(project, 'web-01', 'first');
    await untilRemembered({ agent: token }, agentID);
    await changeWithUnknownOutcome('POST', '/v1/agents', {
      as: { project: project.token },
      body: { name: 'web-01', machineID: 'web-01', rawConfig: 'first' },
    });
    // There others register it too, and each replica believes what it remembers for a minute.
    if (isShared) test.clock.advance(60_000);
    expect(await reportAs({ agent: token }, agentID, 'stands')).toMatchObject({ status: 201 });
  });

  it('deletes an agent', async () => {
    const { project, agentID } = await startAgent();
    await untilRemembered({ project: project.token }, agentID);
    await changeWithUnknownOutcome('DELETE', `/v1/agents/${agentID}`);
    expect((await errors.report(project, agentID, 'stands')).body).toEqual(problemBody('agent_deleted'));
  });

  it('dismisses an error: the next report of it is stored', async () => {
    const { project, agentID } = await startAgent();
    const before = await untilRemembered({ project: project.token }, agentID);
    await changeWithUnknownOutcome('POST', `/v1/agent_errors/${before}/dismiss`, {
      body: { reason: 'seen' },
    });
    const { status, body, headers } = await errors.report(project, agentID, 'stands');
    expect([status, headers['muster-agent-error'], body.id === before]).toEqual([201, 'created', false]);
    expect((await errors.dismiss(before)).status).toBe(409);
  });

  it('dismisses an error of an agent at its limit: another one is stored', async () => {
    const { project, agentID } = await startAgent();
    const before = await untilRemembered({ project: project.token }, agentID);
    for (const text of ['second', 'third']) await errors.report(project, agentID, text);
    const refused = () => errors.report(project, agentID, 'beyond the limit');
    expect((await untilFromMemory(refused)).status).toBe(429);
    await changeWithUnknownOutcome('POST', `/v1/agent_errors/${before}/dismiss`, {
      body: { reason: 'seen' },
    });
    // There others dismiss errors too, and each replica believes what it remembers for a second.
    if (isShared) test.clock.advance(1_000);
    expect((await refused()).headers['muster-agent-error']).toBe('created');
  });
});
