import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { whyNoStrace } from '../trace/strace.ts';

/** The reason why strace cannot attach to a running process here; undefined if it can. */
export async function whyNoAttachedStrace(): Promise<string | undefined> {
  const reason = whyNoStrace();
  if (reason !== undefined) return reason;
  const sleep = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const strace = await start(sleep.pid ?? 0, ['-o', '/dev/null']);
    strace.kill('SIGKILL');
    return undefined;
  } catch (error) {
    return `strace cannot attach here: ${String(error).trim().split('\n').at(-1)}`;
  } finally {
    sleep.kill('SIGKILL');
  }
}

/**
 * Resolves when strace traces all threads of a process: from then on, it handles each call that a thread begins.
 *
 * @returns a function that ends this; calls that strace delays then complete
 */
export async function attachStrace(pid: number, flags: readonly string[]): Promise<() => Promise<void>> {
  const strace = await start(pid, ['-f', '-e', 'signal=none', ...flags]);
  const ended = once(strace, 'exit');
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

/** @throws Error with what strace says if it cannot attach */
async function start(pid: number, flags: readonly string[]): Promise<ChildProcess> {
  const strace = spawn('strace', ['-p', String(pid), ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
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

function isKilled(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // proc_pid_stat(5): the name of the program in parentheses, then the state.
  return !existsSync(stat) || /\) Z /.test(readFileSync(stat, 'utf8'));
}
