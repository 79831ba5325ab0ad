import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { callAgents } from '../../server/src/testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually, it, type ReportBench } from './report-process.ts';

/** Prints the error in its file at its start and after each SIGHUP. */
const agent = `#!/bin/sh
trap 'cat error >&2' HUP
cat error >&2
while :; do sleep 0.05; done
`;

function writeError(bench: ReportBench, text: string): void {
  writeFileSync(join(bench.folder, 'error'), `[2026/11/21 00:29:28.356] [error] ${text}\n`);
}

/** Errors of the agent, oldest first, each with the configuration under which the service stored it. */
async function errorsByConfig(bench: ReportBench): Promise<[error: string, rawConfig: string | undefined][]> {
  const [registered] = await bench.agents();
  if (registered === undefined) return [];
  const { body: errors } = await callAgentErrors(bench.test).listOfAgent(registered.id, '?last=1000');
  const { body: configs } = await callAgents(bench.test).listConfigs(registered.id);
  const rawConfigs = new Map(configs.map(({ id, rawConfig }) => [id, rawConfig]));
  return errors
    .reverse()
    .map(({ error, configID }) => [error, configID === null ? undefined : rawConfigs.get(configID)]);
}

describe.concurrent('muster report, when its agent is reloaded', () => {
  it('sends a changed configuration, and files errors under the right one, including equal errors', async ({
    bench,
  }) => {
    const path = join(bench.folder, 'fluent-bit');
    const config = join(bench.folder, 'fluent-bit.conf');
    writeFileSync(path, agent, { mode: 0o755 });
    writeFileSync(config, 'first');
    writeError(bench, 'a');
    const report = bench.start(['--', path, '-c', config]);
    await eventually(
      () => errorsByConfig(bench),
      ({ length }) => length === 1,
    );
    writeFileSync(config, 'second');
    report.process.kill('SIGHUP');
    await eventually(
      () => errorsByConfig(bench),
      ({ length }) => length === 2,
    );
    writeError(bench, 'b');
    report.process.kill('SIGHUP');
    expect(
      await eventually(
        () => errorsByConfig(bench),
        ({ length }) => length === 3,
      ),
    ).toEqual([
      ['a', 'first'],
      ['a', 'second'],
      ['b', 'second'],
    ]);
    report.process.kill('SIGTERM');
    await report.ended;
    const [registered] = await bench.agents();
    const changes = bench.gate.requests.filter((request) => !/\/(errors|heartbeat)$/.test(request));
    expect(changes).toEqual(['POST /v1/agents', `PATCH /v1/agents/${registered?.id}`]);
  });

  it('reports why it failed if it ends because of the reload, and not if it was told to end', async ({
    bench,
  }) => {
    const script =
      'fail() { echo "cannot open the queue" >&2; exit 3; }; trap fail HUP TERM; echo ready; while :; do sleep 0.05; done';
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      const report = bench.start(['--', 'sh', '-c', script]);
      if (report.process.stdout) await once(report.process.stdout, 'data');
      report.process.kill(signal);
      expect((await report.ended).code).toBe(3);
      const failure = '[muster report] The agent ended with exit code 3: cannot open the queue';
      expect(await bench.openErrors()).toEqual(signal === 'SIGHUP' ? [[failure, 1]] : []);
    }
  });

  it('registers a deleted agent again if it starts with another configuration', async ({ bench }) => {
    const path = bench.makeAgent('fluent-bit', join(bench.folder, 'error'));
    const config = join(bench.folder, 'fluent-bit.conf');
    writeError(bench, 'a');
    writeFileSync(config, 'first');
    await bench.run(['--', path, '-c', config]);
    const [registered] = await bench.agents();
    await callAgentErrors(bench.test).deleteAgent(registered?.id ?? '');
    writeFileSync(config, 'second');
    await bench.run(['--', path, '-c', config]);
    expect(await errorsByConfig(bench)).toEqual([['a', 'second']]);
  });

  it('files unsent errors under the configuration of their time', async ({ bench }) => {
    const path = join(bench.folder, 'fluent-bit');
    const config = join(bench.folder, 'fluent-bit.conf');
    writeFileSync(path, agent, { mode: 0o755 });
    writeFileSync(config, 'first');
    writeError(bench, 'a');
    const report = bench.start(['--', path, '-c', config]);
    await eventually(
      () => errorsByConfig(bench),
      ({ length }) => length === 1,
    );
    bench.gate.mode = 'drop';
    const { length } = bench.gate.requests;
    writeError(bench, 'b');
    report.process.kill('SIGHUP');
    await eventually(
      () => bench.gate.requests,
      (requests) => requests.length > length,
    );
    writeFileSync(config, 'second');
    writeError(bench, 'c');
    report.process.kill('SIGHUP');
    bench.gate.mode = 'pass';
    expect(
      await eventually(
        () => errorsByConfig(bench),
        (errors) => errors.length === 3,
      ),
    ).toEqual([
      ['a', 'first'],
      ['b', 'first'],
      ['c', 'second'],
    ]);
    report.process.kill('SIGTERM');
    await report.ended;
  });
});
