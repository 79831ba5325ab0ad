import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type Ended, it, type ReportBench } from './report-process.ts';

function agent(bench: ReportBench, script: string, ...flags: string[]): Promise<Ended> {
  return bench.run([...flags, '--', 'sh', '-c', script]);
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe.concurrent('muster report, on the output of the agent', () => {
  it.for(['both', 'stderr', 'stdout'])(
    'passes binary on byte for byte, watching %s',
    async (streams, { bench }) => {
      const bytes = randomBytes(3_000_000);
      writeFileSync(join(bench.folder, streams), bytes);
      const { code, stdout, stderr } = await agent(
        bench,
        `cat ${streams}; cat ${streams} >&2`,
        '--watch',
        streams,
      );
      expect([code, digest(stdout), digest(stderr)]).toEqual([0, digest(bytes), digest(bytes)]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'leaves an output that it does not watch as it is: writes wait for a slow reader',
    async ({ bench }) => {
      const script = 'echo "error: a"; exec >&-; read line; grep flags: /proc/self/fdinfo/2 >&2';
      const report = bench.start(['--watch', 'stdout', '--', 'sh', '-c', script], { keepInputOpen: true });
      // By then, the closed stdout has been noticed.
      await eventually(async () => expect(await bench.openErrors()).toEqual([['error: a', 1]]));
      report.process.stdin?.end('line\n');
      const { code, stderr } = await report.ended;
      const flags = Number.parseInt(/^flags:\s+(\d+)\n$/.exec(String(stderr))?.[1] ?? '', 8);
      expect([code, flags & constants.O_NONBLOCK]).toEqual([0, 0]);
    },
  );

  it('passes a line of 10 MB on', async ({ bench }) => {
    const { code, stdout } = await agent(bench, "head -c 10000000 /dev/zero | tr '\\0' x", '--watch', 'both');
    expect([code, digest(stdout)]).toEqual([0, digest(Buffer.alloc(10_000_000, 'x'))]);
  });

  it('passes on an incomplete line without waiting for the rest', async ({ bench }) => {
    const report = bench.start(
      ['--watch', 'both', '--', 'sh', '-c', 'printf "half a"; read line; echo " $line"'],
      {
        keepInputOpen: true,
      },
    );
    const { stdout, stdin } = report.process;
    if (stdout === null || stdin === null) throw new Error('both are pipes');
    const [first] = await once(stdout, 'data');
    expect(String(first)).toBe('half a');
    stdin.end('line\n');
    await report.ended;
  });

  it('lets it open its output by name, as with any pipe', async ({ bench }) => {
    const { stdout, stderr } = await agent(
      bench,
      'echo a >/dev/stdout; echo b >/dev/stderr',
      '--watch',
      'both',
    );
    expect([String(stdout), String(stderr)]).toEqual(['a\n', 'b\n']);
  });

  it('keeps the order of stdout and stderr if both go to the same file', async ({ bench }) => {
    const script = 'i=0; while [ $i -lt 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done';
    const path = join(bench.folder, 'joined');
    const joined = openSync(path, 'w');
    const report = bench.start(['--watch', 'both', '--', 'sh', '-c', script], { outputs: joined });
    closeSync(joined);
    await once(report.process, 'exit');
    const expected = Array.from({ length: 300 }, (_, index) => `o${index}\ne${index}\n`).join('');
    expect(readFileSync(path, 'utf8')).toBe(expected);
  });

  it('lets the agent notice that its reader has closed the pipe', async ({ bench }) => {
    const report = bench.start(['--watch', 'both', '--', 'yes']);
    const { stdout } = report.process;
    if (stdout === null) throw new Error('it is a pipe');
    await once(stdout, 'data');
    stdout.destroy();
    await once(report.process, 'exit');
    expect([report.process.exitCode, report.process.signalCode]).toEqual([141, null]);
  });

  it('passes everything on, and ends with the agent, even with a slow --pattern', async ({ bench }) => {
    const hostile = `${'a'.repeat(40)}b`;
    const lines = ['E1 one', ...Array.from({ length: 10 }, () => hostile), 'E2 two', ''].join('\n');
    writeFileSync(join(bench.folder, 'lines'), lines);
    const flags = ['--watch', 'stdout', '--dry-run', '--pattern', '^(a+)+$|^E\\d+ .*'];
    const { code, stdout, stderr } = await agent(bench, 'cat lines; exit 3', ...flags);
    expect([code, String(stdout)]).toEqual([3, lines]);
    expect(String(stderr).split('\n')).toEqual([
      expect.stringMatching(/^muster: --pattern took longer than 250 ms for a line, 3 times\. /),
      'muster: would report: E1 one',
      'muster: 3 errors were dropped: more came than could be read, kept or sent.',
      '',
    ]);
  });

  it('does not wait for outputs that a child of the agent keeps open', async ({ bench }) => {
    // Longer than the time limit of the test.
    const { code, stdout } = await agent(bench, 'sleep 600 & echo $!', '--watch', 'both');
    process.kill(Number(String(stdout)));
    expect([code, String(stdout)]).toEqual([0, expect.stringMatching(/^\d+\n$/)]);
  });
});
