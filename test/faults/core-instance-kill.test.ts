import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentError } from '@muster/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nextPage } from '../../server/src/testing/calls/agent-error-calls.ts';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';

const adminToken = randomBytes(32).toString('hex');
const admin = { authorization: `Bearer ${adminToken}` };
const machines = ['web-1', 'web-2', 'web-3'];
const kills = 4;
const batchesOfRound = 15;

let dataDirectory: string;
let service: MusterProcess;
let url: string;

beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-kill-'));
  await start();
});

afterAll(async () => {
  await service.end('SIGKILL');
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = await startMuster({
    env: {
      MUSTER_DATA_DIR: dataDirectory,
      MUSTER_ADMIN_TOKEN: adminToken,
      MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
    },
  });
  url = await service.ready();
}

async function call<Body>(path: string, headers: Record<string, string>, body?: unknown): Promise<Body> {
  const answer = await send<Body>(`${url}${path}`, { headers, ...(body === undefined ? {} : { body }) });
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

/** Each batch has new errors, repeats of earlier ones, and a new configuration after them, of each machine. */
function batchOf(sequence: number, tokenID: string, agents: readonly string[]) {
  // The service is a process of its own, with the clock of this machine.
  const now = Date.now();
  const error = (text: string, count: number) => ({ error: text, firstAt: now - 20, lastAt: now, count });
  const items = agents.flatMap((agentID, index) => [
    {
      kind: 'errors',
      by: { tokenID },
      agentID,
      errors: [error(`new ${sequence}`, 1), error('repeated', sequence)],
    },
    { kind: 'errors', by: { tokenID }, machineID: machines[index], errors: [error('repeated', 1)] },
    {
      kind: 'update',
      at: now,
      by: { tokenID },
      agentID,
      agent: { rawConfig: `config ${Math.floor(sequence / 5)}` },
    },
    { kind: 'errors', by: { tokenID }, agentID, errors: [error('repeated', 2)] },
  ]);
  const status = {
    version: '0.1.0',
    startedAt: now,
    agentsCount: agents.length,
    spooledCount: 0,
    spooledBytes: 0,
    oldestSpooledAt: null,
    lostCount: 0,
    lastLossAt: null,
    sentAt: now,
  };
  return { protocol: 1, sequence, status, items };
}

it('applies each batch of a core instance once, however often the service is killed', async () => {
  const project = await call<{ id: string; token: string }>('/v1/projects', admin, { name: 'killed' });
  const asProject = { 'x-project-token': project.token };
  const { id: tokenID } = await call<{ id: string }>('/v1/project_tokens/self', asProject);
  const maker = await call<{ token: string }>(`/v1/projects/${project.id}/tokens`, admin, {
    name: 'sites',
    permissions: ['create:core_instance'],
  });
  const site = await call<{ token: string }>(
    '/v1/core_instances',
    { 'x-project-token': maker.token },
    { name: 'plant-7' },
  );
  const agents: string[] = [];
  for (const machineID of machines) {
    const { id } = await call<{ id: string }>('/v1/agents', asProject, { name: machineID, machineID });
    agents.push(id);
  }

  /** As a core instance does: again and again, until it is answered. */
  async function pass(sequence: number): Promise<void> {
    for (;;) {
      const answer = await send<{ sequence: number; refused: unknown[] }>(
        `${url}/v1/core_instances/self/batches`,
        { headers: { 'x-core-instance-token': site.token }, body: batchOf(sequence, tokenID, agents) },
      ).catch(() => undefined);
      if (answer?.status === 200) {
        expect(answer.body).toMatchObject({ sequence, refused: [] });
        return;
      }
      await pause(20);
    }
  }

  let sequence = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const killed = pause(30 + kill * 70)
      .then(() => service.end('SIGKILL'))
      .then(start);
    for (let count = 0; count < batchesOfRound; count += 1) {
      sequence += 1;
      await pass(sequence);
    }
    await killed;
  }

  for (const agentID of agents) {
    const errors: AgentError[] = [];
    let next: string | undefined = `/v1/agents/${agentID}/errors?last=1000`;
    while (next !== undefined) {
      const page: { headers: Headers; body: AgentError[] } = await send(`${url}${next}`, { headers: admin });
      errors.push(...page.body);
      next = nextPage({ headers: Object.fromEntries(page.headers) });
    }
    const sumOf = (text: string) =>
      errors.filter(({ error }) => error === text).reduce((sum, { occurrences }) => sum + occurrences, 0);
    const all = Array.from({ length: sequence }, (_, index) => index + 1);
    expect(all.filter((one) => sumOf(`new ${one}`) !== 1)).toEqual([]);
    expect(sumOf('repeated')).toBe(all.reduce((sum, one) => sum + one + 3, 0));
    // One for each configuration, in which the error was open.
    expect(errors.filter(({ error }) => error === 'repeated')).toHaveLength(Math.floor(sequence / 5) + 2);
    const configs = await call<unknown[]>(`/v1/agents/${agentID}/config_history?last=1000`, admin);
    expect(configs).toHaveLength(Math.floor(sequence / 5) + 1);
  }
});
