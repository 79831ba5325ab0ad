import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { whyNoStrace } from '../trace/strace.ts';

/** Why a process that runs cannot be held up here; undefined where it can. */
export function whyNoHangingReads(): string | undefined {
  const reason = whyNoStrace();
  if (reason !== undefined) return reason;
  const { status, stderr } = spawnSync('sh', ['-c', 'sleep 0.2 & exec strace -o /dev/null -p $!'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `strace cannot attach here: ${stderr.trim().split('\n').at(-1)}`;
}

/**
 * From now on no read of a process from the files of its database comes to an end.
 *
 * @returns what ends that: those that wait are done then
 */
export async function hangReads(pid: number, dataDirectory: string): Promise<() => Promise<void>> {
  const paths = ['muster.db', 'muster.db-wal'].flatMap((name) => ['-P', join(dataDirectory, name)]);
  const strace = spawn(
    'strace',
    [
      ...['-f', '-p', String(pid), '-o', '/dev/null', '-e', 'signal=none', '-e', 'trace=pread64'],
      // Microseconds: longer than any test.
      ...['-e', 'inject=pread64:delay_enter=600000000', ...paths],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(strace, 'exit');
  let output = '';
  strace.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  while (!/attached/.test(output)) {
    if (strace.exitCode !== null) throw new Error(`strace says: ${output}`);
    await pause(5);
  }
  return async () => {
    // It does not let go of a thread that was killed while it was held up.
    strace.kill(isKilled(pid) ? 'SIGKILL' : 'SIGINT');
    await ended;
  };
}

/** Resolves when a process was killed, also while one of its threads still waits for its disk. */
export async function untilKilled(pid: number): Promise<void> {
  while (!isKilled(pid)) await pause(5);
}

function isKilled(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // proc_pid_stat(5): the name of the program in parentheses, then the state.
  return !existsSync(stat) || /\) Z /.test(readFileSync(stat, 'utf8'));
}
