import type { RegisteredAgent } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningCoreInstance } from '../../core-instance/src/start-core-instance.ts';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { Line } from './line.ts';
import { startSiteBeside } from './site-beside.ts';

let centre: ListeningApp;
let line: Line;
let site: RunningCoreInstance;

beforeEach(async () => {
  centre = await startListeningApp({ config: { registration: 'once' } });
  // Ids that are made at the site have the time of its clock.
  const { clock } = centre.test;
  line = await Line.to(centre.port);
  site = await startSiteBeside(centre, {
    url: new URL(line.url),
    clock: () => clock.now(),
    forwarding: { flushMilliseconds: 5 },
  });
});
afterEach(async () => {
  await site?.stop();
  line?.close();
  await centre?.test.close();
});

async function post(path: string, headers: Record<string, string>, body: unknown) {
  const answer = await fetch(`http://127.0.0.1:${site.port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

const asProject = () => ({ 'X-Project-Token': centre.project.token });

async function register(machineID: string, ownToken?: string): Promise<RegisteredAgent> {
  const proof: Record<string, string> = ownToken === undefined ? {} : { 'X-Agent-Token': ownToken };
  const { status, body } = await post(
    '/v1/agents',
    { ...asProject(), ...proof },
    { name: 'edge', machineID },
  );
  expect(status).toBe(201);
  return body as RegisteredAgent;
}

function report({ id, token }: { readonly id: string; readonly token: string }, error: string) {
  return post(`/v1/agents/${id}/errors`, { 'X-Agent-Token': token }, { error });
}

async function errorsOf(agentID: string): Promise<string[]> {
  return (await callAgentErrors(centre.test).listOfAgent(agentID)).body.map(({ error }) => error).sort();
}

describe('agents at a site, with MUSTER_REGISTRATION=once', () => {
  it('register once, and again with their own token', async () => {
    const first = await register('edge-1');
    expect((await report(first, 'one')).status).toBe(201);
    const second = await register('edge-1', first.token);
    expect(second.id).toBe(first.id);
    expect((await report(second, 'two')).status).toBe(201);
    await eventually(async () => expect(await errorsOf(first.id)).toEqual(['one', 'two']));
  });

  it('register again with the token that the centre gave them', async () => {
    const known = await centre.test.registerAgent(centre.project, 'edge-2');
    const again = await register('edge-2', known.token);
    expect((await report(again, 'one')).status).toBe(201);
    await eventually(async () => expect(await errorsOf(known.id)).toEqual(['one']));
  });

  it('are not let in any more as soon as the centre has refused a registration without a proof', async () => {
    const known = await centre.test.registerAgent(centre.project, 'edge-3');
    const stranger = await register('edge-3');
    await eventually(async () => {
      expect((await report(stranger, 'one')).body).toMatchObject({ status: 401, code: 'invalid_credential' });
    });
    expect(await errorsOf(known.id)).toEqual([]);
    // The agent itself goes on.
    await eventually(async () => expect((await report(known, 'two')).status).toBe(201));
    await eventually(async () => expect(await errorsOf(known.id)).toEqual(['two']));
  });
});

describe('whoever registers a machine again at a site without a proof, with MUSTER_REGISTRATION=once', () => {
  it('does not speak for its agent before the centre has judged that', async () => {
    const first = await register('edge-5');
    expect((await report(first, 'one')).status).toBe(201);
    await eventually(async () => expect(await errorsOf(first.id)).toEqual(['one']));
    line.mode = 'cut';
    const stranger = await register('edge-5');
    expect((await report({ ...stranger, id: first.id }, 'forged')).status).toBe(404);
    expect((await report(stranger, 'forged')).status).toBe(201);
    expect((await report(first, 'two')).status).toBe(201);
    line.mode = 'pass';
    await eventually(async () => {
      expect((await report(stranger, 'forged')).body).toMatchObject({ code: 'invalid_credential' });
    });
    await eventually(async () => expect(await errorsOf(first.id)).toEqual(['one', 'two']));
    // The machine is still its own.
    expect((await register('edge-5', first.token)).id).toBe(first.id);
  });

  it('is the agent if the centre has been told to take it', async () => {
    const first = await register('edge-6');
    await eventually(async () => expect(await errorsOf(first.id)).toEqual([]));
    await centre.test.request('POST', `/v1/agents/${first.id}/release`, {
      as: { access: centre.test.admin },
    });
    const again = await register('edge-6');
    expect((await report(again, 'one')).status).toBe(201);
    await eventually(async () => expect(await errorsOf(first.id)).toEqual(['one']));
    await eventually(async () => expect((await report({ ...again, id: first.id }, 'two')).status).toBe(201));
  });
});

describe('an agent at a site', () => {
  it('uses at once what it was given at the centre, without an address of the centre', async () => {
    const known = await centre.test.registerAgent(centre.project, 'edge-4');
    expect((await report(known, 'one')).status).toBe(201);
    const rotated = await centre.test.request<{ id: string; token: string }>(
      'POST',
      `/v1/projects/${centre.project.id}/tokens`,
      { as: { access: centre.test.admin }, body: { name: 'new', permissions: ['create:agent_error'] } },
    );
    const { status } = await post(
      `/v1/agents/${known.id}/errors`,
      { 'X-Project-Token': rotated.body.token },
      { error: 'two' },
    );
    expect(status).toBe(201);
    await eventually(async () => expect(await errorsOf(known.id)).toEqual(['one', 'two']));
  });
});
