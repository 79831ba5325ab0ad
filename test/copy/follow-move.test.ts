import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatToken } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCoreInstance, startCoreInstance } from '../../core-instance/src/start-core-instance.ts';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { Line } from '../core-instance/line.ts';
import { ReportBench } from '../report/report-process.ts';
import { type Installation, move, startInstallation } from './move-places.ts';

let source: Installation;
let target: Installation;
let sourcePort: number;
let targetURL: string;

beforeEach(async () => {
  const clock = createTestClock();
  source = await startInstallation('sqlite', { clock, name: 'a' });
  target = await startInstallation('sqlite', { clock, name: 'b', config: { registration: 'once' } });
  const listen = async ({ app }: Installation) => app.app.http.listen({ host: '127.0.0.1', port: 0 });
  sourcePort = Number(new URL(await listen(source)).port);
  targetURL = await listen(target);
});
afterEach(async () => {
  await source.close();
  await target.close();
});

describe('a core instance whose project moves', () => {
  const logs: string[] = [];
  let folder: string;
  let line: Line;
  let project: { readonly id: string; readonly token: string };
  let joinToken: string | undefined;
  let site: RunningCoreInstance | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-site-'));
    line = await Line.to(sourcePort);
    project = await source.app.createProject('edge');
    joinToken = (await source.app.createToken(project.id, ['create:core_instance'])).token;
  });
  afterEach(async () => {
    await site?.stop();
    line.close();
    rmSync(folder, { recursive: true });
  });

  async function start(url: string, movedFrom?: string): Promise<void> {
    await site?.stop();
    site = undefined;
    const note = (message: string) => void logs.push(message);
    const { clock } = source.app;
    site = await startCoreInstance({
      url: new URL(url),
      movedFrom: movedFrom === undefined ? undefined : new URL(movedFrom),
      stateDirectory: folder,
      host: '127.0.0.1',
      port: 0,
      name: 'plant-7',
      version: '0.1.0',
      readProjectToken: async () => joinToken,
      env: {},
      log: { info: note, warn: note, error: note },
      clock: () => clock.now(),
      random: () => 0.01,
      forwarding: { flushMilliseconds: 5 },
    });
  }

  async function report(error: string): Promise<number> {
    const { status } = await fetch(`http://127.0.0.1:${site?.port}/v1/machines/edge-1/errors`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Project-Token': project.token },
      body: JSON.stringify({ error }),
    });
    return status;
  }

  async function errorsAt({ app }: Installation): Promise<Record<string, number>> {
    const pages = await callAgentErrors(app).walk(`/v1/projects/${project.id}/agent_errors`);
    return Object.fromEntries(pages.flat().map(({ error, occurrences }) => [error, occurrences]));
  }

  const identityPath = () => join(folder, 'identity.json');
  const identity = () => JSON.parse(readFileSync(identityPath(), 'utf8'));
  const knownURL = () => identity().url;

  async function startAtSource(): Promise<void> {
    await start(line.url);
    const isReady = async () => (await fetch(`http://127.0.0.1:${site?.port}/readyz`)).status;
    await eventually(async () => expect(await isReady()).toBe(200));
  }

  it('takes what waits there along: each report arrives once', async () => {
    await startAtSource();
    // It is stored, and the core instance does not know.
    line.mode = 'midway';
    expect(await report('one')).toBe(201);
    await eventually(async () => expect(await errorsAt(source)).toEqual({ one: 1 }));
    line.mode = 'cut';
    for (const text of ['one', 'two']) expect(await report(text)).toBe(201);

    const [from, to] = [`${line.url}/`, `${targetURL}/`];
    await expect(start(targetURL)).rejects.toThrow(
      `If its project has moved to ${to}, start it with --url ${to} --moved-from ${from}: what waits in the folder is then sent there.`,
    );
    await expect(start(targetURL, 'https://c.example.com')).rejects.toThrow(`a core instance of ${from}`);
    await start(targetURL, line.url);
    await eventually(() =>
      expect(logs.join('\n')).toMatch(/^The new address does not accept this core instance yet: /m),
    );
    // Agents notice nothing.
    expect(await report('three')).toBe(201);
    expect(knownURL()).toBe(from);

    await move(source, target, project.id);
    const all = { one: 2, two: 1, three: 1 };
    await eventually(async () => expect(await errorsAt(target)).toEqual(all));
    expect(knownURL()).toBe(to);
    await start(targetURL);
    expect(await report('four')).toBe(201);
    await eventually(async () => expect(await errorsAt(target)).toEqual({ ...all, four: 1 }));
  });

  it('joins there again as the same one if its credential has ended meanwhile', async () => {
    await startAtSource();
    line.mode = 'cut';
    expect(await report('one')).toBe(201);
    const { instanceKey, membership } = identity();
    const { status } = await source.app.request('POST', `/v1/core_instances/${membership.id}/rotate`, {
      as: { access: source.app.admin },
      body: { graceSeconds: 0 },
    });
    expect(status).toBe(200);
    await move(source, target, project.id);
    await start(targetURL, line.url);
    await eventually(async () => expect(await errorsAt(target)).toEqual({ one: 1 }));
    const { token: _, ...same } = membership;
    expect(identity()).toMatchObject({ instanceKey, url: `${targetURL}/`, membership: same });
  });

  it('goes back to its earlier credential if the later one was never in use', async () => {
    await startAtSource();
    line.mode = 'cut';
    expect(await report('one')).toBe(201);
    await site?.stop();
    site = undefined;
    const { membership, ...rest } = identity();
    const lost = formatToken('core_instance', randomBytes(32));
    writeFileSync(
      identityPath(),
      JSON.stringify({ ...rest, membership: { ...membership, token: lost, earlierToken: membership.token } }),
    );
    joinToken = undefined;
    await start(targetURL, line.url);
    await eventually(() => expect(logs.join('\n')).toMatch(/put a project token with create:core_instance/));
    // Nothing is given up before the project is there.
    expect(identity().membership).toMatchObject({ token: lost, earlierToken: membership.token });
    await move(source, target, project.id);
    await eventually(async () => expect(await errorsAt(target)).toEqual({ one: 1 }));
    expect(identity()).toEqual({ ...rest, url: `${targetURL}/`, membership });
  });
});

describe('muster report on a host whose project moves', () => {
  it('sends what it has kept to the new address, as the same agent', async () => {
    const bench = await ReportBench.on({ test: source.app, port: sourcePort });
    try {
      const fail = (text: string, env = {}) =>
        bench.run(['--machine-id', 'edge-1', '--', 'sh', '-c', `echo "error: ${text}" >&2`], { env });
      await fail('a');
      bench.gate.mode = 'drop';
      await fail('b');
      await move(source, target, bench.project.id);
      // There, only its own token lets a known machine in.
      await fail('c', { MUSTER_URL: targetURL });
      expect(await bench.openErrors(target.app)).toEqual(
        ['a', 'b', 'c'].map((text) => [`error: ${text}`, 1]),
      );
      expect(readdirSync(bench.stateDirectory)).toEqual([expect.stringMatching(/\.agent\.json$/)]);
    } finally {
      bench.close();
    }
  });
});
