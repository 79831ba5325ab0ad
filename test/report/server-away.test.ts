import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { digest } from '../../report/src/describe-agent.ts';
import { eventually, it, type ReportBench, samples, texts } from './report-process.ts';

const log = readFileSync(`${samples}tail-missing.conf.log`, 'utf8');
const ofMissingFiles: [string, number][] = [
  ["[input:tail:tail.0] parser 'nosuchparser' is not registered", 1],
  ['[input:tail:tail.0] read error, check permissions: /nonexistent/dir/*.log', 1],
];

/** Makes every file that is opened to append to it fail. */
const fullDisk = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { open } = fs;
fs.open = async (path, flags, mode) => {
  if (flags === 'a') throw new Error('ENOSPC: no space left on device');
  return open(path, flags, mode);
};
syncBuiltinESMExports();
`;

function spools(bench: ReportBench): string[] {
  return readdirSync(bench.stateDirectory).filter((name) => name.endsWith('.spool'));
}

function kept(directory: string): string {
  return `Meanwhile errors are kept in ${directory}. In Muster they get the time at which they arrive; the log of the agent has their own.`;
}

function noAnswer({ gate, stateDirectory }: ReportBench): string {
  return `muster: Muster at ${gate.url} cannot be reached: there was no answer in time. ${kept(stateDirectory)}\n`;
}

describe.concurrent('muster report, while the service is away', () => {
  it('keeps unsent errors, and the next run sends them for the configuration that they belong to', async ({
    bench,
  }) => {
    const agent = bench.makeAgent('fluent-bit', `${samples}tail-missing.conf.log`);
    const config = join(bench.folder, 'fluent-bit.conf');
    writeFileSync(config, '[INPUT]\n    name dumy\n');
    bench.gate.mode = 'drop';
    const { code, stderr } = texts(await bench.run(['--', agent, '-c', config]));
    expect(code).toBe(1);
    expect(stderr.startsWith(log)).toBe(true);
    expect(stderr.slice(log.length).split('\n')).toEqual([
      expect.stringMatching(
        `^muster: Muster at ${bench.gate.url} cannot be reached: .+\\. ${kept(bench.stateDirectory)}$`,
      ),
      `muster: 2 errors were not sent yet; kept in ${bench.stateDirectory} for the next run.`,
      '',
    ]);
    expect(spools(bench)).toHaveLength(1);
    expect(statSync(join(bench.stateDirectory, spools(bench)[0] ?? '')).mode & 0o777).toBe(0o600);
    expect(await bench.openErrors()).toEqual([]);

    bench.gate.mode = 'pass';
    writeFileSync(config, '[INPUT]\n    name dummy\n');
    writeFileSync(agent, '#!/bin/sh\nexec sleep 60\n');
    const healthy = bench.start(['--', agent, '-c', config]);
    const agents = await eventually(
      () => bench.agents(),
      ([one]) => one?.rawConfig === '[INPUT]\n    name dummy\n',
    );
    expect(await bench.openErrors()).toEqual(ofMissingFiles);
    expect(agents).toEqual([
      expect.objectContaining({ status: 'healthy', rawConfig: '[INPUT]\n    name dummy\n' }),
    ]);
    healthy.process.kill('SIGTERM');
    await healthy.ended;
    expect(spools(bench)).toEqual([]);
  });

  it('continues when the server is back', async ({ bench }) => {
    bench.gate.mode = 'drop';
    const report = bench.start(['--', 'sh', '-c', 'echo "error: a" >&2; exec sleep 60']);
    await eventually(
      () => bench.gate.requests,
      ({ length }) => length > 0,
    );
    bench.gate.mode = 'pass';
    expect(
      await eventually(
        () => bench.openErrors(),
        ({ length }) => length > 0,
      ),
    ).toEqual([['error: a', 1]]);
    report.process.kill('SIGTERM');
    const { stderr } = texts(await report.ended);
    expect(stderr.match(/^muster: .*$/gm)).toHaveLength(1);
  });

  it('loses nothing when it is killed', async ({ bench }) => {
    bench.gate.mode = 'drop';
    const report = bench.start(['--watch', 'stderr', '--', 'sh', '-c', 'echo "error: a" >&2; exec sleep 5']);
    await eventually(
      () => bench.gate.requests,
      ({ length }) => length > 0,
    );
    await eventually(
      () => spools(bench),
      ([name]) => name !== undefined && statSync(join(bench.stateDirectory, name)).size > 0,
    );
    report.process.kill('SIGKILL');
    await once(report.process, 'exit');
    bench.gate.mode = 'pass';
    await bench.run(['--', 'sh', '-c', 'echo "error: b" >&2']);
    expect(await bench.openErrors()).toEqual([
      ['error: a', 1],
      ['error: b', 1],
    ]);
    expect(spools(bench)).toEqual([]);
  });

  it('keeps what an earlier run has kept until it is sent, also while the disk is full', async ({
    bench,
  }) => {
    const path = join(bench.folder, 'full-disk.mjs');
    writeFileSync(path, fullDisk);
    const fail = (text: string, ...nodeFlags: string[]) =>
      bench.run(['--', 'sh', '-c', `echo "error: ${text}" >&2`], { nodeFlags });
    bench.gate.mode = 'drop';
    await fail('a');
    const { stderr } = texts(await fail('b', '--import', path));
    expect(stderr).toContain(`cannot keep errors in ${bench.stateDirectory}: ENOSPC`);
    expect(spools(bench)).toHaveLength(1);
    bench.gate.mode = 'pass';
    await fail('c', '--import', path);
    expect(await bench.openErrors()).toEqual([
      ['error: a', 1],
      ['error: c', 1],
    ]);
    expect(spools(bench)).toEqual([]);
  });

  it('takes over what an earlier version has kept for this address, and registers nothing again', async ({
    bench,
  }) => {
    const fail = (text: string) =>
      bench.run(['--machine-id', 'edge-1', '--', 'sh', '-c', `echo "error: ${text}" >&2`]);
    await fail('a');
    bench.gate.mode = 'drop';
    await fail('b');
    const names = readdirSync(bench.stateDirectory).sort();
    const formerKey = digest(bench.gate.url, bench.project.id, 'edge-1').slice(0, 24);
    for (const name of names) {
      const former = name.replace(/^[\da-f]{24}/, formerKey);
      renameSync(join(bench.stateDirectory, name), join(bench.stateDirectory, former));
    }
    bench.gate.mode = 'pass';
    const before = bench.gate.requests.length;
    await fail('c');
    expect(await bench.openErrors()).toEqual(['a', 'b', 'c'].map((text) => [`error: ${text}`, 1]));
    expect(bench.gate.requests.slice(before)).not.toContain('POST /v1/agents');
    expect(readdirSync(bench.stateDirectory)).toEqual(names.filter((name) => name.endsWith('.agent.json')));
  });

  it('does not keep the end of the agent waiting for a service that does not answer', async ({ bench }) => {
    bench.gate.mode = 'hold';
    const agent = bench.makeAgent('fluent-bit', `${samples}tail-missing.conf.log`);
    const { code, stderr } = texts(await bench.run(['--exit-wait', '0.5', '--', agent]));
    expect(code).toBe(1);
    expect(stderr.startsWith(log)).toBe(true);
    expect(stderr.split('\n').at(-2)).toBe(
      `muster: 2 errors were not sent yet; kept in ${bench.stateDirectory} for the next run.`,
    );
    bench.gate.mode = 'pass';
    await bench.run(['--', agent]);
    expect(await bench.openErrors()).toEqual(ofMissingFiles.map(([text]) => [text, expect.any(Number)]));
  });

  it('ends at once after a second signal', async ({ bench }) => {
    bench.gate.mode = 'hold';
    const report = bench.start(['--', 'sh', '-c', 'echo "error: a" >&2']);
    await eventually(
      () => bench.gate.requests,
      ({ length }) => length > 0,
    );
    // The agent has already ended when its error is sent.
    report.process.kill('SIGTERM');
    expect(texts(await report.ended)).toEqual({
      code: 0,
      signal: null,
      stdout: '',
      stderr: `error: a\n${noAnswer(bench)}muster: 1 error was not sent yet; kept in ${bench.stateDirectory} for the next run.\n`,
    });
  });

  it('is one agent with intact files, even if many run at once', async ({ bench }) => {
    const agent = bench.makeAgent('fluent-bit', `${samples}tail-missing.conf.log`);
    const first = await Promise.all(Array.from({ length: 4 }, () => bench.run(['--', agent])));
    bench.gate.mode = 'drop';
    const second = await Promise.all(Array.from({ length: 4 }, () => bench.run(['--', agent])));
    bench.gate.mode = 'pass';
    const third = await Promise.all(Array.from({ length: 4 }, () => bench.run(['--', agent])));
    expect([...first, ...second, ...third].map(({ code }) => code)).toEqual(
      Array.from({ length: 12 }, () => 1),
    );
    expect(await bench.agents()).toHaveLength(1);
    expect((await bench.openErrors()).map(([text]) => text)).toEqual(ofMissingFiles.map(([text]) => text));
    const files = readdirSync(bench.stateDirectory);
    expect(files.filter((name) => !name.endsWith('.spool'))).toEqual([
      expect.stringMatching(/^[\da-f]{24}\.agent\.json$/),
    ]);
  });
});
