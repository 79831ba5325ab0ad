import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Closing } from './closing.ts';

/**
 * A directory that is removed when this process ends, on the measured disk. The system's own temporary directory may be
 * in memory, where nothing is ever slow.
 */
export function createScratchDirectory(closing: Closing, keptDirectory: string): string {
  mkdirSync(keptDirectory, { recursive: true });
  removeLeftBehind(keptDirectory);
  const directory = mkdtempSync(join(keptDirectory, `run-${process.pid}-`));
  closing.add(() => rmSync(directory, { recursive: true, force: true }));
  // PostgreSQL runs as another user if this is root.
  chmodSync(directory, 0o755);
  process.env.TMPDIR = directory;
  return directory;
}

/** Removes leftovers of killed runs. */
function removeLeftBehind(keptDirectory: string): void {
  for (const name of readdirSync(keptDirectory)) {
    const pid = /^run-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(keptDirectory, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user, so it may not be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
