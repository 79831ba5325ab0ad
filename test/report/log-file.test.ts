import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { eventually, it, type ReportBench, texts } from './report-process.ts';

function errorLine(text: string): string {
  return `[2026/11/21 00:29:28.356] [error] ${text}\n`;
}

/** A program called fluent-bit that does this, and a configuration with a log file that contains an old error. */
function makeAgent(bench: ReportBench, script: string) {
  const agent = join(bench.folder, 'fluent-bit');
  const config = join(bench.folder, 'fluent-bit.conf');
  const log = join(bench.folder, 'agent.log');
  writeFileSync(agent, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeFileSync(config, '[SERVICE]\n    log_file agent.log\n');
  writeFileSync(log, errorLine('of an earlier run'));
  return { agent, config, log };
}

describe.concurrent('muster report, of an agent that logs to a file', () => {
  it('reports the errors in that file, also those of an agent that ends at its start', async ({ bench }) => {
    const { agent, config } = makeAgent(bench, `printf '${errorLine('a')}' >> agent.log; exit 1`);
    const ended = texts(await bench.run(['--', agent, '-c', config]));
    expect(ended).toEqual({ code: 1, signal: null, stdout: '', stderr: '' });
    expect(await bench.openErrors()).toEqual([['a', 1]]);
  });

  it('follows the file while the agent runs, also after a rotation', async ({ bench }) => {
    const { agent, config, log } = makeAgent(bench, 'exec sleep 60');
    const report = bench.start(['--', agent, '-c', config]);
    await eventually(
      () => {
        // Again, because what stands there before the file is opened is of an earlier run.
        appendFileSync(log, errorLine('a'));
        return bench.openErrors();
      },
      ({ length }) => length === 1,
    );
    renameSync(log, `${log}.1`);
    writeFileSync(log, errorLine('b'));
    expect(
      await eventually(
        () => bench.openErrors(),
        ({ length }) => length === 2,
      ),
    ).toEqual([
      ['a', expect.any(Number)],
      ['b', 1],
    ]);
    report.process.kill('SIGTERM');
    await report.ended;
  });

  it('reads the file that --log-file names, of any agent', async ({ bench }) => {
    const flags = [
      '--log-file',
      'a.log',
      '--log-file',
      'folder',
      '--',
      'sh',
      '-c',
      'echo "ERROR: a" > a.log',
    ];
    mkdirSync(join(bench.folder, 'folder'));
    expect(texts(await bench.run(flags)).stderr).toBe(
      'muster: the agent logs to folder, which cannot be read: it is not a regular file. Errors in it are not seen.\n',
    );
    expect(await bench.openErrors()).toEqual([['a', 1]]);
  });

  it('says how to include an output that is not read', async ({ bench }) => {
    const { agent } = makeAgent(bench, 'exit 0');
    expect(texts(await bench.run(['--', agent, '-l', '/dev/stdout'])).stderr).toBe(
      'muster: the agent logs to /dev/stdout, but its stdout is not read. Add --watch both.\n',
    );
    expect(texts(await bench.run(['--', agent, '-l', '/dev/stderr'])).stderr).toBe('');
  });

  it('runs the agent even if its configuration cannot be parsed', async ({ bench }) => {
    const { agent, config } = makeAgent(bench, 'exit 3');
    writeFileSync(config, 'service:\n  log_file: "hunter2\n');
    const { code, stderr } = texts(await bench.run(['--', agent, '-c', config]));
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /^muster: cannot tell whether the agent logs to a file: Missing closing "quote\. Name it with --log-file\.\n$/,
      ),
    ]);
  });

  it('is refused without an agent to run', async ({ bench }) => {
    expect(texts(await bench.run(['--log-file', 'a.log', '-']))).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(
        /^muster: --log-file goes with an agent that is run\. Read a file of another agent with: tail -F FILE \| .*muster(\.mjs'?)? report -\n$/,
      ),
    });
  });
});
