import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { whyNoStrace } from '../trace/strace.ts';

/** The reason why processes cannot be suspended here; undefined if they can. */
export async function whyNoHangingReads(): Promise<string | undefined> {
  const reason = whyNoStrace();
  if (reason !== undefined) return reason;
  const sleep = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const strace = await attach(sleep.pid ?? 0, []);
    strace.kill('SIGKILL');
    return undefined;
  } catch (error) {
    return `strace cannot attach here: ${String(error).trim().split('\n').at(-1)}`;
  } finally {
    sleep.kill('SIGKILL');
  }
}

/**
 * From now on, every read of the database files by a process hangs.
 *
 * @returns a function that ends this; the waiting reads then complete
 */
export async function hangReads(pid: number, dataDirectory: string): Promise<() => Promise<void>> {
  const paths = ['muster.db', 'muster.db-wal'].flatMap((name) => ['-P', join(dataDirectory, name)]);
  const strace = await attach(pid, [
    ...['-f', '-e', 'signal=none', '-e', 'trace=pread64'],
    // Microseconds: longer than any test.
    ...['-e', 'inject=pread64:delay_enter=600000000', ...paths],
  ]);
  const ended = once(strace, 'exit');
  return async () => {
    // It does not release a thread that was killed while suspended.
    strace.kill(isKilled(pid) ? 'SIGKILL' : 'SIGINT');
    await ended;
  };
}

/** Resolves when strace traces the process. @throws Error with what it says if it cannot */
async function attach(pid: number, flags: readonly string[]): Promise<ChildProcess> {
  const strace = spawn('strace', ['-p', String(pid), '-o', '/dev/null', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  strace.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  while (!/attached/.test(output)) {
    if (strace.exitCode !== null) throw new Error(`strace says: ${output}`);
    await pause(5);
  }
  return strace;
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
