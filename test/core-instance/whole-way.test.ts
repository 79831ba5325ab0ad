import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegisteredAgent } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgents } from '../../server/src/testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { Gate } from '../report/gate.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { SiteProcess } from './site-process.ts';

let centre: ListeningApp;
let gate: Gate;
let joinToken: string;
let stateDirectory: string;
let site: SiteProcess;

beforeEach(async () => {
  centre = await startListeningApp();
  // That of the site is the clock of this machine, and ids that are made there have its time.
  centre.test.clock.advance(Date.now() - centre.test.clock.now());
  gate = await Gate.before(`http://127.0.0.1:${centre.port}`);
  ({ token: joinToken } = await centre.test.createToken(centre.project.id, ['create:core_instance']));
  stateDirectory = mkdtempSync(join(tmpdir(), 'muster-whole-way-'));
  start();
});
afterEach(async () => {
  await site.end('SIGKILL');
  gate.close();
  await centre.test.close();
  rmSync(stateDirectory, { recursive: true, force: true });
});

function start(): void {
  site = new SiteProcess({ url: gate.url, stateDirectory, token: joinToken });
}

async function ready(): Promise<void> {
  const url = await site.url();
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
}

async function post(path: string, headers: Record<string, string>, body: unknown, method = 'POST') {
  const answer = await fetch(`${await site.url()}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json().catch(() => undefined)) as unknown };
}

const asProject = () => ({ 'X-Project-Token': centre.project.token });

/** Texts of the errors of a project with their number of reports, in the order of the texts. */
async function errorsAtCentre(): Promise<[string, number][]> {
  const pages = await callAgentErrors(centre.test).walk(`/v1/projects/${centre.project.id}/agent_errors`);
  return pages
    .flat()
    .map(({ error, occurrences }): [string, number] => [error, occurrences])
    .sort(([one, often], [other, oftener]) => (one === other ? often - oftener : one < other ? -1 : 1));
}

describe('what agents send to a site', () => {
  it('is at the centre after the line was cut: registrations, configurations and errors, each once', async () => {
    await ready();
    gate.mode = 'drop';
    const description = { name: 'edge-1', machineID: 'edge-1', rawConfig: '[INPUT]\n  name one\n' };
    const registered = await post('/v1/agents', asProject(), description);
    expect(registered.status).toBe(201);
    const { id, token } = registered.body as RegisteredAgent;
    const asAgent = { 'X-Agent-Token': token };
    const report = async (error: string) => {
      expect((await post(`/v1/agents/${id}/errors`, asAgent, { error })).status).toBe(201);
    };
    for (let count = 0; count < 5; count += 1) await report('disk full');
    // The same text in another configuration is another error: the order counts.
    const update = { rawConfig: '[INPUT]\n  name two\n' };
    expect((await post(`/v1/agents/${id}`, asAgent, update, 'PATCH')).status).toBe(204);
    for (let count = 0; count < 3; count += 1) await report('disk full');
    for (let count = 0; count < 4; count += 1) {
      expect(
        (await post('/v1/machines/edge-2/errors', asProject(), [{ error: 'a' }, { error: 'b' }])).status,
      ).toBe(201);
    }
    expect(await errorsAtCentre()).toEqual([]);

    await site.end('SIGKILL');
    start();
    await site.url();
    gate.mode = 'pass';
    const expected = [
      ['a', 4],
      ['b', 4],
      ['disk full', 3],
      ['disk full', 5],
    ];
    await eventually(async () => expect(await errorsAtCentre()).toEqual(expected));
    const agent = await callAgents(centre.test).get(id);
    expect(agent).toMatchObject({ id, machineID: 'edge-1', name: 'edge-1' });
    // The token that the site made is good at the centre too.
    const direct = await centre.test.request('POST', `/v1/agents/${id}/errors`, {
      as: { agent: token },
      body: { error: 'direct' },
    });
    expect(direct.status).toBe(201);
  });

  it('is known under both ids where the centre knows the machine already', async () => {
    await ready();
    gate.mode = 'drop';
    const known = await centre.test.registerAgent(centre.project, 'edge-3');
    const { status, body } = await post('/v1/agents', asProject(), { name: 'edge-3', machineID: 'edge-3' });
    expect(status).toBe(201);
    const { id, token } = body as RegisteredAgent;
    expect(id).not.toBe(known.id);
    const asAgent = { 'X-Agent-Token': token };
    expect((await post(`/v1/agents/${id}/errors`, asAgent, { error: 'one' })).status).toBe(201);
    gate.mode = 'pass';
    await eventually(async () => expect(await errorsAtCentre()).toEqual([['one', 1]]));
    expect((await post(`/v1/agents/${id}/errors`, asAgent, { error: 'two' })).status).toBe(201);
    // The site knows the other id with the answer to its batch.
    await eventually(async () => {
      expect((await post(`/v1/agents/${known.id}/errors`, asAgent, { error: 'three' })).status).toBe(201);
    });
    const all = ['one', 'three', 'two'].map((text) => [text, 1]);
    await eventually(async () => expect(await errorsAtCentre()).toEqual(all));
    const { body: ofKnown } = await callAgentErrors(centre.test).listOfAgent(known.id);
    expect(ofKnown).toHaveLength(3);
  });

  it('is there exactly as often as it was acknowledged, although the site is killed again and again', async () => {
    await ready();
    const acknowledged = new Map<string, number>();
    /** Not answered: it may be there or not. */
    const unknown = new Map<string, number>();
    const count = (map: Map<string, number>, text: string) => map.set(text, (map.get(text) ?? 0) + 1);
    for (let kill = 0; kill < 4; kill += 1) {
      const url = await site.url();
      let isOver = false;
      const worker = async (name: number): Promise<void> => {
        for (let index = 0; !isOver; index += 1) {
          const text = `text ${(name + index) % 7}`;
          try {
            const answer = await fetch(`${url}/v1/machines/edge-${name % 2}/errors`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/json', ...asProject() },
              body: JSON.stringify({ error: text }),
            });
            if (answer.status === 201) count(acknowledged, `edge-${name % 2} ${text}`);
          } catch {
            count(unknown, `edge-${name % 2} ${text}`);
            return;
          }
        }
      };
      const workers = Array.from({ length: 8 }, (_, name) => worker(name));
      const before = [...acknowledged.values()].reduce((sum, one) => sum + one, 0);
      await eventually(() => {
        const now = [...acknowledged.values()].reduce((sum, one) => sum + one, 0);
        expect(now).toBeGreaterThan(before + 150);
      });
      gate.mode = kill % 2 === 0 ? 'drop' : 'pass';
      await site.end('SIGKILL');
      isOver = true;
      await Promise.all(workers);
      gate.mode = 'pass';
      start();
      await ready();
    }
    const expectedTexts = [...acknowledged.keys()].sort();
    const readCounts = async (): Promise<Map<string, number>> => {
      const counts = new Map<string, number>();
      for (const { id, machineID } of (await callAgents(centre.test).list(centre.project.id)).body) {
        for (const error of (await callAgentErrors(centre.test).listOfAgent(id)).body) {
          counts.set(`${machineID} ${error.error}`, error.occurrences);
        }
      }
      return counts;
    };
    const waiting = async () =>
      (await (await fetch(`${await site.url()}/metrics`)).text()).match(/spooled_reports (\d+)/)?.[1];
    await eventually(async () => expect(await waiting()).toBe('0'));
    await eventually(async () => {
      const counts = await readCounts();
      expect([...counts.keys()].sort()).toEqual(expectedTexts);
      for (const [key, least] of acknowledged) {
        expect([key, counts.get(key)]).toEqual([key, expect.toSatisfy((found: number) => found >= least)]);
      }
    });
    for (const [key, found] of await readCounts()) {
      // A report that was under way when the process was killed may be there.
      expect(found - (acknowledged.get(key) ?? 0)).toBeLessThanOrEqual(unknown.get(key) ?? 0);
    }
  });
});

describe('muster core-instance start', () => {
  it('ends with a sentence and an exit code if it may not join, and with 0 when it is asked to stop', async () => {
    await ready();
    expect(await site.end('SIGTERM')).toBe(0);
    const other = mkdtempSync(join(tmpdir(), 'muster-whole-way-'));
    const refused = new SiteProcess({ url: gate.url, stateDirectory: other, token: centre.project.token });
    expect(await refused.exit()).toBe(4);
    expect(refused.logs.at(-1)).toContain('The project token may not create core instances');
    const again = new SiteProcess({ url: gate.url, stateDirectory: other, token: joinToken });
    // The name is taken by the first one.
    expect(await again.exit()).toBe(1);
    expect(again.logs.at(-1)).toContain('The name is that of --name.');
    rmSync(other, { recursive: true });
  });
});
