import { readFile } from 'node:fs/promises';

/** A process, named so that a later one with the same number is told apart. */
export interface SpoolOwner {
  readonly pid: number;
  /** In clock ticks since the machine started; 0 where the platform does not tell. */
  readonly startedAt: number;
}

export async function thisProcess(): Promise<SpoolOwner> {
  return { pid: process.pid, startedAt: (await readStart(process.pid)) ?? 0 };
}

/** False where the process has ended, also when its number has been given to another. */
export async function isRunning({ pid, startedAt }: SpoolOwner): Promise<boolean> {
  if (startedAt > 0) return (await readStart(pid)) === startedAt;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Field 22 of /proc/PID/stat, counted behind the name in brackets, which may hold anything. */
async function readStart(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Number.isSafeInteger(start) && start > 0 ? start : undefined;
}
