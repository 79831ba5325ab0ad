import { readFile } from 'node:fs/promises';

/** A process. `startedAt` tells it from a later one with the same number. */
export interface SpoolOwner {
  readonly pid: number;
  /** In clock ticks since the machine started; 0 if the platform does not tell. */
  readonly startedAt: number;
}

export async function thisProcess(): Promise<SpoolOwner> {
  return { pid: process.pid, startedAt: (await readStart(process.pid)) ?? 0 };
}

/** False when the process has ended, even if another one has its number now. */
export async function isRunning({ pid, startedAt }: SpoolOwner): Promise<boolean> {
  if (startedAt > 0) return (await readStart(pid)) === startedAt;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Field 22 of /proc/PID/stat. Counted from behind the name in brackets, which may contain anything. */
async function readStart(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Number.isSafeInteger(start) && start > 0 ? start : undefined;
}
