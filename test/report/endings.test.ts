import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Ended, eventually, it, type ReportBench, texts } from './report-process.ts';

function agent(bench: ReportBench, script: string, ...flags: string[]): Promise<Ended> {
  return bench.run([...flags, '--', 'sh', '-c', script]);
}

describe.concurrent('muster report, as the agent', () => {
  it.for([0, 7, 255])('exits with the exit code %d of the agent', async (code, { bench }) => {
    expect(texts(await agent(bench, `exit ${code}`))).toEqual({ code, signal: null, stdout: '', stderr: '' });
  });

  it.for(['SIGTERM', 'SIGKILL', 'SIGHUP', 'SIGINT', 'SIGUSR1'] as const)(
    'ends by its %s',
    async (signal, { bench }) => {
      const script = `kill -${signal.slice(3)} $$; sleep 10`;
      expect(texts(await agent(bench, script))).toEqual({ code: null, signal, stdout: '', stderr: '' });
    },
  );

  it.for([
    ['SIGSEGV', 139],
    ['SIGABRT', 134],
    ['SIGPIPE', 141],
  ] as const)('ends with 128 and the number for %s', async ([signal, code], { bench }) => {
    const script = `ulimit -c 0; kill -${signal.slice(3)} $$; sleep 10`;
    expect(texts(await agent(bench, script))).toEqual({ code, signal: null, stdout: '', stderr: '' });
  });

  it('exits as shells do for a program that is missing or cannot be run', async ({ bench }) => {
    expect(texts(await bench.run(['--', 'no-such-agent']))).toEqual({
      code: 127,
      signal: null,
      stdout: '',
      stderr: 'muster: cannot run no-such-agent: there is no such program\n',
    });
    const path = join(bench.folder, 'not-executable');
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    expect(texts(await bench.run(['--', path]))).toEqual({
      code: 126,
      signal: null,
      stdout: '',
      stderr: `muster: cannot run ${path}: spawn ${path} EACCES\n`,
    });
  });

  it.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const)(
    'hands %s on to it',
    async (signal, { bench }) => {
      const script = `trap 'echo got ${signal}; exit 9' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
      const report = bench.start(['--', 'sh', '-c', script]);
      if (report.process.stdout) await once(report.process.stdout, 'data');
      report.process.kill(signal);
      expect(texts(await report.ended)).toEqual({
        code: 9,
        signal: null,
        stdout: `ready\ngot ${signal}\n`,
        stderr: '',
      });
    },
  );

  it('ends at SIGTERM although nobody reads its output', async ({ bench }) => {
    const path = join(bench.folder, 'unread');
    spawnSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const outputs = openSync(path, 'w');
    // More than a pipe holds.
    const script = 'head -c 300000 /dev/zero; touch ended; exit 3';
    const report = bench.start(['--watch', 'both', '--', 'sh', '-c', script], { outputs });
    const exit = once(report.process, 'exit');
    await eventually(
      () => existsSync(join(bench.folder, 'ended')),
      (hasEnded) => hasEnded,
    );
    report.process.kill('SIGTERM');
    // Its exit would wait for the reader too.
    expect(await exit).toEqual([null, 'SIGTERM']);
    for (const end of [reader, outputs]) closeSync(end);
  });

  it('passes stdin, arguments, directory and environment unchanged', async ({ bench }) => {
    const input = randomBytes(300_000);
    const report = await bench.run(
      ['--', 'sh', '-c', 'cat; echo "$0|$1|$2|$PWD|$FOO" >&2', 'a b', '--', '$x'],
      { input, env: { FOO: 'bar' } },
    );
    expect(report.stdout.equals(input)).toBe(true);
    expect(String(report.stderr)).toBe(`a b|--|$x|${bench.folder}|bar\n`);
  });
});

describe.concurrent('muster report', () => {
  it('lists every invalid flag, and runs nothing', async ({ bench }) => {
    const flags = ['--pattern', '(', '--watch', 'all', '--exit-wait', 'long', '--repeat-seconds', '-1'];
    expect(texts(await agent(bench, 'echo ran', ...flags))).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: [
        'muster: --pattern is not a regular expression: Invalid regular expression: /(/u: Unterminated group.',
        "muster: --watch is 'all', but it takes stderr, stdout or both.",
        "muster: --repeat-seconds is '-1', but it takes a number of seconds from 0 to 86400.",
        "muster: --exit-wait is 'long', but it takes a number of seconds from 0 to 86400.",
        '',
      ].join('\n'),
    });
  });

  it('describes everything in its help', async ({ bench }) => {
    const { stdout } = await bench.run(['--help']);
    // As it can be typed in the folder of the process.
    expect(String(stdout)).toMatch(
      /muster(\.mjs'?)? report -- fluent-bit -c \/etc\/fluent-bit\/fluent-bit\.conf/,
    );
    expect(String(stdout)).toMatch(/\| .*muster(\.mjs'?)? report --type fluentbit -/);
    for (const name of ['MUSTER_URL', 'MUSTER_TOKEN', 'create:agent_error', 'Exit code']) {
      expect(String(stdout)).toContain(name);
    }
  });
});
