import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { whyNoStrace } from '../trace/strace.ts';

/** The reason why processes cannot be suspended here; undefined if they can. */
export function whyNoHangingReads(): string | undefined {
  const reason = whyNoStrace();
  if (reason !== undefined) return reason;
  const { status, stderr } = spawnSync('sh', ['-c', 'sleep 0.2 & exec strace -o /dev/null -p $!'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `strace cannot attach here: ${stderr.trim().split('\n').at(-1)}`;
}

/**
 * From now on, every read of the database files by a process hangs.
 *
 * @returns a function that ends this; the waiting reads then complete
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
    // It does not release a thread that was killed while suspended.
    strace.kill(isKilled(pid) ? 'SIGKILL' : 'SIGINT');
    await ended;
  };
}

/** Resolves when a process was killed, even if one of its threads still waits for its disk. */
export async function untilKilled(pid: number): Promise<void> {
  while (!isKilled(pid)) await pause(5);
}

function isKilled(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // proc_pid_stat(5): the name of the program in parentheses, then the state.
  return !existsSync(stat) || /\) Z /.test(readFileSync(stat, 'utf8'));
}
