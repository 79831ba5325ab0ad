import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The reason why calls cannot be traced on this machine; undefined if they can. */
export function whyNoStrace(): string | undefined {
  if (process.platform !== 'linux') return 'strace is there on Linux alone';
  const { error, status, stderr } = spawnSync(
    'strace',
    [...traceFlags, '-e', 'trace=fsync', '-o', '/dev/null', 'true'],
    {
      encoding: 'utf8',
    },
  );
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? undefined : `strace cannot trace here: ${stderr.trim().split('\n').at(-1)}`;
}

/**
 * As a detached grandchild, so that the traced process keeps its place and receives the signals meant for it; with all
 * threads, the file of each descriptor, and whole pages.
 */
const traceFlags = ['-D', '-f', '-yy', '-s', '70000'];

/** The command prefix that records a command's calls in a file. */
export function traceCalls(file: string, names: readonly string[]): string[] {
  // `?`: some of these calls do not exist on every machine.
  const known = names.map((name) => `?${name}`).join(',');
  return ['strace', ...traceFlags, '--seccomp-bpf', '-e', `trace=${known}`, '-e', 'signal=none', '-o', file];
}

/** The complete output of strace for a process that has ended. */
export async function readWholeTrace(file: string, pid: number): Promise<string> {
  const end = new RegExp(`^${pid} +\\+\\+\\+ (?:exited|killed)`, 'm');
  for (const deadline = Date.now() + 300_000; Date.now() < deadline; ) {
    const text = existsSync(file) ? readFileSync(file, 'latin1') : '';
    if (end.test(text.slice(-10_000))) return text;
    await pause(20);
  }
  throw new Error(`${file} does not tell how process ${pid} has ended`);
}
