import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Closing } from './closing.ts';

export interface RunningProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  /** All of stdout, and the end of stderr. */
  stdout(): string;
  stderr(): string;
  /** Sends SIGTERM, then SIGKILL if that does not help. */
  stop(): Promise<void>;
}

const stopMilliseconds = 15_000;

/** Starts a process that ends no later than `closing`. */
export function startProcess(
  closing: Closing,
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): RunningProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const exited = exitOf(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr = `${stderr}${String(chunk)}`.slice(-10_000);
  });
  const stop = closing.add(() => stopChild(child, exited));
  return { pid: child.pid ?? 0, child, exited, stdout: () => stdout, stderr: () => stderr, stop };
}

/** Rejects if the process cannot be started. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  exited.catch(() => undefined);
  return exited;
}

export async function stopChild(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds);
  await exited.catch(() => undefined);
  clearTimeout(timer);
}
